#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "kmux/bench/binding.h"
#include "kmux/bench/figure.h"
#include "kmux/plugin/word_list.h"

#include "options.h"

namespace kmux::cli {
namespace {

std::optional<Threshold> read_threshold(std::string_view text) {
  if (text == "wrong") return Threshold{Threshold::Kind::kWrong};
  if (text == "failed") return Threshold{Threshold::Kind::kFailed};
  constexpr std::string_view kSlower = "slower:";
  if (!text.starts_with(kSlower) || !text.ends_with('%')) return std::nullopt;
  const auto percent = bench::parse_number(text.substr(kSlower.size(), text.size() - kSlower.size() - 1));
  if (!percent || !std::isfinite(*percent) || *percent < 0) return std::nullopt;
  return Threshold{Threshold::Kind::kSlower, *percent / 100};
}

bool is_breached(const bench::Entrant& entrant, const Threshold& threshold) {
  if (threshold.kind == Threshold::Kind::kWrong) return entrant.state == bench::EntrantState::kWrong;
  if (threshold.kind == Threshold::Kind::kFailed) return entrant.state == bench::EntrantState::kFailed;
  const auto found = entrant.verdicts.find(bench::kHeadline);
  return found != entrant.verdicts.end() && found->second.ratio.low > 1 + threshold.part &&
         found->second.verdict == bench::Verdict::kSlower;
}

std::string sentence(const bench::Contest& contest, const bench::Entrant& entrant, const Threshold& threshold) {
  const std::string head = "FAIL " + program_text(contest) + " on " + entrant.backend + ": ";
  if (threshold.kind != Threshold::Kind::kSlower) return head + entrant.problem;
  const Interval& ratio = entrant.verdicts.at(bench::kHeadline).ratio;
  return head + bench::ratio_text(ratio) + " than " + contest.baseline + " (" + bench::ratio_spread(ratio) + ")";
}

}  // namespace

Result<std::vector<Threshold>> read_thresholds(const std::vector<std::string>& texts) {
  std::vector<Threshold> thresholds;
  for (const std::string& text : texts) {
    const auto threshold = read_threshold(text);
    if (!threshold) {
      return make_error(ErrorCode::kInvalidArgument, "\"" + text +
                                                         "\" is nothing to fail for (--fail-if). Write slower:5%, "
                                                         "wrong or failed.");
    }
    thresholds.push_back(*threshold);
  }
  return thresholds;
}

namespace {

using bench::Contest;
using bench::Entrant;
using bench::EntrantState;

bool is_timed(const Entrant& entrant) { return entrant.state == EntrantState::kTimed && !entrant.columns.empty(); }
bool was_compared(const Entrant& entrant) {
  return entrant.state == EntrantState::kTimed || entrant.state == EntrantState::kWrong;
}
bool has_verdict(const Entrant& entrant) { return entrant.verdicts.contains(bench::kHeadline); }

/// Returns true if the contest has data for the threshold. A single result has no other to be compared with.
bool is_answered(const Contest& contest, const Threshold& threshold) {
  if (threshold.kind == Threshold::Kind::kSlower) return std::ranges::any_of(contest.entrants, has_verdict);
  if (threshold.kind == Threshold::Kind::kWrong) return std::ranges::count_if(contest.entrants, was_compared) > 1;
  return !contest.entrants.empty();
}

std::string timed_text(const Contest& contest) {
  std::vector<std::string> names;
  for (const Entrant& entrant : contest.entrants) {
    if (is_timed(entrant)) names.push_back(entrant.backend);
  }
  return names.empty() ? "nothing was timed" : "timed: " + join(names);
}

/// Returns the contests to judge: the measured ones, or all that were read if none was measured.
std::vector<const Contest*> judged(const bench::BenchReport& report) {
  std::vector<const Contest*> contests;
  for (const Contest& contest : report.contests) {
    if (contest.origin.empty()) contests.push_back(&contest);
  }
  if (!contests.empty()) return contests;
  for (const Contest& contest : report.contests) contests.push_back(&contest);
  return contests;
}

std::vector<std::string> breaches_of(const bench::BenchReport& report, const std::vector<Threshold>& thresholds) {
  std::vector<std::string> breaches;
  for (const Contest& contest : report.contests) {
    for (const Entrant& entrant : contest.entrants) {
      for (const Threshold& threshold : thresholds) {
        if (is_breached(entrant, threshold)) breaches.push_back(sentence(contest, entrant, threshold));
      }
    }
  }
  return breaches;
}

/// Returns "FAIL scale (n=16): ".
std::string title(const Contest& contest) {
  std::vector<std::string> values;
  if (!contest.label.empty()) values.push_back(contest.label);
  values.reserve(contest.point.size());
  for (const auto& [name, value] : contest.point) values.push_back(name + "=" + std::to_string(value));
  return "FAIL " + contest.program + (values.empty() ? "" : " (" + join(values) + ")") + ": ";
}

void add_missing(const Contest& contest, const std::vector<std::string>& named, std::vector<std::string>& gaps) {
  for (const Entrant& entrant : contest.entrants) {
    const bool is_named = std::ranges::find(named, entrant.backend) != named.end();
    if (is_named && entrant.state == EntrantState::kUnavailable)
      gaps.push_back(title(contest) + entrant.backend + " was named and cannot run here (" + entrant.problem + ")");
  }
}

/// Returns the missing comparisons, in the order of the contests.
std::vector<std::string> gaps_of(const bench::BenchReport& report, const std::vector<Threshold>& thresholds,
                                 const std::vector<std::string>& named) {
  std::vector<std::string> gaps;
  bool has_times = report.contests.empty();
  for (const Contest* const contest : judged(report)) {
    has_times = has_times || std::ranges::any_of(contest->entrants, is_timed);
    add_missing(*contest, named, gaps);
    const bool is_open =
        !std::ranges::all_of(thresholds, [&](const Threshold& one) { return is_answered(*contest, one); });
    if (is_open)
      gaps.push_back(title(*contest) + "nothing was compared, so nothing passed (" + timed_text(*contest) + ")");
  }
  if (!has_times) gaps.emplace_back("FAIL nothing was timed");
  return gaps;
}

}  // namespace

GateResult gate_of(const bench::BenchReport& report, const std::vector<Threshold>& thresholds,
                   const std::vector<std::string>& named) {
  GateResult result{breaches_of(report, thresholds)};
  if (!result.problems.empty()) result.code = kCheckFailed;
  const std::vector<std::string> gaps = gaps_of(report, thresholds, named);
  if (!gaps.empty() && result.code == kSuccess) result.code = kNotHere;
  result.problems.insert(result.problems.end(), gaps.begin(), gaps.end());
  return result;
}

}  // namespace kmux::cli
