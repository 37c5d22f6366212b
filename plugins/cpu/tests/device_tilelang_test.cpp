// The headers and functions that TileLang's kernels use.
#include <algorithm>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"

#include "device_call.h"

namespace kmux::cpu::device_tilelang {
namespace {

using testing::HasSubstr;

std::vector<float> numbers(std::size_t count) {
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>((i * 37) % 101);
  return x;
}

TEST(DeviceTilelangTest, ReducesOverBlocksAndPartialWarps) {
  const ElementKernel kernel{.source = R"(#include <tl_templates/cuda/reduce.h>
__global__ void k(const float* x, float* y, int n) {
  __shared__ float buffer[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float of_block = tl::AllReduce<tl::SumOp, 128, 1>::run(x[i], buffer);
  const float of_eight = tl::AllReduce<tl::MaxOp, 8, 1>::run(x[i]);
  const float of_every_fourth = tl::AllReduce<tl::MinOp, 16, 4>::run(x[i]);
  y[i] = of_block + 10000 * of_eight + 0.001f * of_every_fourth;
})",
                             .block = 128};
  const std::vector<float> x = numbers(256);
  const std::vector<float> y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    float sum = 0, largest = 0, least = 1e9F;
    for (std::size_t j = i / 128 * 128; j < i / 128 * 128 + 128; ++j) sum += x[j];
    for (std::size_t j = i / 8 * 8; j < i / 8 * 8 + 8; ++j) largest = std::max(largest, x[j]);
    for (std::size_t j = i / 16 * 16 + i % 4; j < i / 16 * 16 + 16; j += 4) least = std::min(least, x[j]);
    ASSERT_NEAR(y[i], sum + 10000 * largest + 0.001F * least, 0.1F) << i;
  }
}

TEST(DeviceTilelangTest, AtomicsConvertTheirValue) {
  const ElementKernel kernel{.source = R"(#include <tl_templates/cuda/atomic.h>
__global__ void k(const float* x, float* y, int n) {
  AtomicAdd(&y[0], static_cast<int>(x[threadIdx.x]));
  AtomicMax(&reinterpret_cast<int*>(y)[1], threadIdx.x);
})"};
  const std::vector<float> x = numbers(64);
  const std::vector<float> y = elements<float>(kernel, x);
  ASSERT_EQ(y.size(), 64U);
  float sum = 0;
  for (const float value : x) sum += value;
  EXPECT_EQ(y[0], sum);
  EXPECT_EQ(std::bit_cast<int>(y[1]), 63);
}

TEST(DeviceTilelangTest, TensorCoreHeadersAreRejected) {
  const Error error = device_failure(
      {"#include <tl_templates/cuda/instruction/wgmma.h>\n__global__ void k(const float*, float*, int) {}\n"});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain();
  EXPECT_THAT(error.message, HasSubstr("tensor cores"));
}

// Kernels that TileLang generated for an H100, in both tiers.
class DeviceTilelangDataTest : public testing::TestWithParam<const char*> {
 protected:
  static void run(const std::string& name, const std::vector<kmux_slot>& slots) {
    const std::string folder = std::string(KMUX_TEST_DATA_DIR "/tilelang/").append(name).append("/");
    const auto text = read_file(folder + name + ".kmux.json");
    ASSERT_TRUE(text.ok()) << text.error().explain();
    auto program = from_json(*text, [&](const std::string& path) { return read_file(folder + path); });
    ASSERT_TRUE(program.ok()) << program.error().explain();
    std::erase_if(program->variants, [](const Variant& variant) { return variant.dialect != "cuda"; });
    ASSERT_EQ(program->variants.size(), 1U);
    Workbench bench;
    auto kernel = bench.load(*program, {{"tier", GetParam()}});
    ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
    const Status done = (*kernel)(slots);
    ASSERT_TRUE(done.ok()) << done.error().explain();
  }
};
INSTANTIATE_TEST_SUITE_P(Tiers, DeviceTilelangDataTest, testing::Values("fast", "full"));

TEST_P(DeviceTilelangDataTest, AddsTiles) {
  std::vector<float> a = numbers(65536), b(a.rbegin(), a.rend()), c(a.size());
  run("add_tiles", {slot(a.data()), slot(b.data()), slot(c.data())});
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

TEST_P(DeviceTilelangDataTest, RunsProgramWithSeveralVariants) {
  std::vector<float> a = numbers(5003), b(a.rbegin(), a.rend()), c(a.size(), -1);
  run("add_anywhere", {slot(a.data()), slot(b.data()), slot(c.data()), slot(std::int64_t{5003})});
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
}

TEST_P(DeviceTilelangDataTest, WidensBytes) {
  std::vector<unsigned char> x(4096);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<unsigned char>(i * 37 + i / 256);
  std::vector<float> y(x.size(), -1);
  run("widen_bytes", {slot(x.data()), slot(y.data())});
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 0.5F * x[i]) << i;
}

TEST_P(DeviceTilelangDataTest, PassesScalars) {
  std::vector<float> x = numbers(5003), y(x.size());
  run("affine_tiles",
      {slot(x.data()), slot(y.data()), bits(std::bit_cast<std::uint32_t>(0.5F)), bits(7), slot(std::int64_t{5003})});
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], 0.5F * x[i] + 7) << i;
}

