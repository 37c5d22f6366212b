#include "kmux/environment.h"

#include <cstdlib>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/platform.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EnvironmentTest, DefaultsToAuto) {
  const Environment environment = Environment::from({});
  EXPECT_EQ(environment.target, "auto");
  EXPECT_EQ(environment.execution_backend, "auto");
  EXPECT_FALSE(environment.verbose);
  EXPECT_TRUE(environment.cache_dir.empty());
  EXPECT_THAT(environment.plugin_path, IsEmpty());
  EXPECT_THAT(environment.plugin_options, IsEmpty());
}

TEST(EnvironmentTest, PrefersKmuxOverTileLangVariables) {
  const Environment environment = Environment::from({{"KMUX_TARGET", "c"},
                                                     {"TILELANG_TARGET", "cuda"},
                                                     {"KMUX_EXECUTION_BACKEND", "cpu"},
                                                     {"TILELANG_EXECUTION_BACKEND", "cython"},
                                                     {"KMUX_VERBOSE", "0"},
                                                     {"TILELANG_VERBOSE", "1"}});
  EXPECT_EQ(environment.target, "c");
  EXPECT_EQ(environment.execution_backend, "cpu");
  EXPECT_FALSE(environment.verbose);
}

TEST(EnvironmentTest, FallsBackToTileLangWhenKmuxIsUnsetOrEmpty) {
  const Environment environment = Environment::from({{"KMUX_TARGET", ""},
                                                     {"TILELANG_DEFAULT_TARGET", "c"},
                                                     {"TILELANG_EXECUTION_BACKEND", "cython"},
                                                     {"TILELANG_VERBOSE", "yes"}});
  EXPECT_EQ(environment.target, "c");
  EXPECT_EQ(environment.execution_backend, "cython");
  EXPECT_TRUE(environment.verbose);
}

TEST(EnvironmentTest, PrefersTileLangTargetOverDefaultTarget) {
  EXPECT_EQ(Environment::from({{"TILELANG_TARGET", "hip"}, {"TILELANG_DEFAULT_TARGET", "cuda"}}).target, "hip");
}

TEST(EnvironmentTest, ReportsSourceVariables) {  // C2.11
  const Environment tilelangs = Environment::from(
      {{"KMUX_TARGET", ""}, {"TILELANG_DEFAULT_TARGET", "c"}, {"TILELANG_EXECUTION_BACKEND", "cython"}});
  EXPECT_EQ(tilelangs.target_variable, "TILELANG_DEFAULT_TARGET");
  EXPECT_EQ(tilelangs.execution_backend_variable, "TILELANG_EXECUTION_BACKEND");
  EXPECT_EQ(Environment::from({{"KMUX_TARGET", "c"}, {"TILELANG_TARGET", "hip"}}).target_variable, "KMUX_TARGET");
  EXPECT_EQ(Environment::from({}).target_variable, "");
  EXPECT_EQ(Environment::from({}).execution_backend_variable, "");
}

TEST(EnvironmentTest, ParsesVerboseCaseInsensitively) {
  for (const char* word : {"1", "true", "yes", "on", "TRUE", "On"})
    EXPECT_TRUE(Environment::from({{"KMUX_VERBOSE", word}}).verbose) << word;
  for (const char* word : {"0", "false", "no", "off", "2", "y"})
    EXPECT_FALSE(Environment::from({{"KMUX_VERBOSE", word}}).verbose) << word;
}

TEST(EnvironmentTest, ResolvesCacheDirectory) {
  EXPECT_EQ(Environment::from({{"HOME", "/home/u"}}).cache_dir, "/home/u/.cache/kmux");
  EXPECT_EQ(Environment::from({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "/x"}}).cache_dir, "/x/kmux");
  EXPECT_EQ(Environment::from({{"HOME", "/home/u"}, {"XDG_CACHE_HOME", "relative"}}).cache_dir, "/home/u/.cache/kmux");
  EXPECT_EQ(Environment::from({{"HOME", "/home/u"}, {"KMUX_CACHE_DIR", "/k"}}).cache_dir, "/k");
}

TEST(EnvironmentTest, ReadsCacheSettings) {
  const Environment environment = Environment::from({{"KMUX_DISABLE_CACHE", "on"},
                                                     {"KMUX_CACHE_RO", "/site/kmux:/image/kmux"},
                                                     {"KMUX_CACHE_MAX_BYTES", "2G"},
                                                     {"XDG_RUNTIME_DIR", "/run/user/7"}});
  EXPECT_TRUE(environment.disable_cache);
  EXPECT_THAT(environment.cache_read_only, ElementsAre("/site/kmux", "/image/kmux"));
  EXPECT_EQ(environment.cache_max_bytes, "2G");
  EXPECT_EQ(environment.cache_lock_dir, "/run/user/7/kmux");
  EXPECT_FALSE(Environment::from({}).disable_cache);
  EXPECT_EQ(Environment::from({}).cache_lock_dir.string().rfind((machine_folder() / "kmux-").string(), 0), 0U);
}

