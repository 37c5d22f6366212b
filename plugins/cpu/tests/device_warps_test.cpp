// Communication between threads of a warp and of a block, in whole and in diverged warps.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "device_call.h"

namespace kmux::cpu::device_warps {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kCount = 200;  // the last warp has 8 threads, and blocks of 40 split warps

Words numbers() {
  Words x(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) x[i] = i * 2654435761U >> 20;
  return x;
}

std::string kernel_of(const std::string& body) {
  return "__global__ void k(const unsigned* x, unsigned* y, int n) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;\n"
         "  if (i >= n) return;\n" +
         body + "\n}\n";
}

/// The warp of thread `i` in blocks of `block`: its first thread, and one past its last.
struct Warp {
  std::uint32_t begin, end;
  static Warp of(std::uint32_t i, std::uint32_t block) {
    const std::uint32_t first = i / block * block, in_block = (i - first) / 32 * 32;
    return {first + in_block, std::min({first + in_block + 32, first + block, kCount})};
  }
};

void expect(const std::string& body, const std::function<std::uint32_t(const Words&, std::uint32_t, Warp)>& wanted) {
  const Words x = numbers();
  for (const unsigned block : {64U, 40U, 32U}) {
    const Words y = elements<std::uint32_t>({kernel_of(body), block}, x);
    for (std::uint32_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], wanted(x, i, Warp::of(i, block))) << "thread " << i << ", block " << block << "\n" << body;
    }
  }
}

std::uint32_t sum(const Words& x, Warp warp, const std::function<bool(std::uint32_t)>& takes) {
  std::uint32_t all = 0;
  for (std::uint32_t j = warp.begin; j < warp.end; ++j) all += takes(j) ? x[j] : 0;
  return all;
}

std::uint32_t lanes(Warp warp, const std::function<bool(std::uint32_t)>& has) {
  std::uint32_t bits = 0;
  for (std::uint32_t j = warp.begin; j < warp.end; ++j) bits |= static_cast<std::uint32_t>(has(j)) << (j - warp.begin);
  return bits;
}

TEST(DeviceWarpsTest, ShuffleAllWidths) {
  // Lanes beyond a warp's end have no value, so results read from there are ignored.
  for (const int width : {2, 4, 8, 16, 32}) {
    const std::string w = std::to_string(width);
    const auto from = [&](const Words& x, std::uint32_t i, Warp warp, int lane) {
      const std::uint32_t at = warp.begin + static_cast<std::uint32_t>(lane);
      return at < warp.end ? x[at] : x[i];
    };
    const auto check = [&](const std::string& call, const std::string& source, const std::function<int(int)>& lane_of) {
      expect("  const int from = " + source + ";\n  const unsigned v = " + call +
                 ";\n"
                 "  const int here = __popc(__activemask());\n  y[i] = from < here ? v : x[i];",
             [&](const Words& x, std::uint32_t i, Warp warp) {
               return from(x, i, warp, lane_of(static_cast<int>(i - warp.begin)));
             });
    };
    const int base = ~(width - 1);
    check("__shfl_sync(~0u, x[i], lane * 7 + 3, " + w + ")",
          "(lane & ~(" + w + " - 1)) + ((lane * 7 + 3) & (" + w + " - 1))",
          [&](int lane) { return (lane & base) + (lane * 7 + 3) % width; });
    check("__shfl_up_sync(~0u, x[i], 3, " + w + ")", "(lane % " + w + ") < 3 ? lane : lane - 3",
          [&](int lane) { return lane % width < 3 ? lane : lane - 3; });
    check("__shfl_down_sync(~0u, x[i], 3, " + w + ")", "(lane % " + w + ") + 3 >= " + w + " ? lane : lane + 3",
          [&](int lane) { return lane % width + 3 >= width ? lane : lane + 3; });
    check("__shfl_xor_sync(~0u, x[i], 5, " + w + ")",
          "(lane ^ 5) >= ((lane + " + w + ") & ~(" + w + " - 1)) ? lane : lane ^ 5",
          [&](int lane) { return (lane ^ 5) >= ((lane + width) & base) ? lane : lane ^ 5; });
  }
}

