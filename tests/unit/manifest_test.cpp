#include "kmux/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/json.h"

#include "temp_folder.h"

namespace kmux {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWholeManifest = R"({
  "name": "cpu", "version": "1.2", "summary": "S", "library": "kmux_cpu.so", "abi": {"min": 0, "max": 2},
  "build_id": "00ff", "sha256": "ab", "priority": -5, "targets": ["cpu", "c"], "dialects": ["c"],
  "architectures": ["x86*"], "arch_match": "supports", "target_hosts": ["llvm"],
  "aliases": ["cython"], "features": ["loop"], "tiers": ["fast", "full"], "parallel": "process", "background": "process",
  "device_types": [1, 2],
  "needs": [{"library": "libx.so", "hint": "apt-get install libx"}],
  "environment": {"cpu.home": ["KMUX_CPU_HOME", "CPU_HOME"]},
  "unkeyed": ["cpu.home"]
})";

class ManifestTest : public testing::Test {
 protected:
  Result<Manifest> read(const std::string& text) const { return read_manifest(folder_.write("m.plugin.json", text)); }
  /// Reads the whole manifest with `key` set to `value`, or removed.
  Result<Manifest> read_with(const std::string& key, Json value) const {
    Json json = parse_json(kWholeManifest).value();
    json.as_object()->erase(key);
    if (!value.is_null()) json[key] = std::move(value);
    return read(dump(json));
  }
  void expect_refused(const Result<Manifest>& manifest, const std::string& part) const {
    ASSERT_FALSE(manifest.ok()) << part;
    EXPECT_EQ(manifest.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(manifest.error().message, HasSubstr("m.plugin.json"));
    EXPECT_THAT(manifest.error().message, HasSubstr(part));
  }
  TempFolder folder_;
};

TEST_F(ManifestTest, ReadsEveryKey) {
  const Manifest manifest = read(kWholeManifest).value();
  EXPECT_EQ(manifest, (Manifest{.name = "cpu",
                                .version = "1.2",
                                .summary = "S",
                                .library = "kmux_cpu.so",
                                .abi_min = 0,
                                .abi_max = 2,
                                .build_id = "00ff",
                                .sha256 = "ab",
                                .priority = -5,
                                .targets = {"cpu", "c"},
                                .architectures = {"x86*"},
                                .arch_match = "supports",
                                .target_hosts = {"llvm"},
                                .dialects = {"c"},
                                .aliases = {"cython"},
                                .features = {"loop"},
                                .tiers = {"fast", "full"},
                                .parallel = "process",
                                .background = "process",
                                .device_types = {1, 2},
                                .needs = {{"libx.so", "apt-get install libx"}},
                                .environment = {{"cpu.home", {"KMUX_CPU_HOME", "CPU_HOME"}}},
                                .unkeyed = {"cpu.home"}}));
}

// A newer plugin may have keys that this version does not know.
TEST_F(ManifestTest, UnknownKeysAreIgnoredAndReported) {
  const Manifest manifest = read_with("prioritie", 1).value();
  EXPECT_EQ(manifest.priority, -5);
  EXPECT_THAT(manifest.ignored, testing::ElementsAre("\"prioritie\" Did you mean 'priority'?"));
  EXPECT_TRUE(read_with("abi", Json::Object{{"min", 0}, {"max", 0}, {"mid", 0}}).ok());
  EXPECT_THAT(read(kWholeManifest).value().ignored, testing::IsEmpty());
}

TEST_F(ManifestTest, UnknownCriticalKeysAreErrors) {
  expect_refused(read_with("critical", Json::Array{"tiers", "quantum"}),
                 "\"quantum\" is critical, and this kmux does not know it");
  EXPECT_TRUE(read_with("critical", Json::Array{"tiers"}).ok());
  expect_refused(read_with("critical", "tiers"), "\"critical\" is not a list");
}

TEST_F(ManifestTest, MissingRequiredKeysAreReported) {
  for (const char* key : {"name", "library", "targets", "dialects", "device_types", "build_id", "version"}) {
    expect_refused(read_with(key, {}), "\"" + std::string(key) + "\" is missing");
  }
  for (const char* key : {"summary", "sha256", "priority", "aliases", "features", "tiers", "parallel", "background",
                          "needs", "environment", "architectures", "arch_match", "target_hosts", "foreign_dialects",
                          "ready_dialects", "unkeyed"}) {
    EXPECT_TRUE(read_with(key, {}).ok()) << key;
  }
}

TEST_F(ManifestTest, InvalidValuesAreReported) {
  expect_refused(read_with("parallel", "threads"), "\"parallel\" is \"threads\" (there is \"process\")");
  expect_refused(read_with("foreign_dialects", Json::Array{"cuda"}),
                 "\"foreign_dialects\" has \"cuda\", which \"dialects\" lacks");
  expect_refused(read_with("ready_dialects", Json::Array{"ptx"}),
                 "\"ready_dialects\" has \"ptx\", which \"dialects\" lacks");
  expect_refused(read_with("arch_match", "loosely"), "\"arch_match\" is \"loosely\" (there is \"supports\")");
  expect_refused(read_with("background", "thread"), "\"background\" is \"thread\" (there is \"process\")");
  expect_refused(read_with("name", 1), "\"name\" is not a string");
  expect_refused(read_with("priority", "high"), "\"priority\" is not an integer");
  expect_refused(read_with("priority", std::int64_t{1} << 40), "\"priority\" is not an integer in range");
  expect_refused(read_with("targets", "cpu"), "\"targets\" is not a list");
  expect_refused(read_with("targets", Json::Array{1}), "\"targets\" is not a list of strings");
  expect_refused(read_with("needs", Json::Array{"libx.so"}), "\"needs\" is not a list of objects");
  expect_refused(read_with("abi", 0), "\"abi\" is not an object");
  expect_refused(read_with("environment", "HOME"), "\"environment\" is not an object");
  expect_refused(read_with("environment", Json::Object{{"cpu.home", "HOME"}}), "\"cpu.home\" is not a list");
}

TEST_F(ManifestTest, AllProblemsAreReported) {
  const auto manifest = read(R"({"name": 1, "critical": ["colour"]})");
  expect_refused(manifest, "\"name\" is not a string");
  expect_refused(manifest, "\"colour\"");
  expect_refused(manifest, "\"library\" is missing");
}

TEST_F(ManifestTest, LibraryMustBePlainFileName) {
  for (const char* library : {"/usr/lib/libevil.so", "../libevil.so", "sub/lib.so", ".."}) {
    expect_refused(read_with("library", library), "not a plain file name");
  }
}

TEST_F(ManifestTest, MalformedJsonReportsLine) {
  expect_refused(read("{\n\"name\": }"), "line 2");
  expect_refused(read("[]"), "not an object");
  expect_refused(read(""), "line 1");
}

TEST_F(ManifestTest, MissingFileIsUnavailable) {
  const auto manifest = read_manifest(folder_.path() / "absent.plugin.json");
  ASSERT_FALSE(manifest.ok());
  EXPECT_EQ(manifest.error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux
