// Tests both platforms: unit_tests has the one of its build, portable_tests always has the portable one.
#include "kmux/plugin/platform.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_identity.h"
#include "kmux/plugin/process.h"

#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Ge;
using testing::Le;

TEST(PlatformTest, ReturnsProcessEnvironment) {
  ::setenv("KMUX_PLATFORM_TEST", "here", 1);
  bool found = false;
  for (char** entry = process_environment(); *entry != nullptr; ++entry)
    found = found || std::string(*entry) == "KMUX_PLATFORM_TEST=here";
  ::unsetenv("KMUX_PLATFORM_TEST");
  EXPECT_TRUE(found);
  EXPECT_FALSE(has_added_rights());
}

TEST(PlatformTest, ReturnsMachineFolders) {
  EXPECT_TRUE(std::filesystem::is_directory(machine_folder()));
  EXPECT_EQ(std::filesystem::exists(linux_root() / "proc/self/status"), !is_portable());
}

TEST(PlatformTest, ReportsBootIdAndProcessNamespace) {
  EXPECT_EQ(boot_id(), boot_id());
  if (is_portable()) {
    EXPECT_EQ(boot_id() + process_namespace(), "") << "POSIX has neither";
  } else if (std::filesystem::exists("/proc/sys/kernel/random/boot_id")) {
    EXPECT_EQ(boot_id().size(), 36U);
    EXPECT_THAT(process_namespace(), testing::HasSubstr("pid:["));
  }
}

TEST(PlatformTest, FileClockNeverExceedsLaterFileChange) {
  const TempFolder folder;
  for (int i = 0; i < 200; ++i) {
    const FileTime before = to_file_time(file_clock());
    const std::string path = folder.write("a", std::to_string(i));
    EXPECT_LE(before, FileIdentity::of(path).changed_ns());
  }
}

TEST(PlatformTest, FileClockAdvances) {
  const FileTime first = to_file_time(file_clock());
  const auto begin = std::chrono::steady_clock::now();
  while (to_file_time(file_clock()) == first) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  }
  EXPECT_GT(to_file_time(file_clock()), first);
}

TEST(PlatformTest, MakesPipesAndSocketsCloseOnExec) {
  for (int (*const make)(std::array<int, 2>&) : {&make_pipe, &make_socket_pair}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(make(ends), 0);
    for (const int end : ends) EXPECT_EQ(fcntl(end, F_GETFD), FD_CLOEXEC);
    ASSERT_EQ(::write(ends[1], "x", 1), 1);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    for (const int end : ends) ::close(end);
  }
}

TEST(PlatformTest, ReportsDescriptorExhaustion) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  std::array<int, 2> ends{};
  const int pipe = make_pipe(ends), sockets = make_socket_pair(ends);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(pipe, EMFILE);
  EXPECT_EQ(sockets, EMFILE);
}

TEST(PlatformTest, DetectsSocketHangUp) {
  std::array<int, 2> ends{};
  ASSERT_EQ(make_socket_pair(ends), 0);
  pollfd end{ends[0], hang_up_event(), 0};
  EXPECT_EQ(::poll(&end, 1, 0), 0);
  ::close(ends[1]);
  EXPECT_EQ(::poll(&end, 1, 10'000), 1);
  EXPECT_NE(end.revents & (POLLHUP | hang_up_event()), 0);
  ::close(ends[0]);
}

TEST(PlatformTest, ListsProcessesOfSession) {
  Spawn spawn(Spawn::Group::kSessionOfItsOwn);
  pid_t leader = 0;
  ASSERT_EQ(spawn.start(&leader, "/bin/sh", {"sh", "-c", "sleep 60 & sleep 60"}, {"PATH=/usr/bin:/bin"}), 0);
  std::vector<pid_t> members;
  for (int i = 0; i < 500 && members.size() < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    members = session_members(leader);
  }
  EXPECT_EQ(members.size(), 3U);
  EXPECT_THAT(members, Contains(leader));
  for (const pid_t member : members) ::kill(member, SIGKILL);
  ::waitpid(leader, nullptr, 0);
}

TEST(PlatformTest, RejectsInvalidLibraryBytes) {
  Descriptor file;
  std::string why;
  EXPECT_EQ(open_library_of("text", "test", file, why), nullptr);
  EXPECT_NE(why, "");
}

TEST(PlatformTest, LeavesNoLibraryFile) {
  if (!is_portable()) GTEST_SKIP() << needs("the portable way", "on Linux such a file is in memory");
  const TempFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  Descriptor file;
  std::string why;
  open_library_of("text", "test", file, why);
  ::unsetenv("TMPDIR");
  EXPECT_THAT(why, testing::HasSubstr((folder.path() / "kmux-test-").string()));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PlatformTest, IdentifiesFirstThread) {
  EXPECT_TRUE(is_first_thread());
  bool other = true;
  std::thread([&] {
    other = is_first_thread();
    yield_to_others(1);
  }).join();
  EXPECT_FALSE(other);
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), ::getpriority(PRIO_PROCESS, static_cast<id_t>(::getpid())));
}

