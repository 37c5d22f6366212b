#include "system/background.h"

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "no_threads.h"
#include "system/compile_scope.h"

namespace kmux {
namespace {

constexpr std::chrono::milliseconds kMoment{50};  // enough to observe an event that must not happen

/// Returns true if a posted job is kept. After a stop, posted jobs are dropped at once; before it, the job is queued
/// while another one blocks.
bool takes_jobs(Background& background) {
  const auto held = std::make_shared<int>(0);
  background.post([held] {});
  return held.use_count() > 1;
}

TEST(BackgroundTest, RunsJobsInOrderOnAnotherThread) {
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

TEST(BackgroundTest, RunsHurriedJobsFirst) {
  const auto background = Background::make();
  std::promise<void> release, last;
  std::string order;
  int large = 0, small = 0;
  background->post([&] { release.get_future().wait(); });
  background->post([&] { order += "large "; }, {}, &large);
  background->post([&] { order += "small "; }, {}, &small);
  background->post([&] { order += "small too "; }, {}, &small);
  background->hurry_for (&small)();
  background->post([&] { last.set_value(); });
  release.set_value();
  last.get_future().wait();
  EXPECT_EQ(order, "small small too large ");
}

TEST(BackgroundTest, StopWaitsForRunningJobAndDropsQueuedOnes) {
  const auto background = Background::make();
  std::promise<void> begun, release;
  std::atomic<int> first{0}, second{0};
  const auto held = std::make_shared<int>(0);
  background->post([&] {
    begun.set_value();
    release.get_future().wait();
    ++first;
  });
  background->post([&second, held] { ++second; });
  begun.get_future().wait();
  auto stopped = std::async(std::launch::async, [&] { background->stop(); });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (takes_jobs(*background) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_EQ(stopped.wait_for(kMoment), std::future_status::timeout) << "what runs is waited for";
  release.set_value();
  stopped.get();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0) << "it began after the stop";
  EXPECT_EQ(held.use_count(), 1) << "a dropped job lets go of what it holds";
}

TEST(BackgroundTest, DropsJobsPostedAfterStop) {
  const auto background = Background::make();
  background->stop();
  std::atomic<int> ran{0};
  const auto held = std::make_shared<int>(0);
  background->post([&ran, held] { ++ran; });
  EXPECT_EQ(held.use_count(), 1) << "a job that may still run holds it";
  EXPECT_EQ(ran, 0) << "nor did it run meanwhile";
}

TEST(BackgroundTest, DoesNotWaitForAbandonableJob) {
  std::promise<void> begun;
  const auto release = std::make_shared<std::promise<void>>();
  const auto ended = std::make_shared<std::promise<void>>();
  std::string why;
  auto background = Background::make();
  background->post(
      [&begun, release, ended] {
        begun.set_value();
        release->get_future().wait();
        ended->set_value();
      },
      [&why](const Error& error) { why = error.message; });
  begun.get_future().wait();
  const auto began = std::chrono::steady_clock::now();
  background.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(2));
  EXPECT_THAT(why, testing::HasSubstr("the kernel stays as it was compiled first (its runtime ended while"));
  release->set_value();
  EXPECT_EQ(ended->get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST(BackgroundTest, StopCancelsRunningJob) {
  const auto background = Background::make();
  std::promise<void> begun;
  background->post([&begun] {
    begun.set_value();
    while (!CompileScope::current()->is_cancelled()) std::this_thread::yield();
  });
  begun.get_future().wait();
  background->stop();  // otherwise it would wait forever
}

TEST(BackgroundTest, AbandonsJobsWhenNoThreadCanStart) {
  const auto background = Background::make();
  bool ran = false;
  std::string why;
  {
    const NoThreads none;
    background->post([&ran] { ran = true; }, [&why](const Error& error) { why = error.message; });
    background->post([&ran] { ran = true; });
  }
  EXPECT_THAT(why, testing::HasSubstr("no thread can be started"));
  std::promise<void> done;
  background->post([&done] { done.set_value(); });
  done.get_future().wait();
  EXPECT_FALSE(ran);
}

TEST(BackgroundTest, CanBeReleasedByItsOwnJob) {
  std::promise<void> done;
  auto background = Background::make();
  std::promise<void> posted;
  background->post([&, last = posted.get_future().share()] {
    last.wait();
    background.reset();
    done.set_value();
  });
  posted.set_value();
  done.get_future().wait();
}

// A running job that must not be abandoned gets a limited time to end; a queued job is dropped.
TEST(BackgroundDeathTest, ExitWaitsForRunningJobAndDropsQueuedOnes) {
  EXPECT_EXIT(
      {
        static const auto background = Background::make();
        static std::promise<void> begun;
        background->post([] {
          begun.set_value();
          while (!CompileScope::current()->is_cancelled()) std::this_thread::yield();  // the process ends
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          std::fputs("the running job ended\n", stderr);
        });
        background->post([] { std::_Exit(9); });
        begun.get_future().wait();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "the running job ended");
}

TEST(BackgroundDeathTest, ProcessExitsDespiteHungJob) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EXIT(
      {
        static const auto background = Background::make();
        static std::promise<void> begun;
        background->post([] {
          begun.set_value();
          std::this_thread::sleep_for(std::chrono::seconds(30));
        });
        begun.get_future().wait();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
}

}  // namespace
}  // namespace kmux
