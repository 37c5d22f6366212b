#include "cli/cache_bundle.h"

#include <fstream>
#include <map>
#include <sys/resource.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/platform.h"
#include "kmux/plugin/sha256.h"

#include "cache/artifact_cache.h"
#include "temp_folder.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A cache with a few entries, an empty entry, and a stray file between them.
class CacheBundleTest : public testing::Test {
 protected:
  CacheBundleTest() {
    const auto cache = ArtifactCache::open({.folder = temp_.path() / "from"}).value();
    for (const char* name : {"a", "b", "c"}) {
      CacheEntry entry;
      entry.artifact.set("code", std::string(1000, name[0]));
      cache->publish({sha256_hex(name)}, std::move(entry), file_time_now());
    }
    cache->publish({sha256_hex("no")}, {.unsupported = make_error(ErrorCode::kUnsupported, "no")}, file_time_now());
  }
  Cache open(const char* name) const {
    Environment environment;
    environment.cache_dir = temp_.path() / name;
    return Cache::open(environment).value();
  }
  Result<BundleReport> import() const { return import_cache(open("to"), file_); }

  /// Writes a bundle of these files.
  void write(const std::vector<std::pair<std::string, std::string>>& files) const {
    BundleWriter writer = BundleWriter::create(file_).value();
    for (const auto& [path, content] : files) EXPECT_TRUE(writer.add(path, content).ok()) << path;
    EXPECT_TRUE(writer.finish().ok());
  }
  std::string refusal() const {
    const auto report = import();
    if (report) return "";
    EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(open("to").list().empty());
    return report.error().message;
  }

  TempFolder temp_{memory_folder()};
  fs::path file_ = temp_.path() / "bundle.tar.zst";
};

TEST_F(CacheBundleTest, TransfersEveryBuild) {
  EXPECT_EQ(export_cache(open("from"), file_).value().builds, 4U);
  const BundleReport report = import().value();
  EXPECT_EQ(report.builds, 4U);
  EXPECT_EQ(report.present, 0U);
  EXPECT_TRUE(report.skipped.empty());
  const auto cache = ArtifactCache::open({.folder = temp_.path() / "to"}).value();
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(*cache->find({sha256_hex(name)})->artifact.find("code"), std::string(1000, name[0]));
  }
  EXPECT_TRUE(cache->find({sha256_hex("no")})->unsupported);
  EXPECT_EQ(import().value().present, 4U);
}

TEST_F(CacheBundleTest, IsDeterministic) {
  ASSERT_TRUE(export_cache(open("from"), file_).ok());
  const std::string first = read_file(file_).value();
  ASSERT_TRUE(import().ok());
  ASSERT_TRUE(export_cache(open("to"), file_).ok());
  EXPECT_EQ(read_file(file_).value(), first);
}

