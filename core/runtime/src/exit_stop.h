#pragma once

#include <memory>

namespace kmux {

/// What has threads that use what the process tears down when it ends.
class StopsAtExit {
 public:
  virtual ~StopsAtExit() = default;
  /// Waits until they have ended.
  virtual void stop() = 0;
};

/// Has `one` stopped when the process ends, if it still exists then, after telling plugins that they may give up
/// (`stopping` of the host's table).
///
/// Exit handlers run in reverse: one that is registered with the plugins open runs before the destructors of what their
/// compilers keep. So this is called when the first thread is needed, not earlier.
/// Threads: any.
void stop_at_exit(std::weak_ptr<StopsAtExit> one);

}  // namespace kmux
