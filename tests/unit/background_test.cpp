#include "src/background.h"

#include <atomic>
#include <future>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace kmux {
namespace {

TEST(Background, RunsJobsInOrderOnAnotherThread) {
  const auto background = Background::make();
  std::vector<int> order;
  std::promise<std::thread::id> last;
  background->post([&] { order.push_back(1); });
  background->post([&] { throw std::runtime_error("is dropped"); });
  background->post([&] {
    order.push_back(2);
    last.set_value(std::this_thread::get_id());
  });
  EXPECT_NE(last.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Background, StopWaitsForWhatRunsAndDropsWhatWaits) {
  const auto background = Background::make();
  std::promise<void> begun, release;
  std::atomic<int> ran{0};
  const auto held = std::make_shared<int>(0);
  background->post([&] {
    begun.set_value();
    release.get_future().wait();
    ++ran;
  });
  background->post([&ran, held] { ++ran; });
  begun.get_future().wait();
  std::thread stopper([&] { background->stop(); });
  release.set_value();
  stopper.join();
  EXPECT_LE(ran, 2);  // the second runs only if it began before the stop
  EXPECT_EQ(held.use_count(), 1) << "a dropped job lets go of what it holds";
  background->post([&] { ran = 99; });
  EXPECT_NE(ran, 99);
}

// A running job is waited for before the process is torn down; one that waits is dropped.
TEST(BackgroundDeathTest, ProcessEndsInOrder) {
  EXPECT_EXIT(
      {
        static const auto background = Background::make();
        static std::promise<void> begun;
        background->post([] {
          begun.set_value();
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          std::fputs("the running job ended\n", stderr);
        });
        background->post([] { std::_Exit(9); });
        begun.get_future().wait();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "the running job ended");
}

}  // namespace
}  // namespace kmux
