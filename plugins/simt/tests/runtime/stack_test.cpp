#include "simt/runtime/stack.h"

#include <cstring>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/counted_memory.h"
#include "runtime/small_stack.h"

namespace kmux::simt {
namespace {

constexpr std::size_t kMany = std::size_t{16} << 20;

// Uses almost all of the requested stack.
void fill_stack(void* context) {
  volatile char frame[kMany - 4096];
  for (std::size_t i = 0; i < sizeof frame; i += 512) frame[i] = 1;
  *static_cast<bool*>(context) = frame[512] == 1 && has_stack(1000);
}

// The C library may give a thread a larger stack than requested, reused from an exited thread.
TEST(StackTest, ReportsRemainingThreadStack) {
  constexpr std::size_t kMore = std::size_t{1} << 30;
  const int has = on_small_stack([] { return (has_stack(8 << 10) ? 1 : 0) + (has_stack(kMore) ? 2 : 0); });
  EXPECT_EQ(has, 1);
}

TEST(StackTest, NewStackHasRequestedSize) {
  bool had_more = false;
  const int ran = on_small_stack([&] { return run_on_stack(kMany, fill_stack, &had_more) ? 1 : 0; });
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(had_more);
}

TEST(StackTest, IsAllocatedOncePerThread) {
  bool has = false;
  ASSERT_TRUE(run_on_stack(kMany, fill_stack, &has));
  const std::size_t before = counted_allocations();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(run_on_stack(kMany, fill_stack, &has));
  EXPECT_EQ(counted_allocations(), before);
}

TEST(StackTest, IsReleasedAtThreadExit) {
  const std::size_t before = counted_blocks();
  on_small_stack([] {
    bool has = false;
    return run_on_stack(kMany, fill_stack, &has) ? 1 : 0;
  });
  EXPECT_EQ(counted_blocks(), before);
}

TEST(StackTest, RestoresCallerBounds) {
  const StackBounds before = stack_bounds();
  bool has = false;
  ASSERT_TRUE(run_on_stack(kMany, fill_stack, &has));
  EXPECT_EQ(stack_bounds().low, before.low);
  EXPECT_EQ(stack_bounds().high, before.high);
}

TEST(StackTest, NestedCallGetsSeparateStack) {
  const auto outer = [](void* context) {
    volatile char frame[1000];
    std::memset(const_cast<char*>(frame), 7, sizeof frame);
    EXPECT_FALSE(has_stack(2 * kMany));
    EXPECT_TRUE(run_on_stack(kMany, fill_stack, context));
    for (const volatile char& one : frame) ASSERT_EQ(one, 7);
  };
  bool has = false;
  ASSERT_TRUE(run_on_stack(1000, outer, &has));
  EXPECT_TRUE(has);
}

TEST(StackTest, CatchesExceptionsThrownOnIt) {
  const auto work = [](void* caught) {
    try {
      throw std::runtime_error("here");
    } catch (const std::runtime_error&) {
      *static_cast<bool*>(caught) = true;
    }
  };
  bool caught = false;
  ASSERT_TRUE(run_on_stack(1000, work, &caught));
  EXPECT_TRUE(caught);
}

TEST(StackTest, FailedAllocationSkipsCall) {
  bool called = false;
  EXPECT_FALSE(run_on_stack(std::size_t{1} << 62, [](void* one) { *static_cast<bool*>(one) = true; }, &called));
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace kmux::simt
