// Builds that are shared between threads, and until they are on disk, while their headers are edited.
#include <functional>
#include <latch>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/sha256.h"

#include "cache/artifact_cache.h"
#include "cache/disk/file_descriptor.h"
#include "file_tick.h"
#include "temp_folder.h"

namespace kmux {
namespace {

std::mutex disk_is_busy;  // NOLINT: a fault handler is a plain function

int wait_for_disk(std::string_view step) {
  if (step == "before staging") const std::lock_guard waiting(disk_is_busy);
  return 0;
}

/// A cache whose builds read a header and report it, as a compiler does.
class SharedBuildsTest : public testing::Test {
 protected:
  SharedBuildsTest() { edit("1"); }
  ~SharedBuildsTest() override { set_fault_handler(nullptr); }

  /// Edits the header; the edit ends in an earlier clock tick than later operations.
  void edit(const char* content) const { temp_.write("a.h", content), next_file_tick(); }
  std::string header() const { return temp_.path() / "a.h"; }

  Result<CacheEntry> compiled() {
    ++makes_;
    CacheEntry entry;
    entry.artifact.set("code", read_file(header()).value());
    entry.artifact.set(std::string(kDependenciesPart), to_json(Dependencies{.files = {header()}}));
    return entry;
  }
  std::string code(const Result<CacheEntry>& entry) { return entry ? *entry->artifact.find("code") : "failed"; }
  std::string compile() {
    return code(cache_->find_or_make(key_, [this] { return compiled(); }));
  }

  /// Returns the code of a build that calls `during` after it has read its headers.
  std::string compile_while(const std::function<void()>& during) {
    return code(cache_->find_or_make(key_, [&] {
      Result<CacheEntry> entry = compiled();
      during();
      return entry;
    }));
  }

  TempFolder temp_{memory_folder()};
  CacheKey key_{sha256_hex("key")};
  std::atomic<int> makes_{0};
  std::shared_ptr<ArtifactCache> cache_ =
      ArtifactCache::open({.folder = temp_.path() / "cache", .lock_folder = temp_.path() / "locks"}).value();
};

TEST_F(SharedBuildsTest, AreJoinedWhileHeadersAreUnchanged) {
  std::string joined;
  std::jthread joiner;
  compile_while([&] {
    joiner = std::jthread([&] { joined = compile(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // so that the thread usually waits
  });
  joiner.join();
  EXPECT_EQ(joined, "1");
  EXPECT_EQ(makes_, 1);
}

TEST_F(SharedBuildsTest, AreNotJoinedAfterHeaderEdit) {
  std::string joined;
  std::jthread joiner;
  const std::string first = compile_while([&] {
    edit("2");
    joiner = std::jthread([&] { joined = compile(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  joiner.join();
  EXPECT_EQ(first, "1") << "it began before";
  EXPECT_EQ(joined, "2");
  EXPECT_EQ(compile(), "2");
}

TEST_F(SharedBuildsTest, AreSharedByAllWaitersAfterEdit) {
  std::vector<std::jthread> joiners;
  std::vector<std::string> joined(8);
  compile_while([&] {
    edit("2");
    for (std::string& code : joined) joiners.emplace_back([&] { code = compile(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  joiners.clear();
  EXPECT_THAT(joined, testing::Each("2"));
  EXPECT_EQ(makes_, 2) << "one for all who waited";
}

TEST_F(SharedBuildsTest, FailuresAreNotSharedWithLaterCallers) {
  std::string joined;
  std::jthread joiner;
  const Result<CacheEntry> failed = cache_->find_or_make(key_, [&]() -> Result<CacheEntry> {
    joiner = std::jthread([&] { joined = compile(); });  // the header was fixed
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return make_error(ErrorCode::kCompileFailed, "a.h is broken");
  });
  joiner.join();
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(joined, "1");
}

TEST_F(SharedBuildsTest, AreFoundBeforeReachingDisk) {
  const std::lock_guard busy(disk_is_busy);
  set_fault_handler(wait_for_disk);
  EXPECT_EQ(compile(), "1");
  EXPECT_EQ(compile(), "1");
  EXPECT_EQ(code(cache_->find(key_).value()), "1");
  EXPECT_EQ(makes_, 1);
  set_fault_handler(nullptr);
}

TEST_F(SharedBuildsTest, AreRebuiltAfterEditBeforeReachingDisk) {
  const std::lock_guard busy(disk_is_busy);
  set_fault_handler(wait_for_disk);
  EXPECT_EQ(compile(), "1");
  edit("2");
  EXPECT_EQ(compile(), "2") << "the first is still to be published";
  edit("3");
  EXPECT_EQ(compile(), "3");
  EXPECT_EQ(makes_, 3);
  set_fault_handler(nullptr);
}

TEST_F(SharedBuildsTest, CarryBuildStartTime) {
  const FileTime before = file_time_now();
  FileTime found = 0;
  std::jthread joiner;
  compile_while([&] {
    joiner = std::jthread([&] { found = cache_->find_or_make(key_, [this] { return compiled(); }).value().began; });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    next_file_tick();
  });
  joiner.join();
  EXPECT_GE(found, before);
  EXPECT_LT(found, file_time_now()) << "not later than the build's beginning";
  const Dependencies dependencies{.files = {header()}};
  EXPECT_TRUE(capture(dependencies, found).ok());
  edit("2");
  EXPECT_FALSE(capture(dependencies, found).ok());
}

}  // namespace
}  // namespace kmux
