#include "cache/disk/file_descriptor.h"

#include <cerrno>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

class FileDescriptorTest : public testing::Test {
 protected:
  TempFolder temp_;
  FileDescriptor folder_ = FileDescriptor::open_folder(temp_.path());
};

TEST_F(FileDescriptorTest, ReadsWrittenFile) {
  ASSERT_EQ(write_file_at(folder_, "f", "content"), 0);
  EXPECT_EQ(read_file_at(folder_, "f", 7)->bytes, "content");
  EXPECT_EQ(write_file_at(folder_, "f", "other"), EEXIST);
}

TEST_F(FileDescriptorTest, SetsErrnoWhenReadFails) {
  temp_.write("big", "12345678");
  EXPECT_FALSE(read_file_at(folder_, "big", 7));
  EXPECT_EQ(errno, EFBIG);
  EXPECT_FALSE(read_file_at(folder_, "none", 7));
  EXPECT_EQ(errno, ENOENT);
  ::mkfifo((temp_.path() / "pipe").c_str(), 0600);
  EXPECT_FALSE(read_file_at(folder_, "pipe", 7));
  EXPECT_EQ(errno, EINVAL);
  fs::create_symlink("big", temp_.path() / "link");
  EXPECT_FALSE(read_file_at(folder_, "link", 70));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_EQ(errno_text(ENOENT), "No such file or directory");
}

TEST_F(FileDescriptorTest, RejectsFilesAndLinksAsFolder) {
  temp_.write("file", "");
  fs::create_directory_symlink(temp_.path(), temp_.path() / "link");
  EXPECT_FALSE(FileDescriptor::open_folder(temp_.path() / "file").ok());
  EXPECT_FALSE(FileDescriptor::open_folder(temp_.path() / "link").ok());
}

TEST_F(FileDescriptorTest, DetectsIfPathNamesSameFolder) {
  EXPECT_TRUE(folder_.is_at(temp_.path()));
  EXPECT_FALSE(folder_.is_at(temp_.path().parent_path()));
  EXPECT_FALSE(folder_.is_at(temp_.path() / "none"));
  EXPECT_FALSE(FileDescriptor().is_at(temp_.path()));
}

TEST_F(FileDescriptorTest, ClosesWhenLastOwnerEnds) {
  const int fd = folder_.get();
  {
    const FileDescriptor moved = std::move(folder_);
    EXPECT_EQ(moved.get(), fd);
    EXPECT_FALSE(folder_.ok());
  }
  struct stat info{};
  EXPECT_NE(::fstat(fd, &info), 0);
}

}  // namespace
}  // namespace kmux
