#include <stdexcept>

#include <gtest/gtest.h>

#include "kmux/plugin/start_thread.h"

#include "no_threads.h"

namespace kmux {
namespace {

TEST(SideWorkTest, RunsOnAnotherThread) {
  SideWork<std::thread::id> work([] { return std::this_thread::get_id(); });
  EXPECT_NE(work.get(), std::this_thread::get_id());
}

TEST(SideWorkTest, RunsOnCallingThreadIfNoneCanStart) {
  const NoThreads none;
  SideWork<std::thread::id> work([] { return std::this_thread::get_id(); });
  EXPECT_EQ(work.get(), std::this_thread::get_id());
}

TEST(SideWorkTest, RethrowsExceptionOfWork) {
  SideWork<int> work([]() -> int { throw std::runtime_error("no"); });
  EXPECT_THROW(work.get(), std::runtime_error);
}

}  // namespace
}  // namespace kmux
