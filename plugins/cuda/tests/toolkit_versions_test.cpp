// Compares section "Toolkits" of docs/nvidia-drivers.md with the backend's behaviour over an nvcc of each release.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "backend.h"
#include "fake_host.h"
#include "nvidia/library/adapter.h"
#include "nvidia/tests/toolkit_page.h"
#include "temp_folder.h"

namespace kmux::cuda {
namespace {

using nvidia::Release;
using testing::AllOf;
using testing::HasSubstr;

// An nvcc that returns the same PTX for every input on compute_90, and rejects other architectures.
constexpr const char* kNvcc = R"(#!/bin/sh
for argument; do
  case $argument in
    -arch=compute_90) ;;
    -arch=*) echo "nvcc fatal : Unsupported gpu architecture '${argument#-arch=}'" >&2; exit 1 ;;
  esac
  if [ "$before" = -o ]; then out=$argument; fi
  before=$argument
done
printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 x) { ret; }\n' > "$out"
)";

class NvccReleaseTest : public testing::Test {
 protected:
  NvccReleaseTest() {
    std::filesystem::permissions(folder_.write("bin/nvcc", kNvcc), std::filesystem::perms::owner_all);
    host.options["cuda.home"] = folder_.path();
    set({12, 4});
  }
  void set(Release release) {
    const std::string number = std::to_string(release.major) + "." + std::to_string(release.minor) + ".99";
    folder_.write("version.json", R"({"cuda": {"version": ")" + number + R"("}})");
  }
  Result<Artifact> build(const std::string& target) {
    ProgramBuilder program("sample");
    program.input("x", dtype::kFloat32, {32}).variant("cuda");
    program.source("k.cu", "extern \"C\" __global__ void k(float* x) {}\n");
    program.launch("k").grid({1}).block({32}).args({"x"});
    return wrap_and_build(backend, program.build().value(), {}, target);
  }
  FakeHost host;
  CudaBackend backend{host};

 private:
  TempFolder folder_;
};

TEST_F(NvccReleaseTest, ResolvesUnknownArchitecturesToPtx) {
  for (const Release release : nvidia::kToolkits) {
    set(release);
    for (const char* arch : {"sm_100", "sm_103", "sm_110", "sm_120", "sm_121", "sm_100f"}) {
      const std::string target = to_string(backend.resolve_target(arch, std::nullopt).value());
      EXPECT_EQ(target.find(",code=compute_") == std::string::npos, nvidia::page_knows("nvcc", release, arch))
          << target << ", " << release.major << "." << release.minor;
    }
  }
}

TEST_F(NvccReleaseTest, BuildsPtxForUnknownArchitectures) {
  const auto built = build("cuda:sm_100a");
  ASSERT_TRUE(built.ok()) << built.error().explain();
  EXPECT_THAT(*built->find(nvidia::kMetaPart), AllOf(HasSubstr("\"-ptx\""), HasSubstr("\"-arch=compute_90\"")));
  EXPECT_THAT(host.log, HasSubstr("nvcc 12.4 does not know sm_100a"));
}

TEST_F(NvccReleaseTest, ReportsNvccErrorForExplicitArchitecture) {
  const Error error = build("cuda:compute_100").error();
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.explain(), HasSubstr("Unsupported gpu architecture 'compute_100'"));
}

}  // namespace
}  // namespace kmux::cuda
