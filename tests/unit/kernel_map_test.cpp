#include "jit/kernel_map.h"

#include <atomic>
#include <latch>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_with_header.h"
#include "temp_folder.h"

namespace kmux {
namespace {

Result<Kernel> made_kernel() { return make_kernel(fake_parts({})); }
Result<Kernel> failure() { return make_error(ErrorCode::kCompileFailed, "no"); }

TEST(KernelMapTest, BuildsKernelOnce) {
  KernelMap map;
  int made = 0;
  const auto make = [&] { return ++made, made_kernel(); };
  const Kernel first = map.get("a", make).value();
  EXPECT_EQ(&map.get("a", make).value().name(), &first.name());
  EXPECT_EQ(made, 1);
  EXPECT_NE(&map.get("b", make).value().name(), &first.name());
}

TEST(KernelMapTest, ForgetsFailures) {
  KernelMap map;
  EXPECT_EQ(map.get("a", failure).error().message, "no");
  EXPECT_TRUE(map.get("a", made_kernel).ok());
}

TEST(KernelMapTest, BuildsOnceForConcurrentThreads) {
  KernelMap map;
  std::atomic<int> made = 0, failed = 0;
  std::latch all(16);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      all.arrive_and_wait();
      const auto got = map.get("a", [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ++made;
        return made_kernel();
      });
      if (!got) ++failed;
    });
  }
  threads.clear();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(failed, 0);
}

// The thread that makes the kernel exists only in the parent.
TEST(KernelMapTest, ForkedChildRebuildsPendingKernelOfParent) {
  KernelMap map;
  const KernelMap::Place maker = map.take("a");
  ASSERT_TRUE(map.get("b", made_kernel).ok());
  EXPECT_EXIT(
      {
        ::alarm(10);
        const bool is_new = map.get("a", made_kernel).ok();
        const bool is_known = !map.take("b").promise.has_value();
        std::_Exit(is_new && is_known ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(KernelMapTest, ReportsFailureToWaiters) {
  KernelMap map;
  KernelMap::Place maker = map.take("a");
  const KernelMap::Place waiting = map.take("a");
  ASSERT_TRUE(maker.promise);
  ASSERT_FALSE(waiting.promise);
  maker.promise->settle(failure());
  EXPECT_EQ(waiting.outcome.get()->error().message, "no");
}

TEST(KernelMapTest, HandsAbandonedBuildToWaiter) {
  KernelMap map;
  std::optional<KernelMap::Place> maker = map.take("a");
  int made = 0;
  std::jthread waiting([&] { EXPECT_TRUE(map.get("a", [&] { return ++made, made_kernel(); }).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the thread usually waits
  maker.reset();
  waiting.join();
  EXPECT_EQ(made, 1);
}

TEST(KernelMapTest, AllowsRebuildAfterException) {
  KernelMap map;
  EXPECT_THROW(static_cast<void>(map.get("a", []() -> Result<Kernel> { throw 1; })), int);
  EXPECT_TRUE(map.get("a", made_kernel).ok());
}

TEST(KernelMapTest, RebuildsStaleKernel) {
  const TempFolder folder;
  const std::string header = folder.write("a.h", "1").string();
  KernelMap map;
  int made = 0;
  const auto make = [&] { return ++made, Result<Kernel>(kernel_with_header(header)); };
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(map.get("a", make).ok());
  EXPECT_EQ(made, 1);
  folder.write("a.h", "2");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(map.get("a", make).ok());
  EXPECT_EQ(made, 2);
}

TEST(KernelMapTest, SharesEarlierBuildOnlyWhileUpToDate) {
  const TempFolder folder;
  const std::string header = folder.write("a.h", "1").string();
  KernelMap map;
  KernelMap::Place maker = map.take("a");
  const std::uint64_t begun_before = map.count();
  const KernelMap::Place joined = map.take("a");
  maker.promise->settle(Result<Kernel>(kernel_with_header(header)));
  EXPECT_TRUE(KernelMap::outcome_of(joined, begun_before));
  folder.write("a.h", "2");
  EXPECT_FALSE(KernelMap::outcome_of(joined, begun_before));
  EXPECT_TRUE(KernelMap::outcome_of(joined, begun_before - 1)) << "it began after the caller did";
}

TEST(KernelMapTest, IgnoresFailureOfEarlierBuild) {
  KernelMap map;
  std::optional<KernelMap::Place> maker = map.take("a");
  int made = 0;
  std::jthread late([&] { EXPECT_TRUE(map.get("a", [&] { return ++made, made_kernel(); }).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the thread usually waits
  maker->promise->settle(failure());
  late.join();
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace kmux
