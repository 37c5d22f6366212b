#include "kmux/file_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

TEST(FileIdentity, ChangesWithTheFile) {
  const TempFolder folder;
  const std::string path = folder.write("compiler", "one").string();
  const std::string before = dump(identify_file(path));
  EXPECT_THAT(before, testing::HasSubstr("\"size\":3"));
  folder.write("compiler", "four");
  EXPECT_NE(dump(identify_file(path)), before);
}

TEST(FileIdentity, IsThePathWhereThereIsNoFile) {
  EXPECT_EQ(dump(identify_file("/nowhere/compiler")), R"({"path":"/nowhere/compiler"})");
}

}  // namespace
}  // namespace kmux
