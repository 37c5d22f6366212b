#include "adapter.h"

#include "meta.h"
#include "needs.h"
#include "over_fake.h"

namespace kmux::hip {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class HipLaunchTest : public OverFake {};

// Returns a program of kernel `k` of `kAddOne`, launched with `bytes` bytes of dynamic shared memory.
ProgramBuilder with_smem(const Expr& bytes, const std::string& kernel = "k") {
  ProgramBuilder builder("tiles");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}}).variant("hip").source("k.hip", kAddOne);
  builder.launch("k").grid({1}).block({64}).args({"x"}).arg(n);
  builder.launch(kernel).grid({1}).block({64}).dynamic_smem_bytes(bytes).args({"x"}).arg(n);
  return builder;
}

TEST_F(HipLaunchTest, ComputesOnTheDevice) {
  const auto adapter = loaded(one_kernel(kAddOne));
  const DeviceVector x(backend, 300);
  for (int i = 0; i < 3; ++i) launch(*adapter, {slot(x.address()), slot(300)}).value();
  EXPECT_THAT(x.values(), Each(3.0F));
}

TEST_F(HipLaunchTest, UsesTwoDriverCalls) {
  const auto adapter = loaded(one_kernel(kAddOne));
  const DeviceVector x(backend, 300);
  adapter->prepare(0).value();
  fake->clear_calls();
  launch(*adapter, {slot(x.address()), slot(300)}).value();
  EXPECT_THAT(fake->calls(), ElementsAre("hipGetDevice", "hipModuleLaunchKernel"));
  launch(*adapter, {slot(x.address()), slot(0)}).value();
  EXPECT_EQ(fake->calls().size(), 2U) << "an empty grid launches nothing";
}

TEST_F(HipLaunchTest, LoadsPerDeviceAndRestoresCurrent) {
  fake->set_devices({{}, {}});
  const auto adapter = loaded(one_kernel(kAddOne));
  const DeviceVector first(backend, 64), second(backend, 64, 1);
  fake->clear_calls();
  launch(*adapter, {slot(first.address()), slot(64)}, 0).value();
  launch(*adapter, {slot(second.address()), slot(64)}, 1).value();
  EXPECT_EQ(fake->live().modules, 2U);
  EXPECT_THAT(second.values(), Each(1.0F));
  fake->clear_calls();
  launch(*adapter, {slot(second.address()), slot(64)}, 1).value();
  EXPECT_THAT(work(), ElementsAre("hipSetDevice", "hipModuleLaunchKernel", "hipSetDevice"));
  const Status absent = launch(*adapter, {slot(first.address()), slot(64)}, 2);
  EXPECT_THAT(absent.error().message, HasSubstr("hipSetDevice failed with 101"));
  EXPECT_THAT(launch(*adapter, {slot(first.address()), slot(64)}, 64).error().message, HasSubstr("out of range"));
}

TEST_F(HipLaunchTest, ChecksSharedMemoryLimit) {
  const auto adapter = loaded(with_smem(65537));
  const Error error = adapter->prepare(0).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message,
              HasSubstr("kernel \"k\" requests 65537 bytes of dynamic shared memory (device 0 has 65536"));
  loaded(with_smem(65536))->prepare(0).value();
}

TEST_F(HipLaunchTest, ChecksSharedMemoryOfSecondKernel) {
  ProgramBuilder builder = one_kernel(std::string(kAddOne) + "extern \"C\" __global__ void big(float* x) {}\n");
  builder.launch("big").grid({1}).block({64}).dynamic_smem_bytes(70000).args({"x"});
  EXPECT_THAT(loaded(builder)->prepare(0).error().message, HasSubstr("kernel \"big\" requests 70000 bytes"));
}

TEST_F(HipLaunchTest, ChecksSymbolicSharedMemoryAtLaunch) {
  const auto adapter = loaded(with_smem(Expr::symbol("n") * 4));
  const DeviceVector x(backend, 64);
  launch(*adapter, {slot(x.address()), slot(64)}).value();
  EXPECT_THAT(launch(*adapter, {slot(x.address()), slot(20000)}).error().message, HasSubstr("requests 80000 bytes"));
}

TEST_F(HipLaunchTest, AssumesDefaultSharedMemoryLimit) {
  fake->set_devices({{.shared_bytes = 0}});
  EXPECT_THAT(loaded(with_smem(65537))->prepare(0).error().message, HasSubstr("device 0 has 65536 a block"));
  fake->set_devices({{.shared_bytes = 163840}});
  loaded(with_smem(163840))->prepare(0).value();
  fake->set_devices({{}});
  fake->fail("hipDeviceGetAttribute", 1, 1);
  EXPECT_THAT(loaded(with_smem(65537))->prepare(0).error().message, HasSubstr("device 0 has 65536 a block"));
}

