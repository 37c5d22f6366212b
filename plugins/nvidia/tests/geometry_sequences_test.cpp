// Grids, blocks, shared memory, clusters, cooperative and overlapping launches, L2 windows: the resulting driver calls.
#include "over_fake.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

KMUX_OVER_FAKE(GeometrySequencesTest);

constexpr const char* kScale = "extern \"C\" __global__ void scale(float* x, int n) { if (n > 0) x[0] = 2; }\n";
constexpr const char* kGeometryTwo = R"(
extern "C" __global__ void first(float* x) { x[0] = 1; }
extern "C" __global__ void second(float* x) { x[0] = 2; }
)";

const Expr kGeometryN = Expr::symbol("n");

TEST_P(GeometrySequencesTest, PlainLaunchIsOneDriverCall) {
  ProgramBuilder builder = program_of("scale", kScale);
  builder.launch("scale").grid({4}).block({128}).args({"x"}).arg(kGeometryN);
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {512});
  kernel.launch({x}).value();
  const std::string launch = line({"scale", {written(x), written(512)}, "4,1,1", "128,1,1"});
  EXPECT_THAT(fake.calls(), ElementsAre(launch));
  leave_context();
  fake.clear_calls();
  kernel.launch({x}).value();
  EXPECT_THAT(fake.calls(), ElementsAre(launch + " = 201 CUDA_ERROR_INVALID_CONTEXT", "cuCtxGetCurrent -> 0x0",
                                        "cuCtxSetCurrent 0x9000000", launch));
  fake.clear_calls();
  kernel.launch({x}).value();
  EXPECT_THAT(fake.calls(), ElementsAre(launch)) << "C2.19: the context stayed";
}

TEST_P(GeometrySequencesTest, WarmLoadsCodeOnceWithoutLaunching) {
  ProgramBuilder builder = program_of("scale", kScale);
  builder.launch("scale").grid({4}).block({128}).args({"x"}).arg(kGeometryN);
  const Kernel kernel = compiled(builder);
  kernel.warm().value();
  EXPECT_EQ(fake.calls("cuLibraryLoadData").size(), 1U);
  EXPECT_EQ(fake.calls("cuLibraryGetKernel").size(), 1U);
  EXPECT_THAT(fake.calls("cuKernelSetAttribute"), IsEmpty());
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), IsEmpty());
  fake.clear_calls();
  kernel.warm().value();
  EXPECT_THAT(work(), IsEmpty());
}

TEST_P(GeometrySequencesTest, ExtentsCanBeExpressions) {
  ProgramBuilder builder = program_of("scale", kScale);
  builder.launch("scale")
      .grid({ceildiv(kGeometryN, 64), 2, 3})
      .block({min(kGeometryN, 32), 2})
      .dynamic_smem_bytes(kGeometryN * 4)
      .args({"x"})
      .arg(kGeometryN);
  const Kernel kernel = warmed(builder);
  const Tensor small = zeros(kernel, {8});
  EXPECT_THAT(work_of(kernel, {small}),
              ElementsAre(line({"scale", {written(small), written(8)}, "1,2,3", "8,2,1", 32})));
  const Tensor large = zeros(kernel, {640});
  EXPECT_THAT(work_of(kernel, {large}),
              ElementsAre(line({"scale", {written(large), written(640)}, "10,2,3", "32,2,1", 2560})));
}

TEST_P(GeometrySequencesTest, EmptyGridIsSkipped) {
  ProgramBuilder builder = program_of("scale", kScale);
  builder.launch("scale").grid({kGeometryN}).block({32}).args({"x"}).arg(kGeometryN);
  const Kernel kernel = warmed(builder);
  EXPECT_THAT(work_of(kernel, {zeros(kernel, {0})}), IsEmpty());
}

