#include "kmux/plugin/dependencies.h"

#include <gtest/gtest.h>

#include "../file_tick.h"
#include "../temp_folder.h"

namespace kmux {
namespace {

TEST(Dependencies, ComeBackAsTheyWereWritten) {
  const Dependencies given{.files = {"/usr/include/math.h", "/usr/include/stdint.h"}, .absent = {"/opt/inc/math.h"}};
  EXPECT_EQ(dependencies_from_json(to_json(given)).value(), given);
  EXPECT_EQ(dependencies_from_json(to_json(Dependencies{})).value(), Dependencies{});
  const Dependencies some{.files = {"/usr/include/math.h"}, .complete = false};
  EXPECT_EQ(dependencies_from_json(to_json(some)).value(), some);
}

TEST(Dependencies, RefuseOtherForms) {
  for (const char* text : {"", "[]", "{}", R"({"files":[],"absent":[1]})", R"({"files":["math.h"],"absent":[]})",
                           R"({"files":[],"absent":[],"more":[]})", R"({"files":[],"absent":[],"complete":true})",
                           R"({"files":["/b","/a"],"absent":[]})"}) {
    const auto read = dependencies_from_json(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(FileStamp, IsOtherWhenAFileOrAListIs) {
  const TempFolder folder;
  const std::string header = folder.write("a.h", "1").string();
  const auto stamp = [](const Dependencies& dependencies) { return next_file_tick(), file_stamp(dependencies); };
  const std::string before = stamp({{header}, {}});
  EXPECT_NE(before, "");
  EXPECT_EQ(stamp({{header}, {}}), before);
  EXPECT_NE(stamp({{header}, {"/nowhere/a.h"}}), before);
  folder.write("a.h", "22");
  EXPECT_NE(stamp({{header}, {}}), before);
}

TEST(FileStamp, IsOtherForAnotherFileOfTheSameSizeAndTime) {
  const TempFolder folder;
  const std::string header = folder.write("a.h", "1").string();
  next_file_tick();
  const std::string before = file_stamp({{header}, {}});
  copy_mtime(header, folder.write("b.h", "2"));
  std::filesystem::rename(folder.path() / "b.h", header);
  next_file_tick();
  EXPECT_NE(file_stamp({{header}, {}}), before);
}

TEST(FileStamp, IsEmptyWhereItCannotBeTold) {
  const TempFolder folder;
  EXPECT_EQ(file_stamp({{}, {}, false}), "");
  EXPECT_EQ(file_stamp({{"/nowhere/a.h"}, {}}), "");
  const auto stamp = [&] { return file_stamp({{folder.write("a.h", "").string()}, {}}); };
  EXPECT_EQ(within_a_file_tick(stamp), "") << "it may change again and look the same";
}

}  // namespace
}  // namespace kmux