TEST_F(HipLaunchTest, ChecksBlockAgainstCodeLimit) {
  Artifact artifact = built(one_kernel(kAddOne).build().value());
  Meta meta = parse_meta(*artifact.find(kMetaPart)).value();
  meta.kernels["k"].max_threads = 128;
  artifact.set(kMetaPart, dump_meta(meta));
  const auto adapter = backend.load(artifact, 0).value();
  const DeviceVector x(backend, 64);
  EXPECT_THAT(launch(*adapter, {slot(x.address()), slot(64)}).error().message,
              HasSubstr("\"k\" is launched with blocks of 256 x 1 x 1 threads (its code is compiled for at most 128)"));
}

TEST_F(HipLaunchTest, RejectsGridsWithTooManyThreads) {
  ProgramBuilder builder("wide");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}}).variant("hip").source("k.hip", kAddOne);
  builder.launch("k").grid({n}).block({256}).args({"x"}).arg(n);
  const auto adapter = loaded(builder);
  const DeviceVector x(backend, 64);
  const Error error = launch(*adapter, {slot(x.address()), slot(1 << 24)}).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("HIP counts fewer than 2^32 threads a dimension"));
}

TEST_F(HipLaunchTest, UsesCooperativeLaunchCall) {
  ProgramBuilder builder("together");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}}).variant("hip").source("k.hip", kAddOne);
  builder.launch("k").grid({1}).block({64}).cooperative().args({"x"}).arg(n);
  const auto adapter = loaded(builder);
  const DeviceVector x(backend, 64);
  adapter->prepare(0).value();
  fake->clear_calls();
  launch(*adapter, {slot(x.address()), slot(64)}).value();
  EXPECT_THAT(work(), ElementsAre("hipModuleLaunchCooperativeKernel"));
}

TEST_F(HipLaunchTest, ReportsFailedLaunch) {
  const auto adapter = loaded(one_kernel(kAddOne));
  const DeviceVector x(backend, 64);
  adapter->prepare(0).value();
  fake->fail("hipModuleLaunchKernel", 719, 1);
  const Error error = launch(*adapter, {slot(x.address()), slot(64)}).error();
  EXPECT_EQ(error.code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(error.message, HasSubstr("hipModuleLaunchKernel failed with 719"));
  EXPECT_THAT(error.message, HasSubstr("kernel \"k\" on device 0, grid 1 x 1 x 1, block 256 x 1 x 1, 0 bytes"));
}

TEST_F(HipLaunchTest, RejectsCodeForOtherDevices) {
  if (const auto clang = find_clang(host); !clang) GTEST_SKIP() << needs(compiler_of("hip"), clang.error().message);
  host.options["hip.engine"] = "clang";
  const auto adapter = loaded(one_kernel(kAddOne));
  const Error error = adapter->prepare(0).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("hipModuleLoadData failed with 209"));
  EXPECT_THAT(error.message, HasSubstr("compile it for the architecture of this one"));
}

// Errors that the CPU implementation of HIP detects, so that programs which pass there are valid.
TEST_F(HipLaunchTest, DetectsInvalidKernels) {
  const auto told = [&](const std::string& body, std::int64_t smem) {
    ProgramBuilder builder("broken");
    builder.buffer("x", BufferParam{dtype::kFloat32, {64}}).variant("hip");
    builder.source("k.hip", "extern \"C\" __global__ void k(float* x) { extern __shared__ float s[]; " + body + " }");
    builder.launch("k").grid({1}).block({64}).dynamic_smem_bytes(smem).args({"x"});
    const DeviceVector x(backend, 64);
    return launch(*loaded(builder), {slot(x.address())}).error().message;
  };
  EXPECT_THAT(told("s[threadIdx.x] = 1;", 252), HasSubstr("hipModuleLaunchKernel failed with 700"));
  EXPECT_THAT(told("if (threadIdx.x < 32) __syncthreads(); else __shfl(x[0], 0);", 0), HasSubstr("failed with 702"));
}

TEST_F(HipLaunchTest, RejectsIncompleteArtifacts) {
  Artifact artifact = built(one_kernel(kAddOne).build().value());
  Artifact without;
  without.set(kCodePart, *artifact.find(kCodePart));
  EXPECT_THAT(backend.load(without, 0).error().message, HasSubstr("no part \"plan\""));
  Meta meta = parse_meta(*artifact.find(kMetaPart)).value();
  meta.kernels.clear();
  artifact.set(kMetaPart, dump_meta(meta));
  EXPECT_THAT(backend.load(artifact, 0).error().message, HasSubstr("no symbol of kernel \"k\""));
}

}  // namespace
}  // namespace kmux::hip
