// cooperative_groups: the properties of each group, and communication between its threads.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "device_call.h"

namespace kmux::cpu::device_groups {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kCount = 192;

Words numbers() {
  Words x(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) x[i] = i * 2654435761U >> 22;
  return x;
}

// Runs a kernel with this `body`, in which i is the thread's number in the grid; all blocks have 64 threads.
void expect(const std::string& body, const std::function<std::uint32_t(const Words&, std::uint32_t)>& wanted) {
  const ElementKernel kernel{
      "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n"
      "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(const unsigned* x, unsigned* y, int n) {\n  cg::thread_block block = "
      "cg::this_thread_block();\n"
      "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
      body + "\n}\n"};
  const Words x = numbers();
  const Words y = elements<std::uint32_t>(kernel, x);
  for (std::uint32_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], wanted(x, i)) << "thread " << i << "\n" << body;
}

TEST(DeviceGroupsTest, BlockAndGridReportRanksAndSizes) {
  expect(R"(  __shared__ unsigned s[64];
  s[block.thread_rank()] = x[i];
  block.sync();
  const unsigned other = s[block.size() - 1 - cg::thread_rank(block)];
  cg::sync(block);
  cg::grid_group grid = cg::this_grid();
  y[i] = other + 10000 * block.group_index().x + 100000 * (block.thread_index().x == threadIdx.x) + 200000 * (block.dim_threads().x == 64) +
         400000 * (grid.thread_rank() == i) + 800000 * (grid.size() == n) + 1600000 * (grid.num_blocks() == 3 && grid.block_rank() == blockIdx.x) +
         3200000 * (block.num_threads() == 64 && block.group_dim().y == 1 && cg::group_size(block) == 64);)",
         [](const Words& x, std::uint32_t i) { return x[i / 64 * 64 + 63 - i % 64] + 10000 * (i / 64) + 100000 * 63; });
}

TEST(DeviceGroupsTest, TilesExchangeValues) {
  for (const std::uint32_t size : {2U, 4U, 8U, 16U, 32U}) {
    expect("  auto tile = cg::tiled_partition<" + std::to_string(size) + ">(block);\n" + R"(  tile.sync();
  const unsigned r = tile.thread_rank();
  y[i] = tile.shfl(x[i], 1) + 2 * tile.shfl_up(x[i], 1) + 4 * tile.shfl_down(x[i], 1) + 8 * tile.shfl_xor(x[i], 1) + r +
         1000000 * (tile.meta_group_rank() + tile.meta_group_size() * 100 + tile.size() * 10) * 0 + 100 * tile.meta_group_rank() +
         (tile.meta_group_size() == 64 / tile.num_threads() ? 0 : 1u << 30);)",
           [&](const Words& x, std::uint32_t i) {
             const std::uint32_t first = i / size * size, r = i % size;
             return x[first + 1] + 2 * x[r == 0 ? i : i - 1] + 4 * x[r == size - 1 ? i : i + 1] + 8 * x[i ^ 1] + r +
                    100 * (i % 64 / size);
           });
  }
}

TEST(DeviceGroupsTest, TilesVoteAndMatch) {
  expect(R"(  auto warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  int same = 0;
  const unsigned all = tile.match_all(x[i] % 2 < 2, same);
  y[i] = tile.ballot(x[i] % 3 == 0) + 256 * tile.match_any(x[i] % 3) + 65536 * tile.any(x[i] % 5 == 0) + 131072 * tile.all(x[i] % 7 != 0) +
         262144 * (same && all == 255);)",
         [](const Words& x, std::uint32_t i) {
           std::uint32_t ballot = 0, match = 0, any = 0, all = 1;
           for (std::uint32_t j = 0; j < 8; ++j) {
             const std::uint32_t other = x[i / 8 * 8 + j];
             ballot |= (other % 3 == 0 ? 1U : 0) << j, match |= (other % 3 == x[i] % 3 ? 1U : 0) << j;
             any |= other % 5 == 0, all &= other % 7 != 0;
           }
           return ballot + 256 * match + 65536 * any + 131072 * all + 262144;
         });
}

