#include "builder.h"

#include "meta.h"
#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;

class MetalBuilderTest : public MetalTest {};

std::string log_of(const Error& error) {
  for (const auto& note : error.notes) {
    if (note.kind == "log") return note.text;
  }
  return "";
}

TEST_F(MetalBuilderTest, ArtifactContainsCodeLauncherPlanAndMeta) {
  const Artifact artifact = build(one_kernel(kAddOne).build().value(), {{"fast_math", "on"}}).value();
  for (const char* part : {"code", "launcher", "plan", "meta.json"}) EXPECT_NE(artifact.find(part), nullptr) << part;
  EXPECT_TRUE(parse_meta(*artifact.find("meta.json")).value().options.fast_math);
}

TEST_F(MetalBuilderTest, ReportsCompilerOutputAsLog) {
  const Error error =
      build_failure(one_kernel("kernel void k(device float* x [[buffer(0)]]) {\n  *x = y;\n}\n").build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(log_of(error), HasSubstr("k.metal:2:8: error: use of undeclared identifier 'y'"));
}

TEST_F(MetalBuilderTest, SkipsCompilationWithoutDevice) {
  host.options.erase("metal.library");
  EXPECT_TRUE(build(one_kernel("kernel void k() { undeclared(); }").build().value()).ok());
}

TEST_F(MetalBuilderTest, ReportsMissingKernel) {
  for (const bool has_device : {true, false}) {
    if (!has_device) host.options.erase("metal.library");
    const Error error = build_failure(one_kernel(kAddOne, "absent").build().value());
    EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
    EXPECT_THAT(error.message, HasSubstr("absent"));
  }
}

TEST_F(MetalBuilderTest, MatchesWholeOrTokenPastedKernelNames) {
  host.options.erase("metal.library");
  EXPECT_FALSE(build(one_kernel("kernel void kk() {} int k2;", "k").build().value()).ok());
  EXPECT_TRUE(build(one_kernel("#define NAME(a) a ## _one\nkernel void NAME(k)() {}", "k_one").build().value()).ok());
}

TEST_F(MetalBuilderTest, IgnoresKernelNamesInComments) {
  host.options.erase("metal.library");
  for (const char* comment : {"//! kernel k(x: f32[n])\n", "/* k */", "int a; // k"}) {
    EXPECT_FALSE(build(one_kernel(comment, "k").build().value()).ok()) << comment;
  }
  EXPECT_TRUE(
      build(one_kernel("//! kernel k()\n/* as / and * */ kernel void k() {} // end", "k").build().value()).ok());
}

TEST_F(MetalBuilderTest, AcceptsPrebuiltLibraries) {
  Program program = one_kernel(std::string("MTLB") + kAddOne).build().value();
  program.variants[0].dialect = "metallib";
  EXPECT_TRUE(parse_meta(*build(program).value().find("meta.json")).value().is_library);
  program.variants[0].sources[0].content = "no library";
  const Error error = build_failure(program);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("MTLB"));
}

TEST_F(MetalBuilderTest, ToolchainDependsOnOptions) {
  EXPECT_NE(backend->builder().toolchain({"metal"}, {}).value(),
            backend->builder().toolchain({"metal"}, {{"fast_math", "on"}}).value());
  EXPECT_FALSE(backend->builder().toolchain({"metal"}, {{"x", ""}}).ok());
}

}  // namespace
}  // namespace kmux::metal
