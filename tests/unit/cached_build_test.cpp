// The cache as `build` uses it: which builds are found again, and which changes produce another key.
#include <chrono>
#include <functional>
#include <sys/stat.h>
#include <thread>
#include <time.h>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/compile_wait.h"
#include "kmux/log.h"
#include "kmux/plugin/dependencies.h"

#include "artifact/tier_build.h"
#include "cache/artifact_cache.h"
#include "file_tick.h"
#include "scripted_programs.h"
#include "system/runtime_impl.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

/// A scripted plugin, and runtimes that share only a cache on disk.
class CachedBuildTest : public testing::Test {
 protected:
  CachedBuildTest() {
    script_.manifest.name = "one";
    script_.manifest.version = "1";
    script_.manifest.build_id = "aa";
    script_.manifest.targets = {"cpu"};
    script_.manifest.device_types = {kDLCPU};
    script_.manifest.dialects = {"c"};
    environment_.cache_dir = folder_.path() / "cache";
  }
  ~CachedBuildTest() override { set_log_sink(LogLevel::kDebug, {}); }

  /// Builds as another process would: in a separate runtime that is destroyed afterwards.
  Result<BuildResult> made(const CompileOptions& options = {}) { return build(*runtime(), program_, options); }
  Shared<Runtime> runtime() {
    return Runtime::with(environment_, Shared<ScriptedRegistry>::make(std::vector<PluginScript*>{&script_}, settings_));
  }
  /// Writes a header that is much older than any build and returns its path.
  std::filesystem::path old_header(const char* name, std::string_view text) {
    const std::filesystem::path path = folder_.write(name, text);
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    next_file_tick();  // so that later builds are newer
    return path;
  }

  TempFolder folder_;
  Program program_ = doubling();
  PluginScript script_;
  Options settings_;  // the environment's options for plugins
  Environment environment_;
};

TEST_F(CachedBuildTest, IsFoundByAnotherRuntime) {
  const BuildResult first = made().value();
  const BuildResult second = made().value();
  EXPECT_EQ(script_.built, 1);
  EXPECT_FALSE(first.from_cache);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.artifact, first.artifact);
  EXPECT_EQ(second.launcher, first.launcher);
}

TEST_F(CachedBuildTest, IsNotUsedWhenCacheIsDisabled) {
  made().value();
  EXPECT_FALSE(made({.use_cache = false}).value().from_cache);
  environment_.disable_cache = true;
  EXPECT_FALSE(made().value().from_cache);
  EXPECT_EQ(script_.built, 3);
}

/// Records the threads that call a scripted plugin.
struct CallingThreads {
  explicit CallingThreads(PluginScript& script) {
    script.loads = Ok{};
    script.building = [this](const Options&) { built = std::this_thread::get_id(); };
    script.loading = [this] { loaded = std::this_thread::get_id(); };
  }
  std::thread::id built;
  std::thread::id loaded;
};

TEST_F(CachedBuildTest, IsLoadedOnCallingThread) {
  CallingThreads threads(script_);
  compile(*runtime(), program_, {}, CompileWait{}).value();
  EXPECT_NE(threads.built, std::this_thread::get_id());
  EXPECT_NE(threads.loaded, std::this_thread::get_id());
  const Kernel found = compile(*runtime(), program_, {}, CompileWait{}).value();
  EXPECT_EQ(threads.loaded, std::this_thread::get_id());
  EXPECT_EQ(script_.built, 1);
  EXPECT_EQ(found.backend(), "one");
}

TEST_F(CachedBuildTest, IsLoadedOnAnotherThreadForDriverDevices) {
  script_.manifest.device_types = {kDLCUDA};
  CallingThreads threads(script_);
  for (int i = 0; i < 2; ++i) compile(*runtime(), program_, {}, CompileWait{}).value();
  EXPECT_EQ(script_.built, 1);
  EXPECT_NE(threads.loaded, std::this_thread::get_id());
}

TEST_F(CachedBuildTest, ReportsItsLoadError) {
  made().value();
  script_.loads = make_error(ErrorCode::kUnavailable, "no memory for code");
  EXPECT_THAT(compile(*runtime(), program_, {}, CompileWait{}).error().message, HasSubstr("no memory for code"));
}

TEST_F(CachedBuildTest, KeyDependsOnEveryInput) {
  const std::vector<std::pair<const char*, std::function<void()>>> changes = {
      {"source", [&] { program_.variants[0].sources[0].content += " "; }},
      {"header of the program", [&] { program_.variants[0].headers.push_back({"twice.h", "int x;\n"}); }},
      {"text of that header", [&] { program_.variants[0].headers[0].content = "int y;\n"; }},
      {"settings", [&] { program_.variants[0].settings.fast_math = true; }},
      {"signature", [&] { program_.signature.params[0].kind = BufferParam{dtype::kFloat32, {2}}; }},
      {"target", [&] { script_.target = Target{"cpu", "x86-64-v3"}; }},
      {"build id of the plugin", [&] { script_.manifest.build_id = "bb"; }},
      {"version of the plugin", [&] { script_.manifest.version = "2"; }},
      {"toolchain", [&] { script_.toolchain = std::string("fake 2"); }},
      {"tiers", [&] { script_.manifest.tiers = {"fast", "full"}; }},
  };
  made().value();
  int built = 1;
  for (const auto& [what, change] : changes) {
    change();
    EXPECT_FALSE(made().value().from_cache) << what;
    EXPECT_TRUE(made().value().from_cache) << what;
    EXPECT_EQ(script_.built, ++built) << what;
  }
}

