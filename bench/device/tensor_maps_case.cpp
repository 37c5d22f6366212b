// Tensor maps: boxes and columns of every kind, loaded by the hardware and compared with the host.
#include <cmath>
#include <limits>

#include "box.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(TensorMaps);

constexpr std::int64_t kElementBytes = 4;
constexpr std::int64_t kSpareBytes = 1024;  // to align the box

std::vector<Expr> exprs(const Shape& numbers) { return {numbers.begin(), numbers.end()}; }

// Returns the dimensions of a tensor in the order of a signature: outermost first.
Shape outermost_first(const Shape& dims) { return {dims.rbegin(), dims.rend()}; }

std::int64_t count_of(const Shape& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

TensorMap map_of(const Shape& dims) {
  TensorMap map{.name = "map", .dtype = TensorMapDType::kFloat32, .base = {"x"}, .dims = exprs(dims)};
  const Shape strides = packed_strides(dims);
  for (std::size_t d = 1; d < dims.size(); ++d) map.strides_bytes.emplace_back(strides[d] * kElementBytes);
  return map;
}

TensorMap map_of(const Box& box) {
  TensorMap map = map_of(box.dims);
  map.element_strides = box.element_strides;
  map.mode = TiledMap{box.box};
  if (std::isnan(box.fill)) map.oob_fill = OobFill::kNan;
  return map;
}

// Returns a program that loads one box of `x` into `out`.
ProgramBuilder load_program(const Shape& dims, const TensorMap& map, std::int64_t elements, const Shape& corner,
                            const Shape& offsets = {}) {
  ProgramBuilder builder("load");
  builder.input("x", dtype::kFloat32, exprs(outermost_first(dims))).output("out", dtype::kFloat32, {elements});
  builder.variant("cuda").source("load.cu", load_kernel(dims.size(), !offsets.empty())).tensor_map(map);
  const std::int64_t bytes = elements * kElementBytes;
  LaunchBuilder launch = builder.launch("load").grid({1}).block({128}).dynamic_smem_bytes(bytes + kSpareBytes);
  add_load_arguments(launch.args({"map", "out"}), bytes, corner, offsets);
  return builder;
}

void check_load(const Kernel& kernel, const Shape& dims, const Numbers& expected, const auto& run,
                const auto& compare) {
  const Tensor x = uploaded(kernel, outermost_first(dims), dtype::kFloat32, counted(count_of(dims)));
  const Tensor out = poisoned(kernel, {static_cast<std::int64_t>(expected.size())}, dtype::kFloat32);
  run(kernel, x, out);
  compare(out, expected);
}

#define KMUX_CHECK_LOAD(kernel, dims, expected)                                                              \
  check_load(                                                                                                \
      kernel, dims, expected, [](const Kernel& k, const Tensor& x, const Tensor& out) { run(k, {x, out}); }, \
      [](const Tensor& out, const Numbers& numbers) { expect_numbers(out, numbers); })

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The innermost corner must be a multiple of 16 bytes: an H200 accepts no other.
const std::vector<Box> kBoxes = {
    {{64}, {16}, {32}},
    {{64}, {16}, {56}},
    {{64, 40}, {16, 8}, {8, 4}},
    {{64, 40}, {16, 8}, {-4, 36}},
    {{64, 40}, {16, 8}, {60, -3}, {}, kNan},
    {{32, 8, 6}, {8, 4, 2}, {12, 3, 5}},
    {{16, 6, 5, 4}, {8, 2, 3, 2}, {4, 1, 1, 3}},
    {{8, 5, 4, 3, 6}, {4, 2, 2, 3, 2}, {4, 4, 1, 0, 5}},
    {{16, 5, 4, 3, 6}, {8, 2, 2, 3, 2}, {-4, 4, -1, 1, 5}, {}, kNan},
    {{64, 40}, {16, 8}, {0, 0}, {1, 2}},
};

TEST_P(TensorMaps, TiledOfEveryRank) {
  for (const Box& box : kBoxes) {
    SCOPED_TRACE(::testing::PrintToString(box.dims) + " from " + ::testing::PrintToString(box.corner));
    const Numbers expected = box.expected();
    const auto count = static_cast<std::int64_t>(expected.size());
    const Kernel kernel = compiled(load_program(box.dims, map_of(box), count, box.corner));
    KMUX_CHECK_LOAD(kernel, box.dims, expected);
  }
}

TEST_P(TensorMaps, EverySwizzle) {
  for (const auto& [swizzle, inner] : {std::pair{Swizzle::kNone, 32}, std::pair{Swizzle::k32B, 8},
                                       std::pair{Swizzle::k64B, 16}, std::pair{Swizzle::k128B, 32}}) {
    SCOPED_TRACE(static_cast<int>(swizzle));
    const Box box{{64, 64}, {inner, 16}, {16, 8}};
    TensorMap map = map_of(box);
    map.swizzle = swizzle;
    const Kernel kernel = compiled(load_program(box.dims, map, box.element_count(), box.corner));
    KMUX_CHECK_LOAD(kernel, box.dims, swizzled(box.expected(), kElementBytes, swizzle));
  }
}

TEST_P(TensorMaps, EveryL2Promotion) {
  for (const L2Promotion promotion : {L2Promotion::kNone, L2Promotion::k64B, L2Promotion::k128B, L2Promotion::k256B}) {
    const Box box{{64, 64}, {16, 16}, {16, 8}};
    TensorMap map = map_of(box);
    map.l2_promotion = promotion;
    const Kernel kernel = compiled(load_program(box.dims, map, box.element_count(), box.corner));
    KMUX_CHECK_LOAD(kernel, box.dims, box.expected());
  }
}

// Slices of 16 or 32 bytes, as in NC/8HWC8, loaded slice after slice. The boxes are of the kind that an H200 loads
// without gaps: those of 32 bytes fill the swizzle's atom of eight rows.
TEST_P(TensorMaps, EveryInterleave) {
  for (const auto& [interleave, box] : {std::pair{Interleave::k16B, Box{{4, 16, 8}, {4, 4, 2}, {0, 4, 3}}},
                                        std::pair{Interleave::k32B, Box{{8, 16, 8}, {8, 8, 1}, {0, 4, 3}}}}) {
    SCOPED_TRACE(static_cast<int>(interleave));
    TensorMap map = map_of(box);
    map.interleave = interleave;
    if (interleave == Interleave::k32B) map.swizzle = Swizzle::k32B;
    const Kernel kernel = compiled(load_program(box.dims, map, box.element_count(), box.corner));
    KMUX_CHECK_LOAD(kernel, box.dims, swizzled(box.expected(), kElementBytes, map.swizzle));
  }
}

const std::vector<Columns> kColumns = {
    {{8, 10, 3}, {-1}, {-1}, 4, 16, {4, -1, 0}, {2}},
    {{8, 6, 5, 3}, {-1, -1}, {-1, -1}, 8, 32, {0, -1, -1, 0}, {0, 0}},
    {{8, 6, 5, 3}, {-1, -1}, {-1, -1}, 8, 32, {0, 3, 2, 1}, {2, 1}},
    {{8, 6, 5, 4, 2}, {0, -1, -1}, {-2, -1, -1}, 4, 48, {4, 0, -1, -1, 0}, {1, 2, 0}},
};

TEST_P(TensorMaps, Im2colOfEveryRank) {
  for (const Columns& columns : kColumns) {
    SCOPED_TRACE(::testing::PrintToString(columns.dims) + " from " + ::testing::PrintToString(columns.corner));
    TensorMap map = map_of(columns.dims);
    map.mode = Im2colMap{columns.lower, columns.upper, columns.channels, columns.pixels};
    const Numbers expected = columns.expected();
    const Kernel kernel = compiled(
        load_program(columns.dims, map, static_cast<std::int64_t>(expected.size()), columns.corner, columns.offsets));
    KMUX_CHECK_LOAD(kernel, columns.dims, expected);
  }
}

// The tensor changes its address, its size and its stride from call to call, and returns to the first.
TEST_P(TensorMaps, ComputedDimsAndStrides) {
  ProgramBuilder builder("computed_map");
  const Expr m = builder.symbol("m"), n = builder.symbol("n"), pitch = builder.symbol("pitch");
  builder.buffer("x", BufferParam{dtype::kFloat32, {m, n}, std::vector<Expr>{pitch, 1}, 16});
  builder.output("out", dtype::kFloat32, {128}).variant("cuda").source("load.cu", load_kernel(2, false));
  TensorMap map{.name = "map", .base = {"x"}, .dims = {n, m}, .strides_bytes = {pitch * 4}, .mode = TiledMap{{16, 8}}};
  LaunchBuilder launch = builder.tensor_map(map).launch("load").grid({1}).block({128}).dynamic_smem_bytes(2048);
  add_load_arguments(launch.args({"map", "out"}), 512, {24, 4});
  const Kernel kernel = compiled(builder);
  const Tensor memory = uploaded(kernel, {8192}, dtype::kFloat32, counted(8192));
  struct Call {
    std::int64_t offset, m, n, pitch;
  };
  const Call calls[] = {{0, 16, 64, 64},  {0, 16, 64, 64}, {1024, 16, 64, 64}, {0, 10, 36, 64},
                        {0, 10, 36, 128}, {64, 9, 30, 32}, {0, 16, 64, 64}};
  for (const Call& call : calls) {
    SCOPED_TRACE(::testing::Message() << call.offset << " " << call.m << " " << call.n << " " << call.pitch);
    const Tensor x = Tensor::borrow(memory.data_as<float>() + call.offset, {call.m, call.n}, dtype::kFloat32,
                                    kernel.device(), {call.pitch, 1});
    const Tensor out = poisoned(kernel, {128}, dtype::kFloat32);
    run(kernel, {x, out});
    Numbers expected;
    for (std::int64_t i = 4; i < 12; ++i)
      for (std::int64_t j = 24; j < 40; ++j) {
        const bool is_inside = i < call.m && j < call.n;
        expected.push_back(is_inside ? static_cast<double>(call.offset + i * call.pitch + j) : 0);
      }
    expect_numbers(out, expected);
  }
}

TEST_P(TensorMaps, OverAWorkspace) {
  const Box box{{64, 40}, {16, 8}, {8, 36}};
  ProgramBuilder builder("workspace_map");
  builder.output("out", dtype::kFloat32, {box.element_count()}).variant("cuda");
  builder.source("load.cu", load_kernel(2, false) + R"(
extern "C" __global__ void count(float* w) { w[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x; }
)");
  TensorMap map = map_of(box);
  map.base = {"w"};
  builder.workspace("w", count_of(box.dims) * kElementBytes).tensor_map(map);
  builder.launch("count").grid({20}).block({128}).args({"w"});
  LaunchBuilder launch = builder.launch("load").grid({1}).block({128}).dynamic_smem_bytes(2048);
  add_load_arguments(launch.args({"map", "out"}), box.element_count() * kElementBytes, box.corner);
  const Kernel kernel = compiled(builder);
  for (int round = 0; round < 3; ++round) {
    const Tensor out = poisoned(kernel, {box.element_count()}, dtype::kFloat32);
    run(kernel, {out});
    expect_numbers(out, box.expected());
  }
}

TEST_P(TensorMaps, ProblemsAreListedBeforeTheDriverIsAsked) {
  ProgramBuilder builder("bad_map");
  const Expr m = builder.symbol("m"), n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {m, n}).output("out", dtype::kFloat32, {128});
  builder.variant("cuda").source("load.cu", load_kernel(2, false));
  TensorMap map{.name = "rows", .base = {"x"}, .dims = {n, m}, .strides_bytes = {n * 4}, .mode = TiledMap{{16, 8}}};
  LaunchBuilder launch = builder.tensor_map(map).launch("load").grid({1}).block({128}).dynamic_smem_bytes(2048);
  add_load_arguments(launch.args({"rows", "out"}), 512, {0, 0});
  const Kernel kernel = compiled(builder);
  const Tensor memory = poisoned(kernel, {1000}, dtype::kFloat32);
  const Tensor x = Tensor::borrow(memory.data_as<float>() + 1, {20, 30}, dtype::kFloat32, kernel.device());
  const Tensor out = poisoned(kernel, {128}, dtype::kFloat32);
  const Status refused = kernel.launch({x, out});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  const std::string& message = refused.error().message;
  EXPECT_NE(message.find("rows"), std::string::npos) << message;
  EXPECT_NE(message.find("120"), std::string::npos) << message;  // the stride, not a multiple of 16
  EXPECT_NE(message.find("the base is"), std::string::npos) << message;  // nor is the address
}

}  // namespace
}  // namespace kmux::suite
