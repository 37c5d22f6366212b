#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit_kernels.h"
#include "workbench.h"

namespace kmux::cpu::seeded_bugs {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// More wrappers than kUnits: fences, groups, and products of a group of four warps.
inline constexpr const char* kMoreUnits = R"(
__device__ void fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(to), "r"(shared_address(from)), "r"(bytes) : "memory");
}
__device__ void commit_stores() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N> __device__ void wait_stores() { asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(N) : "memory"); }
__device__ void copy(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared_address(to)), "l"(from) : "memory");
}
__device__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void wait_copies() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }
__device__ void fence_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void multiply(float (&d)[4], const void* a, const void* b, unsigned long long swizzle = 0) {
  const unsigned long long offsets = 8ull << 16 | 16ull << 32 | swizzle << 62;
  const unsigned long long of_a = (shared_address(a) & 0x3ffff) >> 4 | offsets, of_b = (shared_address(b) & 0x3ffff) >> 4 | offsets;
  fence_products();
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(of_a), "l"(of_b));
}
__device__ void commit_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ void wait_products() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(N) : "memory"); }
__device__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ unsigned rank() {
  unsigned r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ void tensor_load(void* to, const void* map, int column, int row, void* b) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
               :: "r"(shared_address(to)), "l"(map), "r"(column), "r"(row), "r"(shared_address(b)) : "memory");
}
__device__ void multicast(void* to, const void* from, int bytes, void* b, int blocks) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
               :: "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(b)), "h"((unsigned short)blocks) : "memory");
}
__device__ void store_async(void* to, int value, void* b) {
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];"
               :: "r"(shared_address(to)), "r"(value), "r"(shared_address(b)) : "memory");
}
template <class T> __device__ T* peer(T* own, unsigned r) {
  unsigned long long address;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(own), "r"(r));
  return (T*)address;
}
)";

/// A kernel without findings, and the changes that give it some.
///
/// The body has x and y of 1024 floats, t = threadIdx.x, and as `map` a map of boxes of 8 by 32 floats.
struct Seeded {
  /// A change of the body, and the finding that it causes.
  struct Bug {
    std::string from;  // a part of the body
    std::string to;
    std::string finding;
    std::string line;  // a part of the line where it is reported
    std::string other = "";  // a part of the line of the other access; empty: none
  };

  std::string body;
  std::vector<Bug> bugs;
  int block = 128;
  int blocks = 1;  // of a cluster
};

inline std::string source_of(const std::string& body) {
  return std::string(kUnits) + kMoreUnits +
         "__global__ void k(const __grid_constant__ CUtensorMap map, const float* x, float* y) {\n  const int t = "
         "threadIdx.x;\n" +
         body + "\n}\n";
}

/// Returns the place of the first line that contains `part`: "k.cu:12". For a call of a wrapper it is the assembly there.
inline std::string place_of(const std::string& source, const std::string& part) {
  const std::size_t wrapper = source.find(" void " + part.substr(0, part.find('(')) + "(");
  const std::size_t at = wrapper == std::string::npos ? source.find(part) : source.find("asm volatile", wrapper);
  EXPECT_NE(at, std::string::npos) << part;
  return "k.cu:" +
         std::to_string(1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// Returns the findings of a launch.
inline std::vector<std::string> findings_in(const Seeded& kernel, const std::string& source, Workbench& bench,
                                            const std::string& seed) {
  ProgramBuilder builder("sample");
  builder.buffer("x", BufferParam{dtype::kFloat32, {32, 32}}).buffer("y", BufferParam{dtype::kFloat32, {32, 32}});
  builder.variant("cuda")
      .source("k.cu", source)
      .tensor_map({.name = "map",
                   .base = {"x"},
                   .dims = {32, 32},
                   .strides_bytes = {128},
                   .mode = TiledMap{{32, 8}},
                   .swizzle = Swizzle::k128B});
  LaunchBuilder launch = builder.launch("k");
  launch.grid({Expr(std::int64_t{kernel.blocks})}).block({Expr(std::int64_t{kernel.block})}).args({"map", "x", "y"});
  if (kernel.blocks > 1) launch.cluster({Expr(std::int64_t{kernel.blocks})});
  const auto program = builder.build();
  if (!program.ok()) return {program.error().explain()};
  auto loaded = bench.load(*program, {{"check", "on"}, {"check_seed", seed}});
  if (!loaded.ok()) return {loaded.error().explain()};
  std::vector<float> x(1024), y(1024);
  const Status status = (*loaded)({slot(x.data()), slot(y.data())});
  if (status.ok()) return {};
  std::vector<std::string> texts = {status.error().message};
  for (const Note& note : status.error().notes) texts.push_back(note.text);
  return texts;
}

/// Expects no findings of the kernel in three orders of its threads, and those of each bug. Records the number of bugs, which
/// bench/bars_hopper counts: a test calls it once.
inline void expect_found(const Seeded& kernel) {
  for (const char* const seed : {"0", "1", "2"})
    EXPECT_THAT(findings_in(kernel, source_of(kernel.body), common_bench(), seed), IsEmpty()) << kernel.body;
  for (const Seeded::Bug& bug : kernel.bugs) {
    std::string body = kernel.body;
    const std::size_t at = body.find(bug.from);
    ASSERT_NE(at, std::string::npos) << bug.from;
    body.replace(at, bug.from.size(), bug.to);
    const std::string source = source_of(body);
    const std::string place = "at " + place_of(source, bug.line) + ").";
    const std::string other = bug.other.empty() ? "" : "at " + place_of(source, bug.other);
    EXPECT_THAT(findings_in(kernel, source, common_bench(), "0"),
                Contains(AllOf(HasSubstr(bug.finding), HasSubstr(place), HasSubstr(other))))
        << body;
  }
  testing::Test::RecordProperty("seeded_bugs", static_cast<int>(kernel.bugs.size()));
}

}  // namespace kmux::cpu::seeded_bugs