TEST_P(GeometrySequencesTest, NegativeGridIsRejected) {
  ProgramBuilder builder = program_of("scale", kScale);
  builder.launch("scale").grid({kGeometryN - 10}).block({32}).args({"x"}).arg(kGeometryN);
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {5});
  EXPECT_EQ(kernel.launch({x}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(work(), IsEmpty());
}

TEST_P(GeometrySequencesTest, ConstantSharedMemoryIsRaisedWhenPrepared) {
  ProgramBuilder builder = program_of("scale", kScale);
  builder.launch("scale").grid({1}).block({32}).dynamic_smem_bytes(100000).args({"x"}).arg(kGeometryN);
  const Kernel kernel = compiled(builder);
  kernel.warm().value();
  make_current();
  EXPECT_THAT(fake.calls("cuKernelSetAttribute"),
              ElementsAre("cuKernelSetAttribute scale attribute 8 value 100000 device 0"));
  const Tensor x = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {x}), ElementsAre(line({"scale", {written(x), written(4)}, "1,1,1", "32,1,1", 100000})));
}

TEST_P(GeometrySequencesTest, ComputedSharedMemoryIsRaisedWhenItGrows) {
  ProgramBuilder builder = program_of("scale", kScale);
  builder.launch("scale").grid({1}).block({32}).dynamic_smem_bytes(kGeometryN).args({"x"}).arg(kGeometryN);
  const Kernel kernel = warmed(builder);
  const auto raises = [&](std::int64_t bytes) {
    work_of(kernel, {zeros(kernel, {bytes})});
    return fake.calls("cuKernelSetAttribute");
  };
  EXPECT_THAT(raises(49152), IsEmpty());
  EXPECT_THAT(raises(49153), ElementsAre("cuKernelSetAttribute scale attribute 8 value 49153 device 0"));
  EXPECT_THAT(raises(49153), IsEmpty());
  EXPECT_THAT(raises(1000), IsEmpty());
  EXPECT_THAT(raises(60000), ElementsAre("cuKernelSetAttribute scale attribute 8 value 60000 device 0"));
  const Tensor huge = zeros(kernel, {300000});
  const Status refused = kernel.launch({huge});
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("300000 bytes of dynamic shared memory"));
}

TEST_P(GeometrySequencesTest, StaticSharedMemoryCountsTowardLimit) {
  ProgramBuilder builder = program_of("tiled", R"(
extern "C" __global__ void tiled(float* x) {
  __shared__ volatile float tile[10000];
  tile[threadIdx.x] = x[0];
  x[0] = tile[31 - threadIdx.x];
})");
  builder.launch("tiled").grid({1}).block({32}).dynamic_smem_bytes(30000).args({"x"});
  const Kernel kernel = compiled(builder);
  kernel.warm().value();
  make_current();
  // More than 48 KiB together.
  EXPECT_THAT(fake.calls("cuKernelSetAttribute"),
              ElementsAre("cuKernelSetAttribute tiled attribute 8 value 30000 device 0"));
  const Tensor x = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {x}), ElementsAre(line({"tiled", {written(x)}, "1,1,1", "32,1,1", 30000})));
}

TEST_P(GeometrySequencesTest, ClusterAttributesAreSetAndLargeClustersAllowed) {
  ProgramBuilder builder = program_of("two", kGeometryTwo);
  builder.launch("first").grid({4}).block({32}).cluster({2}).args({"x"});
  builder.launch("second").grid({16, 2}).block({32}).cluster({8, 2}).args({"x"});
  const Kernel kernel = compiled(builder);
  kernel.warm().value();
  make_current();
  EXPECT_THAT(fake.calls("cuKernelSetAttribute"),
              ElementsAre("cuKernelSetAttribute second attribute 14 value 1 device 0"));
  const Tensor x = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {x}),
              ElementsAre(line({"first", {written(x)}, "4,1,1", "32,1,1", 0, "0x0", "cluster 2,1,1"}),
                          line({"second", {written(x)}, "16,2,1", "32,1,1", 0, "0x0", "cluster 8,2,1"})));
}

TEST_P(GeometrySequencesTest, CooperativeLaunchCanHaveCluster) {
  ProgramBuilder builder = program_of("two", kGeometryTwo);
  builder.launch("first").grid({4}).block({32}).cooperative().args({"x"});
  builder.launch("second").grid({4}).block({32}).cooperative().cluster({2}).args({"x"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {x}),
              ElementsAre(line({"first", {written(x)}, "4,1,1", "32,1,1", 0, "0x0", "cooperative 1"}),
                          line({"second", {written(x)}, "4,1,1", "32,1,1", 0, "0x0", "cluster 2,1,1; cooperative 1"})));
}

