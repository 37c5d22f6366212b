#include "kmux/plugin/option_readers.h"

#include <array>
#include <chrono>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array<std::string_view, 3> kSizes = {"small", "medium", "large"};
enum class Size { kSmall, kMedium, kLarge };

struct Read {
  bool loud = false;
  std::string name = "none";
  int count = 7;
  std::chrono::seconds wait{1};
  Size size = Size::kMedium;
  std::vector<std::string> places = {};
  std::vector<std::string> flags = {};
};

Status check_flags(const std::vector<std::string>& flags) {
  if (!flags.empty() && flags.front() == "-o") return make_error(ErrorCode::kInvalidArgument, "-o is not allowed");
  return Ok{};
}

class OptionReadersTest : public testing::Test {
 protected:
  Status read(const Options& options) {
    const OptionReaders readers = {{"count", whole_number(result.count, {-2, 64})},
                                   {"flags", lines(result.flags, check_flags)},
                                   {"loud", on_or_off(result.loud)},
                                   {"name", any_text(result.name)},
                                   {"places", folders(result.places)},
                                   {"size", one_of(result.size, kSizes)},
                                   {"wait", whole_number(result.wait, {1, 60})}};
    return read_options("toy", options, host, readers);
  }
  std::string refusal(const Options& options) {
    const Status status = read(options);
    if (status) return "it worked";
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    return status.error().message;
  }
  FakeHost host;
  Read result;
};

TEST_F(OptionReadersTest, ReadEachKind) {
  ASSERT_TRUE(read({{"count", "-2"},
                    {"flags", "-a b\n\n-c"},
                    {"loud", "on"},
                    {"name", "a b"},
                    {"places", "/a b\n\n/c/../d"},
                    {"size", "large"},
                    {"wait", "60"}}));
  EXPECT_EQ(result.count, -2);
  EXPECT_THAT(result.flags, ElementsAre("-a b", "-c"));
  EXPECT_TRUE(result.loud);
  EXPECT_EQ(result.name, "a b");
  EXPECT_THAT(result.places, ElementsAre("/a b", "/d"));
  EXPECT_EQ(result.size, Size::kLarge);
  EXPECT_EQ(result.wait, std::chrono::minutes(1));
}

TEST_F(OptionReadersTest, KeepDefaultsOfMissingOptions) {
  host.options["other.count"] = "1";
  ASSERT_TRUE(read({}));
  EXPECT_EQ(result.count, 7);
  EXPECT_EQ(result.name, "none");
  EXPECT_EQ(result.size, Size::kMedium);
}

TEST_F(OptionReadersTest, FallBackToHostOptions) {
  host.options = {{"toy.count", "3"}, {"toy.name", "host"}};
  ASSERT_TRUE(read({{"name", "request"}}));
  EXPECT_EQ(result.count, 3);
  EXPECT_EQ(result.name, "request");
}

TEST_F(OptionReadersTest, ResolveFoldersAgainstWorkingDirectory) {
  ASSERT_TRUE(read({{"places", "here"}}));
  EXPECT_THAT(result.places, ElementsAre((std::filesystem::current_path() / "here").string()));
}

TEST_F(OptionReadersTest, ReportUnknownOptionWithKnownOnes) {
  EXPECT_EQ(refusal({{"counts", "1\n2"}}),
            "option \"counts\" is not known (given as \"1\\n2\"; backend toy has count, flags, loud, name, places, "
            "size, wait). Did you mean 'count'? Correct or remove it.");
}

TEST_F(OptionReadersTest, ReportBackendWithoutOptions) {
  const Status status = read_options("toy", {{"x", ""}}, host, {});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("backend toy has none)"));
}

TEST_F(OptionReadersTest, ReadNothingIfOneNameIsUnknown) {
  EXPECT_FALSE(read({{"count", "1"}, {"zest", ""}}));
  EXPECT_EQ(result.count, 7);
}

TEST_F(OptionReadersTest, RejectInvalidValuesAndListValidOnes) {
  EXPECT_EQ(refusal({{"loud", "yes"}}), "option \"loud\" cannot be \"yes\" (backend toy). Use \"on\" or \"off\".");
  EXPECT_EQ(refusal({{"size", ""}}),
            "option \"size\" cannot be \"\" (backend toy). Use \"small\", \"medium\" or \"large\".");
  for (const char* value : {"", "-3", "65", "64 ", " 1", "x", "1e1", "99999999999999999999"}) {
    EXPECT_THAT(refusal({{"count", value}}), HasSubstr("Use a number from -2 to 64.")) << value;
  }
  EXPECT_EQ(result.count, 7);
}

TEST_F(OptionReadersTest, DiscardRejectedList) {
  EXPECT_EQ(refusal({{"flags", "-o\n-a"}}), "-o is not allowed");
  EXPECT_THAT(result.flags, testing::IsEmpty());
}

TEST_F(OptionReadersTest, RejectInvalidHostValues) {
  host.options["toy.wait"] = "0";
  EXPECT_THAT(refusal({}), HasSubstr("option \"wait\" cannot be \"0\""));
}

}  // namespace
}  // namespace kmux
