#include "options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"

namespace kmux::cutedsl {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(OptionsTest, HaveDefaults) {
  const BuildOptions options = parse_options({}, FakeHost()).value();
  EXPECT_FALSE(options.graph);
  EXPECT_FALSE(options.line_info);
  EXPECT_EQ(options.opt_level, 3);
  EXPECT_EQ(options.timeout.count(), 600);
}

TEST(OptionsTest, PreferRequestOverHost) {
  FakeHost host;
  host.options = {{"cutedsl.opt_level", "1"}, {"cutedsl.graph", "on"}};
  const Options given = {{"opt_level", "2"}, {"include_dirs", "/a/../b\n/c"}, {"timeout_s", "5"}, {"line_info", "on"}};
  const BuildOptions options = parse_options(given, host).value();
  EXPECT_EQ(options.opt_level, 2);
  EXPECT_TRUE(options.graph);
  EXPECT_TRUE(options.line_info);
  EXPECT_EQ(options.timeout.count(), 5);
  EXPECT_THAT(options.include_dirs, ElementsAre("/b", "/c"));
}

TEST(OptionsTest, RejectUnknownNamesAndInvalidValues) {
  const auto unknown = parse_options({{"opt_levle", "1"}}, FakeHost());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(unknown.error().message, AllOf(HasSubstr("\"opt_levle\" is not known"), HasSubstr("opt_level")));
  EXPECT_THAT(parse_options({{"opt_level", "4"}}, FakeHost()).error().message, HasSubstr("a number from 0 to 3"));
  EXPECT_THAT(parse_options({{"graph", "yes"}}, FakeHost()).error().message, HasSubstr("\"on\" or \"off\""));
  EXPECT_THAT(parse_options({{"timeout_s", "0"}}, FakeHost()).error().message, HasSubstr("from 1 to 86400"));
}

TEST(OptionsTest, ArtifactOptionsChangeIdentity) {
  const auto json = [](const Options& options) { return dump(to_json(parse_options(options, FakeHost()).value())); };
  EXPECT_NE(json({}), json({{"opt_level", "1"}}));
  EXPECT_NE(json({}), json({{"line_info", "on"}}));
  EXPECT_EQ(json({}), json({{"timeout_s", "5"}}));
}

}  // namespace
}  // namespace kmux::cutedsl
