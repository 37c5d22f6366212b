#include <atomic>

#include <gtest/gtest.h>

#include "compiling_plugin.h"
#include "pool/compile_pool.h"

namespace kmux {
namespace {

TEST(AbandonedThreadsTest, AreJoinedOnDestruction) {
  Door door;
  std::atomic<int> ended = 0;
  auto abandoned_threads = std::make_shared<AbandonedThreads>();
  for (int i = 0; i < 3; ++i) {
    abandoned_threads->adopt(std::thread([&] {
      door.pass();
      ++ended;
    }));
  }
  EXPECT_EQ(ended, 0);
  door.open();
  abandoned_threads.reset();
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace kmux
