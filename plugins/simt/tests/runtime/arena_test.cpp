#include "simt/runtime/arena.h"

#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/counted_memory.h"

namespace kmux::simt {
namespace {

TEST(BlockMemoryTest, IsAlignedAndLargeEnough) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{232448}, std::size_t{5000001}}) {
    const BlockMemory memory(bytes);
    ASSERT_NE(memory.get(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % 64, 0U);
    std::memset(memory.get(), 1, bytes);
  }
}

TEST(BlockMemoryTest, IsNullForZeroBytes) { EXPECT_EQ(BlockMemory(0).get(), nullptr); }

TEST(BlockMemoryTest, IsReusedWithinThread) {
  char* const first = BlockMemory(1000).get();
  const std::size_t before = counted_allocations();
  EXPECT_EQ(BlockMemory(1000).get(), first);
  EXPECT_EQ(BlockMemory(232448).get(), first) << "a block's usual memory is there from the beginning";
  EXPECT_EQ(counted_allocations(), before);
}

TEST(BlockMemoryTest, NestedBlockGetsSeparateMemory) {
  const BlockMemory outer(1000);
  std::memset(outer.get(), 7, 1000);
  for (int i = 0; i < 2; ++i) {
    const BlockMemory inner(100000000);
    ASSERT_NE(inner.get(), nullptr);
    EXPECT_NE(inner.get(), outer.get());
    std::memset(inner.get(), 9, 1000);
  }
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(outer.get()[i], 7);
}

TEST(BlockMemoryTest, IsNullWhenAllocationFails) {
  EXPECT_EQ(BlockMemory(std::size_t{1} << 62).get(), nullptr);
  EXPECT_NE(BlockMemory(100).get(), nullptr) << "and the thread has some all the same";
}

TEST(BlockMemoryTest, IsReleasedAtThreadExit) {
  const std::size_t before = counted_blocks();
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) threads.emplace_back([] { EXPECT_NE(BlockMemory(100000).get(), nullptr); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted_blocks(), before);
}

}  // namespace
}  // namespace kmux::simt
