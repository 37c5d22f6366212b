#include "call.h"

#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CallTest : public MetalTest {
 protected:
  kmux_code call(const Program& program, float* memory, std::int64_t n) {
    const auto adapter = load(program);
    fake.messages();
    return launch(*adapter, {slot(memory), slot(n)});
  }
  float* x = upload(std::vector<float>(100, 1));
};

TEST_F(CallTest, CommitsOneCommandBuffer) {
  EXPECT_EQ(call(one_kernel(kAddOne).build().value(), x, 100), KMUX_OK) << said;
  auto messages = fake.messages();
  std::erase_if(messages,
                [](const std::string& message) {  // of concurrent tests, and about object lifetimes
                  return message.ends_with("release") || message.ends_with("status");
                });
  EXPECT_THAT(messages, ElementsAre("MTLCommandQueue commandBuffer", "MTLCommandBuffer computeCommandEncoder",
                                    "MTLComputeCommandEncoder setComputePipelineState:",
                                    "MTLComputeCommandEncoder setBuffer:offset:atIndex:",
                                    "MTLComputeCommandEncoder setBytes:length:atIndex:",
                                    "MTLComputeCommandEncoder dispatchThreadgroups:threadsPerThreadgroup:",
                                    "MTLComputeCommandEncoder endEncoding",
                                    "MTLCommandBuffer addCompletedHandler:", "MTLCommandBuffer commit"));
}

TEST_F(CallTest, ReturnsBeforeDeviceCompletes) {
  const auto adapter = load(one_kernel(kAddOne).build().value());
  fake.hold(true);
  EXPECT_EQ(launch(*adapter, {slot(x), slot(100)}), KMUX_OK);
  EXPECT_EQ(x[0], 1);
  fake.hold(false);
  EXPECT_EQ(download(x, 1).at(0), 2);
}

TEST_F(CallTest, RejectsTooManyThreadsPerThreadgroup) {
  Program program = one_kernel(kAddOne).build().value();
  std::get<Launch>(program.variants[0].body.steps[0]).block = {64, 5, 4};
  EXPECT_EQ(call(program, x, 100), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(said, HasSubstr("\"k\" would have 64 x 5 x 4 threads (its pipeline allows 1024)"));
}

TEST_F(CallTest, RejectsOverflowingThreadCount) {
  Program program = one_kernel(kAddOne).build().value();
  std::get<Launch>(program.variants[0].body.steps[0]).block = {2147483647, 2147483647, 2147483647};
  EXPECT_EQ(call(program, x, 100), KMUX_INVALID_ARGUMENT);
}

// Kernel `a` takes threadgroup memory from the launch, kernel `b` declares 16 KiB.
constexpr const char* kTwoTiles = R"(#include <metal_stdlib>
using namespace metal;
kernel void a(device float* x [[buffer(0)]], threadgroup float* tile [[threadgroup(0)]],
              uint i [[thread_position_in_grid]]) {
  tile[i] = x[i];
  x[i] = tile[i] + 1;
}
kernel void b(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  threadgroup float tile[4096];
  tile[i] = x[i];
  x[i] = tile[i] * 3;
}
)";
ProgramBuilder two_tiles() {
  ProgramBuilder builder("tiles");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant("msl").source("k.metal", kTwoTiles);
  return builder;
}

TEST_F(CallTest, RejectsTooMuchThreadgroupMemory) {
  ProgramBuilder builder = two_tiles();
  builder.launch("b").grid({1}).block({64}).dynamic_smem_bytes(32000).args({"x"});
  EXPECT_EQ(call(builder.build().value(), x, 100), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(said, HasSubstr("\"b\" would have 32000 bytes of memory and 16384 that the kernel declares (the device "
                              "allows 32768)"));
}

TEST_F(CallTest, ThreadgroupMemoryDoesNotCarryOverToNextLaunch) {
  ProgramBuilder builder = two_tiles();
  builder.launch("a").grid({1}).block({64}).dynamic_smem_bytes(24576).args({"x"});
  builder.launch("b").grid({1}).block({64}).args({"x"});
  builder.launch("a").grid({1}).block({64}).dynamic_smem_bytes(24576).args({"x"});
  EXPECT_EQ(call(builder.build().value(), x, 100), KMUX_OK) << said;
  EXPECT_EQ(download(x, 1).at(0), (1 + 1) * 3 + 1);
}

TEST_F(CallTest, RejectsForeignMemory) {
  float other = 0;
  EXPECT_EQ(call(one_kernel(kAddOne).build().value(), &other, 1), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(said, HasSubstr("not memory of the device \"metal:0\""));
}

TEST_F(CallTest, AcceptsNullPointer) {
  EXPECT_EQ(call(one_kernel(kAddOne).build().value(), nullptr, 0), KMUX_OK);  // an empty grid
  ProgramBuilder builder =
      one_kernel("kernel void k(device float* x [[buffer(0)]], constant int& n [[buffer(1)]]) { if (n > 0) *x = 1; }");
  Program program = builder.build().value();
  std::get<Launch>(program.variants[0].body.steps[0]).grid = {1};
  EXPECT_EQ(call(program, nullptr, 0), KMUX_OK) << said;
}

/// Returns a program that adds one, then fills: two kinds of encoders.
ProgramBuilder filled(Expr bytes) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.body().fill("x", std::move(bytes), 0);
  return builder;
}

TEST_F(CallTest, ExecutesFillsInOrder) {
  EXPECT_EQ(call(filled(8).build().value(), x, 100), KMUX_OK) << said;
  EXPECT_THAT(download(x, 4), ElementsAre(0, 0, 2, 2));
}

TEST_F(CallTest, RejectsUnalignedFillSizeBeforeLaunching) {
  EXPECT_EQ(call(filled(7).build().value(), x, 100), KMUX_UNSUPPORTED);
  EXPECT_THAT(said, HasSubstr("cannot fill 7 bytes"));
  EXPECT_THAT(download(x, 2), ElementsAre(1, 1));
}

TEST_F(CallTest, AcceptsEmptyFill) { EXPECT_EQ(call(filled(0).build().value(), x, 100), KMUX_OK) << said; }

}  // namespace
}  // namespace kmux::metal
