#include "log_limit.h"

namespace kmux {

LogLimit::Verdict LogLimit::judge(const std::string& line, Clock::time_point now) {
  const std::unique_lock guard(mutex_, std::try_to_lock);  // in a fork, a thread that is not there may hold it
  if (!guard) return Verdict::kDrop;
  if (now >= end_) {
    lines_.clear();
    end_ = now + period_;
  }
  if (lines_.size() >= kMostLines || !lines_.insert(line).second) return Verdict::kDrop;
  return lines_.size() == kMostLines ? Verdict::kLogAsLast : Verdict::kLog;
}

}  // namespace kmux
