// Sources as published: with host code whose headers are missing here, and with kernels that launch kernels.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "builder.h"
#include "fake_host.h"
#include "needs.h"
#include "nvcc.h"
#include "wrapper.h"

namespace kmux::cuda {
namespace {

using ::testing::HasSubstr;

class HostCodeTest : public ::testing::Test {
 protected:
  // Uses the toolkit named by the environment, else the one found by default.
  void SetUp() override {
    const char* const home = std::getenv("KMUX_CUDA_HOME") ? std::getenv("KMUX_CUDA_HOME") : std::getenv("CUDA_HOME");
    if (home != nullptr) host.options["cuda.home"] = home;
    const auto found = find_nvcc(host);
    if (!found) GTEST_SKIP() << needs(compiler_of("cuda"), found.error().message);
  }
  Result<Artifact> build(const std::string& source, Settings settings = {}, Options options = {}) {
    ProgramBuilder made("sample");
    made.output("x", dtype::kFloat32, {32}).variant("cuda").source("k.cu", source).settings(std::move(settings));
    made.launch("k").grid({1}).block({32}).args({"x"});
    KMUX_ASSIGN(const Program program, made.build());
    const BuildRequest request{program, 0, Target{"cuda", "sm_90a", {}}, std::move(options)};
    KMUX_ASSIGN(const std::string launcher, CudaWrapper(host).wrap(request));
    return builder.build(request, launcher);
  }
  FakeHost host;
  CudaBuilder builder{host};
};

constexpr const char* kKernel = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }\n";

TEST_F(HostCodeTest, IsRemovedWhenHeadersAreMissing) {
  const auto artifact =
      build("#include <vector>\n#include <helper_cuda.h>\n#include <torch/extension.h>\n" + std::string(kKernel) +
            "torch::Tensor run(std::vector<float> x) { checkCudaErrors(cudaGetLastError()); k<<<1, 32>>>(0); }\n");
  EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
}

TEST_F(HostCodeTest, MissingDeviceHeaderIsAnError) {
  const auto artifact = build("#include \"sort.h\"\n" + std::string(kKernel) + "int main() {}\n");
  ASSERT_FALSE(artifact.ok());
  EXPECT_EQ(artifact.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(artifact.error().message, HasSubstr("sort.h"));
}

TEST_F(HostCodeTest, StandardFunctionsWorkInKernels) {
  const auto artifact = build(
      "#include <algorithm>\n#include <limits>\nextern \"C\" __global__ void k(float* x) {\n"
      "  x[0] = std::max(x[0], std::numeric_limits<float>::lowest());\n}\n");
  EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
}

TEST_F(HostCodeTest, DynamicParallelismLinksDeviceRuntime) {
  const auto artifact = build(
      "__global__ void child(float* x) { x[threadIdx.x] = 1; }\n"
      "extern \"C\" __global__ void k(float* x) { child<<<1, 32>>>(x); }\n");
  EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
}

// Public sources have functions of such names, which conflict with C++20's.
TEST_F(HostCodeTest, UsesNvccDefaultStandard) {
  const auto lerp = build(
      "#include <cmath>\n__device__ float lerp(float a, float b, float t) { return a + t * (b - a); }\n"
      "__global__ void k(float* x) { x[0] = lerp(x[1], x[2], 0.5f); }");
  EXPECT_TRUE(lerp.ok()) << lerp.error().explain();
  const std::string newest = "static_assert(__cplusplus >= 202002L);\n__global__ void k(float* x) { x[0] = 1; }";
  EXPECT_TRUE(build(newest, {.standard = "c++20"}).ok());
  EXPECT_TRUE(build(newest, {}, {{"compile_flags", "-std=c++20"}}).ok());
  EXPECT_FALSE(build(newest).ok());
}

}  // namespace
}  // namespace kmux::cuda
