#pragma once

#include <csignal>

namespace kmux {

/// Turns `signal` that a call of this thread raises into the call's error, while it lives: SIGPIPE of a write to a closed pipe into EPIPE,
/// SIGXFSZ of a write beyond RLIMIT_FSIZE into EFBIG. Either would end the process.
///
/// Threads: that which made it, which destroys it, too.
class SignalBlocked {
 public:
  /// Blocks `signal` for the calling thread.
  explicit SignalBlocked(int signal);
  /// Removes what has been raised meanwhile. A signal that was pending before stays so.
  ~SignalBlocked();
  SignalBlocked(const SignalBlocked&) = delete;
  SignalBlocked& operator=(const SignalBlocked&) = delete;

 private:
  bool is_pending() const;

  const int signal_;
  bool was_pending_ = false;
  sigset_t blocked_{};
  sigset_t before_{};
};

}  // namespace kmux
