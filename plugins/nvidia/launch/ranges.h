#pragma once

#include "nvidia/launch/log.h"

namespace kmux::nvidia {

/// The functions of NVTX that show calls to profilers, opened at run time.
struct Ranges {
  int (*push)(const char* name);
  int (*pop)();
};

/// The one table of this library; null where NVTX is not installed, which the first such call logs. Never closed.
///
/// Threads: any.
const Ranges* open_ranges(const Log& log);

/// A range for the length of a scope; nothing if `ranges` is null.
class RangeScope {
 public:
  RangeScope(const Ranges* ranges, const char* name) : ranges_(ranges) {
    if (__builtin_expect(ranges_ != nullptr, 0)) ranges_->push(name);
  }
  RangeScope(const RangeScope&) = delete;
  RangeScope& operator=(const RangeScope&) = delete;
  ~RangeScope() {
    if (__builtin_expect(ranges_ != nullptr, 0)) ranges_->pop();
  }

 private:
  const Ranges* ranges_;
};

}  // namespace kmux::nvidia
