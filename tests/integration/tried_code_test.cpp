// Code of a real backend in a third-party folder, tried in a worker before it is loaded and launched here:
// docs/design/0052.
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/kernel.h"
#include "kmux/registry.h"
#include "kmux/tensor.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// Returns y = scale * x, which writes to an invalid address if x begins with 7.
Program scaled() {
  ProgramBuilder builder("scaled");
  builder.input("x", dtype::kFloat32, {4}).output("y", dtype::kFloat32, {4});
  builder.constant({"scale", dtype::kFloat32}).variant("cuda").source("scaled.cu", R"(
__constant__ float scale;
extern "C" __global__ void scaled(const float* x, float* y) {
  if (x[0] == 7) *reinterpret_cast<volatile int*>(64) = 1;
  y[threadIdx.x] = scale * x[threadIdx.x];
}
)");
  builder.launch("scaled").grid({1}).block({4}).args({"x", "y"});
  return builder.build().value();
}

/// Plugin cpu in a folder that is not kmux's.
class TriedCodeTest : public testing::Test {
 protected:
  TriedCodeTest() {
    const fs::path own = fs::path(KMUX_TEST_BUILD_DIR) / "lib/kmux/plugins";
    for (const char* file : {"kmux_cpu.so", "kmux_cpu_clang.so", "kmux_cpu.plugin.json"})
      fs::create_symlink(own / file, folder_.path() / file);
    runtime_ =
        Runtime::create({.disable_cache = true}, {.search_path = {folder_.path()}, .use_default_path = false}).value();
  }
  Kernel compiled(const Program& program) {
    return compile(*runtime_, program, {.execution_backend = "cpu", .isolation = Isolation::kProcess}).value();
  }
  Result<std::vector<float>> called(const Kernel& kernel, const std::array<float, 4>& x) {
    KMUX_ASSIGN(const Outputs y, kernel(Tensor::from<float>({4}, dtype::kFloat32, x).value()));
    const auto* const first = static_cast<const float*>(y[0].data());
    return std::vector<float>(first, first + 4);
  }

  TempFolder folder_;
  Shared<Runtime> runtime_;
};

TEST_F(TriedCodeTest, ComputesCorrectResults) {
  const Kernel kernel = compiled(scaled());
  const std::array<float, 1> half = {0.5F};
  ASSERT_TRUE(kernel.set_constant("scale", Tensor::from<float>({}, dtype::kFloat32, half).value()));
  EXPECT_THAT(called(kernel, {2, 4, 6, 8}).value(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(called(kernel, {4, 4, 4, 4}).value(), ElementsAre(2, 2, 2, 2));
}

TEST_F(TriedCodeTest, CrashesOnlyInWorker) {
  const Kernel kernel = compiled(scaled());
  const std::array<float, 1> two = {2};
  ASSERT_TRUE(kernel.set_constant("scale", Tensor::from<float>({}, dtype::kFloat32, two).value()));
  const auto failed = called(kernel, {7, 1, 2, 3});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message,
              HasSubstr("kernel \"scaled\": backend \"cpu\" crashed in launch (signal 11, SIGSEGV)"));
  EXPECT_THAT(called(kernel, {1, 1, 2, 3}).value(), ElementsAre(2, 2, 4, 6));
}

// The size of the memory at a bare address is unknown.
TEST_F(TriedCodeTest, IsNotTriedWithRawPointer) {
  ProgramBuilder builder("bare");
  builder.pointer("x").variant("c").source("bare.c", "void bare(float* x) { x[0] = 3; }\n");
  builder.launch("bare").args({"x"});
  const Kernel kernel = compiled(builder.build().value());
  float x = 0;
  ASSERT_TRUE(kernel.launch({Arg::pointer(&x)}));
  EXPECT_EQ(x, 3);
}

}  // namespace
}  // namespace kmux
