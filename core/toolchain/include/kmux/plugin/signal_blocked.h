#pragma once

#include <csignal>

namespace kmux {

/// While it lives, turns `signal` raised by a call on this thread into the call's error: SIGPIPE of a write to a closed
/// pipe into EPIPE, SIGXFSZ of a write beyond RLIMIT_FSIZE into EFBIG. Unblocked, either would end the process.
///
/// Threads: must be destroyed on the thread that created it.
class SignalBlocked {
 public:
  /// Blocks `signal` for the calling thread.
  explicit SignalBlocked(int signal);
  /// Discards a signal raised meanwhile and restores the mask. A signal that was pending before stays pending.
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
