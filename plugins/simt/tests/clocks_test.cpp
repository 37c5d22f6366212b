// The order of accesses: clocks of threads against a model, in which each thread has all times.
#include "simt/check/clocks.h"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "simt/check/actors.h"
#include "simt/check/group_sequence.h"

namespace kmux::simt {
namespace {

TEST(ClockTest, BarriersPassOnWhatThreadsKnow) {
  ThreadClock first(0, 3), second(32, 0), third(32, 1);
  BarrierClock barrier;
  const Time before = first.now();
  barrier.arrive(first);
  barrier.complete();
  second.acquire(barrier);
  EXPECT_TRUE(second.is_after(3, before));
  EXPECT_FALSE(second.is_after(3, first.now())) << "later accesses";
  EXPECT_FALSE(third.is_after(3, before));
  ThreadClock* const warp[] = {&second, &third};
  meet(warp);
  EXPECT_TRUE(third.is_after(3, before));
}

TEST(ClockTest, PhasesThatHaveNotEndedPassOnNothing) {
  ThreadClock first(0, 0), second(32, 0);
  BarrierClock barrier;
  barrier.complete();
  const Time before = first.now();
  barrier.arrive(first);
  second.acquire(barrier);
  EXPECT_FALSE(second.is_after(0, before));
}

TEST(ClockTest, FencesCoverEarlierAccesses) {
  ThreadClock writer(0, 0), reader(32, 0);
  BarrierClock barrier;
  const Time first = writer.now();
  writer.fence();
  const Time second = writer.now();
  barrier.arrive(writer);
  barrier.complete();
  reader.acquire(barrier);
  EXPECT_TRUE(reader.has_fenced(0, first));
  EXPECT_TRUE(reader.is_after(0, second));
  EXPECT_FALSE(reader.has_fenced(0, second));
  reader.fence();
  EXPECT_TRUE(reader.has_fenced(0, second)) << "accesses of others that it knows";
}

TEST(ClockTest, GroupsAreKnownOnceWaitedFor) {
  ThreadClock thread(0, 0), other(32, 0);
  thread.bulk.actor = 100;
  const Time first = thread.bulk.issue(nullptr);
  thread.bulk.commit();
  const Time second = thread.bulk.issue(nullptr);
  thread.bulk.commit();
  thread.bulk.wait(1);
  EXPECT_TRUE(thread.is_after(100, first));
  EXPECT_FALSE(thread.is_after(100, second));
  EXPECT_FALSE(thread.bulk.is_done());
  BarrierClock barrier;
  barrier.arrive(thread);
  barrier.complete();
  other.acquire(barrier);
  EXPECT_TRUE(other.is_after(100, first));
  EXPECT_FALSE(other.is_after(100, second));
  thread.bulk.wait(0);
  EXPECT_TRUE(thread.bulk.is_done());
}

/// Threads whose clocks are maps of all times.
class ClockModel {
 public:
  static constexpr unsigned kThreads = 96;
  using Times = std::array<Time, kThreads>;

  struct Thread {
    Times known = {}, fenced = {};
  };
  struct Barrier {
    Times known = {}, fenced = {}, done = {}, done_fenced = {};
  };

  ClockModel() {
    for (Actor i = 0; i < kThreads; ++i) threads[i].known[i] = 1;
  }
  static void join(Times& to, const Times& from) {
    for (Actor i = 0; i < kThreads; ++i) to[i] = std::max(to[i], from[i]);
  }
  void arrive(Actor i, Barrier& barrier) {
    join(barrier.known, threads[i].known);
    join(barrier.fenced, threads[i].fenced);
    ++threads[i].known[i];
  }
  void acquire(Actor i, const Barrier& barrier) {
    join(threads[i].known, barrier.done);
    join(threads[i].fenced, barrier.done_fenced);
  }
  void fence(Actor i) {
    join(threads[i].fenced, threads[i].known);
    ++threads[i].known[i];
  }
  void meet(const std::vector<Actor>& lanes) {
    Thread all;
    for (const Actor i : lanes) join(all.known, threads[i].known), join(all.fenced, threads[i].fenced);
    for (const Actor i : lanes) {
      threads[i] = all;
      ++threads[i].known[i];
    }
  }