TEST(DeviceWarpsTest, ShuffleEveryType) {
  const std::string source = R"(#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Record { float a; double b; char c; };
__global__ void k(const unsigned* x, unsigned* y, int n) {
  const int i = threadIdx.x, from = (i + 5) & 31;
  const unsigned v = x[i];
  const long long wide = __shfl_sync(~0u, (long long)v << 20, from);
  const unsigned long long widest = __shfl_xor_sync(~0u, ~(unsigned long long)v, 1);
  const float f = __shfl_sync(~0u, v * 0.5f, from);
  const double d = __shfl_down_sync(~0u, v * 0.25, 1);
  const half h = __shfl_sync(~0u, half((int)(v & 1023)), from);
  const half2 p = __shfl_xor_sync(~0u, half2(half((int)(v & 255)), half(i)), 2);
  const __nv_bfloat16 b = __shfl_up_sync(~0u, __nv_bfloat16((float)(v & 255)), 1);
  const Record r = __shfl_sync(~0u, Record{(float)v, v * 2.0, (char)i}, from);
  const char c = __shfl_sync(~0u, (char)v, from);
  const int s = __shfl_sync(~0u, -(int)v, from);
  y[i] = (wide == (long long)x[from] << 20) | (widest == ~(unsigned long long)x[i ^ 1]) << 1 | (f == x[from] * 0.5f) << 2 |
         (d == x[i == 31 ? 31 : i + 1] * 0.25) << 3 | ((float)h == (x[from] & 1023)) << 4 |
         ((float)p.x == (x[i ^ 2] & 255) && (float)p.y == (i ^ 2)) << 5 | ((float)b == (x[i == 0 ? 0 : i - 1] & 255)) << 6 |
         (r.a == x[from] && r.b == x[from] * 2.0 && r.c == from) << 7 | (c == (char)x[from]) << 8 | (s == -(int)x[from]) << 9;
})";
  Words x = numbers();
  x.resize(32);
  EXPECT_EQ(elements<std::uint32_t>({source, 32}, x), Words(32, 0x3ff));
}

TEST(DeviceWarpsTest, VoteAndBallot) {
  const auto odd = [](const Words& x) { return [&x](std::uint32_t j) { return x[j] % 3 == 1; }; };
  expect("  y[i] = __ballot_sync(~0u, x[i] % 3 == 1);",
         [&](const Words& x, std::uint32_t, Warp warp) { return lanes(warp, odd(x)); });
  expect(
      "  y[i] = __any_sync(0xff00, x[i] % 3 == 1) + 2 * __all_sync(0xf, x[i] % 3 != 1) + 4 * __uni_sync(0x30, x[i] % 3 "
      "== 1);",
      [&](const Words& x, std::uint32_t, Warp warp) {
        const std::uint32_t has = lanes(warp, odd(x)), here = lanes(warp, [](std::uint32_t) { return true; });
        const bool uni = (has & 0x30) == 0 || (has & 0x30) == (here & 0x30);
        return static_cast<std::uint32_t>((has & 0xff00) != 0) + 2 * ((has & 0xf) == 0) + 4 * uni;
      });
  expect("  y[i] = __activemask();",
         [&](const Words&, std::uint32_t, Warp warp) { return lanes(warp, [](std::uint32_t) { return true; }); });
}

