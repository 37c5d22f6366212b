#include "cache/artifact_cache.h"

#include <atomic>
#include <barrier>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/sha256.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

CacheKey key_of(const std::string& name) { return {sha256_hex(name), Json::Object{{"name", name}}}; }

CacheEntry entry_of(const std::string& code) {
  CacheEntry entry;
  entry.artifact.set("code", code);
  entry.launcher = "launcher of " + code;
  return entry;
}

class ArtifactCacheTest : public testing::Test {
 protected:
  std::shared_ptr<ArtifactCache> open() {
    CacheOptions options;
    options.folder = temp_.path() / "cache";
    options.lock_folder = temp_.path() / "locks";
    options.log = [this](const std::string& text) { log_ += text + "\n"; };
    return ArtifactCache::open(std::move(options)).value();
  }
  /// The code of the entry that is found or made.
  std::string code(ArtifactCache& cache, const std::string& name) {
    return *cache.find_or_make(key_of(name), [&] { return ++makes_, entry_of("code of " + name); })
                .value()
                .artifact.find("code");
  }
  TempFolder temp_;
  std::string log_;
  std::atomic<int> makes_{0};
};

TEST_F(ArtifactCacheTest, MakesOnceAndFindsAfterwards) {
  EXPECT_EQ(code(*open(), "a"), "code of a");
  const auto cache = open();
  EXPECT_EQ(code(*cache, "a"), "code of a");
  EXPECT_EQ(makes_, 1);
  const std::optional<CacheEntry> found = cache->find(key_of("a"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launcher, "launcher of code of a");
  EXPECT_FALSE(cache->find(key_of("b")));
  EXPECT_EQ(log_, "");
}

TEST_F(ArtifactCacheTest, StoresUnsupportedAlone) {
  const auto refuse = [&](ErrorCode code) {
    return [&, code] { return ++makes_, Result<CacheEntry>(make_error(code, "no").with("log", "why")); };
  };
  for (int i = 0; i < 2; ++i) {
    const auto cache = open();
    const Error unsupported = cache->find_or_make(key_of("u"), refuse(ErrorCode::kUnsupported)).error();
    EXPECT_EQ(unsupported.code, ErrorCode::kUnsupported);
    EXPECT_EQ(unsupported.message, "no");
    EXPECT_EQ(unsupported.note("log"), "why");
    EXPECT_EQ(cache->find_or_make(key_of("c"), refuse(ErrorCode::kCompileFailed)).error().code,
              ErrorCode::kCompileFailed);
  }
  EXPECT_EQ(makes_, 3);
  EXPECT_TRUE(open()->find(key_of("u"))->unsupported);
}

}  // namespace
}  // namespace kmux
