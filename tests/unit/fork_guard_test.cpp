#include "system/fork_guard.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace kmux {
namespace {

struct Pair {
  std::mutex mutex;
  ForkGuard guard{mutex};
  int first = 0;
  int second = 0;  // equal to `first`, except briefly under the lock
};

int code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// In a child, the mutex must be free and its data consistent, whatever other threads do at the fork.
TEST(ForkGuardTest, ChildFindsMutexesUnlocked) {
  Pair one;
  Pair other;
  std::atomic<bool> done{false};
  const auto keep_busy = [&done](Pair& outer, Pair& inner) {
    while (!done) {
      {
        const std::scoped_lock lock(outer.mutex, inner.mutex);
        ++outer.first, ++inner.first;
        std::this_thread::yield();
        ++outer.second, ++inner.second;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));  // they are for locks that are mostly free
    }
  };
  std::jthread a([&] { keep_busy(one, other); });
  std::jthread b([&] { keep_busy(other, one); });
  const auto stop = std::shared_ptr<void>(nullptr, [&done](void*) { done = true; });  // before the threads are joined
  for (int i = 0; i < 100; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(10);
      const std::scoped_lock lock(one.mutex, other.mutex);
      ::_exit(one.first == one.second && other.first == other.second ? 0 : 1);
    }
    ASSERT_EQ(code_of(child), 0) << "fork " << i;
  }
}

TEST(ForkGuardTest, LongHeldMutexDoesNotBlockFork) {
  Pair held;
  const std::lock_guard lock(held.mutex);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(10);
    held.mutex.lock();
    ::_exit(0);
  }
  EXPECT_EQ(code_of(child), 0);
}

TEST(ForkGuardTest, CountsForkGenerations) {
  const std::uint64_t own = fork_generation();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(fork_generation() == own + 1 ? 0 : 1);
  EXPECT_EQ(code_of(child), 0);
  EXPECT_EQ(fork_generation(), own);
}

}  // namespace
}  // namespace kmux
