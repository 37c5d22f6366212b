// `kmux cache`, and the cache as used by commands in separate processes.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include "kmux/json.h"

#include "integration/cli_session.h"
#include "needs.h"

namespace kmux::test {
namespace {

const char* const kCachedScale = "scale/scale.kmux.json";

/// A session whose cache is a subfolder.
class CliCacheTest : public testing::Test {
 protected:
  ProcessResult run(const std::vector<std::string>& words) const { return session_.run(words, variables_); }
  Json json(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const ProcessResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    return parse_json(result.standard_output).value();
  }
  bool compiles(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"compile", kCachedScale};
    words.insert(words.end(), more.begin(), more.end());
    return !*json(words).find("from_cache")->as_bool();
  }
  Json::Array builds() const { return *json({"cache", "ls"}).find("builds")->as_array(); }

  CliSession session_;
  CliSession::Variables variables_{{"KMUX_CACHE_DIR", (session_.folder() / "cache").string()}};
};

TEST_F(CliCacheTest, SecondProcessCompilesNothing) {
  EXPECT_TRUE(compiles());
  EXPECT_FALSE(compiles());
  EXPECT_TRUE(compiles({"--no-cache"}));
  EXPECT_TRUE(compiles({"--flag", "-DX=1"}));
  EXPECT_EQ(builds().size(), 2U);
}

// Regression: an unchecked kernel in the cache disabled the memory check, and a checked kernel was returned to other
// callers.
TEST_F(CliCacheTest, KeyIncludesEnvironmentOptions) {
  session_.write("k.cu",
                 "//! kmux\n//! kernel k(out y: i32[32])\n//!   launch k<<<1, 32>>>(y)\n"
                 "__global__ void k(int* y) { y[threadIdx.x] = threadIdx.x; }\n");
  const auto compiled = [&] { return !*json({"compile", "k.cu", "--target", "cpu"}).find("from_cache")->as_bool(); };
  EXPECT_TRUE(compiled());
  variables_["KMUX_OPTION_CPU_CHECK"] = "on";
  EXPECT_TRUE(compiled());
  EXPECT_FALSE(compiled());
  variables_["KMUX_OPTION_CPU_CHECK_SEED"] = "7";
  EXPECT_TRUE(compiled());
  variables_.erase("KMUX_OPTION_CPU_CHECK");
  variables_.erase("KMUX_OPTION_CPU_CHECK_SEED");
  variables_["KMUX_OPTION_CPU_THREADS"] = "1";  // does not change the code
  EXPECT_FALSE(compiled());
}

// One package in two places, as in two Python environments. Neither the plugin's path nor that of its headers is part
// of a key.
TEST_F(CliCacheTest, KeyIsIndependentOfPackageLocation) {
  namespace fs = std::filesystem;
  const fs::path plugins = fs::path(KMUX_TEST_PLUGIN_DIR).parent_path().parent_path() / "lib/kmux/plugins";
  if (!fs::exists("/usr/lib/llvm-19/lib/clang/19")) GTEST_SKIP() << needs("Clang's headers", "no /usr/lib/llvm-19");
  session_.write("k.c",
                 "//! kmux\n//! kernel k(out y: i32[2])\n//!   launch k(y)\n"
                 "#include <stdint.h>\nvoid k(int32_t* y) { y[0] = y[1] = INT32_MAX; }\n");
  const auto install = [&](const fs::path& folder) {
    fs::create_directories(folder);
    for (const fs::directory_entry& entry : fs::directory_iterator(plugins)) {
      const fs::path& file = entry.path();
      if (!file.filename().string().starts_with("kmux_cpu")) continue;
      std::error_code error;
      fs::create_hard_link(file, folder / file.filename(), error);
      if (error) fs::copy_file(file, folder / file.filename());  // another file system
    }
    fs::create_symlink("/usr/lib/llvm-19/lib/clang/19", folder / "clang-19");
  };
  const auto compiled = [&](const std::string& place) {
    const fs::path folder = session_.folder() / place / "kmux/plugins";
    if (!fs::exists(folder)) install(folder);
    variables_["KMUX_PLUGIN_PATH"] = folder.string();
    return !*json({"compile", "k.c", "--target", "cpu"}).find("from_cache")->as_bool();
  };
  EXPECT_TRUE(compiled("here"));
  EXPECT_FALSE(compiled("here"));
  EXPECT_FALSE(compiled("there"));
  fs::remove_all(session_.folder() / "here");
  EXPECT_FALSE(compiled("there"));
}

TEST_F(CliCacheTest, SixteenProcessesCompileOnce) {
  variables_["XDG_RUNTIME_DIR"] = session_.folder().string();
  std::array<bool, 16> compiled{};
  std::array<std::thread, 16> processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    processes[i] = std::thread([&, i] { compiled[i] = compiles(); });
  }
  for (std::thread& process : processes) process.join();
  EXPECT_EQ(std::count(compiled.begin(), compiled.end(), true), 1);
  EXPECT_EQ(builds().size(), 1U);
}

TEST_F(CliCacheTest, RunUsesCachedBuild) {
  const std::vector<std::string> words = {"run", kCachedScale, "--in", "x=x8.npy", "--scalar", "factor=2"};
  const auto with = [&](const char* option, const char* value) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {option, value, "--option", "tier=full"});
    return run(all).exit_code;
  };
  EXPECT_EQ(with("--out", "y=y.npy"), 0);
  EXPECT_EQ(builds().size(), 1U);
  EXPECT_EQ(with("--check", "y=y.npy"), 0);
  EXPECT_EQ(with("--check", "y=wrong8.npy"), 1);
  EXPECT_EQ(builds().size(), 1U);
}

