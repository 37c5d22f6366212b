#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/artifact_cache.h"
#include "resolve/backend_history.h"
#include "temp_folder.h"

namespace kmux {
namespace {

Manifest plugin(const std::string& build_id = "01", int compile_ms = 0) {
  Manifest manifest;
  manifest.name = "cpu";
  manifest.build_id = build_id;
  manifest.compile_ms = compile_ms;
  return manifest;
}

class CompileTimeTest : public testing::Test {
 protected:
  std::shared_ptr<ArtifactCache> cache() const {
    return ArtifactCache::open({.folder = folder_.path() / "cache"}).value();
  }
  TempFolder folder_;
};

TEST_F(CompileTimeTest, IsSmoothedAverage) {
  CompileTimes times(nullptr);
  EXPECT_EQ(times.known(plugin(), "fast"), std::nullopt);
  times.note(plugin(), "fast", 100, true);
  EXPECT_EQ(times.known(plugin(), "fast"), 100);
  times.note(plugin(), "fast", 200, true);
  EXPECT_EQ(times.known(plugin(), "fast"), 125);
}

TEST_F(CompileTimeTest, IsKeptPerPluginBuildAndTier) {
  CompileTimes times(nullptr);
  times.note(plugin(), "fast", 100, true);
  EXPECT_EQ(times.known(plugin("02"), "fast"), std::nullopt);
  EXPECT_EQ(times.known(plugin(), "full"), std::nullopt);
}

TEST_F(CompileTimeTest, DefaultsToManifestValue) {
  CompileTimes times(nullptr);
  EXPECT_EQ(times.expected(plugin("01", 70), "fast"), 70);
  EXPECT_EQ(times.expected(plugin(), "fast"), std::nullopt);
  times.note(plugin("01", 70), "fast", 8, false);
  EXPECT_EQ(times.expected(plugin("01", 70), "fast"), 8);
}

TEST_F(CompileTimeTest, PersistsWhenRequested) {
  {
    CompileTimes times(cache());
    times.note(plugin(), "fast", 100, true);
    times.note(plugin(), "full", 900, false);
  }
  CompileTimes later(cache());
  EXPECT_EQ(later.known(plugin(), "fast"), 100);
  EXPECT_EQ(later.known(plugin(), "full"), std::nullopt) << "it was not to be kept";
}

TEST_F(CompileTimeTest, IsSavedAgainAfterLargeChange) {
  {
    CompileTimes times(cache());
    times.note(plugin(), "fast", 100, true);
    times.note(plugin(), "fast", 180, true);  // 120: within the tolerance
    times.note(plugin(), "fast", 2000, true);  // 590
  }
  EXPECT_EQ(CompileTimes(cache()).known(plugin(), "fast"), 590);
}

}  // namespace
}  // namespace kmux