TEST(DeviceWarpsTest, DivergentThreadsVoteSeparately) {
  const auto mod = [](const Words& x, std::uint32_t of) {
    return [&x, of](std::uint32_t j) { return x[j] % 3 == x[of] % 3; };
  };
  expect(R"(  if (x[i] % 3 == 0) y[i] = __activemask();
  else if (x[i] % 3 == 1) y[i] = __ballot_sync(__activemask(), 1);
  else y[i] = __ballot_sync(__activemask(), x[i] & 1) + 0;)",
         [&](const Words& x, std::uint32_t i, Warp warp) {
           if (x[i] % 3 != 2) return lanes(warp, mod(x, i));
           return lanes(warp, [&](std::uint32_t j) { return x[j] % 3 == 2 && x[j] % 2 == 1; });
         });
  expect(R"(  unsigned rounds = 0;
  for (unsigned left = x[i] % 5; left > 0; --left) rounds += __popc(__activemask());
  y[i] = rounds;)",
         [](const Words& x, std::uint32_t i, Warp warp) {
           std::uint32_t rounds = 0;
           for (std::uint32_t round = 0; round < x[i] % 5; ++round) {
             for (std::uint32_t j = warp.begin; j < warp.end; ++j) rounds += x[j] % 5 > round;
           }
           return rounds;
         });
}

TEST(DeviceWarpsTest, MatchEveryType) {
  const auto same = [](const Words& x, std::uint32_t of) {
    return [&x, of](std::uint32_t j) { return x[j] % 7 == x[of] % 7; };
  };
  for (const char* const value : {"x[i] % 7", "(int)(x[i] % 7)", "(unsigned long long)(x[i] % 7) << 40",
                                  "(x[i] % 7) * 0.5f", "(x[i] % 7) * 0.25", "(long long)-(long long)(x[i] % 7)"}) {
    expect(std::string("  y[i] = __match_any_sync(~0u, ") + value + ");",
           [&](const Words& x, std::uint32_t i, Warp warp) { return lanes(warp, same(x, i)); });
  }
  expect(
      "  int all = 2;\n  const unsigned m = __match_all_sync(~0u, x[i] % 7, &all);\n"
      "  int two = 2;\n  const unsigned t = __match_all_sync(~0u, blockIdx.x, &two);\n  y[i] = (m ^ t) + 32 * all + 64 "
      "* two;",
      [&](const Words& x, std::uint32_t i, Warp warp) {
        const std::uint32_t here = lanes(warp, [](std::uint32_t) { return true; });
        const bool all = lanes(warp, same(x, i)) == here;
        return ((all ? here : 0) ^ here) + 32 * all + 64;
      });
}

TEST(DeviceWarpsTest, ReduceOverMasks) {
  const auto all = [](std::uint32_t) { return true; };
  expect("  y[i] = __reduce_add_sync(~0u, x[i]);",
         [&](const Words& x, std::uint32_t, Warp warp) { return sum(x, warp, all); });
  // Each group by its own mask, in one call.
  expect("  const unsigned mask = __match_any_sync(~0u, x[i] % 3);\n  y[i] = __reduce_add_sync(mask, x[i]);",
         [&](const Words& x, std::uint32_t i, Warp warp) {
           return sum(x, warp, [&](std::uint32_t j) { return x[j] % 3 == x[i] % 3; });
         });
  expect("  if (x[i] % 3 == 0) y[i] = __reduce_add_sync(__activemask(), (int)x[i]);\n  else y[i] = 7;",
         [&](const Words& x, std::uint32_t i, Warp warp) {
           return x[i] % 3 != 0 ? 7 : sum(x, warp, [&](std::uint32_t j) { return x[j] % 3 == 0; });
         });
  expect(
      R"(  y[i] = __reduce_min_sync(~0u, x[i]) ^ __reduce_max_sync(~0u, x[i]) << 3 ^ __reduce_and_sync(~0u, x[i] | 5) << 6 ^
         __reduce_or_sync(~0u, x[i]) << 9 ^ __reduce_xor_sync(~0u, x[i]) << 12 ^
         (unsigned)__reduce_min_sync(~0u, -(int)x[i]) << 15 ^ (unsigned)__reduce_max_sync(~0u, -(int)x[i]) << 18;)",
      [](const Words& x, std::uint32_t, Warp warp) {
        std::uint32_t least = ~0U, most = 0, both = ~0U, any = 0, odd = 0;
        for (std::uint32_t j = warp.begin; j < warp.end; ++j) {
          least = std::min(least, x[j]), most = std::max(most, x[j]), both &= x[j] | 5, any |= x[j], odd ^= x[j];
        }
        return least ^ most << 3 ^ both << 6 ^ any << 9 ^ odd << 12 ^ -most << 15 ^ -least << 18;
      });
}

