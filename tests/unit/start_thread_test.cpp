#include "kmux/plugin/start_thread.h"

#include <gtest/gtest.h>

#include "no_threads.h"

namespace kmux {
namespace {

TEST(StartThreadTest, RunsWorkOnAnotherThread) {
  std::thread::id worker;
  auto thread = start_thread([&worker] { worker = std::this_thread::get_id(); });
  ASSERT_TRUE(thread) << thread.error().message;
  thread->join();
  EXPECT_NE(worker, std::this_thread::get_id());
}

TEST(StartThreadTest, ReturnsErrorIfThreadCannotStart) {
  bool worked = false;
  const NoThreads none;
  const auto thread = start_thread([&worked] { worked = true; });
  ASSERT_FALSE(thread);
  EXPECT_EQ(thread.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(thread.error().message.find("no thread can be started (Resource temporarily unavailable)"),
            std::string::npos)
      << thread.error().message;
  EXPECT_FALSE(worked);
}

}  // namespace
}  // namespace kmux
