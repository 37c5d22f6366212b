// Which processes open a plugin that is not kmux's own, and when: docs/design/0052.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/json.h"
#include "kmux/plugin/process.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path kBadPlugin = fs::path(KMUX_TEST_PLUGIN_DIR) / "broken/bad";
constexpr const char* kAskedFault = "KMUX_TEST_BAD_PLUGIN";

// Which processes open the plugin "bad", as seen by the kmux command; its runtimes have a cache on disk.
class PluginTrialTest : public testing::Test {
 protected:
  using Variables = std::map<std::string, std::string>;

  fs::path cache() const { return folder_.path() / "cache"; }
  /// Returns the programs that opened the plugin while `kmux plugins` ran.
  std::vector<std::string> openers(const Variables& more = {}) {
    const fs::path log = folder_.path() / "log";
    fs::remove(log);
    text_ = plugins(more, log);
    std::ifstream file(log);
    std::vector<std::string> names;
    for (std::string name; std::getline(file, name);) names.push_back(name);
    return names;
  }
  std::string plugins(const Variables& more, const fs::path& log) {
    Command command{.argv = {KMUX_TEST_BUILD_DIR "/bin/kmux", "plugins", "--json"}};
    command.environment = {{"KMUX_CACHE_DIR", cache().string()},
                           {"KMUX_DISABLE_CACHE", "0"},
                           {"KMUX_PLUGIN_PATH", kBadPlugin.string()},
                           {"KMUX_TEST_BAD_PLUGIN_LOG", log.string()}};
    for (const auto& [name, value] : more) command.environment[name] = value;
    return run(command).value().standard_output;
  }
  /// Changes a byte of every file of the cache.
  void damage() const {
    for (const auto& entry : fs::recursive_directory_iterator(cache())) {
      if (!entry.is_regular_file() || entry.file_size() == 0) continue;
      fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
      file.put('\1');
    }
  }

  TempFolder folder_;
  std::string text_;
};

TEST_F(PluginTrialTest, RunsOnceAndIsCachedOnDisk) {
  EXPECT_THAT(openers(), ElementsAre("kmux-worker", "kmux"));
  EXPECT_THAT(openers(), ElementsAre("kmux"));
}

TEST_F(PluginTrialTest, RunsAgainWithOtherOptions) {
  EXPECT_THAT(openers(), ElementsAre("kmux-worker", "kmux"));
  EXPECT_THAT(openers({{"KMUX_OPTION_BAD_LIBRARY", "/another"}}), ElementsAre("kmux-worker", "kmux"));
}

TEST_F(PluginTrialTest, RunsAgainWhenCacheIsDamaged) {
  EXPECT_THAT(openers(), ElementsAre("kmux-worker", "kmux"));
  damage();
  EXPECT_THAT(openers(), ElementsAre("kmux-worker", "kmux"));
}

TEST_F(PluginTrialTest, RunsEachTimeWithoutCache) {
  for (int i = 0; i < 2; ++i) EXPECT_THAT(openers({{"KMUX_DISABLE_CACHE", "1"}}), ElementsAre("kmux-worker", "kmux"));
}

TEST_F(PluginTrialTest, IsNotCachedIfItFails) {
  EXPECT_THAT(openers({{kAskedFault, "probe:crash"}}), ElementsAre("kmux-worker"));
  EXPECT_THAT(text_, HasSubstr("it crashed in probe: signal 11, SIGSEGV"));
  EXPECT_THAT(openers(), ElementsAre("kmux-worker", "kmux"));
}

TEST_F(PluginTrialTest, IsSkippedWhenDisabled) {
  EXPECT_THAT(openers({{"KMUX_PLUGIN_TRIAL", "0"}}), ElementsAre("kmux"));
}

TEST_F(PluginTrialTest, RejectsInvalidTimeout) {
  EXPECT_THAT(openers({{"KMUX_PLUGIN_TRIAL", "soon"}}), IsEmpty());
  EXPECT_THAT(text_, HasSubstr("KMUX_PLUGIN_TRIAL must be empty or a non-negative number of seconds (it is 'soon')"));
}

/// Returns the names of the plugins that were tried in a process. `listed` is the output of `kmux plugins --json`.
std::vector<std::string> tried_of(const std::string& listed) {
  std::vector<std::string> tried;
  const Json json = parse_json(listed).value();
  for (const Json& plugin : *json.find("plugins")->as_array())
    if (plugin.find("reason")->as_string()->find("tried in a process") != std::string::npos)
      tried.push_back(*plugin.find("name")->as_string());
  return tried;
}

// A libkmux.so in another place has no worker beside it.
TEST_F(PluginTrialTest, FailsWithoutWorker) {
  const fs::path lib = folder_.path() / "lib";
  fs::create_directory(lib);
  fs::copy(KMUX_TEST_BUILD_DIR "/lib/libkmux.so.0", lib);
  EXPECT_THAT(openers({{"LD_LIBRARY_PATH", lib.string()}}), IsEmpty());
  EXPECT_THAT(
      text_, HasSubstr("is not opened, since it has to answer in a process of its own first: there is no kmux-worker"));
  EXPECT_THAT(text_, HasSubstr("KMUX_PLUGIN_TRIAL=0 opens it untried."));
  EXPECT_THAT(openers({{"LD_LIBRARY_PATH", lib.string()}, {"KMUX_PLUGIN_TRIAL", "0"}}), ElementsAre("kmux"));
}

// A plugin that answers within a millisecond is tried again: without a cache its answer is not remembered.
TEST_F(PluginTrialTest, IsSkippedForBundledPlugins) {
  for (int i = 0; i < 100 && (i == 0 || tried_of(text_).empty()); ++i)
    openers({{"KMUX_PLUGIN_TRIAL", "0.001"}, {"KMUX_DISABLE_CACHE", "1"}});
  EXPECT_THAT(tried_of(text_), ElementsAre("bad"));
}

TEST_F(PluginTrialTest, RunsForCopyOfBundledPlugin) {
  const fs::path own = fs::path(KMUX_TEST_BUILD_DIR) / "lib/kmux/plugins";
  for (const char* file : {"kmux_metal.so", "kmux_metal.plugin.json"}) fs::copy(own / file, folder_.path());
  for (int i = 0; i < 100 && (i == 0 || tried_of(text_).empty()); ++i)
    openers(
        {{"KMUX_PLUGIN_TRIAL", "0.001"}, {"KMUX_PLUGIN_PATH", folder_.path().string()}, {"KMUX_DISABLE_CACHE", "1"}});
  EXPECT_THAT(tried_of(text_), ElementsAre("metal"));
}

}  // namespace
}  // namespace kmux
