#include "kmux/dependencies.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kmux
