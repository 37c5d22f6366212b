#include "jit/kernel_shelf.h"

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

TEST(KernelShelf, MakesAKernelOnce) {
  KernelShelf shelf;
  int made = 0;
  const auto make = [&] { return ++made, made_kernel(); };
  const Kernel first = shelf.get("a", make).value();
  EXPECT_EQ(&shelf.get("a", make).value().name(), &first.name());
  EXPECT_EQ(made, 1);
  EXPECT_NE(&shelf.get("b", make).value().name(), &first.name());
}

TEST(KernelShelf, ForgetsFailures) {
  KernelShelf shelf;
  EXPECT_EQ(shelf.get("a", failure).error().message, "no");
  EXPECT_TRUE(shelf.get("a", made_kernel).ok());
}

TEST(KernelShelf, LetsOneOfManyThreadsMakeIt) {
  KernelShelf shelf;
  std::atomic<int> made = 0, failed = 0;
  std::latch all(16);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      all.arrive_and_wait();
      const auto got = shelf.get("a", [&] {
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

// The thread that makes it is in the parent.
TEST(KernelShelf, ForkedChildMakesWhatItsParentWasMaking) {
  KernelShelf shelf;
  const KernelShelf::Place maker = shelf.take("a");
  ASSERT_TRUE(shelf.get("b", made_kernel).ok());
  EXPECT_EXIT(
      {
        ::alarm(10);
        const bool is_new = shelf.get("a", made_kernel).ok();
        const bool is_known = !shelf.take("b").duty.has_value();
        std::_Exit(is_new && is_known ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(KernelShelf, TellsThoseWhoWaitOfAFailure) {
  KernelShelf shelf;
  KernelShelf::Place maker = shelf.take("a");
  const KernelShelf::Place waiting = shelf.take("a");
  ASSERT_TRUE(maker.duty);
  ASSERT_FALSE(waiting.duty);
  maker.duty->settle(failure());
  EXPECT_EQ(waiting.outcome.get()->error().message, "no");
}

TEST(KernelShelf, HandsADutyOnThatWasGivenUp) {
  KernelShelf shelf;
  std::optional<KernelShelf::Place> maker = shelf.take("a");
  int made = 0;
  std::jthread waiting([&] { EXPECT_TRUE(shelf.get("a", [&] { return ++made, made_kernel(); }).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it usually waits
  maker.reset();
  waiting.join();
  EXPECT_EQ(made, 1);
}

TEST(KernelShelf, GivesUpIfMakingThrows) {
  KernelShelf shelf;
  EXPECT_THROW(static_cast<void>(shelf.get("a", []() -> Result<Kernel> { throw 1; })), int);
  EXPECT_TRUE(shelf.get("a", made_kernel).ok());
}

TEST(KernelShelf, MakesAKernelAnewThatIsOutOfDate) {
  const TempFolder folder;
  const std::string header = folder.write("a.h", "1").string();
  KernelShelf shelf;
  int made = 0;
  const auto make = [&] { return ++made, Result<Kernel>(kernel_with_header(header)); };
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(shelf.get("a", make).ok());
  EXPECT_EQ(made, 1);
  folder.write("a.h", "2");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(shelf.get("a", make).ok());
  EXPECT_EQ(made, 2);
}

TEST(KernelShelf, SharesWhatWasBegunBeforeOnlyWhileItIsUpToDate) {
  const TempFolder folder;
  const std::string header = folder.write("a.h", "1").string();
  KernelShelf shelf;
  KernelShelf::Place maker = shelf.take("a");
  const std::uint64_t begun_before = shelf.count();
  const KernelShelf::Place joined = shelf.take("a");
  maker.duty->settle(Result<Kernel>(kernel_with_header(header)));
  EXPECT_TRUE(KernelShelf::outcome_of(joined, begun_before));
  folder.write("a.h", "2");
  EXPECT_FALSE(KernelShelf::outcome_of(joined, begun_before));
  EXPECT_TRUE(KernelShelf::outcome_of(joined, begun_before - 1)) << "it began after the caller did";
}

TEST(KernelShelf, DoesNotShareTheFailureOfWhatWasBegunBefore) {
  KernelShelf shelf;
  std::optional<KernelShelf::Place> maker = shelf.take("a");
  int made = 0;
  std::jthread late([&] { EXPECT_TRUE(shelf.get("a", [&] { return ++made, made_kernel(); }).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it usually waits
  maker->duty->settle(failure());
  late.join();
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace kmux