TEST(EnvironmentTest, DisablesCacheWhenSecure) {
  const Environment environment = Environment::from({{"HOME", "/home/u"}, {"KMUX_CACHE_RO", "/x"}}, true);
  EXPECT_TRUE(environment.disable_cache);
  EXPECT_THAT(environment.cache_dir.string(), IsEmpty());
  EXPECT_THAT(environment.cache_read_only, IsEmpty());
}

TEST(EnvironmentTest, ReadsRemoteCacheUnlessSecure) {
  const std::map<std::string, std::string> variables = {{"KMUX_REMOTE_CACHE", "redis://host"},
                                                        {"KMUX_REMOTE_CACHE_KEY_FILE", "/key"},
                                                        {"KMUX_REMOTE_CACHE_TTL", "60"},
                                                        {"KMUX_REMOTE_CACHE_TIMEOUT", "20"},
                                                        {"KMUX_REMOTE_CACHE_READ_ONLY", "yes"}};
  const Environment environment = Environment::from(variables);
  EXPECT_EQ(environment.remote_cache, "redis://host");
  EXPECT_EQ(environment.remote_cache_key_file, "/key");
  EXPECT_EQ(environment.remote_cache_ttl, "60");
  EXPECT_EQ(environment.remote_cache_timeout, "20");
  EXPECT_TRUE(environment.remote_cache_read_only);
  const Environment secure = Environment::from(variables, true);
  EXPECT_EQ(secure.remote_cache, "");
  EXPECT_TRUE(secure.remote_cache_key_file.empty());
  EXPECT_FALSE(Environment::from({}).remote_cache_read_only);
}

TEST(EnvironmentTest, SplitsPluginPathAndDropsEmptyElements) {
  EXPECT_THAT(Environment::from({{"KMUX_PLUGIN_PATH", ":/a::/b/c:"}}).plugin_path, ElementsAre("/a", "/b/c"));
}

TEST(EnvironmentTest, IgnoresPluginPathWhenSecure) {
  EXPECT_THAT(Environment::from({{"KMUX_PLUGIN_PATH", "/a"}}, true).plugin_path, IsEmpty());
}

TEST(EnvironmentTest, IgnoresTraceFileWhenSecure) {
  EXPECT_EQ(Environment::from({{"KMUX_TRACE", "/a"}}).trace_file, "/a");
  EXPECT_EQ(Environment::from({{"KMUX_TRACE", "/a"}}, true).trace_file, "");
}

TEST(EnvironmentTest, IgnoresRecordDirectoryWhenSecure) {
  const std::map<std::string, std::string> variables = {{"KMUX_RECORD", "/a"}, {"KMUX_RECORD_DATA", "full"}};
  EXPECT_EQ(Environment::from(variables).record_dir, "/a");
  EXPECT_EQ(Environment::from(variables).record_data, "full");
  EXPECT_EQ(Environment::from(variables, true).record_dir, "");
}

TEST(EnvironmentTest, ReadsPluginOptions) {
  const auto options = Environment::from({{"KMUX_OPTION_CPU_ENGINE", "host"},
                                          {"KMUX_OPTION_CPU_HOST_COMPILER", "g++"},
                                          {"KMUX_OPTION_NULL_A__MODE", "x"},
                                          {"KMUX_OPTION_BROKEN", "y"},
                                          {"KMUX_OPTION_CPU_THREADS", ""},
                                          {"KMUX_OPTIONS", "z"}})
                           .plugin_options;
  EXPECT_THAT(options, ElementsAre(std::pair<const std::string, std::string>("cpu.engine", "host"),
                                   std::pair<const std::string, std::string>("cpu.host_compiler", "g++"),
                                   std::pair<const std::string, std::string>("null_a.mode", "x")));
}

// Options can name code: compilers to start, libraries to open.
TEST(EnvironmentTest, IgnoresPluginOptionsWhenSecure) {
  const std::map<std::string, std::string> variables = {{"KMUX_OPTION_NVRTC_LIBRARY", "/tmp/x.so"},
                                                        {"KMUX_OPTION_CPU_ENGINE", "host"}};
  EXPECT_THAT(Environment::from(variables).plugin_options, testing::SizeIs(2));
  EXPECT_THAT(Environment::from(variables, true).plugin_options, IsEmpty());
}

TEST(EnvironmentTest, KeepsVariablesForPluginsUnlessSecure) {
  EXPECT_EQ(Environment::from({{"TOOLS_HOME", "/opt"}}).variables.at("TOOLS_HOME"), "/opt");
  EXPECT_THAT(Environment::from({{"TOOLS_HOME", "/opt"}}, true).variables, IsEmpty());
}

TEST(EnvironmentTest, ReadsProcessEnvironment) {
  ASSERT_EQ(setenv("KMUX_TARGET", "from-process", 1), 0);
  EXPECT_EQ(Environment::from_process().target, "from-process");
  ASSERT_EQ(unsetenv("KMUX_TARGET"), 0);
}

}  // namespace
}  // namespace kmux
