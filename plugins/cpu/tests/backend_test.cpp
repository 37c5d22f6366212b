#include "backend.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "simt/runtime/pool.h"
#include "workbench.h"
#include "wrapper.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<MissingFeature> supports(const ProgramBuilder& builder) {
  Workbench bench;
  const Program program = builder.build().value();
  return bench.backend.supports({program, 0, bench.backend.resolve_target("auto", 0).value(), {}}).value();
}

TEST(BackendTest, CanBuildAndRunHere) {
  Workbench bench;
  const ProbeReport report = bench.backend.probe().value();
  EXPECT_TRUE(report.can_build.ok()) << report.can_build.reason;
  EXPECT_TRUE(report.can_run.ok()) << report.can_run.reason;
}

TEST(BackendTest, SupportsDialectC) { EXPECT_THAT(supports(one_kernel("k.c", "")), IsEmpty()); }

std::set<std::string> missing_names(const ProgramBuilder& builder) {
  std::set<std::string> names;
  for (const MissingFeature& missing : supports(builder)) names.insert(missing.feature);
  return names;
}

ProgramBuilder device_kernel(const std::string& dialect) {
  ProgramBuilder builder("gpu");
  builder.output("out", dtype::kInt32, {4}).variant(dialect).source("k.cu", "");
  return builder;
}

TEST(BackendTest, SupportsCudaForGpuArchitecture) {
  ProgramBuilder builder = device_kernel("cuda");
  builder.requires_arch("sm_90a");
  builder.launch("k").grid({4}).block({32}).dynamic_smem_bytes(1024).args({"out"});
  EXPECT_THAT(supports(builder), IsEmpty());
}

TEST(BackendTest, SupportsHipForGpuArchitecture) {
  ProgramBuilder builder = device_kernel("hip");
  builder.requires_arch("gfx1100");
  builder.launch("k").grid({4}).block({32}).args({"out"});
  EXPECT_THAT(supports(builder), IsEmpty());
}

TEST(BackendTest, SupportsClustersAndRejectsOtherDialects) {
  ProgramBuilder builder = device_kernel("cuda");
  builder.launch("k").grid({4}).block({32}).args({"out"}).cluster({2}).cooperative();
  EXPECT_THAT(supports(builder), IsEmpty());
  ProgramBuilder other = device_kernel("msl");
  other.launch("k").grid({4}).block({32}).args({"out"});
  EXPECT_THAT(missing_names(other), testing::ElementsAre("dialect"));
}

TEST(BackendTest, RejectsVariantsForOtherProcessors) {
  ProgramBuilder builder = one_kernel("k.c", "");
  builder.requires_arch("i486-of-the-moon");
  const auto missing = supports(builder);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].feature, "arch");
  EXPECT_THAT(missing[0].reason, HasSubstr("is not one that the variant is for"));
}

TEST(BackendTest, MatchesItsManifest) {
  const std::string text = read_file(KMUX_TEST_BUILD_DIR "/plugins/cpu/kmux_cpu.plugin.json.in").value();
  const Json manifest = parse_json(text).value();
  std::vector<std::string> features;
  for (const Json& feature : *manifest.find("features")->as_array()) features.push_back(*feature.as_string());
  EXPECT_EQ(features, CpuBackend::features());
  EXPECT_EQ(*manifest.find("name")->as_string(), CpuBackend::kInfo.name);
  const Json::Array foreign = {"cuda", "hip"};  // if both are present, CUDA's code runs
  EXPECT_EQ(*manifest.find("foreign_dialects")->as_array(), foreign);
  for (const Json& dialect : foreign) EXPECT_TRUE(is_device_dialect(*dialect.as_string()));
}

TEST(BackendTest, LoadsOnDeviceZeroOnly) {
  Workbench bench;
  const auto adapter = bench.backend.load({}, 3);
  ASSERT_FALSE(adapter.ok());
  EXPECT_THAT(adapter.error().message, HasSubstr("device 3 does not exist"));
}

TEST(BackendTest, CheckOptionRequiresCudaVariant) {
  ProgramBuilder builder("sample");
  builder.output("out", dtype::kInt32, {4}).variant("c").source("k.c", "void k(int* out) {}");
  builder.launch("k").args({"out"});
  builder.variant("cuda").source("k.cu", "__global__ void k(int* out) {}");
  builder.launch("k").grid({Expr(1)}).block({Expr(1)}).args({"out"});
  const Program program = builder.build().value();
  FakeHost host;
  CpuBackend backend(host);
  const Target target = backend.resolve_target("auto", 0).value();
  const auto missing = [&](std::size_t variant, const char* check) {
    return backend.supports({program, variant, target, {{"check", check}}}).value();
  };
  EXPECT_THAT(missing(0, "off"), testing::IsEmpty());
  EXPECT_THAT(missing(1, "off"), testing::IsEmpty());
  ASSERT_THAT(missing(0, "on"), testing::SizeIs(1));
  EXPECT_THAT(missing(0, "on")[0].reason, testing::HasSubstr("check=on is for kernels of dialect cuda"));
  EXPECT_THAT(missing(1, "on"), testing::IsEmpty());
}

TEST(BackendTest, ParsesThreadCountOption) {
  FakeHost host;
  for (const char* const wrong : {"0", "513", "all"}) {
    host.options["cpu.threads"] = wrong;
    const auto refused = CpuBackend::create(host);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("threads")) << wrong;
  }
  host.options["cpu.threads"] = "5";
  const auto taken = CpuBackend::create(host);
  EXPECT_TRUE(taken.ok());
  EXPECT_EQ(pool().helpers(), 4U);
  pool().limit(0);
}

}  // namespace
}  // namespace kmux::cpu
