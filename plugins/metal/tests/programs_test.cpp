// Programs in MSL, compiled and run over the mock, compared with their expected results.
#include <cmath>
#include <cstring>
#include <numeric>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"

#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::Each;
using testing::ElementsAreArray;
using testing::FloatNear;
using testing::Pointwise;

constexpr const char* kBegin = "#include <metal_stdlib>\nusing namespace metal;\n";

class MetalProgramsTest : public MetalTest {
 protected:
  void run(const Program& program, const std::vector<kmux_slot>& slots, Options options = {}) {
    const auto built = build(program, std::move(options));
    ASSERT_TRUE(built.ok()) << built.error().explain();
    const auto adapter = backend->load(*built, 0).value();
    ASSERT_EQ(launch(*adapter, slots), KMUX_OK) << said;
    ASSERT_TRUE(backend->devices().stream_synchronize(0, nullptr).ok());
  }
  static kmux_slot bits(float value) {
    kmux_slot result{.bits = 0};
    std::memcpy(&result, &value, sizeof value);
    return result;
  }
  std::vector<float> ramp(std::size_t count, float step = 0.25F) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = step * static_cast<float>(i % 97) - 3;
    return values;
  }
};

TEST_F(MetalProgramsTest, ScalarsArePassedAsBytes) {
  ProgramBuilder builder("axpy");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n}).scalar("a", dtype::kFloat32);
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void axpy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                 constant float& a [[buffer(2)]], constant uint& n [[buffer(3)]],
                 uint i [[thread_position_in_grid]]) {
  if (i < n) y[i] = fma(a, x[i], 1.0f);
})");
  builder.launch("axpy").grid({ceildiv(n, 32)}).block({32}).args({"x", "y", "a"}).arg(n, dtype::kUInt32);
  const std::vector<float> values = ramp(1000);
  float* const y = upload(std::vector<float>(1000));
  run(builder.build().value(), {slot(upload(values)), slot(y), bits(2.5F), slot(1000)});
  std::vector<float> expected = values;
  for (float& value : expected) value = std::fma(2.5F, value, 1.0F);
  EXPECT_THAT(download(y, 1000), ElementsAreArray(expected));
}

// Threads of a group communicate through memory that the launch provides.
TEST_F(MetalProgramsTest, LaunchProvidesThreadgroupMemory) {
  ProgramBuilder builder("reverse");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).output("y", dtype::kFloat32, {n});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void reverse(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                    threadgroup float* tile [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                    uint t [[thread_position_in_threadgroup]], uint threads [[threads_per_threadgroup]]) {
  tile[t] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = tile[threads - 1 - t];
})");
  builder.launch("reverse").grid({floordiv(n, 50)}).block({50}).dynamic_smem_bytes(50 * 4).args({"x", "y"});
  const std::vector<float> values = ramp(500);
  float* const y = upload(std::vector<float>(500));
  run(builder.build().value(), {slot(upload(values)), slot(y), slot(500)});
  std::vector<float> expected;
  for (std::size_t i = 0; i < 500; ++i) expected.push_back(values[i / 50 * 50 + 49 - i % 50]);
  EXPECT_THAT(download(y, 500), ElementsAreArray(expected));
}

TEST_F(MetalProgramsTest, BarriersSynchronizeTreeReduction) {
  ProgramBuilder builder("sums");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kInt32, {n, 128}).output("y", dtype::kInt32, {n});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void sums(device const int* x [[buffer(0)]], device int* y [[buffer(1)]],
                 uint row [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup int partial[128];
  partial[t] = x[row * 128 + t];
  for (uint half_count = 64; half_count > 0; half_count /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < half_count) partial[t] += partial[t + half_count];
  }
  if (t == 0) y[row] = partial[0];
})");
  builder.launch("sums").grid({n}).block({128}).args({"x", "y"});
  std::vector<int> values(128 * 7);
  std::iota(values.begin(), values.end(), -300);
  int* const y = upload(std::vector<int>(7));
  run(builder.build().value(), {slot(upload(values)), slot(y), slot(7)});
  std::vector<int> expected;
  for (auto row = values.begin(); row != values.end(); row += 128) {
    expected.push_back(std::accumulate(row, row + 128, 0));
  }
  EXPECT_THAT(download(y, 7), ElementsAreArray(expected));
}