TEST(PlatformTest, ConsumesBlockedSignal) {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  const timespec short_time{0, 1'000'000};
  EXPECT_LE(wait_for_signal(signals, short_time), 0);
  ::kill(::getpid(), SIGUSR2);
  EXPECT_EQ(wait_for_signal(signals, short_time), SIGUSR2);
  EXPECT_LE(wait_for_signal(signals, short_time), 0) << "it was taken";
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(PlatformTest, ReportsMachineMemory) {
  const MachineMemory memory = machine_memory();
  EXPECT_THAT(memory.total, Ge(std::uint64_t{64} << 20));
  EXPECT_THAT(memory.free, AllOf(Ge(1U), Le(memory.total)));
  EXPECT_GE(most_resident(RUSAGE_SELF), std::uint64_t{1} << 20);
}

TEST(PlatformTest, ReportsAffinityIfSupported) {
  std::array<std::uint64_t, 1024> set{};
  const int known = get_affinity(sizeof set, set.data());
  if (is_portable()) {
    EXPECT_EQ(known, -1);
    EXPECT_EQ(errno, ENOSYS);
  } else {
    EXPECT_EQ(known, 0);
    EXPECT_THAT(set, Contains(testing::Ne(0U)));
  }
}

TEST(NumberedLocksTest, AreExclusiveAndIndependent) {
  const TempFolder folder;
  NumberedLocks one(folder.path() / "locks"), other(folder.path() / "locks");
  ASSERT_TRUE(one.is_open() && other.is_open());
  EXPECT_EQ(one.take(7), 0);
  EXPECT_THAT(other.take(7), testing::AnyOf(EAGAIN, EACCES));
  EXPECT_EQ(other.take(8), 0);
  one.give(7);
  EXPECT_EQ(other.take(7), 0);
  other.give(7);
  other.give(8);
  other.give(9);  // not taken, so this has no effect
}

TEST(NumberedLocksTest, LeaveAtMostOneFile) {
  const TempFolder folder;
  NumberedLocks locks(folder.path() / "locks");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(locks.take(i), 0);
  for (int i = 0; i < 100; ++i) locks.give(i);
  EXPECT_LE(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(NumberedLocksTest, EndWithTheirProcess) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    NumberedLocks locks(folder.path() / "locks");
    ::_exit(locks.take(3) == 0 ? 0 : 1);  // without giving it back
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(NumberedLocks(folder.path() / "locks").take(3), 0);
}

// The last holder removes its file. A thread that opened the removed file must not take it for the lock.
TEST(NumberedLocksTest, AreExclusiveUnderContention) {
  const TempFolder folder;
  std::atomic<int> inside{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      NumberedLocks locks(folder.path() / "locks");
      for (int taken = 0; taken < 200;) {
        if (locks.take(1) != 0) continue;
        wrong += ++inside == 1 ? 0 : 1;
        --inside;
        locks.give(1);
        ++taken;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(NumberedLocksTest, RejectMissingFolder) {
  const TempFolder folder;
  NumberedLocks locks(folder.path() / "none" / "locks");
  EXPECT_TRUE(!locks.is_open() || locks.take(1) == ENOENT);
}

}  // namespace
}  // namespace kmux
