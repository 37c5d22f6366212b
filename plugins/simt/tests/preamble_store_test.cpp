#include "simt/frontend/preamble_store.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

#include <gtest/gtest.h>

namespace kmux::simt {
namespace {

PreambleStore::Make make(std::string bytes) {
  return [bytes](const std::function<bool()>&) { return bytes; };
}

TEST(PreambleStoreTest, ReturnsCachedResult) {
  PreambleStore store;
  EXPECT_EQ(store.find_or_request("a", make("bytes")), nullptr);
  store.wait();
  ASSERT_NE(store.find_or_request("a", make("others")), nullptr);
  EXPECT_EQ(*store.find_or_request("a", make("others")), "bytes");
  EXPECT_EQ(store.find_or_request("b", make("others")), nullptr);
}

TEST(PreambleStoreTest, RequestsFailedPreambleOnce) {
  PreambleStore store;
  std::atomic<int> asked{0};
  const auto failing = [&](const std::function<bool()>&) {
    ++asked;
    return std::string();
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(store.find_or_request("a", failing), nullptr);
    store.wait();
  }
  EXPECT_EQ(asked, 1);
}

TEST(PreambleStoreTest, EvictsLeastRecentlyUsed) {
  PreambleStore store(10);
  for (const char* key : {"a", "b"}) (void)store.find_or_request(key, make("1234"));
  store.wait();
  ASSERT_NE(store.find_or_request("a", make("")), nullptr);
  (void)store.find_or_request("c", make("5678"));
  store.wait();
  EXPECT_NE(store.find_or_request("a", make("")), nullptr);
  EXPECT_NE(store.find_or_request("c", make("")), nullptr);
  EXPECT_EQ(store.find_or_request("b", make("")), nullptr);
}

TEST(PreambleStoreTest, RejectsEntryLargerThanCapacity) {
  PreambleStore store(3);
  (void)store.find_or_request("a", make("1234"));
  store.wait();
  EXPECT_EQ(store.find_or_request("a", make("")), nullptr);
}

TEST(PreambleStoreTest, DestructorSignalsRunningJobToStop) {
  std::promise<void> begun;
  std::atomic<bool> heard{false};
  {
    PreambleStore store;
    (void)store.find_or_request("a", [&](const std::function<bool()>& stopping) {
      begun.set_value();
      while (!stopping()) std::this_thread::yield();
      heard = true;
      return std::string();
    });
    begun.get_future().wait();
  }
  EXPECT_TRUE(heard);
}

// The running job completes, waiting ones are dropped, and none runs during process teardown.
TEST(PreambleStoreDeathTest, ExitCompletesRunningJobAndDropsQueued) {
  EXPECT_EXIT(
      {
        static PreambleStore& store = *new PreambleStore;  // as in a plugin, which is not closed at exit
        static std::promise<void> begun;
        (void)store.find_or_request("a", [](const std::function<bool()>& stopping) {
          begun.set_value();
          while (!stopping()) std::this_thread::yield();
          std::fputs("the work ended", stderr);
          return std::string();
        });
        (void)store.find_or_request("b", [](const std::function<bool()>&) -> std::string { std::_Exit(9); });
        begun.get_future().wait();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "the work ended");
}

}  // namespace
}  // namespace kmux::simt
