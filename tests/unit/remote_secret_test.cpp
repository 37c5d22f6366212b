#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/runtime_cache.h"
#include "needs.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

class RemoteSecretTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& content, mode_t mode) const {
    const std::filesystem::path path = temp_.write("key", content);
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string refusal(const std::filesystem::path& path) const {
    const auto secret = read_remote_secret(path);
    return secret ? "taken" : secret.error().message;
  }

  TempFolder temp_;
};

TEST_F(RemoteSecretTest, ReadsBytesVerbatim) {
  const std::string bytes = std::string("\0\n", 2) + std::string(30, 'k') + "\n";
  EXPECT_EQ(read_remote_secret(file(bytes, 0600)).value(), bytes);
  EXPECT_EQ(read_remote_secret(file(bytes, 0400)).value(), bytes);
}

TEST_F(RemoteSecretTest, RejectsFileAccessibleToOthers) {
  for (const mode_t mode : {0604, 0602, 0660, 0644, 0777}) {
    EXPECT_THAT(refusal(file(std::string(32, 'k'), mode)), HasSubstr("others may read or change it). Run `chmod 600`"));
  }
  // A group may read a root-owned file, but no other user's file.
  const bool is_root = ::geteuid() == 0;
  EXPECT_EQ(refusal(file(std::string(32, 'k'), 0440)) == "taken", is_root);
}

TEST_F(RemoteSecretTest, RejectsFileOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << needs("root", "only root can give a file away");
  const std::filesystem::path path = file(std::string(32, 'k'), 0600);
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(path), HasSubstr("it belongs to user 12345). Use a copy of your own."));
}

TEST_F(RemoteSecretTest, RejectsInvalidKeyFile) {
  EXPECT_THAT(refusal(file("short", 0600)), HasSubstr("it has 5 bytes). Make it of 16 to 4096"));
  EXPECT_THAT(refusal(file("", 0600)), HasSubstr("it has 0 bytes)"));
  EXPECT_THAT(refusal(file(std::string(5000, 'k'), 0600)), HasSubstr("it has more than 4096 bytes)"));
  EXPECT_THAT(refusal(temp_.path()), HasSubstr("it is not a regular file"));
  EXPECT_THAT(refusal(temp_.path() / "none"), HasSubstr("No such file or directory). Check the path."));
  EXPECT_EQ(read_remote_secret(temp_.path() / "none").error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux
