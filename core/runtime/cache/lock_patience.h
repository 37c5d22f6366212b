#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <utility>

namespace kmux {

/// Decides how long this process waits for another one that has a lock of the cache, and reports why it waits.
class LockPatience {
 public:
  using Text = std::function<void(const std::string&)>;

  /// The first wait is reported to `tell`; a long one, and a holder that is stopped, to `warn`, each once.
  LockPatience(Text tell, Text warn) : tell_(std::move(tell)), warn_(std::move(warn)) {}

  /// Called every second of a wait with the process that has the lock, or 0 if it is unknown. Returns false if that
  /// process is stopped: this one goes on without the lock.
  bool operator()(pid_t holder);

 private:
  Text tell_, warn_;
  int looks_ = 0;
};

}  // namespace kmux
