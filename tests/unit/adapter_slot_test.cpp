#include "kernel/adapter_slot.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "in_process_plugin.h"

namespace kmux {
namespace {

using testing::HasSubstr;

LoadedArtifact loaded(kmux_code answer, std::string tier, std::size_t variant = 0) {
  auto launch = [answer](const kmux_slot*, const kmux_launch_env&, kmux_sink) { return answer; };
  auto origin =
      std::make_shared<const Origin>(Origin{.plugin = Shared<InProcessPlugin>::make(kDLCPU), .index = variant});
  return {std::move(origin), std::make_unique<InProcessAdapter>(launch), Artifact{{{"code", tier}}}, "", tier};
}

kmux_code launch(const AdapterSlot& slot) { return slot.entry()(nullptr, {}, {}); }

class AdapterSlotsTest : public testing::Test {
 protected:
  std::shared_ptr<AdapterSlot> slot_ = std::make_shared<AdapterSlot>(loaded(1, "fast"));
};

TEST_F(AdapterSlotsTest, LaunchesFirstUntilBetterIsReady) {
  AdapterSlot::Promise promise = slot_->expect_better();
  const LaunchEntry first = slot_->entry();
  EXPECT_EQ(launch(*slot_), 1);
  promise.keep(loaded(2, "full"));
  EXPECT_EQ(launch(*slot_), 2);
  EXPECT_EQ(slot_->loaded().tier, "full");
  EXPECT_EQ(*slot_->loaded().artifact.find("code"), "full");
  EXPECT_TRUE(slot_->await_better().ok());
  EXPECT_EQ(first(nullptr, {}, {}), 1) << "a call that was under way still has its adapter";
}

TEST_F(AdapterSlotsTest, DoesNotWaitWithoutPromise) { EXPECT_TRUE(slot_->await_better().ok()); }

TEST_F(AdapterSlotsTest, WaitersGetErrorForBrokenPromise) {
  {
    const AdapterSlot::Promise promise = slot_->expect_better();
  }
  const Status waited = slot_->await_better();
  ASSERT_FALSE(waited.ok());
  EXPECT_EQ(waited.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(waited.error().message, HasSubstr("stays as it was compiled first"));
  EXPECT_EQ(launch(*slot_), 1);
}

TEST_F(AdapterSlotsTest, WaitersGetErrorOfAbandonedPromise) {
  slot_->expect_better().give_up(make_error(ErrorCode::kCompileFailed, "too hard."));
  EXPECT_EQ(slot_->await_better().error().message, "too hard.");
}

TEST_F(AdapterSlotsTest, FirstOutcomeOfPromiseWins) {
  AdapterSlot::Promise promise = slot_->expect_better();
  promise.give_up(make_error(ErrorCode::kUnavailable, "given up elsewhere."));
  promise.keep(loaded(2, "full"));
  EXPECT_EQ(slot_->await_better().error().message, "given up elsewhere.");
  EXPECT_EQ(launch(*slot_), 1);
}

TEST_F(AdapterSlotsTest, ForkedChildDoesNotWaitForItsParentsPromise) {
  const AdapterSlot::Promise promise = slot_->expect_better();
  EXPECT_EXIT(
      {
        const Status waited = slot_->await_better();
        std::fputs(waited ? "waited" : waited.error().message.c_str(), stderr);
        slot_->expect_better().keep(loaded(2, "full"));
        std::_Exit(slot_->await_better() && launch(*slot_) == 2 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "the better code was to come from the parent process");
}

TEST_F(AdapterSlotsTest, PromiseIsPointlessAfterSlotIsDestroyed) {
  AdapterSlot::Promise promise = slot_->expect_better();
  EXPECT_FALSE(promise.is_pointless());
  slot_.reset();
  EXPECT_TRUE(promise.is_pointless());
  promise.keep(loaded(2, "full"));
}

TEST_F(AdapterSlotsTest, SwitchesBackToKnownAdapters) {
  slot_->replace(loaded(3, "full", 1));
  EXPECT_EQ(launch(*slot_), 3);
  EXPECT_EQ(slot_->loaded().origin->index, 1U);
  EXPECT_TRUE(slot_->launch_again("fake", 0, "fast"));
  EXPECT_EQ(launch(*slot_), 1);
  EXPECT_TRUE(slot_->launch_again("fake", 1, "full"));
  EXPECT_EQ(launch(*slot_), 3);
  EXPECT_FALSE(slot_->launch_again("fake", 1, "fast"));
  EXPECT_FALSE(slot_->launch_again("other", 1, "full"));
  EXPECT_EQ(launch(*slot_), 3);
}

TEST_F(AdapterSlotsTest, PromisedAdapterDoesNotReplaceAnotherOrigin) {
  AdapterSlot::Promise promise = slot_->expect_better();
  slot_->replace(loaded(3, "full", 1));
  promise.keep(loaded(2, "full"));
  EXPECT_EQ(launch(*slot_), 3);
  EXPECT_TRUE(slot_->await_better().ok());
}

TEST_F(AdapterSlotsTest, WaitsForAllPromises) {
  AdapterSlot::Promise tier = slot_->expect_better();
  AdapterSlot::Promise winner = slot_->expect_better();
  tier.keep(loaded(2, "full"));
  auto waiter = std::async(std::launch::async, [&] { return slot_->await_better().ok(); });
  // Long enough for a waiter that fails to block to return: it has no other work.
  EXPECT_EQ(waiter.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout) << "one more is on its way";
  winner.fulfil();
  EXPECT_TRUE(waiter.get());
  EXPECT_EQ(launch(*slot_), 2);
}

TEST_F(AdapterSlotsTest, HurriesProducerAndHonorsTimeoutAndStop) {
  int hurried = 0;
  AdapterSlot::Promise promise = slot_->expect_better([&] { ++hurried; });
  const Status waited = slot_->await_better({.timeout = std::chrono::milliseconds(1)});
  ASSERT_FALSE(waited.ok());
  EXPECT_EQ(waited.error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(waited.error().message, HasSubstr("within 1 ms"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(slot_->await_better({.stop = stop.get_token()}).error().code, ErrorCode::kCancelled);
  EXPECT_EQ(hurried, 2);
  promise.fulfil();
  EXPECT_TRUE(slot_->await_better({.timeout = std::chrono::milliseconds(0), .stop = stop.get_token()}).ok());
  EXPECT_EQ(hurried, 2) << "what is there needs no hurry";
}

TEST_F(AdapterSlotsTest, TracksUsedBackends) {
  EXPECT_TRUE(slot_->has_used("fake"));
  EXPECT_FALSE(slot_->has_used("other"));
}

/// Returns `factor` times the result of the next interceptor, plus `more`.
class Multiplier final : public Interceptor {
 public:
  explicit Multiplier(int factor, int more = 0) : factor_(factor), more_(more) {}
  kmux_code launch(const kmux_slot* slots, const kmux_launch_env& env, kmux_sink error) noexcept override {
    return factor_ * next()(slots, env, error) + more_;
  }

 private:
  int factor_, more_;
};

TEST_F(AdapterSlotsTest, CallsPassInterceptorUntilItLeaves) {
  const auto tenfold = std::make_shared<Multiplier>(10);
  slot_->intercept(tenfold);
  EXPECT_EQ(launch(*slot_), 10);
  slot_->replace(loaded(2, "full"));
  EXPECT_EQ(launch(*slot_), 20) << "what is launched may be replaced meanwhile";
  slot_->leave(*tenfold);
  EXPECT_EQ(launch(*slot_), 2);
  slot_->leave(*tenfold);
  EXPECT_EQ(launch(*slot_), 2) << "once is enough";
}

TEST_F(AdapterSlotsTest, CallsPassInterceptorsNewestFirst) {
  const auto inner = std::make_shared<Multiplier>(10), middle = std::make_shared<Multiplier>(1, 3);
  const auto outer = std::make_shared<Multiplier>(100);
  for (const auto& each : {inner, middle, outer}) slot_->intercept(each);
  EXPECT_EQ(launch(*slot_), 1300);
  slot_->replace(loaded(2, "full"));
  EXPECT_EQ(launch(*slot_), 2300);
  slot_->leave(*middle);
  EXPECT_EQ(launch(*slot_), 2000);
  slot_->leave(*inner);
  EXPECT_EQ(launch(*slot_), 200);
  slot_->launch_again("fake", 0, "fast");
  EXPECT_EQ(launch(*slot_), 100);
}

TEST_F(AdapterSlotsTest, InterceptorsChangeDuringConcurrentCalls) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread caller([&] {
    while (!done) wrong += launch(*slot_) == 1 || launch(*slot_) == 1 ? 0 : 1;
  });
  for (int i = 0; i < 1000; ++i) {
    const auto one = std::make_shared<Multiplier>(1), other = std::make_shared<Multiplier>(1);
    slot_->intercept(one);
    slot_->intercept(other);
    slot_->leave(*one);
    slot_->leave(*other);
  }
  done = true;
  caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(AdapterSlotsTest, SwapsAdaptersDuringConcurrentCalls) {
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread caller([&] {
    while (!done) wrong += launch(*slot_) == 1 || launch(*slot_) == 2 ? 0 : 1;
  });
  AdapterSlot::Promise promise = slot_->expect_better();
  promise.keep(loaded(2, "full"));
  EXPECT_TRUE(slot_->await_better().ok());
  done = true;
  caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace kmux
