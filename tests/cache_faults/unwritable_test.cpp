#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"
#include "torture_cache.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr ::uid_t kNobody = 65534;

/// A cache with key 1 whose folders are not writable. Root can always write, so under root another user owns it, as
/// whom the children run.
class UnwritableCacheTest : public testing::Test {
 protected:
  UnwritableCacheTest() {
    fs::permissions(temp_.path(), fs::perms(0755));
    EXPECT_EQ(use_cache(options_, 1, makes()), 0);
    for (const auto& item : fs::recursive_directory_iterator(options_.folder)) protect(item.path());
    protect(options_.folder);
  }
  ~UnwritableCacheTest() override {
    for (const fs::path& path : folders_) ::chmod(path.c_str(), 0700);
  }

  void protect(const fs::path& path) {
    const bool given = ::geteuid() != 0 || ::chown(path.c_str(), kNobody, kNobody) == 0;
    EXPECT_TRUE(given);
    if (!fs::is_directory(path)) return;
    folders_.push_back(path);
    ::chmod(path.c_str(), 0500);
  }

  /// Returns the result of `body` without root privileges.
  static int as_plain_user(const std::function<int()>& body) {
    return wait_for(start_child([&] {
      if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) return 9;
      return body();
    }));
  }
  fs::path makes() const { return temp_.path() / "makes"; }

  TempFolder temp_{memory_folder()};
  CacheOptions options_ = torture_options(temp_.path());
  std::vector<fs::path> folders_;
};

TEST_F(UnwritableCacheTest, ServesExistingEntries) {
  EXPECT_EQ(as_plain_user([&] {
              const auto cache = ArtifactCache::open(options_).value();
              if (cache->why_read_only() != "folder '" + options_.folder.string() + "' cannot be written to.") return 1;
              const std::optional<CacheEntry> found = cache->find(torture_key(1));
              return found && is_right(*found, 1) ? 0 : 2;
            }),
            0);
}

TEST_F(UnwritableCacheTest, DoesNotPreventBuilds) {
  EXPECT_EQ(as_plain_user([&] {
              const auto cache = ArtifactCache::open(options_).value();
              const auto made = cache->find_or_make(torture_key(2), [] { return torture_entry(2); });
              if (!made || !is_right(*made, 2)) return 1;
              cache->flush();
              if (cache->find(torture_key(2))) return 2;
              return cache->prune({}).ok() ? 3 : 0;
            }),
            0);
}

TEST_F(UnwritableCacheTest, ServesEntriesWithoutWritableFolder) {
  EXPECT_EQ(as_plain_user([&] {
              CacheOptions options = options_;
              options.folder = options_.folder / "inside";
              options.read_only = {options_.folder};
              const auto cache = ArtifactCache::open(options).value();
              if (!cache->why_read_only()) return 1;
              const std::optional<CacheEntry> found = cache->find(torture_key(1));
              return found && is_right(*found, 1) ? 0 : 2;
            }),
            0);
}

}  // namespace
}  // namespace kmux
