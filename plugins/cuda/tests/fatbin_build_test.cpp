// Fatbins that nvcc makes, as sources of variants of dialect cubin.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/process.h"

#include "builder.h"
#include "fake_host.h"
#include "needs.h"
#include "nvcc.h"
#include "nvidia/cubin.h"
#include "nvidia/library/launcher_compiler.h"
#include "temp_folder.h"
#include "wrapper.h"

namespace kmux::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSetsToOne = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }\n";

class FatbinsOfNvccTest : public testing::Test {
 protected:
  FatbinsOfNvccTest() {
    for (const char* variable : {"CUDA_HOME", "KMUX_CUDA_HOME"}) {
      const char* value = std::getenv(variable);
      if (value && *value) host.options["cuda.home"] = value;
    }
  }
  void SetUp() override {
    if (const auto nvcc = find_nvcc(host); !nvcc) GTEST_SKIP() << needs(compiler_of("cuda"), nvcc.error().message);
  }
  Result<Artifact> build(const Program& program, const std::string& arch) {
    const BuildRequest request{program, 0, Target{"cuda", arch, {}}, {}};
    KMUX_ASSIGN(const std::string launcher, CudaWrapper(host).wrap(request));
    return builder.build(request, launcher);
  }
  FakeHost host;
  CudaBuilder builder{host};
};

Program launching(const std::string& fatbin, std::initializer_list<std::string> args) {
  ProgramBuilder builder("ready");
  builder.output("x", dtype::kFloat32, {32}).variant("cubin").source("k.fatbin", fatbin);
  builder.launch("k").grid({1}).block({32}).args(args);
  return builder.build().value();
}

// Returns nvcc's fatbin of `kSetsToOne`, for sm_80 and sm_90a, and as PTX.
std::string fatbin_of(const Nvcc& nvcc, const std::string& flag) {
  const TempFolder folder;
  folder.write("k.cu", kSetsToOne);
  const std::string file = (folder.path() / "k.fatbin").string();
  const auto done = run({.argv = {nvcc.program, "-fatbin", flag, "-gencode=arch=compute_80,code=sm_80",
                                  "-gencode=arch=compute_90a,code=sm_90a", "-gencode=arch=compute_80,code=compute_80",
                                  "-o", file, (folder.path() / "k.cu").string()}});
  EXPECT_TRUE(done.ok() && done->exit_code == 0) << (done.ok() ? done->standard_error : done.error().explain());
  return read_file(file).value();
}

TEST_F(FatbinsOfNvccTest, ProvideCodePerArchitecture) {
  const std::string fatbin = fatbin_of(find_nvcc(host).value(), "--no-compress");
  for (const char* arch : {"sm_80", "sm_90a", "sm_100a"}) {  // the last one uses the PTX, assembled
    const auto artifact = build(launching(fatbin, {"x"}), arch);
    ASSERT_TRUE(artifact.ok()) << arch << artifact.error().explain();
    const std::string& code = *artifact->find(nvidia::kCodePart);
    EXPECT_THAT(nvidia::cubin_kernels(code).value(), ElementsAre("k")) << arch;
    EXPECT_EQ(to_string(nvidia::cubin_arch(code).value()), arch);
    EXPECT_THAT(*artifact->find("kernels.json"), HasSubstr("\"registers\"")) << arch;
  }
  EXPECT_THAT(build(launching(fatbin, {}), "sm_80").error().message,
              HasSubstr("with 0 arguments (its code takes 1 argument of 8 bytes)"));
}

TEST_F(FatbinsOfNvccTest, CompressedCodeIsKeptUnchanged) {
  const std::string fatbin = fatbin_of(find_nvcc(host).value(), "-Xfatbin=-compress-all");
  const auto artifact = build(launching(fatbin, {"x"}), "sm_90a");
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  EXPECT_EQ(*artifact->find(nvidia::kCodePart), fatbin);
  EXPECT_EQ(artifact->find("kernels.json"), nullptr);
  EXPECT_THAT(*artifact->find("library"), HasSubstr(fatbin.substr(0, 64)));
}

}  // namespace
}  // namespace kmux::cuda