TEST(DeviceGroupsTest, PartitionsReportMetaGroupRankAndSize) {
  expect(R"(  auto warp = cg::tiled_partition<32>(block);
  auto eight = cg::tiled_partition<8>(warp);
  auto two = cg::tiled_partition<2>(eight);
  cg::thread_block_tile<2> any = two;
  auto half = cg::binary_partition(warp, threadIdx.x % 32 % 3 == 0), whole = cg::binary_partition(warp, true);
  auto third = cg::labeled_partition(warp, threadIdx.x % 32 % 3 + 5);
  auto some = cg::tiled_partition(cg::coalesced_threads(), 8);
  const unsigned ranks[] = {warp.meta_group_rank(), eight.meta_group_rank(), any.meta_group_rank(), half.meta_group_rank(),
                            whole.meta_group_rank(), third.meta_group_rank(), some.meta_group_rank()};
  const unsigned sizes[] = {warp.meta_group_size(), eight.meta_group_size(), any.meta_group_size(), half.meta_group_size(),
                            whole.meta_group_size(), third.meta_group_size(), some.meta_group_size()};
  unsigned all = 0;
  for (int j = 0; j < 7; ++j) all = all * 4 + ranks[j];
  for (int j = 0; j < 7; ++j) all = all * 4 + sizes[j] % 4;
  y[i] = all;)",
         [](const Words&, std::uint32_t i) {
           const std::uint32_t lane = i % 32;
           const std::uint32_t parts[] = {
               i % 64 / 32, lane / 8, lane % 8 / 2, lane % 3 == 0, 0, lane % 3, lane / 8, 2, 0, 0, 2, 1, 3, 0};
           std::uint32_t all = 0;
           for (const std::uint32_t part : parts) all = all * 4 + part;
           return all;
         });
}

TEST(DeviceGroupsTest, TilesReduceValues) {
  expect(R"(  auto tile = cg::tiled_partition<16>(block);
  const unsigned sum = cg::reduce(tile, x[i], cg::plus<unsigned>());
  const int least = cg::reduce(tile, (int)x[i], cg::less<int>()), most = cg::reduce(tile, (int)x[i], cg::greater<int>());
  const unsigned bits = cg::reduce(tile, x[i], cg::bit_and<unsigned>()) ^ cg::reduce(tile, x[i], cg::bit_or<unsigned>()) << 1 ^
                        cg::reduce(tile, x[i], cg::bit_xor<unsigned>()) << 2;
  const float lambda = cg::reduce(tile, 1.0f, [](float a, float b) { return a + b; });
  y[i] = sum + 3 * least + 5 * most + 7 * bits + (unsigned)lambda;)",
         [](const Words& x, std::uint32_t i) {
           std::uint32_t sum = 0, least = ~0U, most = 0, all = ~0U, any = 0, odd = 0;
           for (std::uint32_t j = i / 16 * 16; j < i / 16 * 16 + 16; ++j) {
             sum += x[j], least = std::min(least, x[j]), most = std::max(most, x[j]), all &= x[j], any |= x[j],
                          odd ^= x[j];
           }
           return sum + 3 * least + 5 * most + 7 * (all ^ any << 1 ^ odd << 2) + 16;
         });
}

// Returns the threads of i's warp that take the same branch as i, in order.
std::vector<std::uint32_t> together(const Words& x, std::uint32_t i) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
    if (x[j] % 3 == x[i] % 3) all.push_back(j);
  }
  return all;
}

TEST(DeviceGroupsTest, CoalescedThreadsExchangeAndReduce) {
  const std::string body = R"(  auto g = cg::coalesced_threads();
    g.sync();
    const unsigned r = g.thread_rank();
    y[i] = r + 32 * g.size() + 2048 * g.shfl(x[i], 0) + 3 * g.shfl_up(x[i], 1) + 5 * g.shfl_down(x[i], 2) + 7 * g.ballot(x[i] & 1) +
           11 * cg::reduce(g, x[i], cg::plus<unsigned>()) + 13 * g.any(x[i] == 77) + 17 * g.all(x[i] > 5) + 19 * g.match_any(x[i] % 5);
)";
  expect("  if (x[i] % 3 == 0) {\n" + body + "  } else if (x[i] % 3 == 1) {\n" + body + "  } else {\n" + body + "  }",
         [](const Words& x, std::uint32_t i) {
           const auto all = together(x, i);
           const auto count = static_cast<std::uint32_t>(all.size());
           std::uint32_t rank = 0, ballot = 0, sum = 0, match = 0, any = 0, every = 1;
           for (std::uint32_t j = 0; j < count; ++j) {
             if (all[j] == i) rank = j;
             ballot |= (x[all[j]] & 1) << j, sum += x[all[j]], any |= x[all[j]] == 77, every &= x[all[j]] > 5;
             match |= (x[all[j]] % 5 == x[i] % 5 ? 1U : 0) << j;
           }
           return rank + 32 * count + 2048 * x[all[0]] + 3 * x[all[rank == 0 ? 0 : rank - 1]] +
                  5 * x[all[rank + 2 >= count ? rank : rank + 2]] + 7 * ballot + 11 * sum + 13 * any + 17 * every +
                  19 * match;
         });
}

