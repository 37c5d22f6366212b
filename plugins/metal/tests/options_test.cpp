#include "options.h"

#include <gmock/gmock.h>

#include "fake_host.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;

TEST(MetalOptionsTest, HaveDefaults) { EXPECT_EQ(parse_options({}, FakeHost()).value(), BuildOptions{}); }

TEST(MetalOptionsTest, AreParsedFromText) {
  const BuildOptions options =
      parse_options({{"fast_math", "on"}, {"language_version", "3.1"}, {"function_constants", "a:int=1\n2:bool=true"}},
                    FakeHost())
          .value();
  EXPECT_TRUE(options.fast_math);
  EXPECT_EQ(options.language_version, 0x30001UL);
  EXPECT_THAT(options.function_constants, testing::ElementsAre("a:int=1", "2:bool=true"));
  EXPECT_THAT(to_json(options), HasSubstr("196609"));
}

TEST(MetalOptionsTest, DefaultToHostOptions) {
  FakeHost host;
  host.options["metal.fast_math"] = "on";
  EXPECT_TRUE(parse_options({}, host).value().fast_math);
  EXPECT_FALSE(parse_options({{"fast_math", "off"}}, host).value().fast_math);
}

TEST(MetalOptionsTest, UnknownOptionIsRejectedWithSuggestion) {
  const Error error = parse_options({{"fast_maths", "yes"}}, FakeHost()).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("fast_maths"));
  EXPECT_THAT(error.message, HasSubstr("yes"));
  EXPECT_THAT(error.message, HasSubstr("Did you mean 'fast_math'?"));
}

TEST(MetalOptionsTest, InvalidValuesAreRejected) {
  for (const auto& [name, value] : Options{{"fast_math", "yes"}, {"function_constants", "x"}}) {
    EXPECT_THAT(parse_options({{name, value}}, FakeHost()).error().message, HasSubstr(value));
  }
  for (const char* version : {"3", "3.", "x.1", "3.1x", ""}) {
    EXPECT_EQ(parse_options({{"language_version", version}}, FakeHost()).error().code, ErrorCode::kInvalidArgument)
        << version;
  }
}

}  // namespace
}  // namespace kmux::metal
