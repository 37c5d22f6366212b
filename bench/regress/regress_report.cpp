#include "regress/regress_report.h"

#include <algorithm>
#include <cstdio>

#include "kmux/plugin/word_list.h"

#include "base/text_table.h"

namespace kmux::regress {
namespace {

constexpr const char* kUpdate = "./kmux.sh regress --update";

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string ratio_text(const Interval& ratio) {
  return formatted("%.3g", ratio.median) + " [" + formatted("%.3g", ratio.low) + ", " + formatted("%.3g", ratio.high) +
         "]";
}

std::string change_text(const CaseCheck& check) {
  return formatted("%+.1f %%", 100 * (check.measured().median / check.baseline().median - 1));
}

std::vector<std::string> row_of(const CaseResult& result) {
  if (!result.check) return {result.regress_case->name, "new", "", "", "", result.regress_case->what};
  const CaseCheck& check = *result.check;
  return {result.regress_case->name,    std::string(to_string(check.finding())),
          ratio_text(check.baseline()), ratio_text(check.measured()),
          change_text(check),           result.regress_case->what};
}

template <class Accept>
std::vector<std::string> names_where(const std::vector<CaseResult>& results, Accept accept) {
  std::vector<std::string> names;
  for (const CaseResult& result : results) {
    if (accept(result)) names.push_back(result.regress_case->name);
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<CaseResult>& results, Finding finding) {
  return names_where(results,
                     [&](const CaseResult& result) { return result.check && result.check->finding() == finding; });
}

std::vector<std::string> new_names(const std::vector<CaseResult>& results) {
  return names_where(results, [](const CaseResult& result) { return !result.check; });
}

std::string slower_text(const CaseResult& result) {
  const CaseCheck& check = *result.check;
  return result.regress_case->name + " is slower (its ratio to \"" + result.regress_case->reference + "\" was " +
         ratio_text(check.baseline()) + " and is " + ratio_text(check.measured()) + " in " +
         std::to_string(check.processes()) + " processes; " + formatted("%.0f", 100 * check.threshold()) +
         " % above the baseline are allowed). Find the change that did it; if it is meant, " + kUpdate +
         " and commit the file.\n";
}

}  // namespace

ExitCode exit_code_of(const std::vector<CaseResult>& results) {
  if (!names_of(results, Finding::kSlower).empty()) return ExitCode::kSlower;
  return new_names(results).empty() ? ExitCode::kPassed : ExitCode::kNoBaseline;
}

std::string report_text(const std::vector<CaseResult>& results) {
  TextTable table({{"case"}, {"finding"}, {"baseline"}, {"now"}, {"change", TextTable::Align::kRight}, {"what"}});
  for (const CaseResult& result : results) table.add(row_of(result));
  std::string text = table.to_string();
  for (const CaseResult& result : results) {
    if (result.check && result.check->finding() == Finding::kSlower) text.append(slower_text(result));
  }
  if (const auto names = names_of(results, Finding::kFaster); !names.empty()) {
    text.append("faster: " + join(names) + ". Keep it that way: " + kUpdate + "\n");
  }
  if (const auto names = new_names(results); !names.empty()) {
    text.append("not judged, since the baseline does not have them: " + join(names) + ". Measure them: " + kUpdate +
                "\n");
  }
  if (exit_code_of(results) == ExitCode::kPassed) text.append("nothing is slower than its baseline\n");
  return text;
}

std::string no_baseline_text(const std::filesystem::path& folder, const MachineClass& machine) {
  std::vector<std::string> known;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    known.push_back(entry.path().filename());
  std::ranges::sort(known);
  return "there is no baseline for \"" + machine.to_string() + "\" (" + folder.string() + " has " +
         join(known, "none") +
         "): nothing was compared. On a quiet machine, at a state that you trust, make one: " + kUpdate + "\n";
}

}  // namespace kmux::regress
