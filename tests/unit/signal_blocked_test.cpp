#include "kmux/plugin/signal_blocked.h"

#include <cerrno>
#include <optional>
#include <unistd.h>

#include <gtest/gtest.h>

namespace kmux {
namespace {

bool is_pending(int signal) {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

bool is_blocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

int write_to_closed_pipe() {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  ::close(ends[0]);
  const int error = ::write(ends[1], "x", 1) == 1 ? 0 : errno;
  ::close(ends[1]);
  return error;
}

TEST(SignalBlockedTest, TurnsSigpipeIntoError) {
  {
    const SignalBlocked blocked(SIGPIPE);
    EXPECT_EQ(write_to_closed_pipe(), EPIPE);
    EXPECT_TRUE(is_pending(SIGPIPE));
  }
  EXPECT_FALSE(is_pending(SIGPIPE));
  EXPECT_FALSE(is_blocked(SIGPIPE));
}

TEST(SignalBlockedTest, KeepsPendingSignal) {
  std::optional<SignalBlocked> outer(std::in_place, SIGPIPE);
  pthread_kill(pthread_self(), SIGPIPE);
  {
    const SignalBlocked inner(SIGPIPE);
    EXPECT_EQ(write_to_closed_pipe(), EPIPE);
  }
  EXPECT_TRUE(is_pending(SIGPIPE));
  EXPECT_TRUE(is_blocked(SIGPIPE));
}

}  // namespace
}  // namespace kmux
