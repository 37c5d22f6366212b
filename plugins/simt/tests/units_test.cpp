// Units of a GPU by themselves: barriers that count, windows of shared memory, and reductions of copies.
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "simt/check/cluster_barrier.h"
#include "simt/check/mbarrier_state.h"
#include "simt/check/named_barriers.h"
#include "simt/check/shared_windows.h"
#include "simt/runtime/launch.h"
#include "simt/units/element_reduction.h"

namespace kmux::simt {
namespace {

TEST(MbarrierTest, WordsKeepStates) {
  std::mt19937 random(1);
  for (int i = 0; i < 10000; ++i) {
    const MbarrierState state{.is_valid = random() % 2 == 0,
                              .phase = static_cast<unsigned>(random() % 2),
                              .pending = static_cast<std::uint32_t>(random() % (1 << 20)),
                              .expected = static_cast<std::uint32_t>(random() % (1 << 20)),
                              .bytes = static_cast<std::int32_t>(random() % (1 << 21)) - (1 << 20)};
    const MbarrierState read = MbarrierState::read(state.word());
    ASSERT_EQ(read.is_valid, state.is_valid);
    ASSERT_EQ(read.phase, state.phase);
    ASSERT_EQ(read.pending, state.pending);
    ASSERT_EQ(read.expected, state.expected);
    ASSERT_EQ(read.bytes, state.bytes);
    ASSERT_EQ(state.word() & kPhaseBit, state.phase);
  }
  EXPECT_FALSE(MbarrierState::read(0).is_valid);
}

// The model: what has come is a list of events, which a phase ends when it has all of them.
TEST(MbarrierTest, PhasesEndWhenNothingIsPending) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const auto count = static_cast<std::uint32_t>(1 + random() % 5);
    std::uint64_t word = MbarrierState{.is_valid = true, .pending = count, .expected = count}.word();
    unsigned phases = 0, arrived = 0;
    int expected = 0, completed = 0;
    for (int step = 0; step < 100; ++step) {
      MbarrierState state = MbarrierState::read(word);
      const int bytes = 16 * static_cast<int>(1 + random() % 4);
      if (random() % 2 == 0) {
        state.pending -= 1, ++arrived;
      } else if (random() % 2 == 0) {
        state.bytes += bytes, expected += bytes;
      } else {
        state.bytes -= bytes, completed += bytes;
      }
      const bool ends = arrived == count && expected == completed;
      ASSERT_EQ(state.end_phase(), ends);
      word = state.word();
      if (ends) ++phases, arrived = 0;
      if (arrived == count) {  // more arrivals would be an error: make the bytes agree
        MbarrierState again = MbarrierState::read(word);
        again.bytes = 0, expected = completed;
        ASSERT_TRUE(again.end_phase());
        word = again.word(), ++phases, arrived = 0;
      }
      ASSERT_EQ(word & kPhaseBit, phases % 2);
    }
  }
}

TEST(NamedBarriersTest, CountThreadsOrAllThatLive) {
  NamedBarriers barriers;
  EXPECT_FALSE(barriers.arrive(1, 64, 128));
  for (int i = 0; i < 62; ++i) EXPECT_FALSE(barriers.arrive(1, 64, 128, i % 2 == 0));
  EXPECT_TRUE(barriers.arrive(1, 64, 128, false));
  EXPECT_EQ(barriers[1].generation, 1U);
  EXPECT_EQ(barriers[1].arrived, 0U);
  EXPECT_EQ(barriers[1].last_arrived, 64U);
  EXPECT_EQ(barriers[1].last_with_predicate, 32U);
  EXPECT_EQ(barriers[0].generation, 0U);
  EXPECT_FALSE(barriers.arrive(3, 0, 3));
  EXPECT_FALSE(barriers.arrive(3, 0, 3));
  EXPECT_FALSE(barriers.note_end(3));
  EXPECT_TRUE(barriers.note_end(2));
  EXPECT_EQ(barriers[3].generation, 1U);
}

