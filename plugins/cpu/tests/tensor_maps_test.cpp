// Tensor maps, from the body of a program to the kernels that take them.
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/units/tensor_map.h"
#include "workbench.h"

namespace kmux::cpu::tensor_maps {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr int kCount = 64;  // threads, and elements of the output

/// Returns a map "map" of x, float32[n, 64].
TensorMap rows_of_x() {
  return {.name = "map",
          .base = {"x"},
          .dims = {64, Expr::symbol("n")},
          .strides_bytes = {256},
          .mode = TiledMap{{32, 4}},
          .swizzle = Swizzle::k128B};
}

/// Returns a program that launches `k(map, y)` of `source`, with x float32[n, 64] and y uint64[64].
Result<Program> map_program(const std::string& source, const TensorMap& map = rows_of_x()) {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n, 64}}).buffer("y", BufferParam{dtype::kUInt64, {kCount}});
  builder.variant("cuda").source("k.cu", source).tensor_map(map);
  builder.launch("k").grid({1}).block({kCount}).args({"map", "y"});
  return builder.build();
}

/// The tensors of a call.
struct Call {
  std::vector<float> x = std::vector<float>(64 * 8);
  std::vector<std::uint64_t> y = std::vector<std::uint64_t>(kCount);
  std::int64_t rows = 8;

  std::vector<kmux_slot> slots() { return {slot(x.data()), slot(y.data()), slot(rows)}; }
  Status run(const Result<Program>& program, const Options& options = {}) {
    KMUX_TRY(program);
    KMUX_ASSIGN(LoadedKernel kernel, common_bench().load(*program, options));
    return kernel(slots());
  }
};

std::vector<Options> ways() {
  return {{{"tier", "fast"}}, {{"tier", "full"}}, {{"opt_level", "0"}}, {{"check", "on"}}};
}

std::string error_of(const Status& status) { return status ? "none" : status.error().explain(); }

TEST(TensorMapsTest, KernelsMayIgnoreTheirMap) {
  for (const Options& options : ways()) {
    for (const char* const parameter : {"const __grid_constant__ CUtensorMap", "CUtensorMap", "Map"}) {
      Call call;
      const std::string source = "struct __align__(64) Map { char bytes[128]; };\nextern \"C\" __global__ void k(" +
                                 std::string(parameter) + " map, unsigned long* y) { y[threadIdx.x] = 7; }";
      const Status status = call.run(map_program(source), options);
      ASSERT_TRUE(status.ok()) << parameter << error_of(status);
      EXPECT_THAT(call.y, Each(7U));
    }
  }
}

// In checked code each thread has a copy.
TEST(TensorMapsTest, KernelsSeeTheEncodedMap) {
  const std::string source = R"(#include <cuda.h>
__device__ unsigned long mark_of(const CUtensorMap& map) { return map.opaque[0]; }
__global__ void k(const __grid_constant__ CUtensorMap map, unsigned long* y) {
  static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) == 64);
  y[threadIdx.x] = mark_of(map) + ((unsigned long)&map) % 64;
})";
  for (const Options& options : ways()) {
    Call call;
    const Status status = call.run(map_program(source), options);
    ASSERT_TRUE(status.ok()) << error_of(status);
    EXPECT_THAT(call.y, Each(simt::EncodedMap::kMark));
  }
}

TEST(TensorMapsTest, ThreadsThatWriteTheirMapHaveACopy) {
  const std::string source = R"(
__global__ void k(CUtensorMap map, unsigned long* y) {
  map.opaque[threadIdx.x % 16] += threadIdx.x;
  y[threadIdx.x] = map.opaque[0];
})";
  Call call;
  const Status status = call.run(map_program(source));
  ASSERT_TRUE(status.ok()) << error_of(status);
  for (unsigned i = 0; i < kCount; ++i) EXPECT_EQ(call.y[i], simt::EncodedMap::kMark + (i % 16 == 0 ? i : 0));
}

/// Returns a program that launches `k({1, map, y}, {map2})` of `source`, the second aligned to 128 bytes.
Result<Program> record_program(const std::string& source) {
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n, 64}}).buffer("y", BufferParam{dtype::kUInt64, {kCount}});
  TensorMap second = rows_of_x();
  second.name = "map2";
  second.dims[0] = 32;
  builder.variant("cuda").source("k.cu", source).tensor_map(rows_of_x()).tensor_map(second);
  const StructArg first{{ExprArg{1}, TensorMapArg{"map"}, TensorArg{"y"}}};
  builder.launch("k").grid({1}).block({kCount}).arg(first).arg(StructArg{{TensorMapArg{"map2"}}, 128});
  return builder.build();
}