TEST_F(MetalProgramsTest, AtomicsBuildHistogram) {
  ProgramBuilder builder("histogram");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kInt32, {n}).output("bins", dtype::kInt32, {16});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void histogram(device const int* x [[buffer(0)]], device atomic_int* bins [[buffer(1)]],
                      constant int& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (int(i) < n) atomic_fetch_add_explicit(&bins[x[i] & 15], 1, memory_order_relaxed);
})");
  builder.body().fill("bins", 64, 0);
  builder.launch("histogram").grid({ceildiv(n, 64)}).block({64}).args({"x", "bins"}).arg(n, dtype::kInt32);
  std::vector<int> values(777);
  std::iota(values.begin(), values.end(), 0);
  int* const bins = upload(std::vector<int>(16, 99));
  run(builder.build().value(), {slot(upload(values)), slot(bins), slot(777)});
  std::vector<int> expected(16, 0);
  for (const int value : values) ++expected[static_cast<std::size_t>(value & 15)];
  EXPECT_THAT(download(bins, 16), ElementsAreArray(expected));
}

TEST_F(MetalProgramsTest, TilesAreTransposedInThreadgroupMemory) {
  ProgramBuilder builder("transpose");
  const Expr m = builder.symbol("m");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {m, n}).output("y", dtype::kFloat32, {n, m});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void transpose(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                      constant uint& m [[buffer(2)]], constant uint& n [[buffer(3)]],
                      uint2 group [[threadgroup_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float tile[8][9];
  uint column = group.x * 8 + t.x, row = group.y * 8 + t.y;
  if (row < m && column < n) tile[t.y][t.x] = x[row * n + column];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  column = group.y * 8 + t.x;
  row = group.x * 8 + t.y;
  if (row < n && column < m) y[row * m + column] = tile[t.x][t.y];
})");
  builder.launch("transpose").grid({ceildiv(n, 8), ceildiv(m, 8)}).block({8, 8}).args({"x", "y"});
  Program program = builder.build().value();
  auto& launched = std::get<Launch>(program.variants[0].body.steps[0]);
  launched.args.emplace_back(ExprArg{m, dtype::kUInt32});
  launched.args.emplace_back(ExprArg{n, dtype::kUInt32});
  const std::vector<float> values = ramp(13 * 30);
  float* const y = upload(std::vector<float>(13 * 30));
  run(program, {slot(upload(values)), slot(y), slot(13), slot(30)});
  std::vector<float> expected;
  for (std::size_t i = 0; i < values.size(); ++i) expected.push_back(values[i % 13 * 30 + i / 13]);
  EXPECT_THAT(download(y, values.size()), ElementsAreArray(expected));
}

TEST_F(MetalProgramsTest, SimdGroupLanesExchangeValues) {
  ProgramBuilder builder("lanes");
  builder.input("x", dtype::kInt32, {64}).output("y", dtype::kInt32, {64}).output("z", dtype::kInt32, {64});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void lanes(device const int* x [[buffer(0)]], device int* y [[buffer(1)]], device int* z [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  y[i] = simd_sum(x[i]);
  z[i] = simd_shuffle_xor(x[i], 1);
})");
  builder.launch("lanes").grid({1}).block({64}).args({"x", "y", "z"});
  std::vector<int> values(64);
  std::iota(values.begin(), values.end(), 0);
  int* const y = upload(std::vector<int>(64));
  int* const z = upload(std::vector<int>(64));
  run(builder.build().value(), {slot(upload(values)), slot(y), slot(z)});
  for (std::size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(y[i], i < 32 ? 496 : 1520);
    EXPECT_EQ(z[i], values[i ^ 1]);
  }
}

// Barriers, threadgroup memory, exchange within SIMD-groups and atomics, launched small and large: for many threads the
// mock runs code specialized for their groups.
TEST_F(MetalProgramsTest, SmallAndLargeInputsAreReduced) {
  constexpr std::size_t kGroup = 256;
  ProgramBuilder builder("total");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kInt32, {n})
      .output("y", dtype::kInt32, {ceildiv(n, 256)})
      .output("all", dtype::kInt32, {1});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void total(device const int* x [[buffer(0)]], device int* y [[buffer(1)]], device atomic_int* all [[buffer(2)]],
                  constant int& n [[buffer(3)]], uint i [[thread_position_in_grid]],
                  uint group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                  uint simdgroup [[simdgroup_index_in_threadgroup]], uint count [[simdgroups_per_threadgroup]]) {
  threadgroup int parts[32];
  int sum = int(i) < n ? x[i] : 0;
  for (ushort delta = 16; delta > 0; delta /= 2) sum += simd_shuffle_down(sum, delta);
  if (lane == 0) parts[simdgroup] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simdgroup > 0) return;
  sum = simd_sum(lane < count ? parts[lane] : 0);
  if (lane > 0) return;
  y[group] = sum;
  atomic_fetch_add_explicit(all, sum, memory_order_relaxed);
})");
  builder.body().fill("all", 4);
  builder.launch("total").grid({ceildiv(n, 256)}).block({256}).args({"x", "y", "all"}).arg(n, dtype::kInt32);
  const Program program = builder.build().value();
  for (const std::size_t count : {77, 1000, 1 << 20}) {
    std::vector<int> values(count), expected((count + kGroup - 1) / kGroup);
    for (std::size_t i = 0; i < count; ++i) expected[i / kGroup] += values[i] = static_cast<int>(i * 37 % 251) - 100;
    int* const y = upload(std::vector<int>(expected.size(), -1));
    int* const all = upload(std::vector<int>(1, -1));
    run(program, {slot(upload(values)), slot(y), slot(all), slot(static_cast<std::int64_t>(count))});
    EXPECT_EQ(download(y, expected.size()), expected) << count;
    EXPECT_EQ(all[0], std::accumulate(expected.begin(), expected.end(), 0)) << count;
  }
}

