#include "kmux/plugin/file_io.h"

#include <fstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file_size_limit.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class FileIoTest : public testing::Test {
 protected:
  FileIoTest() : folder_(fs::path(testing::TempDir()) / ("kmux_file_io_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~FileIoTest() override { fs::remove_all(folder_); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  fs::path folder_;
};

TEST_F(FileIoTest, ReadsWrittenFile) {
  const std::string content("a\0b\n", 4);
  ASSERT_TRUE(write_file(folder_ / "f", content).ok());
  EXPECT_EQ(read_file(folder_ / "f").value(), content);
  ASSERT_TRUE(write_file(folder_ / "f", "").ok());
  EXPECT_EQ(read_file(folder_ / "f").value(), "");
}

TEST_F(FileIoTest, ReportsFileSizeLimit) {
  const test::FileSizeLimit limit(10);
  const Status written = write_file(folder_ / "f", "more than ten bytes");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(written.error().message, HasSubstr("/f' (File too large). Raise the limit of this process (ulimit -f)."));
  EXPECT_EQ(files(), 0U);
}

TEST_F(FileIoTest, PreservesPermissionsAndLinks) {
  ASSERT_TRUE(write_file(folder_ / "f", "1").ok());
  fs::permissions(folder_ / "f", fs::perms(0640));
  fs::create_directory(folder_ / "other");
  fs::create_symlink("../f", folder_ / "other/link");
  ASSERT_TRUE(write_file(folder_ / "other/link", "2").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "other/link"));
  EXPECT_EQ(read_file(folder_ / "f").value(), "2");
  EXPECT_EQ(fs::status(folder_ / "f").permissions(), fs::perms(0640));
}

TEST_F(FileIoTest, WritesThroughLinkToMissingFile) {
  fs::create_directory(folder_ / "other");
  fs::create_symlink("../new", folder_ / "other/first");
  fs::create_symlink("first", folder_ / "other/second");
  ASSERT_TRUE(write_file(folder_ / "other/second", "1").ok());
  EXPECT_EQ(read_file(folder_ / "new").value(), "1");
  EXPECT_TRUE(fs::is_symlink(folder_ / "other/first") && fs::is_symlink(folder_ / "other/second"));
}

TEST_F(FileIoTest, RejectsWritingToDeviceOrPipe) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const bool has_device = ::geteuid() == 0 && ::mknod((folder_ / "null").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0;
  for (const fs::path& path : {folder_ / "pipe", has_device ? folder_ / "null" : fs::path("/dev/null")}) {
    const Status written = write_file(path, "1");
    ASSERT_FALSE(written.ok()) << path;
    EXPECT_THAT(written.error().message, HasSubstr("it is not a regular file"));
    EXPECT_FALSE(fs::is_regular_file(path));
  }
}

TEST_F(FileIoTest, ListsFolderEntriesSorted) {
  ASSERT_TRUE(write_file(folder_ / "b", "").ok());
  ASSERT_TRUE(write_file(folder_ / "a", "").ok());
  EXPECT_THAT(entries_in(folder_), testing::ElementsAre(folder_ / "a", folder_ / "b"));
  EXPECT_THAT(entries_in(folder_ / "none"), testing::IsEmpty());
  EXPECT_TRUE(is_there(folder_ / "a"));
  EXPECT_FALSE(is_there(folder_ / "none/a"));
  EXPECT_EQ(absolute_path("/a/./b/../c"), "/a/c");
}

TEST(ReadFileTest, ReadsFileOfUnknownSize) {
  const std::string status = read_file("/proc/self/status").value();
  EXPECT_THAT(status, StartsWith("Name:"));
  EXPECT_EQ(status.back(), '\n');
  EXPECT_GT(read_file("/proc/self/smaps").value().size(), 4096U);
  EXPECT_EQ(read_file("/proc/self/status", 5).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(FileIoTest, LeavesNoTemporaryFiles) {
  ASSERT_TRUE(write_file(folder_ / "f", "1").ok());
  fs::create_directory(folder_ / "taken");
  fs::create_directory(folder_ / "taken" / "inside");
  EXPECT_FALSE(write_file(folder_ / "taken", "2").ok());
  EXPECT_EQ(files(), 2U);
}

TEST_F(FileIoTest, ReportsReadErrors) {
  const Error missing = read_file(folder_ / "none").error();
  EXPECT_EQ(missing.code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.message, HasSubstr("none' (No such file or directory)"));
  EXPECT_THAT(read_file(folder_).error().message, HasSubstr("(Is a directory)"));
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(read_file(folder_ / "pipe").error().message, HasSubstr("(not a regular file)"));
}

TEST_F(FileIoTest, RejectsFileAboveSizeLimit) {
  ASSERT_TRUE(write_file(folder_ / "f", "12345").ok());
  EXPECT_TRUE(read_file(folder_ / "f", 5).ok());
  const Error error = read_file(folder_ / "f", 4).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("(5 bytes, at most 4)"));
}

TEST_F(FileIoTest, ReportsWriteErrors) {
  EXPECT_THAT(write_file(folder_ / "no" / "f", "x").error().message, HasSubstr("No such file or directory"));
  EXPECT_THAT(write_file(folder_ / "", "x").error().message, HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace kmux