// As CUTLASS's kernels have it.
TEST(TensorMapsTest, KernelsReadMapsInStructures) {
  const std::string source = R"(#include <cuda.h>
struct Params { int one; CUtensorMap map; unsigned long* y; };
struct alignas(128) Second { CUtensorMap map; };
__global__ void k(const __grid_constant__ Params p, const __grid_constant__ Second q) {
  static_assert(sizeof(Params) == 256 && alignof(Params) == 64 && sizeof(Second) == 128);
  const bool is_same = p.map.opaque[0] == q.map.opaque[0];
  bool is_other = false;
  for (int i = 1; i < 16; ++i) is_other |= p.map.opaque[i] != q.map.opaque[i];
  p.y[threadIdx.x] = p.one + 10 * is_same + 100 * is_other + ((unsigned long)&p.map) % 64;
})";
  for (const Options& options : ways()) {
    Call call;
    const Status status = call.run(record_program(source), options);
    ASSERT_TRUE(status.ok()) << error_of(status);
    EXPECT_THAT(call.y, Each(111U));
  }
}

TEST(TensorMapsTest, EmptyMapInStructureIsErrorOfItsLaunch) {
  const std::string source =
      "struct P { int one; CUtensorMap map; unsigned long* y; };\n"
      "struct alignas(128) Q { CUtensorMap map; };\n__global__ void k(P p, Q q) {}";
  Call call;
  call.rows = 0;
  EXPECT_THAT(error_of(call.run(record_program(source))),
              HasSubstr("tensor map \"map\" has no elements (dim 1 is 0), but \"k\" is launched."));
}

TEST(TensorMapsTest, CodeReachesTheCopies) {
  const std::string source = R"(
__device__ void store(const void*, const char*, const int*, unsigned) __asm__("kmux.unit.tensor.store");
__global__ void k(const __grid_constant__ CUtensorMap map, unsigned long* y) {
  __shared__ __align__(128) float tile[4][32];
  tile[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x;
  tile[2 + threadIdx.x / 32][threadIdx.x % 32] = 64 + threadIdx.x;
  __syncthreads();
  const int at[] = {32, 6};
  if (threadIdx.x == 0) store(&map, (const char*)tile, at, 2);
  y[threadIdx.x] = 1;
})";
  TensorMap map = rows_of_x();
  map.swizzle = Swizzle::kNone;
  Call call;
  const Status status = call.run(map_program(source, map));
  ASSERT_TRUE(status.ok()) << error_of(status);
  for (int row = 0; row < 8; ++row) {
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(call.x[row * 64 + i], row < 6 || i < 32 ? 0 : (row - 6) * 32 + i - 32) << row << ", " << i;
    }
  }
}

