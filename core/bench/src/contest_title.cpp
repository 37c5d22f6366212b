#include "contest_title.h"

#include <algorithm>

namespace kmux::bench {

std::string title_of(const Contest& contest) {
  std::string title = contest.program;
  for (const auto& [name, value] : contest.point) title += ", " + name + " = " + std::to_string(value);
  return contest.origin.empty() ? title : title + " (" + contest.origin + ")";
}

std::string point_text(const Contest& contest, const char* separator) {
  std::string text;
  for (const auto& [name, value] : contest.point) {
    text.append(text.empty() ? "" : separator).append(name).append("=").append(std::to_string(value));
  }
  return text;
}

Column headline_of(const Contest& contest) {
  if (has(contest, kHeadline)) return kHeadline;
  const auto found = std::ranges::find_if(
      columns(), [&](const ColumnInfo& info) { return info.unit == "us" && has(contest, info.column); });
  return found == columns().end() ? kHeadline : found->column;
}

bool has(const Contest& contest, Column column) {
  return std::ranges::any_of(contest.entrants,
                             [&](const Entrant& entrant) { return entrant.columns.contains(column); });
}

bool is_of_program(const Contest& contest) { return !contest.baseline.empty() || !contest.resolution.empty(); }

std::size_t timed_in(const Contest& contest) {
  return static_cast<std::size_t>(std::ranges::count(contest.entrants, EntrantState::kTimed, &Entrant::state));
}

}  // namespace kmux::bench
