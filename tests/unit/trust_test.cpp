#include "system/trust.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void expect_refused(const fs::path& path, const std::string& part) {
  const Status status = check_trusted(path);
  ASSERT_FALSE(status.ok()) << path;
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(status.error().message, HasSubstr(part));
}

TEST(TrustTest, AcceptsPathsOfUserAndRoot) {
  const TempFolder folder;
  EXPECT_TRUE(check_trusted(folder.path()).ok());
  EXPECT_TRUE(check_trusted(folder.write("a", "x")).ok());
  EXPECT_TRUE(check_trusted("/usr").ok());
}

TEST(TrustTest, RejectsWorldWritablePaths) {
  const TempFolder folder;
  const fs::path file = folder.write("a", "x");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  expect_refused(file, "writable by everyone");
  expect_refused("/tmp", "writable by everyone");
}

TEST(TrustTest, RejectsGroupWritableCode) {
  const TempFolder folder, library;
  const fs::path file = folder.write("a", "x");
  for (const fs::path& path : {file, folder.path()}) {
    fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
    const Status status = check_trusted(path, library.path());
    ASSERT_FALSE(status.ok()) << path;
    EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
    EXPECT_EQ(status.error().message, "\"" + path.string() + "\" is refused (it is writable by its group, " +
                                          std::to_string(getegid()) + "). Run `chmod g-w` on it.");
    EXPECT_TRUE(check_owner(path).ok()) << "what is not code";
  }
}

// As after an installation by a user whose umask is 002.
TEST(TrustTest, AcceptsCodeWritableByLibraryGroup) {
  const TempFolder folder, library;
  for (const fs::path& path : {folder.path(), library.path()}) {
    fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
  }
  EXPECT_TRUE(check_trusted(folder.path(), library.path()).ok());
  if (chown(library.path().c_str(), static_cast<uid_t>(-1), getegid() + 1) == 0) {  // only root may
    EXPECT_FALSE(check_trusted(folder.path(), library.path()).ok()) << "that is another group";
  }
}

TEST(TrustTest, RejectsPathsBelowUntrustedFolder) {
  const TempFolder folder;
  const fs::path above = folder.path() / "above";
  fs::create_directories(above / "below" / "plugins");
  EXPECT_TRUE(check_trusted_place(above / "below" / "plugins").ok()) << "/tmp is sticky";
  fs::permissions(above, fs::perms::others_write, fs::perm_options::add);
  const Status open = check_trusted_place(above / "below" / "plugins");
  ASSERT_FALSE(open.ok());
  EXPECT_EQ(open.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(open.error().message, HasSubstr("(\"" + above.string() + "\" above it may be written to by others)"));
  fs::permissions(above, fs::perms::sticky_bit, fs::perm_options::add);
  EXPECT_TRUE(check_trusted_place(above / "below" / "plugins").ok());
  fs::permissions(above, fs::perms::owner_all);
  if (chown(above.c_str(), 2001, static_cast<gid_t>(-1)) != 0) return;  // only root may
  EXPECT_THAT(check_trusted_place(above / "below" / "plugins").error().message,
              HasSubstr("above it belongs to user 2001"));
}

TEST(TrustTest, FollowsSymbolicLinks) {
  const TempFolder folder;
  fs::create_symlink("/tmp", folder.path() / "link");
  expect_refused(folder.path() / "link", "writable by everyone");
}

TEST(TrustTest, RejectsMissingPath) { expect_refused("/no/such/folder", "No such file"); }

}  // namespace
}  // namespace kmux
