// Products of matrices by groups of four warps in CUDA kernels: wgmma.
#include <chrono>

#include "matrix_kernels.h"

namespace kmux::cpu {
namespace {

// A is K-major and B MN-major, both with a swizzle of 128 bytes. With n, A comes from registers, and -A counts.
constexpr const char* kGroupProduct = R"(
__device__ unsigned swizzled(unsigned address) { return address ^ (address >> 3 & 0x70); }
__device__ unsigned long long descriptor(unsigned start, unsigned stride) {
  return (start & 0x3ffff) >> 4 | 1ull << 16 | (unsigned long long)(stride >> 4) << 32 | 1ull << 62;
}
__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ __align__(16) unsigned short raw[4096 * 2 + 1024];
  const unsigned a = (place(raw) + 1023) / 1024 * 1024, b = a + 8192;
  const unsigned short* const halves = (const unsigned short*)x;
  for (int i = threadIdx.x; i < 4096; i += 128) {
    asm volatile("st.shared.u16 [%0], %1;" :: "r"(swizzled(a + 2 * i)), "r"((unsigned)halves[i]) : "memory");
    asm volatile("st.shared.u16 [%0], %1;" :: "r"(swizzled(b + 2 * i)), "r"((unsigned)halves[4096 + i]) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 1000;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < 64; k += 16) {
    if (n == 0) {
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
                   "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {DS}, %32, %33, p, 1, 1, 0, 1; }"
                   : OUT : "l"(descriptor(a + 2 * k, 1024)), "l"(descriptor(b + k * 128, 1024)), "r"(k));
    } else {
      unsigned r[4];
      for (int i = 0; i < 4; ++i) r[i] = x[(row + i % 2 * 8) * 32 + k / 2 + lane % 4 + i / 2 * 4];
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      asm volatile("{ .reg .pred p; setp.ne.b32 p, %37, 0;\n"
                   "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {DS}, {%32, %33, %34, %35}, %36, p, -1, %38, 1; }"
                   : OUT : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(descriptor(b + k * 128, 1024)), "r"(k), "n"(1));
    }
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(0) : "memory");
  for (int i = 0; i < 32; ++i)
    ((float*)y)[(row + i / 2 % 2 * 8) * 64 + i / 4 * 8 + lane % 4 * 2 + i % 2] = n == 0 ? d[i] : 0 - d[i];
})";

TEST(DeviceGroupProductsTest, MultipliesSwizzledTilesByWgmma) {
  const SquareProduct square;
  std::string source = kPlace + replaced(kGroupProduct, "{DS}", braced(0, 32));
  source = replaced(source, "OUT", listed("+f", "d", 32));
  for (const int n : {0, 1}) EXPECT_EQ(words_of({source, 128}, square.x, 4096, n), square.expected) << n;
}

/// A product of wgmma without transpositions, of matrices without a swizzle.
struct GroupCase {
  std::string mnemonic;
  unsigned registers = 0;
  std::string immediates = "";
  MatrixProduct product;
};

GroupCase group_case(int n, MatrixType a, MatrixType b, MatrixType sums, bool is_saturated = false) {
  const int k = a == MatrixType::kB1 ? 256 : 256 / static_cast<int>(element_bits(a));
  GroupCase one{"wgmma.mma_async.sync.aligned." + shape_of(64, n, k) + (is_saturated ? ".satfinite." : ".") +
                part_of_type(sums) + "." + part_of_type(a) + "." + part_of_type(b)};
  one.product = isa::described(16, n, k, a, b, sums);
  one.product.is_by_group = true, one.product.is_saturated = is_saturated;
  one.registers = lane_registers(sums, 16U * static_cast<unsigned>(n));
  if (a == MatrixType::kB1) one.mnemonic += ".and.popc";
  if (!is_integer(a)) one.immediates = element_bits(a) == 16 ? ", 1, 1, 0, 0" : ", 1, 1";
  return one;
}