TEST_P(GeometrySequencesTest, OversizedCooperativeGridIsRejected) {
  ProgramBuilder builder = program_of("two", kGeometryTwo);
  builder.launch("first").grid({kGeometryN}).block({1024}).cooperative().args({"x"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {1000});
  const Status refused = kernel.launch({x});
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message,
              HasSubstr("cuLaunchKernelEx failed with 720 CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"));
}

TEST_P(GeometrySequencesTest, ProgrammaticSerializationIsSetOnRequest) {
  ProgramBuilder builder = program_of("two", kGeometryTwo);
  builder.launch("first").grid({1}).block({32}).args({"x"});
  builder.launch("second").grid({1}).block({32}).programmatic_serialization().args({"x"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {x}),
              ElementsAre(line({"first", {written(x)}}),
                          line({"second", {written(x)}, "1,1,1", "32,1,1", 0, "0x0", "programmatic_serialization 1"})));
}

std::string window(const Tensor& x, std::int64_t bytes, const std::string& ratio) {
  std::string address = written(x);
  address.erase(2, address.find_first_not_of('0', 2) - 2);
  return "window " + address + " bytes " + std::to_string(bytes) + " hit " + ratio + " persisting else streaming";
}

TEST_P(GeometrySequencesTest, L2WindowIsAttributeAndRaisesPersistingLimit) {
  ProgramBuilder builder = program_of("two", kGeometryTwo);
  builder.launch("first").grid({1}).block({32}).l2_window("x", Expr(1 << 20), 0.5).args({"x"});
  const Kernel kernel = compiled(builder);
  kernel.warm().value();
  make_current();
  EXPECT_THAT(fake.calls("cuCtxSetLimit"), ElementsAre("cuCtxSetLimit limit 6 value 1048576"));
  const Tensor x = zeros(kernel, {1 << 18});
  kernel.launch({x}).value();
  EXPECT_THAT(work(),
              ElementsAre(line({"first", {written(x)}, "1,1,1", "32,1,1", 0, "0x0", window(x, 1 << 20, "0.5")})));
  EXPECT_THAT(fake.calls("cuCtxSetLimit"), IsEmpty());
  EXPECT_THAT(logs, IsEmpty());
}

TEST_P(GeometrySequencesTest, L2WindowIsClampedToDeviceLimitAndReported) {
  fake_cuda::Device device;
  device.max_window_bytes = 4096;
  fake.set_devices({device});
  ProgramBuilder builder = program_of("two", kGeometryTwo);
  builder.launch("first").grid({1}).block({32}).l2_window("x", kGeometryN * 4).args({"x"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {2048});
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(work_of(kernel, {x}),
                ElementsAre(line({"first", {written(x)}, "1,1,1", "32,1,1", 0, "0x0", window(x, 4096, "0.8")})));
  }
  EXPECT_THAT(logs, ElementsAre(HasSubstr("an L2 window of 8192 bytes is cut to 4096")));
}

TEST_P(GeometrySequencesTest, LargestL2WindowWins) {
  ProgramBuilder builder("two");
  builder.input("x", dtype::kFloat32, {1024}).input("y", dtype::kFloat32, {4096});
  builder.variant("cuda").source("two.cu", kGeometryTwo);
  builder.launch("first").grid({1}).block({32}).l2_window("x", 4096).l2_window("y", 16384).args({"x"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {1024});
  const Tensor y = zeros(kernel, {4096});
  EXPECT_THAT(work_of(kernel, {x, y}),
              ElementsAre(line({"first", {written(x)}, "1,1,1", "32,1,1", 0, "0x0", window(y, 16384, "0.8")})));
  EXPECT_THAT(logs, ElementsAre(HasSubstr("L2 window")));
}

}  // namespace
}  // namespace kmux::nvidia
