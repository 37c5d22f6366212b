#include "kmux/registry.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/json.h"
#include "kmux/log.h"
#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kPlugins = KMUX_TEST_PLUGIN_DIR;

std::unique_ptr<Registry> open(std::vector<fs::path> folders, Options options = {}) {
  RegistryOptions registry;
  registry.search_path = std::move(folders);
  registry.use_default_path = false;
  registry.plugin_options = std::move(options);
  return Registry::open(registry).value();
}

std::vector<std::string> names(const Registry& registry) {
  std::vector<std::string> names;
  for (const Manifest& manifest : registry.manifests()) names.push_back(manifest.name);
  return names;
}

/// Owns a copy of the plugin null in a separate folder.
class CopiedPlugin {
 public:
  CopiedPlugin() { fs::copy(kPlugins / "null", folder()); }
  const fs::path& folder() const { return temp_.path(); }
  fs::path library() const { return folder() / "kmux_null.so"; }
  fs::path manifest() const { return folder() / "kmux_null.plugin.json"; }

  void set(const std::string& key, Json value) const {
    Json json = parse_json(read_file(manifest()).value()).value();
    json[key] = std::move(value);
    ASSERT_TRUE(write_file(manifest(), dump(json)).ok());
  }

 private:
  TempFolder temp_;
};

/// Checks that a registry over `folder` refuses its one entry.
void expect_refused(const fs::path& folder, ErrorCode code, const std::string& part) {
  const auto registry = open({folder});
  ASSERT_EQ(registry->entries().size(), 1u);
  const Status status = registry->entries().front().status;
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, code) << status.error().message;
  EXPECT_THAT(status.error().message, HasSubstr(part));
  EXPECT_THAT(names(*registry), ElementsAre());
}

bool is_mapped(const fs::path& library) {
  std::ifstream maps("/proc/self/maps");
  return std::string(std::istreambuf_iterator<char>(maps), {}).find(library.string()) != std::string::npos;
}

std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST(RegistryTest, FindsAndOpensPlugin) {
  const auto registry = open({kPlugins / "null"});
  EXPECT_THAT(names(*registry), ElementsAre("null"));
  const auto plugin = registry->plugin("null").value();
  EXPECT_STREQ(plugin->api().name, "null");
  EXPECT_EQ(plugin->api().version, plugin->manifest().version);
  EXPECT_EQ(plugin->library(), fs::canonical(kPlugins / "null" / "kmux_null.so"));
  EXPECT_TRUE(plugin->probe().value().can_run.ok());
  EXPECT_EQ(to_string(plugin->backend().resolve_target("auto", std::nullopt).value()), "null");
}

TEST(RegistryTest, OpensPluginOnce) {
  const auto registry = open({kPlugins / "null"});
  EXPECT_EQ(registry->plugin("null").value(), registry->plugin("null").value());
}

TEST(RegistryTest, SortsByPriorityThenName) {
  EXPECT_THAT(names(*open({kPlugins / "null", kPlugins / "table"})), ElementsAre("null_a", "null_b", "null_c", "null"));
}

