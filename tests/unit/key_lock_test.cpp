#include "cache/disk/key_lock.h"

#include <atomic>
#include <cerrno>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/platform.h"

#include "cache/disk/file_descriptor.h"
#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using std::chrono::milliseconds;

class KeyLocksTest : public testing::Test {
 protected:
  std::optional<KeyLocks::Held> acquire(const std::string& name, milliseconds timeout = milliseconds(0)) {
    return locks_.acquire(name, timeout);
  }
  TempFolder temp_;
  KeyLocks locks_{temp_.path() / "locks"};
};

TEST_F(KeyLocksTest, IsExclusive) {
  std::optional<KeyLocks::Held> first = acquire("a");
  ASSERT_TRUE(first);
  EXPECT_FALSE(acquire("a"));
  EXPECT_FALSE(acquire("a", milliseconds(5)));
  EXPECT_TRUE(acquire("b"));
  first.reset();
  EXPECT_TRUE(acquire("a"));
}

TEST_F(KeyLocksTest, WaitsForRelease) {
  std::optional<KeyLocks::Held> first = acquire("a");
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(20));
    first.reset();
  });
  EXPECT_TRUE(acquire("a", milliseconds(60'000)));
  later.join();
}

TEST_F(KeyLocksTest, StopsWaitingForStoppedOwner) {
  if (is_portable())
    GTEST_SKIP() << needs("locks of bytes of an open file", "the portable way has a file for each lock");
  const pid_t child = ::fork();
  if (child == 0) {
    KeyLocks own(temp_.path() / "locks");
    const auto held = own.acquire("a", milliseconds(0));
    ::raise(SIGSTOP);
    std::_Exit(held ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status));
  pid_t holder = 0;
  const auto patience = [&](pid_t process) {
    holder = process;
    return !is_stopped(process);
  };
  EXPECT_FALSE(locks_.acquire("a", milliseconds(60'000), patience));
  EXPECT_EQ(holder, child);
  ::kill(child, SIGCONT);
  EXPECT_TRUE(locks_.acquire("a", milliseconds(60'000), patience));
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(KeyLocksTest, OwnershipMovesWithHandle) {
  std::optional<KeyLocks::Held> first = acquire("a");
  std::optional<KeyLocks::Held> second = acquire("b");
  *second = *std::move(first);
  first.reset();
  EXPECT_FALSE(acquire("a"));
  EXPECT_TRUE(acquire("b"));
  second.reset();
  EXPECT_TRUE(acquire("a"));
}

TEST_F(KeyLocksTest, IsNotKeptByForkedChild) {
  std::optional<KeyLocks::Held> first = acquire("a");
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  first.reset();
  EXPECT_TRUE(acquire("a"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST_F(KeyLocksTest, EndsWithProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::optional<KeyLocks::Held> held = acquire("a");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(acquire("a"));
}

TEST_F(KeyLocksTest, ReturnsNothingWithoutLockSupport) {
  for (const FaultHandler handler :
       {FaultHandler([](std::string_view) { return ENOLCK; }), FaultHandler([](std::string_view) { return ENOSYS; }),
        FaultHandler([](std::string_view) { return EOPNOTSUPP; })}) {
    set_fault_handler(handler);
    EXPECT_FALSE(acquire("a", milliseconds(60'000)));
  }
  set_fault_handler(nullptr);
  EXPECT_FALSE(KeyLocks(temp_.path() / "none" / "locks").acquire("a", milliseconds(60'000)));
}

/// Returns the number of descriptors of this process, without the one of the listing.
std::ptrdiff_t count_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}) - 1;
}

TEST_F(KeyLocksTest, UsesOneDescriptorForAllLocks) {
  if (is_portable())
    GTEST_SKIP() << needs("locks of bytes of an open file", "the portable way has a file for each lock");
  std::vector<std::optional<KeyLocks::Held>> held;
  held.push_back(acquire("first"));
  const std::ptrdiff_t with_one = count_descriptors();
  for (int i = 0; i < 640; ++i) held.push_back(acquire(std::to_string(i)));
  EXPECT_THAT(held, testing::Each(testing::Truly([](const auto& one) { return one.has_value(); })));
  EXPECT_EQ(count_descriptors(), with_one);
}

TEST_F(KeyLocksTest, ExcludesOtherInstance) {
  KeyLocks other(temp_.path() / "locks");
  std::optional<KeyLocks::Held> first = acquire("a");
  EXPECT_FALSE(other.acquire("a", milliseconds(5)));
  EXPECT_TRUE(other.acquire("b", milliseconds(0)));
  first.reset();
  EXPECT_TRUE(other.acquire("a", milliseconds(0)));
}

TEST_F(KeyLocksTest, ExcludesThreads) {
  std::atomic<int> inside{0};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const std::optional<KeyLocks::Held> held = acquire("a", milliseconds(60'000));
        wrong += held && ++inside == 1 ? 0 : 1;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(KeyLocksTest, ExcludesForkedChildAndSurvivesItsRelease) {
  std::optional<KeyLocks::Held> first = acquire("a");
  const pid_t child = ::fork();
  if (child == 0) {
    const bool excluded = !acquire("a") && acquire("b");
    const bool is_free = acquire("b").has_value();
    first.reset();
    ::_exit(excluded && is_free && !acquire("a") ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(KeyLocks(temp_.path() / "locks").acquire("a", milliseconds(0)));
}

/// A child inherits descriptors that were open at the fork. Locks that the parent takes later must end with the parent.
TEST_F(KeyLocksTest, LockTakenAfterForkEndsWithParent) {
  int pipe_of_child[2];
  ASSERT_EQ(::pipe(pipe_of_child), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    KeyLocks locks(temp_.path() / "locks");
    locks.acquire("a", milliseconds(0)).reset();
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    [[maybe_unused]] const auto written = ::write(pipe_of_child[1], &child, sizeof(child));
    const std::optional<KeyLocks::Held> held = locks.acquire("b", milliseconds(0));
    ::kill(::getpid(), SIGKILL);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(pipe_of_child[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  ::waitpid(parent, nullptr, 0);
  EXPECT_TRUE(acquire("b"));
  ::kill(child, SIGKILL);
  for (const int end : pipe_of_child) ::close(end);
}

TEST_F(KeyLocksTest, IsDestroyedInForkedChildDespiteWaiters) {
  auto locks = std::make_unique<KeyLocks>(temp_.path() / "locks");
  std::optional<KeyLocks::Held> first = locks->acquire("a", milliseconds(0));
  std::atomic<bool> has_waited{false};
  std::thread waits([&] {
    (void)locks->acquire("a", milliseconds(5));  // so that the next acquire also waits once this is observed
    has_waited = true;
    (void)locks->acquire("a", milliseconds(60'000));
  });
  while (!has_waited) std::this_thread::yield();
  std::this_thread::sleep_for(milliseconds(5));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    locks.reset();
    first.reset();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  first.reset();
  waits.join();
}

TEST_F(KeyLocksTest, FollowsReplacedFile) {
  std::optional<KeyLocks::Held> old = acquire("a");
  std::filesystem::remove(temp_.path() / "locks");
  const std::optional<KeyLocks::Held> anew = acquire("b");
  EXPECT_FALSE(KeyLocks(temp_.path() / "locks").acquire("b", milliseconds(0)));
  old.reset();
  EXPECT_TRUE(acquire("a"));
}

TEST_F(KeyLocksTest, LeavesAtMostOneEmptyFile) {
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(acquire(name));
  for (const auto& file : std::filesystem::directory_iterator(temp_.path())) {
    EXPECT_EQ(file.path().filename(), "locks");
    EXPECT_EQ(file.file_size(), 0U);
  }
}

}  // namespace
}  // namespace kmux