TEST_P(DeviceTilelangDataTest, SumsColumnsWithAtomics) {
  std::vector<float> x = numbers(100 * 256), total(256, -1), wanted(256);
  for (std::size_t i = 0; i < x.size(); ++i) wanted[i % 256] += x[i];  // integers: exact in any order
  run("column_sums", {slot(x.data()), slot(total.data()), slot(std::int64_t{100})});
  EXPECT_EQ(total, wanted);
}

TEST_P(DeviceTilelangDataTest, LooksUpTableEntries) {
  std::vector<float> table = numbers(1 << 20), y(2500), wanted(2500);
  std::vector<int> index(2500);
  for (int i = 0; i < 2500; ++i) index[i] = i % 5 == 0 ? -i : i * 700;
  for (int i = 0; i < 2500; ++i) wanted[i] = index[i] >= 0 && index[i] < 1 << 20 ? table[index[i]] : 0;
  run("look_up", {slot(table.data()), slot(index.data()), slot(y.data()), slot(std::int64_t{2500})});
  EXPECT_EQ(y, wanted);
}

TEST_P(DeviceTilelangDataTest, OverlappingLaunchesRunInOrder) {
  std::vector<float> x = numbers(65536), middle(x.size()), y(x.size());
  run("overlap", {slot(x.data()), slot(middle.data()), slot(y.data())});
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], (x[i] + 1) * 2) << i;
}

TEST_P(DeviceTilelangDataTest, WaitsAtGridBarrier) {
  std::vector<float> x = numbers(4096), middle(x.size()), y(x.size());
  run("grid_barrier", {slot(x.data()), slot(middle.data()), slot(y.data())});
  const auto at = [&](std::size_t i) { return x[i % x.size()]; };
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y[i], at(i) + 2 * at(i + 1) + at(i + 2)) << i;
}

TEST_P(DeviceTilelangDataTest, RelaxesInLaunchLoop) {
  constexpr int kCount = 384, kSteps = 3;
  std::vector<float> x = numbers(kCount);
  std::vector<double> wanted(x.begin(), x.end());
  for (int step = 0; step < 2 * kSteps; ++step) {
    const std::vector<double> last = wanted;
    for (int i = 0; i < kCount; ++i)
      wanted[i] = last[i] / 2 + (last[(i + kCount - 1) % kCount] + last[(i + 1) % kCount]) / 4;
  }
  run("relax", {slot(x.data()), bits(kSteps), bits(1), slot(std::int64_t{kCount})});
  for (int i = 0; i < kCount; ++i) ASSERT_NEAR(x[i], -wanted[i], 1e-4) << i;
}

}  // namespace
}  // namespace kmux::cpu::device_tilelang