// Equal content has the same key, for every caller and folder. Address spaces differ in each process anyway.
TEST_F(CliCacheTest, KeyDependsOnlyOnContent) {
  const CliSession elsewhere;
  compiles();
  CliSession::Variables others = {{"KMUX_CACHE_DIR", (elsewhere.folder() / "other").string()},
                                  {"HOME", "/nonexistent"},
                                  {"LANG", "tr_TR.UTF-8"},
                                  {"TZ", "Asia/Tokyo"}};
  ASSERT_EQ(elsewhere.run({"compile", kCachedScale}, others).exit_code, 0);
  const auto listed = parse_json(elsewhere.run({"cache", "ls", "--json"}, others).standard_output).value();
  ASSERT_EQ(builds().size(), 1U);
  EXPECT_EQ(*listed.find("builds")->as_array()->front().find("key"), *builds().front().find("key"));
}

TEST_F(CliCacheTest, ListsBuildsAndStatistics) {
  EXPECT_THAT(run({"cache", "ls"}).standard_output, HasSubstr("empty"));
  compiles();
  const std::string listed = run({"cache", "ls"}).standard_output;
  EXPECT_THAT(listed, HasSubstr("scale"));
  EXPECT_THAT(listed, HasSubstr("cpu"));
  const ProcessResult stats = run({"cache", "stats"});
  EXPECT_THAT(stats.standard_output, HasSubstr("1 build\n"));
  EXPECT_THAT(stats.standard_output, HasSubstr("4.0 GiB"));
  EXPECT_EQ(*json({"cache", "stats"}).find("builds")->as_integer(), 1);
}

TEST_F(CliCacheTest, VerifyRemovesDamagedBuild) {
  compiles();
  EXPECT_EQ(run({"cache", "verify"}).exit_code, 0);
  const std::filesystem::path artifact =
      std::filesystem::path(*builds().front().find("folder")->as_string()) / "artifact";
  ASSERT_TRUE(std::filesystem::exists(artifact));
  std::fstream file(artifact, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(artifact) / 2));
  file.put('!').put('?');
  file.close();
  const ProcessResult verified = run({"cache", "verify"});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.standard_output, HasSubstr("1 damaged"));
  EXPECT_THAT(builds(), IsEmpty());
  EXPECT_TRUE(compiles());
}

TEST_F(CliCacheTest, PruneKeepsBuildsWithinLimits) {
  compiles();
  compiles({"--flag", "-DX=1"});
  EXPECT_THAT(run({"cache", "prune", "--max-mib", "100", "--max-days", "1"}).standard_output,
              HasSubstr("0 builds removed"));
  EXPECT_EQ(builds().size(), 2U);
  EXPECT_THAT(run({"cache", "prune", "--all"}).standard_output, HasSubstr("2 builds removed"));
  EXPECT_THAT(builds(), IsEmpty());
}

TEST_F(CliCacheTest, InvalidInputIsRejected) {
  EXPECT_EQ(run({"cache", "import", "nowhere.tar.zst"}).exit_code, 3) << "C3.12";
  EXPECT_EQ(run({"cache"}).exit_code, 2);
  EXPECT_THAT(run({"cache", "lst"}).standard_error, HasSubstr("Did you mean 'ls'?"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"lst"}, {"import"}, {"prune"}, {"ls", "30"}, {"ls", "--all"}}) {
    std::vector<std::string> command = {"cache"};
    command.insert(command.end(), words.begin(), words.end());
    EXPECT_EQ(run(command).exit_code, 2) << words.front();
  }
  EXPECT_EQ(run({"cache", "prune", "--max-mib", "-1"}).exit_code, 3);
  EXPECT_EQ(session_.run({"cache", "ls"}).exit_code, 4);
  EXPECT_THAT(session_.run({"cache", "ls"}).standard_error, HasSubstr("KMUX_DISABLE_CACHE"));
  variables_["KMUX_CACHE_MAX_BYTES"] = "many";
  EXPECT_EQ(run({"cache", "ls"}).exit_code, 3);
  EXPECT_EQ(run({"compile", kCachedScale}).exit_code, 0) << "a compile goes on without a cache";
}

TEST_F(CliCacheTest, UntrustedFolderIsRejected) {
  std::filesystem::create_directory(session_.folder() / "cache");
  std::filesystem::permissions(session_.folder() / "cache", std::filesystem::perms::all);
  EXPECT_EQ(run({"cache", "ls"}).exit_code, 3);
  const ProcessResult compiled = run({"compile", kCachedScale, "--verbose"});
  EXPECT_EQ(compiled.exit_code, 0);
  EXPECT_THAT(compiled.standard_error, HasSubstr("nothing is cached"));
  std::filesystem::remove(session_.folder() / "cache");
  std::filesystem::create_directory_symlink(session_.folder(), session_.folder() / "cache");
  EXPECT_EQ(run({"cache", "ls"}).exit_code, 3);
  EXPECT_THAT(session_.files(), Not(testing::Contains("v1")));
}

}  // namespace
}  // namespace kmux::test