TEST(RegistryTest, UnknownNameErrorListsKnownNames) {
  const auto plugin = open({kPlugins / "table"})->plugin("null_aa");
  ASSERT_FALSE(plugin.ok());
  EXPECT_EQ(plugin.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(plugin.error().message, HasSubstr("null_c"));
  EXPECT_THAT(plugin.error().message, HasSubstr("Did you mean 'null_a'?"));
}

TEST(RegistryTest, RejectsInvalidPluginsBeforeOpening) {
  const fs::path broken = kPlugins / "broken";
  expect_refused(broken / "newer_abi", ErrorCode::kUnavailable, "it needs version 7 of the plugin ABI");
  expect_refused(broken / "older_abi", ErrorCode::kUnavailable, "its table has version 0 of the plugin ABI");
  expect_refused(broken / "other_build_id", ErrorCode::kUnavailable, "0123456789abcdef0123456789abcdef01234567");
  expect_refused(broken / "critical_key", ErrorCode::kInvalidArgument, "\"colour\" is critical");
  expect_refused(broken / "malformed", ErrorCode::kInvalidArgument, "line 1");
  expect_refused(broken / "missing_library", ErrorCode::kUnavailable, "there is no such file");
}

struct Failure {
  const char* plugin;
  ErrorCode code;
  const char* part;
};
class RegistryOpeningTest : public testing::TestWithParam<Failure> {};

TEST_P(RegistryOpeningTest, ReportsReasonForFailure) {
  const auto [name, code, part] = GetParam();
  const auto registry = open({kPlugins / "broken" / name});
  ASSERT_THAT(names(*registry), ElementsAre(name));
  const auto plugin = registry->plugin(name);
  ASSERT_FALSE(plugin.ok());
  EXPECT_EQ(plugin.error().code, code);
  EXPECT_THAT(plugin.error().explain(), HasSubstr(part));
  EXPECT_THAT(plugin.error().explain(), HasSubstr(name));
  // A failure is final: the second call returns the first error.
  EXPECT_EQ(registry->plugin(name).error().message, plugin.error().message);
}

INSTANTIATE_TEST_SUITE_P(
    Broken, RegistryOpeningTest,
    testing::Values(Failure{"no_symbol", ErrorCode::kUnavailable, "does not export kmux_plugin_query"},
                    Failure{"undefined_symbol", ErrorCode::kUnavailable, "kmux_defined_nowhere"},
                    Failure{"missing_dependency", ErrorCode::kUnavailable, "apt-get install libkmux-absent"},
                    Failure{"newer_table", ErrorCode::kUnavailable, "version 7"},
                    Failure{"small_table", ErrorCode::kUnavailable, "64 bytes"},
                    Failure{"incomplete_table", ErrorCode::kUnavailable, "has no function \"launch\""},
                    Failure{"half_pinned", ErrorCode::kUnavailable, "has no function \"host_free\""},
                    Failure{"other_name", ErrorCode::kUnavailable, "somebody_else"},
                    Failure{"other_version", ErrorCode::kUnavailable, "\"0.1.0\", its manifest has \"7.0.0\""},
                    Failure{"other_device", ErrorCode::kUnavailable, "type 12, its manifest's first is 1"},  // C3.11
                    Failure{"no_table", ErrorCode::kUnavailable, "the licence has expired"},
                    Failure{"throws_in_create", ErrorCode::kInternal, "thrown by create"},
                    Failure{"refuses_to_start", ErrorCode::kUnavailable, "it has expired"},
                    Failure{"makes_nothing", ErrorCode::kInternal, "no backend"}),
    [](const auto& failure) { return std::string(failure.param.plugin); });

TEST(RegistryTest, ThrowingProbeReturnsError) {
  const auto plugin = open({kPlugins / "broken" / "throws"})->plugin("throws").value();
  const auto& report = plugin->probe();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kInternal);
  EXPECT_THAT(report.error().message, HasSubstr("thrown by probe"));
  EXPECT_EQ(report.error().note("backend"), "throws");
}

TEST(RegistryTest, ProbesPluginOnce) {
  const auto registry = open({kPlugins / "table"}, {{"null_a.probe", "no_device"}});
  const auto plugin = registry->plugin("null_a").value();
  const Result<ProbeReport>* first = &plugin->probe();
  EXPECT_EQ(&plugin->probe(), first);
  EXPECT_EQ((*first)->can_run.code, "no_device");
  EXPECT_TRUE((*first)->can_build.ok());
}

TEST(RegistryTest, PassesPluginOptionsToPlugin) {
  const auto registry = open({kPlugins / "table"}, {{"null_a.build", "unsupported"}});
  EXPECT_EQ(registry->plugin("null_b").value()->probe().value().can_build.code, "");
  const Program program{.name = "p", .variants = {Variant{.dialect = "c"}}};
  const BuildRequest asked{program, 0, {"cpu"}, {}};
  const auto built = registry->plugin("null_a").value()->backend().builder().build(asked, "");
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().code, ErrorCode::kUnsupported);
}

