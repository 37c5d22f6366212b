#include "timeline/timeline.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::fakes {
namespace {

using testing::Contains;
using testing::UnorderedElementsAre;
using Ordering = Timeline::Ordering;
using Orders = std::set<std::string>;

constexpr std::uint64_t kSeeds = 200;

// Records letters in the order in which their operations were executed.
struct Scene {
  explicit Scene(std::uint64_t seed) : timeline(seed) {}
  Timeline::Operation put(Timeline::Stream stream, char letter) {
    return timeline.enqueue(stream, [this, letter] { order += letter; });
  }
  std::string order;
  Timeline timeline;
  Timeline::Stream legacy = timeline.make_stream(0, Ordering::kLegacy);
  Timeline::Stream blocking = timeline.make_stream(0, Ordering::kBlocking);
  Timeline::Stream other_blocking = timeline.make_stream(0, Ordering::kBlocking);
  Timeline::Stream free = timeline.make_stream(0, Ordering::kNonBlocking);
  Timeline::Stream other_free = timeline.make_stream(0, Ordering::kNonBlocking);
};

// Returns the orders of `play(scene)` over all seeds, with everything executed.
template <class Play>
Orders orders_of(Play play) {
  Orders orders;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Scene scene(seed);
    play(scene);
    scene.timeline.synchronize();
    orders.insert(scene.order);
  }
  return orders;
}

TEST(TimelineTest, PreservesStreamOrder) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              for (const char letter : {'a', 'b', 'c'}) scene.put(scene.free, letter), scene.timeline.progress();
            }),
            Orders{"abc"});
}

TEST(TimelineTest, TriesEveryOrderOfIndependentStreams) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              scene.put(scene.free, 'a'), scene.put(scene.free, 'b'), scene.put(scene.other_free, 'c');
            }),
            (Orders{"abc", "acb", "cab"}));
  EXPECT_EQ(orders_of([](Scene& scene) { scene.put(scene.blocking, 'a'), scene.put(scene.other_blocking, 'b'); }),
            (Orders{"ab", "ba"}));
}

TEST(TimelineTest, OrdersLegacyStreamWithBlockingStreams) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              scene.put(scene.blocking, 'a'), scene.put(scene.legacy, 'b'), scene.put(scene.other_blocking, 'c');
            }),
            Orders{"abc"});
  EXPECT_EQ(orders_of([](Scene& scene) { scene.put(scene.legacy, 'a'), scene.put(scene.free, 'b'); }),
            (Orders{"ab", "ba"}));
}

TEST(TimelineTest, DoesNotOrderOtherDevices) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              scene.put(scene.blocking, 'a'), scene.put(scene.timeline.make_stream(1, Ordering::kLegacy), 'b');
            }),
            (Orders{"ab", "ba"}));
}

TEST(TimelineTest, WaitsForEventAsRecorded) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              Timeline::Event event;
              scene.put(scene.free, 'a');
              scene.timeline.record(event, scene.free);
              scene.timeline.wait(scene.other_free, event);
              scene.put(scene.free, 'b');
              scene.timeline.record(event, scene.free);  // after the wait was made
              scene.put(scene.other_free, 'c');
            }),
            (Orders{"abc", "acb"}));
}

TEST(TimelineTest, IgnoresUnrecordedEvents) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              scene.put(scene.free, 'a');
              scene.timeline.wait(scene.other_free, {});
              scene.put(scene.other_free, 'b');
            }),
            (Orders{"ab", "ba"}));
}

TEST(TimelineTest, DefersExecutionUntilSynchronization) {
  Scene scene(1);
  scene.put(scene.free, 'a');
  EXPECT_EQ(scene.order, "");
  scene.timeline.synchronize(scene.free);
  EXPECT_EQ(scene.order, "a");
}

TEST(TimelineTest, StopsAtSynchronizationGoal) {
  const Orders orders = [] {
    Orders found;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      Scene scene(seed);
      Timeline::Event event;
      scene.put(scene.free, 'a'), scene.timeline.record(event, scene.free), scene.put(scene.other_free, 'b');
      seed % 2 == 0 ? scene.timeline.synchronize(event) : scene.timeline.synchronize(scene.free);
      found.insert(scene.order);
    }
    return found;
  }();
  EXPECT_EQ(orders, (Orders{"a", "ab", "ba"}));
}

TEST(TimelineTest, SynchronizesLegacyStreamWithBlockingStreams) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Scene scene(seed);
    scene.put(scene.blocking, 'a');
    scene.timeline.synchronize(scene.legacy);
    EXPECT_EQ(scene.order, "a");
  }
}

TEST(TimelineTest, ExecutesPendingWorkOfDestroyedStream) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              scene.put(scene.blocking, 'a');
              scene.timeline.destroy(scene.blocking);
              scene.put(scene.legacy, 'b');
            }),
            Orders{"ab"});
}