// Exited threads, in the last block, count as having no predicate.
TEST(DeviceWarpsTest, BarriersCountPredicates) {
  const std::string source = kernel_of(R"(  y[i] = 0;
  for (unsigned round = 0; round < 3; ++round) {
    y[i] += __syncthreads_count(x[i] % 3 == round) * (round + 1);
    if (__syncthreads_or(x[i] == 5 + round)) y[i] += 1000;
    if (__syncthreads_and(x[i] < 4000 - round)) y[i] += 10000;
  })");
  const Words x = numbers();
  for (const std::uint32_t block : {64U, 40U, 128U}) {
    const Words y = elements<std::uint32_t>({source, block}, x);
    for (std::uint32_t i = 0; i < y.size(); ++i) {
      const std::uint32_t first = i / block * block, end = std::min(first + block, kCount);
      std::uint32_t wanted = 0;
      for (std::uint32_t round = 0; round < 3; ++round) {
        bool any = false, all = true;
        for (std::uint32_t j = first; j < end; ++j) {
          wanted += x[j] % 3 == round ? round + 1 : 0;
          any |= x[j] == 5 + round;
          all &= x[j] < 4000 - round;
        }
        wanted += (any ? 1000 : 0) + (all ? 10000 : 0);
      }
      ASSERT_EQ(y[i], wanted) << "thread " << i << ", block " << block;
    }
  }
}

// One atomic operation for all threads on this path: its result belongs to the leader, and `first` of the others is
// unused.
TEST(DeviceWarpsTest, LeaderBroadcastsItsValue) {
  const std::string source = kernel_of(R"(  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  y[i] = 99;
  if (x[i] % 3 == 1) {
    unsigned first;
    const unsigned together = __activemask();
    const int leader = __ffs(together) - 1;
    if (lane == leader) first = atomicAdd(&count, __popc(together));
    first = __shfl_sync(together, first, leader);
    y[i] = first + __popc(together & ((1u << lane) - 1));
  })");
  const Words x = numbers();
  const Words y = elements<std::uint32_t>({source, 64}, x);
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < y.size(); ++i) {
    count = i % 64 == 0 ? 0 : count;
    EXPECT_EQ(y[i], x[i] % 3 == 1 ? count++ : 99U) << i;
  }
}

// Two rows of 16 threads, or four of 8, form a warp with common shared memory.
TEST(DeviceWarpsTest, SyncwarpSynchronizesAllRowsOfWarp) {
  for (const std::int64_t row : {16, 8}) {
    ProgramBuilder builder("rows");
    builder.pointer("y");
    builder.variant("cuda").source("k.cu", R"(extern "C" __global__ void k(unsigned* y) {
  __shared__ unsigned s[64];
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  s[t] = t * t;
  __syncwarp();
  y[t] = s[t ^ 31];
})");
    builder.launch("k").grid({1}).block({Expr(row), Expr(64 / row)}).args({"y"});
    const Program program = builder.build().value();
    for (const char* tier : {"fast", "full"}) {
      auto loaded = common_bench().load(program, {{"tier", tier}});
      ASSERT_TRUE(loaded.ok()) << loaded.error().explain();
      Words y(64);
      ASSERT_TRUE((*loaded)({slot(y.data())}).ok());
      for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(y[t], (t ^ 31) * (t ^ 31)) << row << ", " << t;
    }
  }
}

}  // namespace
}  // namespace kmux::cpu::device_warps