TEST(DeviceGroupsTest, ThreadsPartitionByLabelAndPredicate) {
  expect(R"(  auto warp = cg::tiled_partition<32>(block);
  auto part = cg::labeled_partition(warp, x[i] % 3);
  auto two = cg::binary_partition(warp, x[i] % 3 == 1);
  y[i] = part.thread_rank() + 64 * part.size() + 4096 * cg::reduce(part, x[i], cg::plus<unsigned>()) + (two.size() << 26);)",
         [](const Words& x, std::uint32_t i) {
           const auto all = together(x, i);
           std::uint32_t rank = 0, sum = 0, ones = 0;
           for (std::uint32_t j = 0; j < all.size(); ++j) rank = all[j] == i ? j : rank, sum += x[all[j]];
           for (std::uint32_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) ones += x[j] % 3 == 1;
           return rank + 64 * static_cast<std::uint32_t>(all.size()) + 4096 * sum +
                  ((x[i] % 3 == 1 ? ones : 32 - ones) << 26);
         });
}

TEST(DeviceGroupsTest, TilesAndPartitionsScanValues) {
  expect(R"(  auto tile = cg::tiled_partition<8>(block);
  auto part = cg::labeled_partition(cg::tiled_partition<32>(block), x[i] % 3);
  const unsigned most = cg::inclusive_scan(tile, x[i], cg::greater<unsigned>());
  y[i] = cg::inclusive_scan(tile, x[i]) + 3 * cg::exclusive_scan(tile, x[i]) + 5 * most + 7 * cg::inclusive_scan(part, x[i]) +
         11 * cg::exclusive_scan(part, x[i], [](unsigned a, unsigned b) { return a ^ b; });)",
         [](const Words& x, std::uint32_t i) {
           std::uint32_t sum = 0, most = 0, of_part = 0, odd = 0;
           for (std::uint32_t j = i / 8 * 8; j <= i; ++j) sum += x[j], most = std::max(most, x[j]);
           for (const std::uint32_t j : together(x, i)) {
             if (j <= i) of_part += x[j];
             if (j < i) odd ^= x[j];
           }
           return sum + 3 * (sum - x[i]) + 5 * most + 7 * of_part + 11 * odd;
         });
}

TEST(DeviceGroupsTest, GroupsCopyAsynchronously) {
  for (const char* group :
       {"block", "cg::tiled_partition<16>(block)", "cg::coalesced_threads()", "cg::thread_group(block)"}) {
    expect(std::string("  auto group = ") + group + R"(;
  __shared__ unsigned s[4][64], few[64];
  __shared__ double2 wide[4][16];
  const unsigned rank = group.thread_rank(), size = group.size(), part = threadIdx.x / size, first = i - rank;
  s[part][rank] = few[threadIdx.x] = 7;
  group.sync();
  cg::memcpy_async(group, s[part], x + first, sizeof(unsigned) * size);
  cg::memcpy_async(group, few + part * size, 5, x + first, size);
  cg::memcpy_async(group, (void*)wide[part], (const void*)(x + first), sizeof(unsigned) * size - 1);
  cg::wait_prior<1>(group);
  cg::wait(group);
  const unsigned back = size - 1 - rank, from_bytes = ((const unsigned*)wide[part])[rank] & 0xffffff;
  y[i] = (s[part][back] == x[first + back]) + 2 * (few[threadIdx.x] == (rank < 5 ? x[i] : 7)) + 4 * (from_bytes == (x[i] & 0xffffff));)",
           [](const Words&, std::uint32_t) { return 7U; });
  }
}

