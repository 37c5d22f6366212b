#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isolation/isolated_plugins.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;

class WorkerProgramTest : public testing::Test {
 protected:
  WorkerProgramTest() {
    std::string pattern = (fs::temp_directory_path() / "kmux-worker-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(folder_ / "kmux-worker") << "";
  }
  ~WorkerProgramTest() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(WorkerProgramTest, IsFirstExistingPath) {
  EXPECT_EQ(find_worker({folder_ / "none", folder_ / "kmux-worker", "/bin/sh"}).value(),
            fs::canonical(folder_ / "kmux-worker"));
}

TEST_F(WorkerProgramTest, SearchesAbsolutePathsOnly) {
  for (const fs::path& place : worker_places()) {
    EXPECT_TRUE(place.is_absolute()) << place;
    EXPECT_THAT(place.string(), EndsWith("libexec/kmux/kmux-worker"));
  }
}

TEST_F(WorkerProgramTest, ReportsSearchedPaths) {
  const auto found = find_worker({folder_ / "a" / ".." / "b", "/nowhere/kmux-worker"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(found.error().message,
              AllOf(HasSubstr((folder_ / "b").string() + ", /nowhere/kmux-worker"), HasSubstr("Install kmux")));
}

TEST_F(WorkerProgramTest, RejectsWorldWritableFile) {
  fs::permissions(folder_ / "kmux-worker", fs::perms::others_write, fs::perm_options::add);
  const auto found = find_worker({folder_ / "kmux-worker", "/bin/sh"});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(found.error().message, HasSubstr("writable by everyone"));
}

TEST_F(WorkerProgramTest, RejectsWorldWritableFolder) {
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(find_worker({folder_ / "kmux-worker"}).error().message, HasSubstr("writable by everyone"));
}

}  // namespace
}  // namespace kmux
