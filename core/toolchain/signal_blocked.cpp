#include "kmux/plugin/signal_blocked.h"

namespace kmux {

SignalBlocked::SignalBlocked(int signal) : signal_(signal) {
  sigemptyset(&blocked_);
  sigaddset(&blocked_, signal);
  was_pending_ = is_pending();
  pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
}

SignalBlocked::~SignalBlocked() {
  int removed = 0;
  if (!was_pending_ && is_pending()) sigwait(&blocked_, &removed);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SignalBlocked::is_pending() const {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal_) == 1;
}

}  // namespace kmux
