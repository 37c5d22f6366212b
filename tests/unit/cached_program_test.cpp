#include "kmux/cached_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "cache/artifact_cache.h"
#include "sample_program.h"
#include "system/runtime_impl.h"
#include "tests/temp_folder.h"

namespace kmux {
namespace {

Shared<Runtime> runtime_with_cache(const std::filesystem::path& folder) {
  Environment environment;
  environment.cache_dir = folder;
  environment.disable_cache = folder.empty();
  return Runtime::create(std::move(environment), {}).value();
}

TEST(CachedProgramTest, PersistsForNextRuntime) {
  const TempFolder folder;
  const Program program = sample_program();
  {
    const auto runtime = runtime_with_cache(folder.path() / "cache");
    EXPECT_EQ(cached_program(*runtime, "tilelang 1"), std::nullopt);
    cache_program(*runtime, "tilelang 1", program);
    runtime->impl().cache()->flush();
  }
  const auto runtime = runtime_with_cache(folder.path() / "cache");
  EXPECT_EQ(cached_program(*runtime, "tilelang 1"), program);
  EXPECT_EQ(cached_program(*runtime, "tilelang 2"), std::nullopt);
}

TEST(CachedProgramTest, KeepsFirstCachedVersion) {
  const TempFolder folder;
  const auto runtime = runtime_with_cache(folder.path() / "cache");
  Program other = sample_program();
  other.name = "other";
  for (const Program& program : {sample_program(), other}) {
    cache_program(*runtime, "x", program);
    runtime->impl().cache()->flush();
  }
  EXPECT_EQ(cached_program(*runtime, "x"), sample_program());
}

TEST(CachedProgramTest, IsMissingWithoutCache) {
  const auto runtime = runtime_with_cache({});
  cache_program(*runtime, "x", sample_program());
  EXPECT_EQ(cached_program(*runtime, "x"), std::nullopt);
}

}  // namespace
}  // namespace kmux
