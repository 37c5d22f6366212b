#include "kmux/plugin/dependencies.h"

#include <gtest/gtest.h>

#include "../file_tick.h"
#include "../temp_folder.h"

namespace kmux {
namespace {

TEST(DependenciesTest, RoundTripThroughJson) {
  const Dependencies given{.files = {"/usr/include/math.h", "/usr/include/stdint.h"}, .absent = {"/opt/inc/math.h"}};
  EXPECT_EQ(dependencies_from_json(to_json(given)).value(), given);
  EXPECT_EQ(dependencies_from_json(to_json(Dependencies{})).value(), Dependencies{});
  const Dependencies some{.files = {"/usr/include/math.h"}, .complete = false};
  EXPECT_EQ(dependencies_from_json(to_json(some)).value(), some);
}

Dependencies seen(std::vector<std::string> files, std::vector<std::string> absent, std::vector<std::string> passed,
                  std::uint64_t size = 1) {
  Dependencies dependencies{.files = std::move(files), .absent = std::move(absent), .seen = DependencySight{}};
  dependencies.seen->files.resize(dependencies.files.size(), FileIdentity{1, 2, size, -3, 4});
  dependencies.seen->passed = std::move(passed);
  return dependencies;
}

TEST(DependenciesTest, RoundTripWithObservedIdentities) {
  const Dependencies given = seen({"/usr/a.h", "/usr/b.h"}, {"/opt/a.h"}, {"/opt/a.h"});
  const Dependencies read = dependencies_from_json(to_json(given)).value();
  EXPECT_EQ(read, given);
  ASSERT_TRUE(read.seen);
  EXPECT_EQ(read.seen->files, given.seen->files);
  EXPECT_EQ(read.seen->passed, given.seen->passed);
}

TEST(DependenciesTest, MergeObservedIdentities) {
  Dependencies all;
  add(all, seen({"/a.h", "/c.h"}, {"/x.h"}, {"/x.h"}));
  add(all, seen({"/b.h", "/c.h"}, {"/x.h", "/y.h"}, {"/x.h"}));
  EXPECT_EQ(all, (Dependencies{.files = {"/a.h", "/b.h", "/c.h"}, .absent = {"/x.h", "/y.h"}}));
  ASSERT_TRUE(all.seen);
  EXPECT_EQ(all.seen->files.size(), 3U);
  EXPECT_EQ(all.seen->passed, std::vector<std::string>{"/x.h"});
}

TEST(DependenciesTest, AreIncompleteWhenObservationsConflict) {
  for (const Dependencies& other : {seen({"/a.h"}, {"/x.h"}, {"/x.h"}, 2), seen({"/a.h"}, {"/x.h"}, {})}) {
    Dependencies all = seen({"/a.h"}, {"/x.h"}, {"/x.h"});
    add(all, other);
    EXPECT_FALSE(all.complete);
  }
  Dependencies unseen{.files = {"/a.h"}};
  add(unseen, seen({"/a.h"}, {}, {}));
  EXPECT_TRUE(unseen.complete);
  EXPECT_FALSE(unseen.seen);
}

TEST(DependenciesTest, NameTheReasonOfPathsThatAreNotUtf8) {
  const auto read = dependencies_from_json(to_json(Dependencies{{"/tmp/d\xff/v.h"}, {}}));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "a path that the build read is not UTF-8. Give the folder or file another name.");
}

TEST(DependenciesTest, RejectMalformedJson) {
  for (const char* text : {"", "[]", "{}", R"({"files":[],"absent":[1]})", R"({"files":["math.h"],"absent":[]})",
                           R"({"files":[],"absent":[],"more":[]})", R"({"files":[],"absent":[],"complete":true})",
                           R"({"files":["/b","/a"],"absent":[]})", R"({"files":[],"absent":[],"seen":[]})",
                           R"({"files":["/a"],"absent":[],"seen":{"files":[],"passed":[]}})",
                           R"({"files":["/a"],"absent":[],"seen":{"files":["1 2 3 4"],"passed":[]}})",
                           R"({"files":["/a"],"absent":[],"seen":{"files":["1 2 3 4 5 "],"passed":[]}})",
                           R"({"files":[],"absent":[],"seen":{"files":[]}})"}) {
    const auto read = dependencies_from_json(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(FileStampTest, ChangesWithFileOrList) {
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

TEST(FileStampTest, DetectsReplacementOfSameSizeAndTime) {
  const TempFolder folder;
  const std::string header = folder.write("a.h", "1").string();
  next_file_tick();
  const std::string before = file_stamp({{header}, {}});
  copy_mtime(header, folder.write("b.h", "2"));
  std::filesystem::rename(folder.path() / "b.h", header);
  next_file_tick();
  EXPECT_NE(file_stamp({{header}, {}}), before);
}

TEST(FileStampTest, IsEmptyWhenUnreliable) {
  const TempFolder folder;
  EXPECT_EQ(file_stamp({{}, {}, false}), "");
  EXPECT_EQ(file_stamp({{"/nowhere/a.h"}, {}}), "");
  const auto stamp = [&] { return file_stamp({{folder.write("a.h", "").string()}, {}}); };
  EXPECT_EQ(within_a_file_tick(stamp), "") << "it may change again and look the same";
}

}  // namespace
}  // namespace kmux
