// Load: finding, opening and querying a plugin; building without loading; refusing invalid artifacts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/dependencies.h"

#include "programs.h"
#include "subject.h"
#include "temp_folder.h"

namespace kmux::conformance {
namespace {

using ::testing::HasSubstr;

TEST(Load, TableAgreesWithTheManifest) {
  const auto& subject = Subject::current();
  const Manifest& manifest = subject.plugin()->manifest();
  EXPECT_EQ(manifest.name, subject.name());
  EXPECT_EQ(subject.plugin()->api().name, manifest.name);
  EXPECT_EQ(subject.plugin()->api().version, manifest.version);
  ASSERT_FALSE(manifest.device_types.empty());
  EXPECT_EQ(subject.plugin()->api().devices->device_type, manifest.device_types.front());
  EXPECT_FALSE(manifest.dialects.empty());
  EXPECT_FALSE(manifest.targets.empty());
}

TEST(Load, ManifestNamesOnlyKnownFeatures) {
  const auto& known = known_features();
  for (const auto& feature : Subject::current().plugin()->manifest().features) {
    EXPECT_THAT(known, testing::Contains(feature));
  }
}

TEST(Load, ProbeSaysWhyOrYes) {
  const ProbeReport report = Subject::current().plugin()->probe().value();
  EXPECT_TRUE(report.can_build.ok() || !report.can_build.reason.empty());
  EXPECT_TRUE(report.can_run.ok());
}

TEST(Load, TargetsAreCanonical) {
  Backend& backend = Subject::current().backend();
  const Target automatic = backend.resolve_target("auto", 0).value();
  const Target again = backend.resolve_target(to_string(automatic), 0).value();
  EXPECT_EQ(automatic, again);
  for (const auto& kind : Subject::current().plugin()->manifest().targets) {
    const auto target = backend.resolve_target(kind, 0);
    ASSERT_TRUE(target.ok()) << kind << ": " << target.error().explain();
    EXPECT_EQ(backend.resolve_target(to_string(*target), 0).value(), *target);
  }
}

TEST(Load, UnknownTargetsAreRefusedByName) {
  const auto target = Subject::current().backend().resolve_target("no_such_kind:x1", 0);
  ASSERT_FALSE(target.ok());
  EXPECT_EQ(target.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(target.error().message, HasSubstr("no_such_kind"));
}

TEST(Load, ToolchainIsStable) {
  Backend& backend = Subject::current().backend();
  const Target target = backend.resolve_target("auto", 0).value();
  const std::string identity = backend.builder().toolchain(target, {}).value();
  EXPECT_FALSE(identity.empty());
  EXPECT_EQ(identity, backend.builder().toolchain(target, {}).value());
}

TEST(Load, BuildGivesAnArtifactThatLoadsAlone) {
  auto& subject = Subject::current();
  CompileOptions options;
  options.execution_backend = subject.name();
  const auto built = build(subject.runtime(), add_program(), options);
  ASSERT_TRUE(built.ok()) << built.error().explain();
  EXPECT_FALSE(built->launcher.empty());
  const Artifact copy = deserialize(serialize(built->artifact)).value();
  EXPECT_TRUE(subject.backend().load(copy, 0).ok());
}

/// Returns a program whose kernel is in a header outside its files.
Program program_with_header(const std::string& header) {
  ProgramBuilder builder("includer");
  builder.output("out", dtype::kInt32, {1});
  const std::string text = "#include \"" + header + "\"\nKERNEL void k(int* out) { *out = kAnswer; }\n";
  add_variants(builder, text, [](const OneThread& host) { host.launch("k").args({"out"}); });
  return builder.build().value();
}

// A cached build is reused as long as these files are unchanged (C3.2).
TEST(Load, BuildSaysWhichFilesItRead) {
  auto& subject = Subject::current();
  const TempFolder folder;
  const std::string header = folder.write("kmux_conformance_header.h", "enum { kAnswer = 42 };\n");
  CompileOptions options;
  options.execution_backend = subject.name();
  options.include_dirs = {folder.path().string()};
  const auto built = build(subject.runtime(), program_with_header("kmux_conformance_header.h"), options);
  ASSERT_TRUE(built.ok()) << built.error().explain();
  const std::string* const part = built->artifact.find(kDependenciesPart);
  ASSERT_NE(part, nullptr) << "no part \"deps\"";
  const Dependencies read = dependencies_from_json(*part).value();
  EXPECT_TRUE(read.complete);
  EXPECT_THAT(read.files, testing::Contains(header));
}

TEST(Load, RefusesAnArtifactWithoutCode) {
  const auto adapter = Subject::current().backend().load(Artifact{{{"code", "not code at all"}}}, 0);
  ASSERT_FALSE(adapter.ok());
  EXPECT_FALSE(adapter.error().message.empty());
}

TEST(Load, RefusesADeviceThatIsNotThere) {
  auto& subject = Subject::current();
  CompileOptions options;
  options.execution_backend = subject.name();
  options.device = 4096;
  const auto kernel = kmux::compile(subject.runtime(), add_program(), options);
  ASSERT_FALSE(kernel.ok());
  EXPECT_THAT(kernel.error().explain(), HasSubstr("4096"));
}

TEST(Load, DevicesHaveNameAndArch) {
  const Json properties = Subject::current().device().properties().value();
  for (const char* key : {"name", "arch"}) {
    ASSERT_NE(properties.find(key), nullptr) << key;
    EXPECT_NE(properties.find(key)->as_string(), nullptr) << key;
  }
}

} // namespace
} // namespace kmux::conformance
