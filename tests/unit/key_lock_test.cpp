#include "cache/key_lock.h"

#include <cerrno>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "cache/fault_point.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using std::chrono::milliseconds;

class KeyLockTest : public testing::Test {
 protected:
  std::optional<KeyLock> acquire(const char* name, milliseconds timeout = milliseconds(0)) {
    return KeyLock::acquire(temp_.path() / "locks", name, timeout);
  }
  TempFolder temp_;
};

TEST_F(KeyLockTest, IsHeldByOneAtATime) {
  std::optional<KeyLock> first = acquire("a");
  ASSERT_TRUE(first);
  EXPECT_FALSE(acquire("a"));
  EXPECT_FALSE(acquire("a", milliseconds(5)));
  EXPECT_TRUE(acquire("b"));
  first.reset();
  EXPECT_TRUE(acquire("a"));
}

TEST_F(KeyLockTest, IsWaitedFor) {
  std::optional<KeyLock> first = acquire("a");
  std::thread later([&] {
    std::this_thread::sleep_for(milliseconds(20));
    first.reset();
  });
  EXPECT_TRUE(acquire("a", milliseconds(60'000)));
  later.join();
}

TEST_F(KeyLockTest, MovesWithItsHolder) {
  std::optional<KeyLock> first = acquire("a");
  std::optional<KeyLock> second = acquire("b");
  *second = *std::move(first);
  first.reset();
  EXPECT_FALSE(acquire("a"));
  EXPECT_TRUE(acquire("b"));
  second.reset();
  EXPECT_TRUE(acquire("a"));
}

TEST_F(KeyLockTest, IsNotKeptByAForkedChild) {
  std::optional<KeyLock> first = acquire("a");
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

TEST_F(KeyLockTest, EndsWithTheProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::optional<KeyLock> held = acquire("a");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(acquire("a"));
}

TEST_F(KeyLockTest, IsNothingWhereThereAreNoLocks) {
  for (const FaultHandler handler :
       {FaultHandler([](std::string_view) { return ENOLCK; }), FaultHandler([](std::string_view) { return ENOSYS; }),
        FaultHandler([](std::string_view) { return EOPNOTSUPP; })}) {
    set_fault_handler(handler);
    EXPECT_FALSE(acquire("a", milliseconds(60'000)));
  }
  set_fault_handler(nullptr);
  EXPECT_FALSE(KeyLock::acquire(temp_.path() / "none" / "locks", "a", milliseconds(60'000)));
}

TEST_F(KeyLockTest, LeavesOneEmptyFile) {
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(acquire(name));
  EXPECT_EQ(std::filesystem::file_size(temp_.path() / "locks"), 0U);
}

}  // namespace
}  // namespace kmux
