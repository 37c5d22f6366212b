#include "cuda_constructs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/device_part.h"

#include "workbench.h"

namespace kmux::hip {
namespace {

using testing::HasSubstr;

Variant variant_of(const std::string& text) {
  Variant variant;
  variant.dialect = "cuda";
  variant.sources = {{"k.cu", text}};
  return variant;
}

std::string refusal(const std::string& text) {
  const Status status = check_cuda_constructs(variant_of(text));
  if (status.ok()) return "";
  EXPECT_EQ(status.error().code, ErrorCode::kUnsupported);
  return status.error().message;
}

TEST(CudaConstructsTest, SharedLanguageIsAccepted) {
  EXPECT_EQ(refusal("#include <cuda_runtime.h>\n#include <stdint.h>\n"
                    "extern \"C\" __global__ void __launch_bounds__(256) k(float* x) {\n"
                    "  extern __shared__ float s[];\n"
                    "  s[threadIdx.x] = __ldg(x) + expf(x[1]) + atomicAdd(x, 1.0f);\n  __syncthreads();\n}\n"),
            "");
}

TEST(CudaConstructsTest, AreReportedWithFileAndLine) {
  EXPECT_THAT(refusal("\n\n  asm volatile(\"nop;\");"), HasSubstr("\"asm\" in k.cu:3 cannot be compiled"));
  EXPECT_THAT(refusal("x = __shfl_down_sync(~0u, x, 1);"), HasSubstr("\"__shfl_down_sync\" in k.cu:1"));
  EXPECT_THAT(refusal("void k(\nconst __grid_constant__ CUtensorMap m)"), HasSubstr("\"__grid_constant__\" in k.cu:2"));
  EXPECT_THAT(refusal("/* one\ntwo */\n# include <cuda_fp16.h>\n"), HasSubstr("\"cuda_fp16.h\" in k.cu:3"));
  EXPECT_THAT(refusal("#include \"cute/tensor.hpp\""), HasSubstr("write a variant of dialect hip"));
}

TEST(CudaConstructsTest, OnlyCudaHeadersAreRejected) {
  for (const char* name : {"cuda_helpers.h", "cuda_fp_helpers.h", "curand_helpers.h", "cudalike/a.h", "mma.hpp",
                           "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h"}) {
    EXPECT_EQ(refusal("#include \"" + std::string(name) + "\"\n"), "");
  }
  for (const char* name :
       {"cuda.h", "cuda_fp8.h", "cuda_pipeline.h", "cuda/std/array", "cub/cub.cuh", "curand_kernel.h"}) {
    EXPECT_THAT(refusal("#include <" + std::string(name) + ">\n"), HasSubstr("is a header of CUDA's")) << name;
  }
  Variant variant = variant_of("#include \"cuda_fp16.h\"\n#include <cub/own.h>\n#include <cuda.h>\n");
  variant.headers = {{"cuda_fp16.h", ""}, {"include/cub/own.h", ""}};
  EXPECT_THAT(check_cuda_constructs(variant).error().message, HasSubstr("\"cuda.h\" in k.cu:3"));
}

TEST(CudaConstructsTest, HostCodeIsRemovedFirst) {
  const Variant variant = variant_of(
      "#include <vector>\n__global__ void k(float* x) { x[0] = 1; }\n"
      "int main() { float* x; cudaMalloc(&x, 4); cudaLaunchKernel(0, 1, 1, 0); k<<<1, 1>>>(x); }\n");
  EXPECT_FALSE(check_cuda_constructs(variant).ok());
  EXPECT_TRUE(check_cuda_constructs(device_part(variant, {"k"}, {}).variant).ok());
}

TEST(CudaConstructsTest, CommentsAndStringsAreIgnored) {
  EXPECT_EQ(refusal("// asm\n/* wmma\n */ const char* s = \"asm \\\" asm\"; char c = '\\''; int asmx;\n"), "");
}

TEST(CudaConstructsTest, ProgramHeadersAreChecked) {
  Variant variant = variant_of("#include \"own.h\"\n");
  variant.headers = {{"own.h", "int a;\nint b = __activemask();\n"}};
  EXPECT_THAT(check_cuda_constructs(variant).error().message, HasSubstr("\"__activemask\" in own.h:2"));
}

TEST(CudaConstructsTest, UnterminatedTextIsAccepted) {
  for (const char* text : {"/*", "\"", "'", "\"\\", "#include <", "#include", "#"})
    EXPECT_EQ(refusal(text), "") << text;
}

class CudaConstructsBuildTest : public WithClang {};

TEST_F(CudaConstructsBuildTest, LaunchInKernelIsUnsupported) {
  const char* const source =
      "__global__ void child(float* x) { x[0] = 1; }\n"
      "extern \"C\" __global__ void k(float* x, int n) {\n  child<<<1, 1>>>(x);\n}\n";
  for (const char* const dialect : {"hip", "cuda"}) {
    const Error error = failure(one_kernel(source, "k", dialect).build().value());
    EXPECT_EQ(error.code, ErrorCode::kUnsupported) << dialect;
    EXPECT_EQ(error.message,
              "k.hip:3: a launch in a kernel is not for AMD's devices (dynamic parallelism). Launch it from the host.");
  }
}

}  // namespace
}  // namespace kmux::hip
