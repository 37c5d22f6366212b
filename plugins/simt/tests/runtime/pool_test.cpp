#include "simt/runtime/pool.h"

#include <array>
#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/counted_memory.h"

namespace kmux::simt {
namespace {

using namespace std::chrono_literals;

/// Work whose parts are numbers, each of which must occur once.
struct Numbers {
  explicit Numbers(int count) : seen(static_cast<std::size_t>(count)) {}

  void take() {
    const int inside_now = inside.fetch_add(1) + 1;
    int most = most_inside.load();
    while (inside_now > most && !most_inside.compare_exchange_weak(most, inside_now)) {
    }
    for (std::size_t i; (i = next.fetch_add(1)) < seen.size();) {
      seen[i].fetch_add(1);
      if (slow) std::this_thread::sleep_for(200us);
    }
    --inside;
  }
  bool each_once() const {
    for (const auto& count : seen) {
      if (count != 1) return false;
    }
    return true;
  }
  static void work(void* self) { static_cast<Numbers*>(self)->take(); }

  std::vector<std::atomic<int>> seen;
  std::atomic<std::size_t> next{0};
  std::atomic<int> inside{0};
  std::atomic<int> most_inside{0};
  bool slow = false;
};

/// A pool of four threads, including the caller, on any machine.
class FourThreads : public testing::Test {
 protected:
  FourThreads() { pool().limit(4); }
  ~FourThreads() override { pool().limit(0); }
};
using PoolTest = FourThreads;

TEST_F(PoolTest, RunsEveryPartOnce) {
  for (int round = 0; round < 2000; ++round) {
    Numbers numbers(round % 50);
    pool().run(3, Numbers::work, &numbers);
    ASSERT_TRUE(numbers.each_once()) << round;
    ASSERT_EQ(numbers.inside, 0) << round;
  }
}

TEST_F(PoolTest, WakesSleepingWorkers) {
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(2ms);  // longer than a worker stays awake
    Numbers numbers(200);
    numbers.slow = true;
    pool().run(3, Numbers::work, &numbers);
    EXPECT_EQ(numbers.most_inside, 4) << "a worker slept through 40 ms of work";
    EXPECT_TRUE(numbers.each_once());
  }
}

TEST_F(PoolTest, UsesOnlyRequestedThreads) {
  Numbers numbers(200);
  numbers.slow = true;
  pool().run(1, Numbers::work, &numbers);
  EXPECT_EQ(numbers.most_inside, 2);
}

// One runtime sets another number of threads while a kernel of another runtime is prepared.
TEST_F(PoolTest, LimitChangesWhileAnotherThreadStarts) {
  std::atomic<bool> ends{false};
  std::thread starting([&] {
    while (!ends) pool().start();
  });
  for (unsigned i = 0; i < 100; ++i) pool().limit(1 + i % 4);
  ends = true;
  starting.join();
  pool().limit(3);
  EXPECT_EQ(pool().helpers(), 2U);
}

TEST_F(PoolTest, SingleThreadLimitCreatesNoWorkers) {
  pool().limit(1);
  EXPECT_EQ(pool().helpers(), 0U);
  const std::size_t before = counted_allocations();
  pool().start();
  Numbers numbers(100);
  pool().run(0, Numbers::work, &numbers);
  EXPECT_TRUE(numbers.each_once());
  EXPECT_EQ(counted_allocations(), before) << "it has made a thread";
}

TEST_F(PoolTest, NestedRunStaysOnCallingThread) {
  struct Outer {
    std::atomic<int> alone{0};
    std::atomic<int> runs{0};
    static void work(void* self) {
      Numbers inner(50);
      inner.slow = true;
      pool().run(3, Numbers::work, &inner);
      static_cast<Outer*>(self)->alone += inner.most_inside == 1 && inner.each_once() ? 1 : 0;
      ++static_cast<Outer*>(self)->runs;
    }
  } outer;
  pool().run(3, Outer::work, &outer);
  EXPECT_GE(outer.runs, 1);
  EXPECT_EQ(outer.alone, outer.runs);
  Numbers after(200);
  after.slow = true;
  pool().run(3, Numbers::work, &after);
  EXPECT_EQ(after.most_inside, 4) << "the caller is free again";
}

TEST_F(PoolTest, ServesConcurrentApplicationThreads) {
  std::array<std::atomic<bool>, 100> right{};  // more than there are jobs
  std::vector<std::thread> threads;
  for (auto& mine : right) {
    threads.emplace_back([&mine] {
      bool good = true;
      for (int round = 0; round < 100; ++round) {
        Numbers numbers(20);
        pool().run(3, Numbers::work, &numbers);
        good = good && numbers.each_once();
      }
      mine = good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& good : right) EXPECT_TRUE(good);
}

TEST_F(PoolTest, BoundsThreadsOfConcurrentLaunches) {
  static std::atomic<int> inside;
  static std::atomic<int> most;
  inside = most = 0;
  struct Counted {
    static void work(void*) {
      const int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(2ms);
      --inside;
    }
  };
  std::vector<std::thread> threads;
  std::atomic<int> ready{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&ready] {
      ++ready;
      while (ready < 4) std::this_thread::yield();
      std::this_thread::sleep_for(1ms);
      for (int round = 0; round < 20; ++round) pool().run(3, Counted::work, nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Four of the application, and a worker that entered while one of them was between two launches.
  EXPECT_LE(most, 4 + 3);
  EXPECT_GE(most, 4);
}

TEST_F(PoolTest, LongLaunchDoesNotBlockOthers) {
  std::atomic<bool> is_long{true};
  std::thread long_one([&is_long] {
    const auto work = [](void* flag) {
      while (*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
    };
    pool().run(3, work, &is_long);
  });
  std::this_thread::sleep_for(5ms);
  for (int round = 0; round < 100; ++round) {
    Numbers numbers(10);
    pool().run(3, Numbers::work, &numbers);
    EXPECT_TRUE(numbers.each_once());
  }
  is_long = false;
  long_one.join();
}

TEST_F(PoolTest, RestartsAfterStop) {
  for (int round = 0; round < 20; ++round) {
    Numbers numbers(100);
    pool().run(3, Numbers::work, &numbers);
    EXPECT_TRUE(numbers.each_once());
    if (round % 3 == 0) std::this_thread::sleep_for(500us);
    pool().stop();
  }
}

TEST_F(PoolTest, AllocatesOnlyAtStart) {
  pool().start();
  std::this_thread::sleep_for(20ms);  // its threads have their memory
  const std::size_t before = counted_allocations();
  for (int round = 0; round < 1000; ++round) {
    Numbers numbers(0);
    pool().run(3, Numbers::work, &numbers);
  }
  EXPECT_EQ(counted_allocations(), before);
}

TEST_F(PoolTest, UsesLentApplicationThreads) {
  struct Application {
    std::vector<unsigned> asked;
    bool lends = true;
    static std::int32_t execute(void* self, std::uint32_t threads, Work work, void* context) {
      Application& application = *static_cast<Application*>(self);
      if (!application.lends || threads == 0) return application.lends ? 1 : 0;
      application.asked.push_back(threads);
      std::thread other(work, context);
      work(context);
      other.join();
      return 1;
    }
  } application;
  pool().lend(Application::execute, &application);
  Numbers numbers(300);
  const std::size_t before = counted_allocations();
  pool().start();
  pool().run(3, Numbers::work, &numbers);
  EXPECT_TRUE(numbers.each_once());
  EXPECT_EQ(application.asked, std::vector<unsigned>{4});
  EXPECT_EQ(counted_allocations(), before) << "the pool has made threads of its own";
  application.lends = false;
  Numbers own(200);
  own.slow = true;
  pool().run(3, Numbers::work, &own);
  EXPECT_EQ(own.most_inside, 4) << "which it does as soon as the application lends none";
  EXPECT_EQ(application.asked.size(), 1U);
  pool().lend(nullptr, nullptr);
}

TEST_F(PoolTest, CompletesPartsLeftByExecutor) {
  pool().lend([](void*, std::uint32_t, Work, void*) -> std::int32_t { return 1; }, nullptr);
  Numbers numbers(100);
  pool().run(3, Numbers::work, &numbers);
  EXPECT_TRUE(numbers.each_once());
  pool().lend(nullptr, nullptr);
}

TEST_F(PoolTest, NestedRunOnLentThreadStaysAlone) {
  static std::atomic<int> most;
  most = 0;
  pool().lend(
      [](void*, std::uint32_t threads, Work work, void* context) -> std::int32_t {
        if (threads > 0) std::thread(work, context).join();
        return 1;
      },
      nullptr);
  const auto nested = [](void* done) {
    if (static_cast<std::atomic<bool>*>(done)->exchange(true)) return;
    pool().lend(nullptr, nullptr);
    Numbers inner(50);
    inner.slow = true;
    pool().run(3, Numbers::work, &inner);
    most = inner.most_inside.load();
  };
  std::atomic<bool> done{false};
  pool().run(3, nested, &done);
  EXPECT_EQ(most, 1);
}

#ifndef __SANITIZE_THREAD__  // the sanitizer lets no thread start in the child of a multi-threaded process
TEST_F(PoolTest, ForkedChildGetsSeparatePool) {
  struct Busy {
    std::atomic<bool> goes_on{true};
    std::atomic<int> inside{0};
  } busy;
  std::thread parent_launch([&busy] {  // in a job while the process forks
    const auto work = [](void* context) {
      Busy& own = *static_cast<Busy*>(context);
      for (++own.inside; own.goes_on;) std::this_thread::sleep_for(100us);
    };
    pool().run(3, work, &busy);
  });
  // No thread is being created at that point: QEMU's user mode holds a lock for that, which its child would wait for.
  while (busy.inside < 4) std::this_thread::sleep_for(100us);
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    Numbers numbers(200);
    numbers.slow = true;
    pool().run(3, Numbers::work, &numbers);
    _exit(numbers.each_once() && numbers.most_inside == 4 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  busy.goes_on = false;
  parent_launch.join();
  EXPECT_EQ(status, 0);
  Numbers numbers(100);
  pool().run(3, Numbers::work, &numbers);
  EXPECT_TRUE(numbers.each_once()) << "the parent's";
}
#endif

}  // namespace
}  // namespace kmux::simt