TEST_F(CacheBundleTest, ExcludesDamagedBuilds) {
  fs::resize_file(open("from").list().at(0).folder / "manifest.json", 10);
  EXPECT_EQ(export_cache(open("from"), file_).value().builds, 3U) << "it is not listed";
  const fs::path folder = open("from").list().at(0).folder;
  const fs::path other = open("from").list().at(1).folder;
  const fs::path content = fs::exists(folder / "launcher") ? folder / "launcher" : other / "launcher";
  std::ofstream(content, std::ios::binary) << "x";
  const BundleReport report = export_cache(open("from"), file_).value();
  EXPECT_EQ(report.builds, 2U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_THAT(report.skipped[0], HasSubstr("launcher has another size"));
}

TEST_F(CacheBundleTest, ImportsNoInvalidBuilds) {
  const PackedBuild build = Cache::pack(open("from").list().at(0)).value();
  const std::string folder = "kmux-cache-v1/" + build.key + "/" + build.state + "/";
  write({{folder + "manifest.json", "{}"}});
  const BundleReport report = import().value();
  EXPECT_EQ(report.builds, 0U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_THAT(report.skipped[0], HasSubstr("is refused (its manifest cannot be read"));
  write({{folder + "../../../x", "x"}});
  EXPECT_THAT(refusal(), HasSubstr("it has a file 'kmux-cache-v1/"));
  write({{"kmux-cache-v1/../../x", "x"}});
  EXPECT_THAT(import().value().skipped.at(0), HasSubstr("that is not a key"));
  EXPECT_TRUE(open("to").list().empty());
}

TEST_F(CacheBundleTest, RejectsFilesThatExportNeverWrites) {
  for (const char* path : {"/etc/passwd", "x", "other/a/b/c", "kmux-cache-v1/a/b", "kmux-cache-v1/a//b"}) {
    write({{path, "x"}});
    EXPECT_THAT(refusal(), HasSubstr("(it has a file '")) << path;
  }
  write({{"kmux-cache-v1/a/b/c", "x"}, {"kmux-cache-v1/a/b/c", "x"}});
  EXPECT_THAT(refusal(), HasSubstr("twice"));
  write({{"kmux-cache-v1/a/b/c", std::string(kMaxFileBytes + 1, 'x')}});
  EXPECT_THAT(refusal(), HasSubstr("is too large"));
  temp_.write("bundle.tar.zst", "");
  EXPECT_NE(refusal(), "");
}

// Some KB of a bundle expand to GB of zeros.
TEST_F(CacheBundleTest, BoundsMemoryForDecompressionBomb) {
  const std::string folder = "kmux-cache-v1/" + sha256_hex("a") + "/" + sha256_hex("b") + "/";
  const std::string zeros(kMaxFileBytes - 1, '\0');
  write({{folder + "artifact", zeros}, {folder + "launcher", zeros}});
  EXPECT_LT(fs::file_size(file_), 100'000U);
  EXPECT_THAT(refusal(), HasSubstr("launcher' are too large"));
  write({{folder + "a", zeros}, {folder + "b", zeros}, {folder + "c", zeros}});
  const std::uint64_t before = most_resident(RUSAGE_SELF);
  EXPECT_EQ(import().value().skipped.size(), 1U) << "what no build has is not read";
  EXPECT_LT(most_resident(RUSAGE_SELF) - before, zeros.size() / 4);
}

TEST_F(CacheBundleTest, RejectsBuildWithTooManyFiles) {
  std::vector<std::pair<std::string, std::string>> files;
  for (int i = 0; i < 17; ++i) files.emplace_back("kmux-cache-v1/a/b/" + std::to_string(i), "");
  write(files);
  EXPECT_THAT(refusal(), HasSubstr("(a build of it has more than 16 files)"));
}

TEST_F(CacheBundleTest, ImportsOnlyCompleteBuildsWhenTruncated) {
  ASSERT_TRUE(export_cache(open("from"), file_).ok());
  fs::resize_file(file_, fs::file_size(file_) - 1);
  EXPECT_EQ(import().error().code, ErrorCode::kInvalidArgument);
  for (const CachedBuild& added : open("to").list()) EXPECT_TRUE(Cache::pack(added).ok()) << added.key;
}

TEST_F(CacheBundleTest, ImportsNothingWrongFromDamagedBundle) {
  ASSERT_TRUE(export_cache(open("from"), file_).ok());
  const std::string whole = read_file(file_).value();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    temp_.write("bundle.tar.zst", damaged);
    static_cast<void>(import());
  }
  std::map<std::string, PackedBuild> right;
  for (const CachedBuild& build : open("from").list()) right[build.key] = Cache::pack(build).value();
  for (const CachedBuild& build : open("to").list()) {
    EXPECT_EQ(Cache::pack(build).value().files, right[build.key].files) << build.key;
  }
}

TEST_F(CacheBundleTest, ReportsUnusableFiles) {
  EXPECT_EQ(import().error().code, ErrorCode::kInvalidArgument) << "C3.12";
  EXPECT_EQ(export_cache(open("from"), temp_.path() / "none" / "x").error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux::cli
