#include "regress/case_check.h"

#include <algorithm>

namespace kmux::regress {

std::string_view to_string(Finding finding) {
  switch (finding) {
    case Finding::kSame:
      return "same";
    case Finding::kSlower:
      return "slower";
    case Finding::kFaster:
      return "faster";
    case Finding::kUndecided:
      return "undecided";
  }
  return "";
}

Interval band_of(const std::vector<Interval>& processes, std::size_t spared) {
  std::vector<double> medians;
  medians.reserve(processes.size());
  for (const Interval& process : processes) medians.push_back(process.median);
  std::ranges::sort(medians);
  const std::size_t half = medians.size() / 2;
  const double middle = medians.size() % 2 == 1 ? medians[half] : (medians[half - 1] + medians[half]) / 2;
  return {middle, medians[spared], medians[medians.size() - 1 - spared]};
}

CaseCheck::CaseCheck(const std::vector<Interval>& baseline, double threshold)
    : baseline_(band_of(baseline, baseline.size() < kBaselineProcesses ? 0 : 1)), threshold_(threshold) {}

void CaseCheck::add(const Interval& ratio) {
  processes_.push_back(ratio);
  if (ratio.low > baseline_.high * (1 + threshold_)) ++slow_;
  if (ratio.high < baseline_.low / (1 + threshold_)) ++fast_;
}

bool CaseCheck::may_be(std::size_t count) const { return processes_.size() <= count + kOtherwise; }

Finding CaseCheck::finding() const {
  const bool is_last = processes_.size() >= kMaxProcesses;
  if (is_last && may_be(slow_)) return Finding::kSlower;
  if (is_last && may_be(fast_)) return Finding::kFaster;
  const bool is_open = may_be(slow_) || may_be(fast_);
  return is_last || (processes_.size() >= kMinProcesses && !is_open) ? Finding::kSame : Finding::kUndecided;
}

}  // namespace kmux::regress