TEST_F(CachedBuildTest, KeyDependsOnCompileOptions) {
  const std::vector<CompileOptions> all = {{},
                                           {.options = {{"level", "3"}}},
                                           {.options = {{"level", "2"}}},
                                           {.compile_flags = {"-g"}},
                                           {.include_dirs = {"/opt/include"}}};
  for (const CompileOptions& options : all) EXPECT_FALSE(made(options).value().from_cache);
  for (const CompileOptions& options : all) EXPECT_TRUE(made(options).value().from_cache);
}

// A plugin may read an option at any time, and its `toolchain` may omit it.
TEST_F(CachedBuildTest, KeyDependsOnEnvironmentOptions) {
  script_.manifest.environment = {{"tool.home", {"TOOL_HOME"}}};
  const std::vector<Options> all = {
      {}, {{"one.check", "on"}}, {{"one.check", "off"}}, {{"one.emit", "on"}}, {{"tool.home", "/opt/tool"}}};
  for (const Options& options : all) {
    settings_ = options;
    EXPECT_FALSE(made().value().from_cache) << dump(options_json(options));
  }
  for (const Options& options : all) {
    settings_ = options;
    EXPECT_TRUE(made().value().from_cache) << dump(options_json(options));
  }
}

TEST_F(CachedBuildTest, KeyTreatsEnvironmentAndRequestOptionsAlike) {
  made({.options = {{"check", "on"}}}).value();
  settings_ = {{"one.check", "on"}};
  EXPECT_TRUE(made().value().from_cache);
  settings_ = {{"one.check", "off"}};
  EXPECT_TRUE(made({.options = {{"check", "on"}}}).value().from_cache) << "the request's counts";
}

TEST_F(CachedBuildTest, KeyIgnoresForeignAndExcludedOptions) {
  script_.manifest.unkeyed = {"one.threads"};
  made().value();
  settings_ = {{"one.threads", "4"}, {"other.check", "on"}, {"kmux.cache_dir", "/var/cache"}, {"onetwo.check", "on"}};
  EXPECT_TRUE(made().value().from_cache);
}

TEST_F(CachedBuildTest, UnsupportedErrorIsCachedPerEnvironmentOption) {
  script_.builds = make_error(ErrorCode::kUnsupported, "not while this is checked");
  settings_ = {{"one.check", "on"}};
  EXPECT_FALSE(made().ok());
  script_.builds = Ok{};
  settings_ = {};
  EXPECT_TRUE(made().ok());
  settings_ = {{"one.check", "on"}};
  EXPECT_FALSE(made().ok()) << "it is remembered where it was made";
}

TEST_F(CachedBuildTest, KeyIgnoresInputsUnseenByCompiler) {
  made().value();
  program_.metadata.reference = "b = 2 * a";
  EXPECT_TRUE(made().value().from_cache);
  EXPECT_TRUE(made({.execution_backend = "one", .out_idx = {0}, .verbose = false}).value().from_cache);
}

TEST_F(CachedBuildTest, EditedHeaderChangesKey) {
  const auto header = old_header("lib/twice.h", "#define TWO 2\n");
  script_.dependencies = to_json(Dependencies{.files = {header.string()}});
  made().value();
  EXPECT_TRUE(made().value().from_cache);
  old_header("lib/twice.h", "#define TWO 3\n");
  EXPECT_FALSE(made().value().from_cache);
  EXPECT_TRUE(made().value().from_cache);
  old_header("lib/twice.h", "#define TWO 2\n");
  EXPECT_TRUE(made().value().from_cache) << "what was there before is still there";
  EXPECT_EQ(script_.built, 2);
}

TEST_F(CachedBuildTest, ArtifactOmitsObservedHeaderIdentities) {
  const std::string header = old_header("lib/twice.h", "#define TWO 2\n").string();
  const Dependencies read{.files = {header}};
  script_.dependencies =
      to_json(Dependencies{.files = {header}, .seen = DependencySight{.files = {FileIdentity::of(header)}}});
  EXPECT_EQ(*made().value().artifact.find("deps"), to_json(read));
  const BuildResult found = made().value();
  EXPECT_TRUE(found.from_cache);
  EXPECT_EQ(*found.artifact.find("deps"), to_json(read));
}

