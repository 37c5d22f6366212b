#include "backend.h"

#include "kmux/json.h"
#include "kmux/plugin/file_io.h"

#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class MetalBackendTest : public MetalTest {};

TEST_F(MetalBackendTest, MatchesManifest) {
  const Json manifest = parse_json(read_file(KMUX_TEST_SOURCE_DIR "/plugins/metal/plugin.json.in").value()).value();
  Program program = one_kernel(kAddOne).build().value();
  auto& launch = std::get<Launch>(program.variants[0].body.steps[0]);
  launch.packed_values = true;
  launch.dynamic_smem_bytes = 16;
  for (const Json& dialect : *manifest.find("dialects")->as_array()) {
    program.variants[0].dialect = *dialect.as_string();
    EXPECT_THAT(backend->supports({program, 0, {"metal"}, {}}).value(), IsEmpty());
  }
  EXPECT_EQ(*manifest.find("device_types")->as_array()->at(0).as_integer(), MetalBackend::kInfo.device_type);
  EXPECT_EQ(manifest.find("features")->as_array()->size(), 8U);
}

TEST_F(MetalBackendTest, CanBuildAndRunWithDevice) {
  const ProbeReport report = backend->probe().value();
  EXPECT_TRUE(report.can_build.ok());
  EXPECT_TRUE(report.can_run.ok()) << report.can_run.reason;
  EXPECT_EQ(backend->devices().count().value(), 1);
}

TEST_F(MetalBackendTest, BuildsWithoutMetal) {
  host.options.erase("metal.library");
  const ProbeReport report = backend->probe().value();
  EXPECT_TRUE(report.can_build.ok());
  EXPECT_EQ(report.can_run.code, "wrong_os");
  EXPECT_THAT(report.can_run.reason, HasSubstr("needs macOS"));
  EXPECT_EQ(backend->devices().count().value(), 0);
  const Artifact artifact = build(one_kernel(kAddOne).build().value()).value();
  EXPECT_THAT(*artifact.find("code"), HasSubstr("kernel void k"));
  const auto adapter = backend->load(artifact, 0);
  EXPECT_EQ(adapter.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(adapter.error().message, HasSubstr("needs macOS"));
}

TEST_F(MetalBackendTest, ReportsMissingDevice) {
  fake.set_device(nullptr);
  EXPECT_EQ(backend->probe().value().can_run.code, "no_device");
}

TEST_F(MetalBackendTest, RejectsStandaloneExport) {
  const Program program = one_kernel(kAddOne).build().value();
  const auto parts = backend->standalone({program, 0, {"metal"}, {}}, {});
  EXPECT_EQ(parts.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(parts.error().message, HasSubstr("backend \"metal\" cannot export"));
}

TEST_F(MetalBackendTest, AcceptsOnlyDeviceZero) {
  EXPECT_EQ(to_string(backend->resolve_target("auto", 0).value()), "metal");
  EXPECT_EQ(backend->resolve_target("auto", 1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(backend->load({}, 1).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::metal