TEST(RegistryTest, ForwardsPluginLogs) {
  std::vector<std::string> lines;
  set_log_sink(LogLevel::kDebug, [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  const auto plugin = open({kPlugins / "null"})->plugin("null");
  set_log_sink(LogLevel::kDebug, {});
  EXPECT_TRUE(plugin.ok());
  EXPECT_THAT(lines, Contains(HasSubstr("created")));
}

TEST(RegistryTest, EarlierFolderWins) {
  const CopiedPlugin copy;
  const auto registry = open({copy.folder(), kPlugins / "null"});
  EXPECT_EQ(registry->plugin("null").value()->library(), copy.library());
  ASSERT_EQ(registry->entries().size(), 2u);
  EXPECT_TRUE(registry->entries()[0].status.ok());
  ASSERT_FALSE(registry->entries()[1].status.ok());
  EXPECT_THAT(registry->entries()[1].status.error().message, HasSubstr("earlier folder"));
}

TEST(RegistryTest, ApiPathPrecedesEnvironmentAndDefaults) {
  RegistryOptions options;
  options.search_path = {"/first"};
  options.environment_path = {"/second", "/third"};
  const auto folders = Registry::open(options).value()->search_path();
  ASSERT_EQ(folders.size(), 5u);
  EXPECT_EQ(folders[0], "/first");
  EXPECT_EQ(folders[2], "/third");
  // Beside the library, in whatever folder that is.
  EXPECT_EQ(fs::weakly_canonical(folders[3]), fs::weakly_canonical(fs::path(KMUX_TEST_BUILD_DIR) / "lib/kmux/plugins"));
}

TEST(RegistryTest, SearchesEachFolderOnce) {
  const auto registry = open({kPlugins / "null", kPlugins / "null", kPlugins / "table" / ".." / "null"});
  EXPECT_EQ(registry->entries().size(), 1u);
}

TEST(RegistryTest, RejectsRelativeFolders) {
  const fs::path before = fs::current_path();
  fs::current_path(kPlugins);
  expect_refused("null", ErrorCode::kInvalidArgument, "relative");
  expect_refused("./null", ErrorCode::kInvalidArgument, "relative");
  fs::current_path(before);
}

TEST(RegistryTest, DoesNotSearchCurrentDirectory) {
  const fs::path before = fs::current_path();
  fs::current_path(kPlugins / "null");
  const auto registry = Registry::open({}).value();
  fs::current_path(before);
  EXPECT_THAT(names(*registry), Not(Contains("null")));
}

TEST(RegistryTest, RejectsWorldWritableFolder) {
  const CopiedPlugin copy;
  fs::permissions(copy.folder(), fs::perms::all);
  expect_refused(copy.folder(), ErrorCode::kUnavailable, "writable by everyone");
}

TEST(RegistryTest, RejectsWorldWritableFiles) {
  const CopiedPlugin library;
  fs::permissions(library.library(), fs::perms::others_write, fs::perm_options::add);
  expect_refused(library.folder(), ErrorCode::kUnavailable, "kmux_null.so");
  const CopiedPlugin manifest;
  fs::permissions(manifest.manifest(), fs::perms::others_write, fs::perm_options::add);
  expect_refused(manifest.folder(), ErrorCode::kUnavailable, "kmux_null.plugin.json");
}

TEST(RegistryTest, RejectsGroupWritableFoldersAndFiles) {
  const fs::perms of_library = fs::status(KMUX_TEST_BUILD_DIR "/lib").permissions();
  if ((of_library & fs::perms::group_write) != fs::perms::none) {
    GTEST_SKIP() << needs("a build folder of one user", "the group may write to this one");
  }
  const CopiedPlugin folder, library, manifest;
  fs::permissions(folder.folder(), fs::perms::group_write, fs::perm_options::add);
  expect_refused(folder.folder(), ErrorCode::kUnavailable, "writable by its group");
  fs::permissions(library.library(), fs::perms::group_write, fs::perm_options::add);
  expect_refused(library.folder(), ErrorCode::kUnavailable, "kmux_null.so\" is refused (it is writable by its group");
  fs::permissions(manifest.manifest(), fs::perms::group_write, fs::perm_options::add);
  expect_refused(manifest.folder(), ErrorCode::kUnavailable, "Run `chmod g-w` on it.");
}

TEST(RegistryTest, FollowsLinksBeforePermissionCheck) {
  const CopiedPlugin copy;
  fs::permissions(copy.folder(), fs::perms::all);
  const TempFolder other;
  fs::create_directory_symlink(copy.folder(), other.path() / "innocent");
  expect_refused(other.path() / "innocent", ErrorCode::kUnavailable, "writable by everyone");
}

// Only root can change a file's owner. Other users can only test root's files, which are trusted.
TEST(RegistryTest, RejectsForeignOwners) {
  const CopiedPlugin copy;
  if (geteuid() == 0) {
    ASSERT_EQ(chown(copy.folder().c_str(), 12345, 12345), 0);
    expect_refused(copy.folder(), ErrorCode::kUnavailable, "belongs to user 12345");
    ASSERT_EQ(chown(copy.folder().c_str(), 0, 0), 0);
    ASSERT_EQ(chown(copy.library().c_str(), 12345, 12345), 0);
    expect_refused(copy.folder(), ErrorCode::kUnavailable, "kmux_null.so");
  } else {
    EXPECT_EQ(open({"/usr/lib"})->entries().size(), 0u);
  }
}

TEST(RegistryTest, RejectsLibraryChangedAfterSearch) {
  const CopiedPlugin copy;
  const auto registry = open({copy.folder()});
  fs::remove(copy.library());
  std::ofstream(copy.library()) << "something else";
  const auto plugin = registry->plugin("null");
  ASSERT_FALSE(plugin.ok());
  EXPECT_EQ(plugin.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(plugin.error().message, HasSubstr(copy.library().string()));
}

TEST(RegistryTest, TwoRegistriesHaveSeparateInstances) {
  const CopiedPlugin copy;
  const auto first = open({copy.folder()});
  const auto second = open({copy.folder()});
  const auto of_second = second->plugin("null").value();
  EXPECT_FALSE(first->plugin("null").value() == of_second);
  EXPECT_TRUE(first->unload("null").ok());  // fails while the plugin is in use
  EXPECT_EQ(of_second->backend().devices().count().value(), 1);
}

TEST(RegistryTest, UnloadUnmapsLibrary) {
  const CopiedPlugin copy;
  const auto registry = open({copy.folder()});
  ASSERT_TRUE(registry->plugin("null").ok() && is_mapped(copy.library()));
  EXPECT_TRUE(registry->unload("null").ok());
#ifndef __SANITIZE_ADDRESS__  // with it, libraries stay loaded
  EXPECT_FALSE(is_mapped(copy.library()));
#endif
  EXPECT_TRUE(registry->plugin("null").ok());  // it can be opened again
}

TEST(RegistryTest, UnloadFailsWhilePluginIsInUse) {
  const auto registry = open({kPlugins / "null"});
  auto plugin = registry->plugin("null").value();
  const auto status = registry->unload("null");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr("1 kernels, tensors, streams or devices still hold it"));
  plugin.reset();
  EXPECT_TRUE(registry->unload("null").ok());
}

TEST(RegistryTest, UnloadOfUnopenedPluginSucceeds) {
  const auto registry = open({kPlugins / "null"});
  EXPECT_TRUE(registry->unload("null").ok());
  const auto status = registry->unload("nul");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

TEST(RegistryTest, UnloadClearsFailure) {
  const CopiedPlugin copy;
  const auto registry = open({copy.folder()});
  const std::string library = read_file(copy.library()).value();
  fs::remove(copy.library());
  EXPECT_FALSE(registry->plugin("null").ok());
  ASSERT_TRUE(write_file(copy.library(), library).ok());
  EXPECT_FALSE(registry->plugin("null").ok());
  EXPECT_TRUE(registry->unload("null").ok());
  EXPECT_TRUE(registry->plugin("null").ok());
}

TEST(RegistryTest, PluginOutlivesRegistry) {
  auto registry = open({kPlugins / "null"});
  const auto plugin = registry->plugin("null").value();
  registry.reset();
  EXPECT_TRUE(plugin->probe().ok());
}

TEST(RegistryTest, VerifyChecksRecordedDigest) {
  const CopiedPlugin copy;
  EXPECT_TRUE(open({copy.folder()})->verify().ok());  // a build tree records no digests
  copy.set("sha256", sha256_hex(read_file(copy.library()).value()));
  EXPECT_TRUE(open({copy.folder()})->verify().ok());
  copy.set("sha256", std::string(64, '0'));
  const auto status = open({copy.folder()})->verify();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().explain(), HasSubstr("kmux_null.so"));
}

TEST(RegistryTest, LeavesNoOpenFiles) {
  const CopiedPlugin copy;
  const std::size_t before = open_files();
  for (int i = 0; i < 3; ++i) {
    const auto registry = open({copy.folder(), kPlugins / "broken" / "other_size", kPlugins / "broken" / "no_symbol"});
    EXPECT_TRUE(registry->plugin("null").ok());
    EXPECT_FALSE(registry->plugin("no_symbol").ok());
    EXPECT_TRUE(registry->unload("null").ok());
  }
  EXPECT_EQ(open_files(), before);
}

TEST(RegistryTest, ReadsManifestOptionsFromEnvironment) {
  const CopiedPlugin plugin;
  plugin.set("environment", Json::Object{{"null.home", Json::Array{"NULL_FIRST", "NULL_SECOND"}}});
  RegistryOptions options;
  options.search_path = {plugin.folder()};
  options.use_default_path = false;
  options.variables = {{"NULL_FIRST", ""}, {"NULL_SECOND", "/second"}, {"OTHER", "x"}};
  EXPECT_THAT(Registry::open(options).value()->plugin_options(), ElementsAre(std::pair("null.home", "/second")));
  options.variables["NULL_FIRST"] = "/first";
  EXPECT_THAT(Registry::open(options).value()->plugin_options(), ElementsAre(std::pair("null.home", "/first")));
  options.plugin_options = {{"null.home", "/given"}};
  EXPECT_THAT(Registry::open(options).value()->plugin_options(), ElementsAre(std::pair("null.home", "/given")));
}

}  // namespace
}  // namespace kmux
