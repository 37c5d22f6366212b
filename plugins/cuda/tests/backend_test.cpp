#include "backend.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/plugin/file_io.h"

#include "fake_cuda.h"
#include "fake_host.h"
#include "nvidia/target.h"

namespace kmux::cuda {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BackendTest : public ::testing::Test {
 protected:
  std::vector<MissingFeature> missing(const Program& program, const std::string& arch = "sm_90a") {
    return backend.supports({program, 0, Target{"cuda", arch, {}}, {}}).value();
  }
  FakeCuda fake = FakeCuda::load();
  FakeHost host;
  CudaBackend backend{host};
};

ProgramBuilder program_in(const std::string& dialect) {
  ProgramBuilder program("sample");
  program.output("x", dtype::kFloat32, {32}).variant(dialect).source("k", "");
  return program;
}

TEST_F(BackendTest, ProbeRequiresDevice) {
  EXPECT_TRUE(backend.probe().value().can_run.ok());
  fake.set_devices({});
  EXPECT_EQ(backend.probe().value().can_run.code, "no_device");
}

TEST_F(BackendTest, ReportsMissingTool) {
  host.options["cuda.host_compiler"] = "no-such-c++";
  const ProbeReport report = backend.probe().value();
  EXPECT_EQ(report.can_build.code, "no_toolchain");
  EXPECT_THAT(report.can_build.reason, testing::AnyOf(HasSubstr("no-such-c++"), HasSubstr("nvcc was not found")));
}

TEST_F(BackendTest, ResolvesTargets) {
  EXPECT_EQ(to_string(backend.resolve_target("auto", 0).value()), "cuda:sm_90a");
  EXPECT_EQ(to_string(backend.resolve_target("cuda -arch=sm_80", std::nullopt).value()), "cuda:sm_80");
  const auto other = backend.resolve_target("llvm", std::nullopt);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(BackendTest, SupportsEveryDialectFeature) {
  for (const char* dialect : {"cuda", "cubin", "ptx"}) {
    ProgramBuilder program = program_in(dialect);
    program.workspace("w", 64);
    program.body().fill("w", 64);
    program.launch("k").grid({4}).block({32}).cluster({2}).cooperative().dynamic_smem_bytes(64).args({"x", "w"});
    program.launch("k").grid({4}).block({32}).programmatic_serialization().l2_window("x", 64).args({"x", "w"});
    EXPECT_THAT(missing(program.build().value()), IsEmpty()) << dialect;
  }
}

TEST_F(BackendTest, RejectsOtherDialectsAndArchitectures) {
  ProgramBuilder program = program_in("hip");
  program.launch("k").grid({4}).block({32}).args({"x"});
  ASSERT_EQ(missing(program.build().value()).size(), 1U);
  EXPECT_EQ(missing(program.build().value())[0].feature, "dialect");
  ProgramBuilder later = program_in("cuda");
  later.requires_arch("sm_100a");
  later.launch("k").grid({4}).block({32}).args({"x"});
  ASSERT_EQ(missing(later.build().value()).size(), 1U);
  EXPECT_EQ(missing(later.build().value())[0].feature, "arch");
}

TEST_F(BackendTest, MatchesManifest) {
  const Json manifest =
      parse_json(read_file(KMUX_TEST_BUILD_DIR "/plugins/cuda/kmux_cuda.plugin.json.in").value()).value();
  std::vector<std::string> features;
  for (const Json& feature : *manifest.find("features")->as_array()) features.push_back(*feature.as_string());
  EXPECT_EQ(features, nvidia::launch_features());
  EXPECT_EQ(*manifest.find("name")->as_string(), CudaBackend::kInfo.name);
  EXPECT_EQ(CudaBackend::kInfo.device_type, kDLCUDA);
}

}  // namespace
}  // namespace kmux::cuda