// Bytes of x are those of shared memory; what the unit makes of them is expected.
void expect_group(const GroupCase& one) {
  constexpr unsigned kBytes = 16384;
  const std::string count = std::to_string(one.registers);
  const std::string source = std::string(kPlace) + R"(__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ __align__(16) unsigned all[4096];
  for (int i = threadIdx.x; i < 4096; i += 128) all[i] = x[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  unsigned d[)" + count + R"(];
  for (int i = 0; i < )" + count +
                             R"(; ++i) d[i] = 0;
  const unsigned long long start = (place(all) & 0x3ffff) >> 4, offsets = 8ull << 16 | 16ull << 32;
  const unsigned long long a = start | offsets, b = (start + 256) % 16384 | offsets;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(")" + one.mnemonic +
                             " " + braced(0, one.registers) + ", %" + count + ", %" +
                             std::to_string(one.registers + 1) + ", 1" + one.immediates +
                             ";\" : " + listed("+r", "d", one.registers) + R"( : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < )" + count +
                             "; ++i) y[threadIdx.x * " + count + " + i] = d[i];\n}\n";
  std::mt19937 random(3);
  std::vector<std::uint8_t> bytes(kBytes);
  for (std::size_t i = 0; i < bytes.size() * 8 / element_bits(one.product.a); ++i)
    isa::put(bytes, one.product.a, i, isa::encode(one.product.a, static_cast<double>(random() % 4)));
  std::vector<u32> x(kBytes / 4);
  std::memcpy(x.data(), bytes.data(), kBytes);
  const std::uint64_t start = (reinterpret_cast<std::uintptr_t>(x.data()) & 0x3ffff) >> 4;
  constexpr std::uint64_t kOffsets = std::uint64_t{8} << 16 | std::uint64_t{16} << 32;
  std::vector<u32> expected(128 * one.registers);
  for (unsigned warp = 0; warp < 4; ++warp) {
    std::vector<simt::ProductOperands> operands;
    for (unsigned lane = 0; lane < 32; ++lane)
      operands.push_back({&one.product, &expected[(32 * warp + lane) * one.registers], nullptr, nullptr,
                          start | kOffsets, (start + 256) % 16384 | kOffsets});
    std::vector<const simt::ProductOperands*> lanes;
    for (const auto& each : operands) lanes.push_back(&each);
    simt::multiply_warp(lanes, warp, {reinterpret_cast<const char*>(x.data()), kBytes});
  }
  EXPECT_EQ(words_of({source, 128}, x, expected.size()), expected) << one.mnemonic;
}

TEST(DeviceGroupProductsTest, MultipliesByFormsOfWgmma) {
  using enum MatrixType;
  expect_group(group_case(8, kF16, kF16, kF16));
  expect_group(group_case(24, kBf16, kBf16, kF32));
  expect_group(group_case(40, kTf32, kTf32, kF32));
  expect_group(group_case(16, kE4m3, kE5m2, kF32));
  expect_group(group_case(32, kE5m2, kE4m3, kF16));
  expect_group(group_case(48, kS8, kU8, kS32));
  expect_group(group_case(64, kU8, kU8, kS32, true));
  expect_group(group_case(16, kB1, kB1, kS32));
}

TEST(DeviceGroupProductsTest, WgmmaNeedsWholeGroupsAndDescriptors) {
  const std::string statement =
      "  unsigned long long start = (place(tile) & 0x3ffff) >> 4;\n"
      "  asm volatile(\"wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %4, 1;\" : \"+r\"(d[0]), "
      "\"+r\"(d[1]), \"+r\"(d[2]), \"+r\"(d[3]) : \"l\"(start + OFFSET));";
  EXPECT_EQ(
      matrix_failure(replaced(statement, "OFFSET", "0"), 96),
      "\"wgmma.mma_async\" needs groups of four warps (block (0, 0, 0), thread (0, 0, 0); the block has 96 threads). "
      "Launch a multiple of 128 threads.");
  EXPECT_EQ(matrix_failure(replaced(statement, "OFFSET", "0"), 128), "it worked");
  EXPECT_THAT(matrix_failure(replaced(statement, "OFFSET", "4096"), 128),
              HasSubstr("a descriptor of wgmma leaves the shared memory of its block"));
}

TEST(DeviceGroupProductsTest, DISABLED_Speed) {
  for (const bool mn : {false, true}) {
    std::string source = std::string(kPlace) + R"(__global__ void k(const unsigned* x, unsigned* y, int n) {
  __shared__ __align__(16) unsigned all[12*1024];
  for (int i = threadIdx.x; i < 12*1024; i += 128) all[i] = 0;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[64];
  for (int i = 0; i < 64; ++i) d[i] = 0;
  const unsigned base = (place(all) + 1023) / 1024 * 1024;
  const unsigned long long a = (base & 0x3ffff) >> 4 | 1ull << 62 | 64ull << 32 | 1ull << 16, b = ((base + 8192) & 0x3ffff) >> 4 | 1ull << 62 | 64ull << 32 | 64ull << 16;
  for (int i = 0; i < n; ++i)
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 DS, %64, %65, 1, 1, 1, 0, MN;" : OUT : "l"(a), "l"(b));
  for (int i = 0; i < 64; ++i) y[threadIdx.x * 64 + i] = d[i];
})";
    source =
        replaced(replaced(replaced(source, "DS", braced(0, 64)), "OUT", listed("+f", "d", 64)), "MN", mn ? "1" : "0");
    for (int n : {0, 10000}) {
      const double t = double(clock()) / CLOCKS_PER_SEC;
      const auto r = BlockKernel{source, 128}({0}, 128 * 64, n);
      if (!r.ok()) printf("%s\n", r.error().explain().c_str());
      const double s = double(clock()) / CLOCKS_PER_SEC - t;
      printf("mn %d n %d: %.3f s, %.2f GFLOP/s (with compile)\n", mn, n, s, n * 2.0 * 64 * 128 * 16 / s / 1e9);
    }
  }
}

}  // namespace
}  // namespace kmux::cpu
