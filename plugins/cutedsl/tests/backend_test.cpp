#include "backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/artifact.h"

#include "fake_cuda.h"
#include "workbench.h"

namespace kmux::cutedsl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class BackendTest : public testing::Test {
 protected:
  std::vector<MissingFeature> missing(const Program& program) {
    return backend.supports({program, 0, Target{"cuda", "sm_90a", {}}, {}}).value();
  }
  FakeCuda fake = FakeCuda::load();
  FakeHost host;
  CuteDslBackend backend{host};
};

TEST_F(BackendTest, ProbeRequiresDevice) {
  EXPECT_TRUE(backend.probe().value().can_run.ok());
  fake.set_devices({});
  EXPECT_EQ(backend.probe().value().can_run.code, "no_device");
}

TEST_F(BackendTest, ResolvesTargetsAndTileLangNames) {
  const auto resolved = [&](const char* text) { return to_string(backend.resolve_target(text, 0).value()); };
  for (const char* text :
       {"auto", "cuda:sm_90", "cuda:sm_90a", "cutedsl", "cutedsl:sm_90a", "sm_90a", "cuda -arch=sm_90 -keys=cutedsl"}) {
    EXPECT_EQ(resolved(text), "cuda:sm_90a") << text;
  }
  EXPECT_EQ(backend.resolve_target("hip:gfx942", 0).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(BackendTest, SupportsEveryLaunchFeature) {
  ProgramBuilder builder = vector_program("");
  builder.workspace("w", 64);
  builder.launch("k").grid({2}).block({32}).cluster({2}).dynamic_smem_bytes(10).programmatic_serialization().args(
      {"x", "w"});
  builder.launch("k").grid({2}).block({32}).cooperative().args({"x", "w"});
  EXPECT_THAT(missing(builder.build().value()), IsEmpty());
}

TEST_F(BackendTest, ReportsUnsupportedFeatures) {
  ProgramBuilder other("sample");
  other.output("x", dtype::kFloat32, {32}).variant("cuda").source("k.cu", "");
  other.launch("k").grid({1}).block({32}).args({"x"});
  EXPECT_THAT(missing(other.build().value())[0].reason, HasSubstr("takes dialects cutedsl, not \"cuda\""));
  ProgramBuilder builder("sample");
  builder.buffer("x", BufferParam{parse_dtype("int4").value(), {64}}).variant("cutedsl").source("k.py", "");
  builder.launch("k").grid({1}).block({32}).args({"x"});
  const auto lacks = missing(builder.build().value());
  ASSERT_EQ(lacks.size(), 1u);
  EXPECT_EQ(lacks[0].feature, "dtype");
  EXPECT_THAT(lacks[0].reason, HasSubstr("int4"));
  ProgramBuilder record = vector_program("");
  record.launch("k").grid({1}).block({32}).arg(StructArg{{TensorArg{"x"}, ExprArg{1}}});
  const auto structures = missing(record.build().value());
  ASSERT_EQ(structures.size(), 1u);
  EXPECT_EQ(structures[0].feature, "struct_argument");
  EXPECT_THAT(structures[0].reason, HasSubstr("backend cutedsl has no structures"));
}

TEST_F(BackendTest, RejectsForeignArtifact) {
  Artifact artifact;
  artifact.set("meta.json", "{}");
  const auto refused = backend.load(artifact, 0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("backend cutedsl did not make it whole"));
}

}  // namespace
}  // namespace kmux::cutedsl
