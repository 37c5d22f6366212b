#include "kmux/plugin/file_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "file_tick.h"
#include "temp_folder.h"

namespace kmux {
namespace {

TEST(FileIdentityTest, DiffersForReplacedFile) {
  const TempFolder folder;
  const std::string path = folder.write("a.h", "1").string();
  const FileIdentity before = FileIdentity::of(path);
  EXPECT_TRUE(before.is_there());
  EXPECT_EQ(FileIdentity::of(path), before);
  copy_mtime(path, folder.write("b.h", "2"));
  std::filesystem::rename(folder.path() / "b.h", path);
  const FileIdentity after = FileIdentity::of(path);
  EXPECT_EQ(after.size, before.size);
  EXPECT_EQ(after.mtime_ns, before.mtime_ns);
  EXPECT_NE(after, before);
}

TEST(FileIdentityTest, DiffersWhenMtimeIsRestored) {
  const TempFolder folder;
  const std::string path = folder.write("a.h", "1").string();
  copy_mtime(path, folder.write("time", ""));
  const FileIdentity before = FileIdentity::of(path);
  next_file_tick();
  folder.write("a.h", "2");
  copy_mtime(folder.path() / "time", path);
  EXPECT_NE(FileIdentity::of(path), before);
  EXPECT_FALSE(FileIdentity::of("/nowhere/a.h").is_there());
}

TEST(IdentifyFileTest, ChangesWithFile) {
  const TempFolder folder;
  const std::string path = folder.write("compiler", "one").string();
  const std::string before = dump(identify_file(path));
  EXPECT_THAT(before, testing::HasSubstr("\"size\":3"));
  folder.write("compiler", "four");
  EXPECT_NE(dump(identify_file(path)), before);
}

TEST(IdentifyFileTest, ReturnsPathOfMissingFile) {
  EXPECT_EQ(dump(identify_file("/nowhere/compiler")), R"({"path":"/nowhere/compiler"})");
}

}  // namespace
}  // namespace kmux