TEST(TimelineTest, OrdersStepsByDependencies) {
  const Orders orders = orders_of([](Scene& scene) {
    std::vector<Timeline::Step> steps;
    const auto step = [&](char letter, std::vector<std::size_t> after) {
      steps.push_back({[&scene, letter] { scene.order += letter; }, std::move(after)});
    };
    scene.put(scene.free, 'a');
    step('b', {}), step('c', {}), step('d', {0, 1});
    scene.timeline.enqueue(scene.free, std::move(steps), 0);
    scene.put(scene.free, 'e');
  });
  EXPECT_EQ(orders, (Orders{"abcde", "acbde"}));
}

TEST(TimelineTest, OrdersStepsAfterGivenOperation) {
  EXPECT_EQ(orders_of([](Scene& scene) {
              const Timeline::Operation first = scene.put(scene.free, 'a');
              std::vector<Timeline::Step> steps;
              steps.push_back({[&scene] { scene.order += 'b'; }, {}});
              scene.timeline.enqueue(scene.other_free, std::move(steps), first);
            }),
            Orders{"ab"});
}

TEST(TimelineTest, ReportsOrderingAndCompletion) {
  Scene scene(1);
  const Timeline::Operation first = scene.put(scene.free, 'a');
  EXPECT_TRUE(scene.timeline.is_ordered(first, scene.free));
  EXPECT_FALSE(scene.timeline.is_ordered(first, scene.other_free));
  EXPECT_FALSE(scene.timeline.is_ordered(first, scene.legacy));
  Timeline::Event event;
  scene.timeline.record(event, scene.free);
  scene.timeline.wait(scene.other_free, event);
  EXPECT_TRUE(scene.timeline.is_ordered(first, scene.other_free));
  EXPECT_FALSE(scene.timeline.is_complete(first));
  scene.timeline.synchronize();
  EXPECT_TRUE(scene.timeline.is_complete(first));
  EXPECT_TRUE(scene.timeline.is_ordered(first, scene.legacy));
}

TEST(TimelineTest, ProgressesIrregularlyButEventually) {
  Orders orders;
  std::size_t longest_quiet = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Scene scene(seed);
    for (int i = 0; i < 4; ++i) scene.put(scene.free, 'a'), scene.timeline.progress();
    orders.insert(scene.order);
    std::size_t quiet = 0;
    for (; scene.order.size() < 4 && quiet < 1000; ++quiet) scene.timeline.progress();
    longest_quiet = std::max(longest_quiet, quiet);
    EXPECT_LT(quiet, 1000U) << seed;
  }
  EXPECT_THAT(orders, UnorderedElementsAre("", "a", "aa", "aaa", "aaaa"));
  EXPECT_GT(longest_quiet, 20U);
}

TEST(TimelineTest, IsDeterministicPerSeed) {
  const auto order_of = [](std::uint64_t seed) {
    Scene scene(seed);
    for (int i = 0; i < 20; ++i) {
      scene.put(scene.free, static_cast<char>('a' + i)), scene.put(scene.other_free, static_cast<char>('A' + i));
      scene.timeline.progress();
    }
    scene.timeline.synchronize();
    return scene.order;
  };
  EXPECT_EQ(order_of(7), order_of(7));
  EXPECT_NE(order_of(7), order_of(8));
}

TEST(TimelineTest, AllowsWorkToEnqueueButNotWait) {
  Scene scene(1);
  scene.timeline.enqueue(scene.free, [&] { scene.put(scene.other_free, 'b'), scene.timeline.progress(); });
  scene.timeline.synchronize();
  scene.timeline.synchronize();
  EXPECT_EQ(scene.order, "b");
  scene.timeline.enqueue(scene.free, [&] { EXPECT_THROW(scene.timeline.synchronize(), std::logic_error); });
  scene.timeline.synchronize();
}

TEST(TimelineTest, IsThreadSafe) {
  Timeline timeline(1);
  constexpr int kThreads = 8;
  constexpr int kOperations = 500;
  int executed = 0;  // one at a time, so no atomic
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto ordering = i % 2 == 0 ? Ordering::kBlocking : Ordering::kNonBlocking;
      const Timeline::Stream stream = timeline.make_stream(0, ordering);
      for (int n = 0; n < kOperations; ++n) {
        const Timeline::Operation last = timeline.enqueue(stream, [&] { ++executed; });
        timeline.progress();
        if (n % 50 != 49) continue;
        timeline.synchronize(stream);
        EXPECT_TRUE(timeline.is_complete(last));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(executed, kThreads * kOperations);
}

}  // namespace
}  // namespace kmux::fakes