  std::vector<Thread> threads = std::vector<Thread>(kThreads);
};

TEST(ClockTest, ClocksAgreeWithModel) {
  std::mt19937 random(7);
  const auto any_thread = [&] { return static_cast<Actor>(random() % ClockModel::kThreads); };
  for (int trial = 0; trial < 20; ++trial) {
    ClockModel model;
    std::vector<ThreadClock> clocks;
    for (Actor i = 0; i < ClockModel::kThreads; ++i) clocks.emplace_back(i / 32 * 32, i % 32);
    std::vector<BarrierClock> barriers(3);
    std::vector<ClockModel::Barrier> models(3);
    for (int step = 0; step < 400; ++step) {
      const Actor i = any_thread();
      const std::size_t at = random() % 3;
      switch (random() % (trial % 2 == 0 ? 5 : 4)) {
        case 0:
          barriers[at].arrive(clocks[i]);
          model.arrive(i, models[at]);
          break;
        case 1:
          barriers[at].complete();
          models[at].done = models[at].known;
          models[at].done_fenced = models[at].fenced;
          break;
        case 2:
          clocks[i].acquire(barriers[at]);
          model.acquire(i, models[at]);
          break;
        case 3: {
          std::vector<Actor> lanes;
          std::vector<ThreadClock*> chosen;
          const bool all = random() % 2 == 0;
          for (Actor lane = i / 32 * 32; lane < i / 32 * 32 + 32; ++lane) {
            if (all || random() % 2 == 0) lanes.push_back(lane), chosen.push_back(&clocks[lane]);
          }
          if (lanes.empty()) break;
          meet(chosen);
          model.meet(lanes);
          break;
        }
        default:
          clocks[i].fence();
          model.fence(i);
      }
      const Actor reader = any_thread(), writer = any_thread();
      const Time known = model.threads[reader].known[writer], fenced = model.threads[reader].fenced[writer];
      ASSERT_TRUE(clocks[reader].is_after(writer, known));
      ASSERT_FALSE(clocks[reader].is_after(writer, known + 1));
      ASSERT_TRUE(clocks[reader].has_fenced(writer, fenced));
      ASSERT_FALSE(clocks[reader].has_fenced(writer, fenced + 1));
    }
  }
}

TEST(ActorsTest, NamesAreThoseOfTheirBlock) {
  Actors actors(2, 40);
  EXPECT_EQ(actors.thread(1, 33), 97U);
  EXPECT_EQ(actors.text(97, 1), "thread number 33 of the block");
  EXPECT_EQ(actors.text(97, 0), "thread number 33 of block 1 of the cluster");
  const Actor copies = actors.add({ActorKind::kMbarrier, 0, 128});
  EXPECT_FALSE(actors.is_thread(copies));
  EXPECT_EQ(actors.text(copies, 0), "a copy that completes at the mbarrier at byte 128 of the block");
}

TEST(GroupSequenceTest, WarpsAgreeStepByStep) {
  const kmux_cpu_site places[2] = {};
  GroupSequence sequence;
  const auto note = [&](unsigned warp, unsigned place) { return sequence.note(warp, {&places[place], "wgmma"}).site; };
  for (unsigned warp = 0; warp < 3; ++warp) EXPECT_EQ(note(warp, 0), &places[0]);
  EXPECT_EQ(note(0, 1), &places[1]) << "a step ahead";
  EXPECT_EQ(note(3, 1), &places[0]) << "another instruction";
  EXPECT_EQ(note(1, 1), &places[1]);
}

}  // namespace
}  // namespace kmux::simt