// Loops, guards, workspaces and two kernels: the forms of one call.
TEST_F(MetalProgramsTest, LoopsAndGuardsRunOnHost) {
  ProgramBuilder builder("relax");
  const Expr n = builder.symbol("n");
  const Expr rounds = builder.scalar("rounds", dtype::kInt32);
  const Expr flip = builder.scalar("flip", dtype::kBool);
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void blur(device const float* from [[buffer(0)]], device float* to [[buffer(1)]],
                 constant int& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  if (int(i) < n) to[i] = (from[(int(i) + n - 1) % n] + from[(int(i) + 1) % n]) / 2;
}
kernel void negate(device float* x [[buffer(0)]], constant int& n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  if (int(i) < n) x[i] = -x[i];
})");
  builder.workspace("y", n * 4);
  const auto blur = [&](BodyBuilder body, const char* from, const char* to) {
    body.launch("blur").grid({ceildiv(n, 32)}).block({32}).args({from, to}).arg(n, dtype::kInt32);
  };
  builder.body().loop("i", 0, rounds, [&](BodyBuilder body, const Expr&) {
    blur(body, "x", "y");
    blur(body, "y", "x");
  });
  builder.body().when(flip, [&](BodyBuilder body) {
    body.launch("negate").grid({ceildiv(n, 32)}).block({32}).args({"x"}).arg(n, dtype::kInt32);
  });
  std::vector<float> expected = ramp(100);
  float* const x = upload(expected);
  run(builder.build().value(), {slot(3), slot(1), slot(x), slot(100)});
  for (int round = 0; round < 6; ++round) {
    const std::vector<float> from = expected;
    for (std::size_t i = 0; i < 100; ++i) expected[i] = (from[(i + 99) % 100] + from[(i + 1) % 100]) / 2;
  }
  for (float& value : expected) value = -value;
  EXPECT_THAT(download(x, 100), ElementsAreArray(expected));
}

TEST_F(MetalProgramsTest, FunctionConstantsSpecializeKernel) {
  ProgramBuilder builder("special");
  builder.output("y", dtype::kFloat32, {2});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
constant float slope [[function_constant(0)]];
constant bool negative [[function_constant(3)]];
constant float table[2] = {1, 2};
kernel void special(device float* y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  y[i] = table[i] * slope * (negative ? -1 : 1);
})");
  builder.launch("special").grid({1}).block({2}).args({"y"});
  const Program program = builder.build().value();
  float* const y = upload(std::vector<float>(2));
  run(program, {slot(y)}, {{"function_constants", "slope:float=2.5\n3:bool=true"}});
  EXPECT_THAT(download(y, 2), testing::ElementsAre(-2.5F, -5.0F));
  run(program, {slot(y)}, {{"function_constants", "0:float=10\nnegative:bool=false"}});
  EXPECT_THAT(download(y, 2), testing::ElementsAre(10.0F, 20.0F));
}

