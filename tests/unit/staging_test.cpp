#include "cache/disk/staging.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "cache/disk/file_descriptor.h"
#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class StagingTest : public testing::Test {
 protected:
  ~StagingTest() override { set_fault_handler(nullptr); }
  Staging made() { return Staging::make(cache_).value(); }
  fs::path target(const std::string& second) const { return cache_.entry(std::string(64, 'a'), second).folder; }
  std::size_t staged() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(cache_.staging()), fs::directory_iterator()));
  }

  TempFolder temp_;
  CacheFolder cache_ = CacheFolder::open(temp_.path(), CacheFolder::Access::kReadWrite).value();
};

TEST_F(StagingTest, PublishesAtomically) {
  Staging staging = made();
  ASSERT_TRUE(staging.write("file", "content").ok());
  EXPECT_FALSE(fs::exists(target("1")));
  EXPECT_EQ(staging.publish(target("1")).value(), Staging::Outcome::kPublished);
  EXPECT_EQ(read_file(target("1") / "file").value(), "content");
  EXPECT_EQ(staged(), 0U);
}

TEST_F(StagingTest, KeepsFirstPublishedEntry) {
  for (const char* content : {"first", "second"}) {
    Staging staging = made();
    ASSERT_TRUE(staging.write("file", content).ok());
    const Staging::Outcome outcome = staging.publish(target("1")).value();
    EXPECT_EQ(outcome == Staging::Outcome::kPublished, std::string(content) == "first");
  }
  EXPECT_EQ(read_file(target("1") / "file").value(), "first");
  EXPECT_EQ(staged(), 0U);
}

TEST_F(StagingTest, RemovesUnpublishedFiles) {
  {
    Staging staging = made();
    ASSERT_TRUE(staging.write("file", "x").ok());
    EXPECT_EQ(staged(), 1U);
  }
  EXPECT_EQ(staged(), 0U);
}

TEST_F(StagingTest, ReportsSystemErrors) {
  set_fault_handler([](std::string_view step) { return step.starts_with("wrote") ? ENOSPC : 0; });
  Staging staging = made();
  const Error full = staging.write("file", "x").error();
  EXPECT_EQ(full.code, ErrorCode::kUnavailable);
  EXPECT_THAT(full.message, HasSubstr("file' (No space left on device)"));
  set_fault_handler([](std::string_view step) { return step == "synced" ? EIO : 0; });
  EXPECT_THAT(staging.publish(target("1")).error().message, HasSubstr("(Input/output error)"));
  set_fault_handler([](std::string_view step) { return step == "staged" ? EDQUOT : 0; });
  EXPECT_THAT(Staging::make(cache_).error().message, HasSubstr("(Disk quota exceeded)"));
  set_fault_handler([](std::string_view step) { return step == "before staging" ? EROFS : 0; });
  EXPECT_THAT(Staging::make(cache_).error().message, HasSubstr("(Read-only file system)"));
}

TEST_F(StagingTest, RetriesWhenSweepRemovesParent) {
  Staging staging = made();
  static fs::path parent;
  static int left;
  parent = target("1").parent_path();
  left = 3;
  set_fault_handler([](std::string_view step) {
    if (step == "parents made" && left-- > 0) fs::remove(parent);
    return 0;
  });
  EXPECT_EQ(staging.publish(target("1")).value(), Staging::Outcome::kPublished);
  EXPECT_EQ(left, -1);
}

TEST_F(StagingTest, DetectsAbandonedFolders) {
  const fs::path own = temp_.path() / staging_name();
  fs::create_directory(own);
  EXPECT_FALSE(is_abandoned(own));

  const pid_t child = ::fork();
  if (child == 0) {
    ::mkdir((temp_.path() / ("dead" + staging_name().substr(4))).c_str(), 0700);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  int dead = 0;
  for (const auto& item : fs::directory_iterator(temp_.path())) {
    if (item.path().filename().string().starts_with("dead")) dead += is_abandoned(item.path()) ? 1 : 0;
  }
  EXPECT_EQ(dead, 1);

  const fs::path foreign = temp_.path() / (std::string(32, 'b') + "-0123456789abcdef-999999999");
  fs::create_directory(foreign);
  EXPECT_FALSE(is_abandoned(foreign));
  fs::last_write_time(foreign, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(is_abandoned(foreign));
}

TEST_F(StagingTest, ReturnsUniqueNames) { EXPECT_NE(staging_name(), staging_name()); }

}  // namespace
}  // namespace kmux
