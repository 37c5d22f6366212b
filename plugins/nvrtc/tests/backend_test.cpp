#include "backend.h"

#include <gmock/gmock.h>

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"

#include "fake_cuda.h"
#include "nvidia/target.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NvrtcBackendTest : public testing::Test {
 protected:
  std::vector<MissingFeature> missing(const Program& program, const std::string& arch = "sm_90a") {
    return backend.supports({program, 0, {"cuda", arch, {}}, {}}).value();
  }
  FakeCuda fake = FakeCuda::load();
  ToolkitHost host;
  NvrtcBackend backend{host};
};

TEST_F(NvrtcBackendTest, MatchesItsManifest) {
  const Json manifest = parse_json(read_file(KMUX_TEST_SOURCE_DIR "/plugins/nvrtc/plugin.json.in").value()).value();
  std::vector<std::string> features;
  for (const Json& feature : *manifest.find("features")->as_array()) features.push_back(*feature.as_string());
  EXPECT_EQ(features, nvidia::launch_features());
  EXPECT_EQ(*manifest.find("device_types")->as_array()->at(0).as_integer(), NvrtcBackend::kInfo.device_type);
}

TEST_F(NvrtcBackendTest, ProbesWithoutOpeningNvrtc) {
  host.options["nvrtc.library"] = KMUX_TEST_SOURCE_DIR "/README.md";  // exists, but is not a library
  EXPECT_TRUE(backend.probe().value().can_build.ok());
}

TEST_F(NvrtcBackendTest, ProbeReportsMissingToolchainAndDevice) {
  host.options["nvrtc.library"] = "/nowhere";
  fake.set_devices({});
  const ProbeReport report = backend.probe().value();
  EXPECT_EQ(report.can_build.code, "no_toolchain");
  EXPECT_THAT(report.can_build.reason, HasSubstr("/nowhere"));
  EXPECT_FALSE(report.can_run.ok());
}

TEST_F(NvrtcBackendTest, ResolvesAutoTargetFromDevice) {
  EXPECT_EQ(to_string(backend.resolve_target("auto", 0).value()), "cuda:sm_90a");
  EXPECT_EQ(to_string(backend.resolve_target("auto", std::nullopt).value()), "cuda:sm_90a");
  EXPECT_EQ(to_string(backend.resolve_target("sm_80", 0).value()), "cuda:sm_80");
  EXPECT_EQ(backend.resolve_target("auto", 7).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(NvrtcBackendTest, ResolvesPtxFallbackForOlderNvrtc) {
  host.options["nvrtc.library"] = KMUX_OLD_NVRTC;
  fake.set_devices({{.major = 10, .minor = 0}});
  EXPECT_EQ(to_string(backend.resolve_target("auto", 0).value()), "cuda:sm_100a,code=compute_90");
  EXPECT_EQ(to_string(backend.resolve_target("sm_90a", 0).value()), "cuda:sm_90a");
}

TEST_F(NvrtcBackendTest, PtxOfOlderNvrtcLoadsOnNewerDevice) {
  host.options["nvrtc.library"] = KMUX_OLD_NVRTC;
  fake.set_devices({{.major = 10, .minor = 0}});
  const Program program = one_kernel(kAddOne).build().value();
  const Artifact artifact = wrap_and_build(backend, program, {}, "auto").value();
  const auto adapter = backend.load(artifact, 0).value();
  adapter->prepare(0).value();
  EXPECT_THAT(host.log, HasSubstr("NVRTC 12.4 does not know sm_100a"));
  EXPECT_EQ(fake.calls("cuLibraryGetKernel").size(), 1u);
}

TEST_F(NvrtcBackendTest, ArchSpecificPtxFailsOnNewerDevice) {
  host.options["nvrtc.library"] = KMUX_OLD_NVRTC;
  fake.set_devices({{.major = 10, .minor = 0}});
  const Artifact artifact =
      wrap_and_build(backend, one_kernel(kAddOne).build().value(), {}, "cuda:compute_90a").value();
  const auto adapter = backend.load(artifact, 0).value();
  EXPECT_THAT(adapter->prepare(0).error().message, HasSubstr("NO_BINARY_FOR_GPU"));
}

TEST_F(NvrtcBackendTest, OlderNvrtcRejectsSourcesForNewerArchitecture) {
  Program program = one_kernel(kAddOne).build().value();
  program.variants[0].requirements.arch = {"sm_100a"};
  const Target target{"cuda", "sm_100a", {{"code", "compute_90"}}};
  EXPECT_EQ(backend.supports({program, 0, target, {}}).value().size(), 1u);
  program.variants[0].dialect = "cubin";
  EXPECT_THAT(backend.supports({program, 0, target, {}}).value(), IsEmpty());
}

TEST_F(NvrtcBackendTest, SupportsCudaCubinAndPtx) {
  for (const char* dialect : {"cuda", "cubin", "ptx"}) {
    Program program = one_kernel(kAddOne).build().value();
    program.variants[0].dialect = dialect;
    EXPECT_THAT(missing(program), IsEmpty()) << dialect;
  }
}

TEST_F(NvrtcBackendTest, ReportsUnsupportedDialectAndArchitecture) {
  Program program = one_kernel(kAddOne).build().value();
  program.variants[0].dialect = "hip";
  program.variants[0].requirements.arch = {"gfx942"};
  const auto lacking = missing(program);
  ASSERT_EQ(lacking.size(), 2u);
  EXPECT_EQ(lacking[0].feature, "dialect");
  EXPECT_EQ(lacking[1].feature, "arch");
}

}  // namespace
}  // namespace kmux::nvrtc
