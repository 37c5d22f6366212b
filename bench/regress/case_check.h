#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kmux/interval.h"

namespace kmux::regress {

/// Where code and data of a process come to lie decides over some percent, and is the same for every sample of a
/// process: so processes are what is counted. A baseline has this many of each case.
inline constexpr std::size_t kBaselineProcesses = 15;

/// What a check says of a case.
enum class Finding {
  kSame,  // nothing that the baseline does not explain
  kSlower,  // surely, by more than is allowed
  kFaster,  // surely, by as much
  kUndecided,  // more processes must be asked
};
std::string_view to_string(Finding finding);

/// Ratios of all processes taken together: the median of their medians, between the least and the greatest of them
/// without the outermost `spared` on each side.
///
/// Precondition: more than twice as many processes as are spared.
Interval band_of(const std::vector<Interval>& processes, std::size_t spared = 0);

/// Compares the ratios of a case with its baseline, process by process, until it can tell.
///
/// The band of a baseline lies between its second least and its second greatest ratio: one process that was disturbed
/// does not widen it. A process is slow if its whole interval lies above the band by more than `threshold` (0.1: above
/// 1.1 times its upper end). The case is slower if six of seven processes are slow; as soon as two are not, it is not.
/// If nothing changed, 15 processes and 7 more are alike, and six of the seven above the second greatest of the 15 are
/// one case in 1,600, whatever the noise is, even if nothing were allowed. Faster is the same, downwards.
class CaseCheck {
 public:
  static constexpr std::size_t kMinProcesses = 3;
  static constexpr std::size_t kMaxProcesses = 7;
  static constexpr std::size_t kOtherwise = 1;  // processes that may say something else

  /// `baseline` has a ratio for each of its processes, one at least.
  CaseCheck(const std::vector<Interval>& baseline, double threshold);

  /// Takes what one more process has measured.
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