TEST(DeviceGroupsTest, BlockBarrierArrivesAndWaits) {
  expect(R"(  __shared__ unsigned s[64];
  s[threadIdx.x] = x[i];
  auto token = block.barrier_arrive();
  const unsigned mine = 3 * x[i];
  block.barrier_wait(static_cast<cg::thread_block::arrival_token&&>(token));
  y[i] = mine + s[63 - threadIdx.x];)",
         [](const Words& x, std::uint32_t i) { return 3 * x[i] + x[i / 64 * 64 + 63 - i % 64]; });
}

TEST(DeviceGroupsTest, InvokeOneRunsOnceAndBroadcasts) {
  expect(R"(  __shared__ unsigned calls;
  if (threadIdx.x == 0) calls = 0;
  block.sync();
  auto tile = cg::tiled_partition<16>(block);
  const unsigned told = cg::invoke_one_broadcast(tile, [&](unsigned add) { return atomicAdd(&calls, 1u) * 0 + x[i] + add; }, 5u);
  block.sync();
  cg::invoke_one(block, [&] { atomicAdd(&calls, 100u); });
  block.sync();
  y[i] = told + 1000000 * calls;)",
         [](const Words& x, std::uint32_t i) { return x[i / 16 * 16] + 5 + 1000000 * 104; });
}

TEST(DeviceGroupsTest, GenericGroupsReportRanksAndSizes) {
  expect(
      R"(  const auto tell = [](cg::thread_group g) { return g.thread_rank() + 100 * g.size() + 10000 * (g.num_threads() == cg::group_size(g)); };
  __shared__ unsigned s[64];
  cg::thread_group all = block;
  s[all.thread_rank()] = x[i];
  all.sync();
  const unsigned other = s[63 - all.thread_rank()];
  cg::sync(all);
  cg::thread_group part = cg::tiled_partition(block, n / 24);  // 8
  s[all.thread_rank()] = other + 1;
  part.sync();
  const unsigned next = s[threadIdx.x / 8 * 8 + (part.thread_rank() + 1) % part.size()];
  all.sync();
  auto odd = cg::binary_partition(cg::tiled_partition<32>(block), x[i] % 3 == 0);
  y[i] = next + tell(all) + 3 * tell(part) + 5 * tell(cg::tiled_partition(part, 4)) + 7 * tell(cg::tiled_partition<16>(block)) +
         11 * tell(odd) + 13 * tell(cg::tiled_partition(odd, 2)) + 17 * tell(cg::tiled_partition(all, 32));)",
      [](const Words& x, std::uint32_t i) {
        const auto tell = [](std::uint32_t rank, std::uint32_t size) { return rank + 100 * size + 10000; };
        const std::uint32_t t = i % 64, first = i / 64 * 64;
        std::uint32_t rank = 0, count = 0;
        for (std::uint32_t j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
          if ((x[j] % 3 == 0) != (x[i] % 3 == 0)) continue;
          rank += j < i, ++count;
        }
        const std::uint32_t next = x[first + 63 - (t / 8 * 8 + (t + 1) % 8)] + 1;
        return next + tell(t, 64) + 3 * tell(t % 8, 8) + 5 * tell(t % 4, 4) + 7 * tell(t % 16, 16) +
               11 * tell(rank, count) + 13 * tell(rank % 2, std::min(2U, count - rank / 2 * 2)) + 17 * tell(t % 32, 32);
      });
}

TEST(DeviceGroupsTest, InvalidPartitionSizeFailsLaunch) {
  const std::string source =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void k(const float* x, float* y, int n) {\n  y[0] = cg::tiled_partition(cg::this_thread_block(), n - "
      "61).size();\n}";
  const Error error = device_failure({source});
  EXPECT_EQ(error.code, ErrorCode::kLaunchFailed) << error.explain();
  EXPECT_NE(error.message.find("a part of a group has no such size (k.cu:4, block (0, 0, 0), thread (0, 0, 0)). Give "
                               "tiled_partition a power of two of at most 32; results are incomplete."),
            std::string::npos)
      << error.message;
}

}  // namespace
}  // namespace kmux::cpu::device_groups
