#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <set>
#include <string>

namespace kmux {

/// Keeps a log from being filled by what somebody else decides: each line once in `period`, and at most `kMostLines` lines.
///
/// Threads: any; a line may be lost where two threads log at the same time.
class LogLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostLines = 8;

  explicit LogLimit(Clock::duration period) : period_(period) {}

  enum class Verdict { kLog, kLogAsLast, kDrop };  // kLogAsLast: those that follow in this period are dropped
  Verdict judge(const std::string& line, Clock::time_point now);

 private:
  Clock::duration period_;
  std::mutex mutex_;
  Clock::time_point end_{};
  std::set<std::string> lines_;
};

}  // namespace kmux