TEST(ClusterBarrierTest, WaitsForThreadsThatLive) {
  ClusterBarrier barrier{.live = 3};
  EXPECT_FALSE(barrier.arrive());
  EXPECT_FALSE(barrier.arrive());
  EXPECT_TRUE(barrier.note_end(false));
  EXPECT_EQ(barrier.generation, 1U);
  EXPECT_FALSE(barrier.arrive());
  EXPECT_FALSE(barrier.note_end(true));  // it does not count twice
  EXPECT_TRUE(barrier.arrive());
  EXPECT_EQ(barrier.generation, 2U);
}

TEST(SharedWindowsTest, BeginAtMultiplesOfTheirSize) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{227} << 10, std::size_t{300} << 10}) {
    const SharedWindows windows(3, bytes);
    for (std::size_t i = 0; i < 3; ++i) {
      char* const begin = windows.window(i);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % SharedWindows::kAlignment, 0U);
      begin[bytes == 0 ? 0 : bytes - 1] = 1;
      EXPECT_TRUE(windows.has(begin + bytes / 2));
      EXPECT_EQ(windows.number_of(begin + bytes / 2), i);
      EXPECT_EQ(windows.offset_of(begin + bytes / 2), bytes / 2);
    }
    EXPECT_FALSE(windows.has(windows.window(0) - 1));
    EXPECT_FALSE(windows.has(windows.window(2) + (windows.window(2) - windows.window(1))));
  }
}

template <class T>
std::vector<T> reduced(std::vector<T> to, const std::vector<T>& from, Reduction operation, ElementType type) {
  reduce_elements(reinterpret_cast<char*>(to.data()), reinterpret_cast<const char*>(from.data()), sizeof(T) * to.size(),
                  operation, type);
  return to;
}

TEST(ElementReductionTest, CombinesEachElement) {
  using U = std::vector<std::uint32_t>;
  using S = std::vector<std::int32_t>;
  using F = std::vector<float>;
  using H = std::vector<std::uint16_t>;
  const U a = {5, 0xffffffff, 7, 0}, b = {3, 2, 7, 9};
  EXPECT_EQ(reduced(a, b, Reduction::kAdd, ElementType::kU32), (U{8, 1, 14, 9}));
  EXPECT_EQ(reduced(a, b, Reduction::kMin, ElementType::kU32), (U{3, 2, 7, 0}));
  EXPECT_EQ(reduced(a, b, Reduction::kMax, ElementType::kU32), (U{5, 0xffffffff, 7, 9}));
  EXPECT_EQ(reduced(a, b, Reduction::kInc, ElementType::kU32), (U{0, 0, 0, 1}));
  EXPECT_EQ(reduced(a, b, Reduction::kDec, ElementType::kU32), (U{3, 2, 6, 9}));
  EXPECT_EQ(reduced(a, b, Reduction::kAnd, ElementType::kU32), (U{1, 2, 7, 0}));
  EXPECT_EQ(reduced(a, b, Reduction::kOr, ElementType::kU32), (U{7, 0xffffffff, 7, 9}));
  EXPECT_EQ(reduced(a, b, Reduction::kXor, ElementType::kU32), (U{6, 0xfffffffd, 0, 9}));
  EXPECT_EQ(reduced(S{-5, 2147483647}, S{3, 1}, Reduction::kAdd, ElementType::kS32), (S{-2, -2147483647 - 1}));
  EXPECT_EQ(reduced(S{-5, 4}, S{3, -9}, Reduction::kMin, ElementType::kS32), (S{-5, -9}));
  EXPECT_EQ(reduced(F{1.5F, -2}, F{0.25F, 5}, Reduction::kAdd, ElementType::kF32), (F{1.75F, 3}));
  EXPECT_EQ(reduced(H{0x3c00, 0x3c01}, H{0x3c00, 0x1000}, Reduction::kAdd, ElementType::kF16),
            (H{0x4000, 0x3c02}));  // a tie
  EXPECT_EQ(reduced(H{0x3f80, 0x3f81}, H{0x3f80, 0x3b80}, Reduction::kAdd, ElementType::kBf16), (H{0x4000, 0x3f82}));
  EXPECT_THROW(reduced(F{1}, F{1}, Reduction::kXor, ElementType::kF32), KernelFailure);
}

}  // namespace
}  // namespace kmux::simt
