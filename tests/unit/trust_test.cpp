#include "src/trust.h"

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

TEST(Trust, TakesWhatBelongsToTheUserOrToRoot) {
  const TempFolder folder;
  EXPECT_TRUE(check_trusted(folder.path()).ok());
  EXPECT_TRUE(check_trusted(folder.write("a", "x")).ok());
  EXPECT_TRUE(check_trusted("/usr").ok());
}

TEST(Trust, RefusesWhatEveryoneMayWrite) {
  const TempFolder folder;
  const fs::path file = folder.write("a", "x");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  expect_refused(file, "writable by everyone");
  expect_refused("/tmp", "writable by everyone");
}

TEST(Trust, LooksThroughLinks) {
  const TempFolder folder;
  fs::create_symlink("/tmp", folder.path() / "link");
  expect_refused(folder.path() / "link", "writable by everyone");
}

TEST(Trust, RefusesWhatIsNotThere) { expect_refused("/no/such/folder", "No such file"); }

}  // namespace
}  // namespace kmux
