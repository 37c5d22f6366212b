#include "cli/cache_bundle.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/file_io.h"
#include "kmux/sha256.h"

#include "cache/artifact_cache.h"
#include "cli/tar_header.h"
#include "cli/zstd_file.h"
#include "temp_folder.h"

namespace kmux::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A cache with a few entries, an empty one, and a file between them.
class CacheBundle : public testing::Test {
 protected:
  CacheBundle() {
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

  /// Writes a bundle of these blocks.
  void write(const std::string& blocks) const {
    ZstdWriter writer = ZstdWriter::create(file_).value();
    EXPECT_TRUE(writer.write(blocks).ok());
    EXPECT_TRUE(writer.finish().ok());
  }
  static std::string member(const std::string& path, const std::string& content) {
    return tar_header({path, content.size()}) + content + std::string(tar_padding(content.size()), '\0');
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
  const std::string end_ = std::string(2 * kTarBlock, '\0');
};

TEST_F(CacheBundle, CarriesEveryBuild) {
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

TEST_F(CacheBundle, IsTheSameForTheSameBuilds) {
  ASSERT_TRUE(export_cache(open("from"), file_).ok());
  const std::string first = read_file(file_).value();
  ASSERT_TRUE(import().ok());
  ASSERT_TRUE(export_cache(open("to"), file_).ok());
  EXPECT_EQ(read_file(file_).value(), first);
}

TEST_F(CacheBundle, LeavesOutDamagedBuilds) {
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

TEST_F(CacheBundle, PassesOverBuildsThatAreNotWhole) {
  const PackedBuild build = Cache::pack(open("from").list().at(0)).value();
  const std::string folder = "kmux-cache-v1/" + build.key + "/" + build.state + "/";
  write(member(folder + "manifest.json", "{}") + end_);
  const BundleReport report = import().value();
  EXPECT_EQ(report.builds, 0U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_THAT(report.skipped[0], HasSubstr("is refused (its manifest cannot be read"));
  write(member(folder + "../../../x", "x") + end_);
  EXPECT_THAT(refusal(), HasSubstr("it has a file 'kmux-cache-v1/"));
  write(member("kmux-cache-v1/../../x", "x") + end_);
  EXPECT_THAT(import().value().skipped.at(0), HasSubstr("that is no key"));
  EXPECT_TRUE(open("to").list().empty());
}

TEST_F(CacheBundle, RefusesWhatExportDoesNotWrite) {
  std::string link = tar_header({"kmux-cache-v1/a/b/manifest.json", 0});
  link[156] = '2';
  write(link + end_);
  EXPECT_THAT(refusal(), HasSubstr("it has something else than the files of builds"));
  for (const char* path : {"/etc/passwd", "x", "other/a/b/c", "kmux-cache-v1/a/b", "kmux-cache-v1/a//b"}) {
    write(member(path, "x") + end_);
    EXPECT_THAT(refusal(), HasSubstr("(it has a file '")) << path;
  }
  write(tar_header({"kmux-cache-v1/a/b/c", std::uint64_t{1} << 32}) + end_);
  EXPECT_THAT(refusal(), HasSubstr("is too large"));
  write(tar_header({"kmux-cache-v1/a/b/c", 5000}) + end_);
  EXPECT_THAT(refusal(), HasSubstr("it is truncated"));
  write(member("kmux-cache-v1/a/b/c", "x") + member("kmux-cache-v1/a/b/c", "x") + end_);
  EXPECT_THAT(refusal(), HasSubstr("twice"));
  write(end_ + "x");
  EXPECT_THAT(refusal(), HasSubstr("something follows its end"));
  write("");
  EXPECT_NE(refusal(), "");
}

TEST_F(CacheBundle, SaysWhyAFileCannotBeUsed) {
  EXPECT_EQ(import().error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(export_cache(open("from"), temp_.path() / "none" / "x").error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux::cli
