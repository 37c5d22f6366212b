#include <atomic>

#include <gtest/gtest.h>

#include "compiling_plugin.h"
#include "pool/compile_pool.h"

namespace kmux {
namespace {

TEST(Stragglers, AreWaitedForInTheEnd) {
  Door door;
  std::atomic<int> ended = 0;
  auto stragglers = std::make_shared<Stragglers>();
  for (int i = 0; i < 3; ++i) {
    stragglers->adopt(std::thread([&] {
      door.pass();
      ++ended;
    }));
  }
  EXPECT_EQ(ended, 0);
  door.open();
  stragglers.reset();
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace kmux
