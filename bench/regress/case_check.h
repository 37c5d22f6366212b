#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kmux/interval.h"

namespace kmux::regress {

/// The addresses of a process's code and data change times by some percent, equally for every sample of the process. So
/// processes are counted, not samples. A baseline has this many of each case.
inline constexpr std::size_t kBaselineProcesses = 15;

/// The result of a check of a case.
enum class Finding {
  kSame,  // within the baseline
  kSlower,  // certainly, by more than the threshold
  kFaster,  // certainly, by as much
  kUndecided,  // more processes are needed
};
std::string_view to_string(Finding finding);

/// Returns the combined ratios of all processes: the median of their medians, between the least and the greatest of
/// them without the outermost `spared` on each side.
///
/// Precondition: more than twice as many processes as are spared.
Interval band_of(const std::vector<Interval>& processes, std::size_t spared = 0);

/// Compares the ratios of a case with its baseline, process by process, until the finding is certain.
///
/// The band of a baseline is between its second least and its second greatest ratio: one disturbed process does not
/// widen it. A process is slow if its whole interval is above the band by more than `threshold` (0.1: above 1.1 times
/// its upper end). The case is slower if six of seven processes are slow; as soon as two are not, it is not. Without a
/// change, the 15 processes and the 7 have the same distribution. Then six of the seven exceed the second greatest of
/// the 15 in one case in 1,600, for any noise, even with a threshold of 0. Faster is the same, downwards.
class CaseCheck {
 public:
  static constexpr std::size_t kMinProcesses = 3;
  static constexpr std::size_t kMaxProcesses = 7;
  static constexpr std::size_t kOtherwise = 1;  // processes that may disagree

  /// `baseline` must have a ratio for each of its processes, at least one.
  CaseCheck(const std::vector<Interval>& baseline, double threshold);

  /// Adds the measurement of one more process.
  void add(const Interval& ratio);

  Finding finding() const;
  bool is_decided() const { return finding() != Finding::kUndecided; }

  const Interval& baseline() const { return baseline_; }
  double threshold() const { return threshold_; }
  /// Precondition: a process was added.
  Interval measured() const { return band_of(processes_); }
  std::size_t processes() const { return processes_.size(); }

 private:
  bool may_be(std::size_t count) const;
  Interval baseline_;
  double threshold_;
  std::vector<Interval> processes_;
  std::size_t slow_ = 0;
  std::size_t fast_ = 0;
};

}  // namespace kmux::regress