// A tile of 4 rows of 128 bytes, whose pieces of 16 bytes the swizzle exchanges; its last row is out of bounds.
TEST(TensorMapsTest, InstructionsLoadStoreAndReduce) {
  const std::string source = R"(
__device__ unsigned place(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void k(const __grid_constant__ CUtensorMap map, unsigned long* y) {
  __shared__ __align__(1024) float tile[4][32];
  __shared__ unsigned long long full;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" :: "r"(place(&full)) : "memory");
    asm volatile("prefetch.tensormap [%0];" :: "l"(&map) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" :: "r"(place(&full)) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(place(tile)), "l"(&map), "r"(32), "r"(5), "r"(place(&full)) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p;\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN; }"
               :: "r"(place(&full)) : "memory");
  const unsigned row = t / 16, column = t % 16;
  const float* const from = &tile[row][(column / 4 ^ row) * 4 + column % 4];
  y[t] = (unsigned long)*from;
  __syncthreads();
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (t == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(&map), "r"(0), "r"(0), "r"(place(tile)) : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(&map), "r"(32), "r"(-1), "r"(place(tile)) : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
})";
  for (const Options& options : ways()) {
    Call call;
    for (std::size_t i = 0; i < call.x.size(); ++i) call.x[i] = static_cast<float>(i);
    const std::vector<float> x = call.x;
    const Status status = call.run(map_program(source), options);
    ASSERT_TRUE(status.ok()) << error_of(status);
    const auto loaded = [&](int row, int i) {
      return row == 3 ? 0 : x[static_cast<std::size_t>((5 + row) * 64 + 32 + i)];
    };
    for (int t = 0; t < kCount; ++t)
      EXPECT_EQ(static_cast<float>(call.y[static_cast<std::size_t>(t)]), loaded(t / 16, t % 16));
    for (int row = 0; row < 8; ++row) {
      for (int i = 0; i < 64; ++i) {
        const float before = x[static_cast<std::size_t>(row * 64 + i)];
        const float after = i < 32    ? (row < 4 ? loaded(row, i) : before)
                            : row < 3 ? before + loaded(row + 1, i - 32)
                                      : before;
        ASSERT_EQ(call.x[static_cast<std::size_t>(row * 64 + i)], after) << row << ", " << i;
      }
    }
  }
}

TEST(TensorMapsTest, OtherArgumentsAreInvalid) {
  const auto refused = [](const std::string& parameters, const LaunchArg& argument) {
    ProgramBuilder builder("sample");
    builder.buffer("x", BufferParam{dtype::kFloat32, {8, 64}}).buffer("y", BufferParam{dtype::kUInt64, {kCount}});
    TensorMap map = rows_of_x();
    map.dims[1] = 8;
    builder.variant("cuda").source("k.cu", "__global__ void k(" + parameters + ") {}").tensor_map(map);
    builder.launch("k").grid({1}).block({kCount}).arg(argument);
    return common_bench().failure(builder.build().value()).message;
  };
  const StructArg record = {std::vector<LaunchArg>(16, ExprArg{1, dtype::kInt64}), 64};
  EXPECT_THAT(refused("int* p", TensorMapArg{"map"}),
              HasSubstr("with 1 argument of 128 bytes: tensor map map (its code takes 1 argument of 8 bytes: int*"));
  EXPECT_THAT(refused("CUtensorMap map", TensorArg{"y"}),
              HasSubstr("of 8 bytes: pointer y (its code takes 1 argument of 128 bytes: CUtensorMap"));
  EXPECT_THAT(refused("CUtensorMap map", record), HasSubstr("(its code takes 1 argument of 128 bytes: CUtensorMap"));
}

TEST(TensorMapsTest, CallsReportInvalidMaps) {
  TensorMap map = rows_of_x();
  map.strides_bytes = {Expr::symbol("n") * 4};
  Call call;
  call.rows = 7;
  EXPECT_THAT(error_of(call.run(map_program("__global__ void k(CUtensorMap m, unsigned long* y) {}", map))),
              HasSubstr("tensor map \"map\" cannot be encoded: stride 0 is 28 (not a multiple of 16). Align or pad"));
}

TEST(TensorMapsTest, EmptyMapIsErrorOfItsLaunch) {
  const std::string source = "__global__ void k(CUtensorMap m, unsigned long* y) { y[threadIdx.x] = 1; }";
  Call call;
  call.rows = 0;
  EXPECT_THAT(error_of(call.run(map_program(source))),
              HasSubstr("tensor map \"map\" has no elements (dim 1 is 0), but \"k\" is launched."));
  ProgramBuilder builder("sample");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n, 64}}).buffer("y", BufferParam{dtype::kUInt64, {kCount}});
  builder.variant("cuda").source("k.cu", source).tensor_map(rows_of_x());
  builder.launch("k").grid({n}).block({kCount}).args({"map", "y"});
  EXPECT_EQ(error_of(call.run(builder.build())), "none") << "an empty grid";
}

TEST(TensorMapsTest, MapsWithoutCopiesAreMissingFeatures) {
  TensorMap map = rows_of_x();
  map.dims = {64, 8, 8};
  map.strides_bytes = {256, 2048};
  map.mode = TiledMap{{8, 4, 1}};
  map.interleave = Interleave::k16B;
  const Program program = map_program("__global__ void k(CUtensorMap m, unsigned long* y) {}", map).value();
  CpuBackend& backend = common_bench().backend;
  const auto missing = backend.supports({program, 0, backend.resolve_target("auto", 0).value(), {}}).value();
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].path, "/variants/0/body/tensor_maps/0");
  EXPECT_THAT(missing[0].reason, HasSubstr("no copies by tensor maps with interleaved channels"));
}

TEST(TensorMapsTest, ExportsAreUnsupported) {
  CpuBackend& backend = common_bench().backend;
  const Program program = map_program("__global__ void k(CUtensorMap m, unsigned long* y) {}").value();
  const BuildRequest request{program, 0, backend.resolve_target("auto", 0).value(), {}};
  const Artifact artifact = backend.builder().build(request, backend.wrapper().wrap(request).value()).value();
  const auto exported = backend.standalone(request, artifact);
  ASSERT_FALSE(exported.ok());
  EXPECT_EQ(exported.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(exported.error().message, HasSubstr("cannot export programs with tensor maps"));
}

// That machine passes structures of this size by address.
TEST(TensorMapsTest, CompileForAArch64) {
  CpuBackend& backend = common_bench().backend;
  const Program program =
      map_program("__global__ void k(CUtensorMap m, unsigned long* y) { y[0] = m.opaque[0]; }").value();
  const BuildRequest request{program, 0, backend.resolve_target("auto", 0).value(), {{"march", "neoverse-v1"}}};
  const auto built = backend.builder().build(request, backend.wrapper().wrap(request).value());
  EXPECT_TRUE(built.ok()) << (built.ok() ? "" : built.error().explain());
}

}  // namespace
}  // namespace kmux::cpu::tensor_maps