TEST_F(CachedBuildTest, IsNotCachedWhenHeaderIdentityDiffers) {
  const std::string header = old_header("lib/twice.h", "#define TWO 2\n").string();
  const Dependencies read{.files = {header}, .seen = DependencySight{.files = {FileIdentity{1, 2, 3, 4, 5}}}};
  script_.dependencies = to_json(read);
  EXPECT_FALSE(made().value().from_cache);
  EXPECT_FALSE(made().value().from_cache);
}

TEST_F(CachedBuildTest, TouchedHeaderKeepsKey) {
  const auto header = old_header("lib/twice.h", "#define TWO 2\n");
  script_.dependencies = to_json(Dependencies{.files = {header.string()}});
  made().value();
  std::filesystem::last_write_time(header, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(made().value().from_cache);
}

TEST_F(CachedBuildTest, ShadowingHeaderChangesKey) {
  const auto header = old_header("lib/twice.h", "#define TWO 2\n");
  std::filesystem::create_directories(folder_.path() / "first");
  const std::string shadow = (folder_.path() / "first/twice.h").string();
  script_.dependencies = to_json(Dependencies{.files = {header.string()}, .absent = {shadow}});
  made().value();
  EXPECT_TRUE(made().value().from_cache);
  folder_.write("first/twice.h", "#define TWO 4\n");
  script_.dependencies = to_json(Dependencies{.files = {shadow}});
  EXPECT_FALSE(made().value().from_cache);
}

TEST_F(CachedBuildTest, IsNotCachedWhenDependenciesAreIncomplete) {
  script_.dependencies = to_json(Dependencies{.complete = false});
  made().value();
  EXPECT_FALSE(made().value().from_cache);
}

TEST_F(CachedBuildTest, IsNotCachedWhenToolchainIsUnknown) {
  script_.toolchain = make_error(ErrorCode::kUnavailable, "no compiler.");
  EXPECT_FALSE(made().value().from_cache);
  EXPECT_FALSE(made().value().from_cache);
}

TEST_F(CachedBuildTest, CachesOnlyUnsupportedErrors) {
  script_.builds = make_error(ErrorCode::kUnsupported, "no inline assembly.").with("log", "line 1");
  const Result<BuildResult> first = made({.execution_backend = "one"});
  const Result<BuildResult> second = made({.execution_backend = "one"});
  EXPECT_EQ(script_.built, 1);
  EXPECT_EQ(second.error().message, first.error().message);
  EXPECT_EQ(second.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(second.error().note("log"), "line 1");

  program_.name = "other";
  script_.builds = make_error(ErrorCode::kCompileFailed, "no.");
  EXPECT_FALSE(made().ok());
  EXPECT_FALSE(made().ok());
  EXPECT_EQ(script_.built, 3);
}

TEST_F(CachedBuildTest, CachesEachTierAndDefaultsToBest) {
  script_.manifest.tiers = {"fast", "full"};
  const auto tier = [](const char* name) { return CompileOptions{.options = {{"tier", name}}}; };
  EXPECT_EQ(made(tier("fast")).value().tier, "fast");
  EXPECT_TRUE(made(tier("fast")).value().from_cache);
  EXPECT_FALSE(made(tier("full")).value().from_cache) << "another tier is another key";
  EXPECT_EQ(made().value().tier, "full") << "what is only built is built in the best tier";
  EXPECT_EQ(script_.options_seen.at("tier"), "full");
}

TEST_F(CachedBuildTest, ContinuesWithoutUntrustedCacheFolder) {
  std::string warned;
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view text) { warned += text; });
  std::filesystem::create_directories(environment_.cache_dir);
  std::filesystem::permissions(environment_.cache_dir, std::filesystem::perms::all);
  EXPECT_FALSE(made().value().from_cache);
  EXPECT_FALSE(made().value().from_cache);
  EXPECT_THAT(warned, HasSubstr("nothing is cached: "));
}

TEST_F(CachedBuildTest, RejectsInvalidCacheSizes) {
  std::string warned;
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view text) { warned += text; });
  for (const char* size : {"lots", "-1", "4 G", "4GB", "99999999999T", "G"}) {
    warned.clear();
    environment_.cache_max_bytes = size;
    EXPECT_EQ(runtime()->impl().cache(), nullptr) << size;
    EXPECT_THAT(warned, HasSubstr("KMUX_CACHE_MAX_BYTES cannot be \"" + std::string(size) + "\""));
  }
  for (const char* size : {"", "0", "100", "4G", "1T"}) {
    environment_.cache_max_bytes = size;
    EXPECT_NE(runtime()->impl().cache(), nullptr) << size;
  }
}

TEST_F(CachedBuildTest, IsFoundInReadOnlyFolder) {
  made().value();
  environment_.cache_read_only = {environment_.cache_dir};
  environment_.cache_dir = folder_.path() / "mine";
  EXPECT_TRUE(made().value().from_cache);
  EXPECT_TRUE(runtime()->impl().cache()->list().empty());
}

}  // namespace
}  // namespace kmux