TEST_F(MetalProgramsTest, HalfAndVectorTypesAreConverted) {
  ProgramBuilder builder("vectors");
  builder.input("x", dtype::kFloat32, {64}).output("y", dtype::kFloat16, {64});
  builder.variant("msl").source("k.metal", std::string(kBegin) + R"(
kernel void vectors(device const float4* x [[buffer(0)]], device half4* y [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  const float4 value = x[i] * 2 + 1.0f;
  y[i] = half4(half(value.x), half(value.y), half(value.z), half(value.w));
})");
  builder.launch("vectors").grid({1}).block({16}).args({"x", "y"});
  const std::vector<float> values = ramp(64);
  auto* const y = upload(std::vector<std::uint16_t>(64));
  run(builder.build().value(), {slot(upload(values)), slot(y)});
  EXPECT_EQ(y[0], 0xc500);  // -5
  EXPECT_EQ(y[12], 0x3c00);  // 1
}

TEST_F(MetalProgramsTest, PrebuiltLibraryRuns) {
  Program program = one_kernel(std::string("MTLB") + kAddOne).build().value();
  program.variants[0].dialect = "metallib";
  float* const x = upload(std::vector<float>(10, 1));
  run(program, {slot(x), slot(10)});
  EXPECT_THAT(download(x, 10), Each(2));
}

/// Programs that TileLang generated, unchanged.
class TileLangMetalTest : public MetalProgramsTest {
 protected:
  // Returns the program with its variant for Metal alone.
  static Program program_of(const std::string& name) {
    const std::string folder = std::string(KMUX_TEST_DATA_DIR) + "/tilelang/" + name + "/";
    const auto read = [&](const std::string& path) { return read_file(folder + path); };
    Program program = from_json(read_file(folder + name + ".kmux.json").value(), read).value();
    std::erase_if(program.variants, [](const Variant& variant) { return variant.dialect != "msl"; });
    return program;
  }
};

TEST_F(TileLangMetalTest, AddsVectors) {
  const std::vector<float> a = ramp(1000);
  const std::vector<float> b = ramp(1000, 0.5F);
  float* const c = upload(std::vector<float>(1000));
  run(program_of("add_anywhere"), {slot(upload(a)), slot(upload(b)), slot(c), slot(1000)});
  std::vector<float> expected;
  for (std::size_t i = 0; i < 1000; ++i) expected.push_back(a[i] + b[i]);
  EXPECT_THAT(download(c, 1000), ElementsAreArray(expected));
}

TEST_F(TileLangMetalTest, ReversesBlocks) {
  const std::vector<float> x = ramp(512);
  float* const y = upload(std::vector<float>(512));
  run(program_of("reverse_blocks"), {slot(upload(x)), slot(y), slot(512)});
  std::vector<float> expected;
  for (std::size_t i = 0; i < 512; ++i) expected.push_back(x[i / 128 * 128 + 127 - i % 128]);
  EXPECT_THAT(download(y, 512), ElementsAreArray(expected));
}

TEST_F(TileLangMetalTest, ComputesSoftmaxInThreadgroupMemory) {
  const std::vector<float> x = ramp(20 * 128);
  float* const y = upload(std::vector<float>(20 * 128));
  run(program_of("softmax_shared"), {slot(upload(x)), slot(y), slot(20)});
  std::vector<float> expected;
  for (std::size_t row = 0; row < 20; ++row) {
    double total = 0;
    for (std::size_t j = 0; j < 128; ++j) total += std::exp(static_cast<double>(x[row * 128 + j]));
    for (std::size_t j = 0; j < 128; ++j) {
      expected.push_back(static_cast<float>(std::exp(static_cast<double>(x[row * 128 + j])) / total));
    }
  }
  EXPECT_THAT(download(y, expected.size()), Pointwise(FloatNear(1e-5F), expected));
}

// Small integers, so that halves are exact.
TEST_F(TileLangMetalTest, MultipliesMatricesWithSimdGroups) {
  constexpr std::size_t kSide = 64;
  std::vector<std::uint16_t> a(kSide * kSide, 0x3c00);  // 1
  std::vector<std::uint16_t> b(kSide * kSide, 0x4000);  // 2
  for (std::size_t i = 0; i < kSide; ++i) a[i * kSide + i] = 0x4200;  // 3
  for (std::size_t i = 0; i < kSide; ++i) b[i] = 0x4400;  // 4, in the first row
  float* const c = upload(std::vector<float>(kSide * kSide));
  run(program_of("gemm_simdgroup"), {slot(upload(a)), slot(upload(b)), slot(c)});
  const std::vector<float> values = download(c, kSide * kSide);
  // Row i of a: 1 everywhere and 3 at i; columns of b: 4, then 2 and 2 and so on.
  for (std::size_t i = 0; i < kSide; ++i) {
    for (std::size_t j = 0; j < kSide; ++j) {
      ASSERT_EQ(values[i * kSide + j], i == 0 ? 3 * 4 + 63 * 2 : 4 + 2 * 3 + 62 * 2) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace kmux::metal
