#include "named_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::bridge {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// Returns the message of the TypeError that reading `values` raises.
std::string refusal(const NamedValues& values) {
  try {
    compile_options(values);
  } catch (const ffi::Error& error) {
    EXPECT_EQ(error.kind(), "TypeError");
    return error.message();
  }
  return "nothing was thrown";
}

TEST(NamedValuesTest, SetEveryKindOfField) {
  const CompileOptions options = compile_options({{"target", ffi::String("cpu")},
                                                  {"out_idx", ffi::Array<std::int64_t>{-1, 0}},
                                                  {"verbose", true},
                                                  {"device", 1},
                                                  {"use_cache", false},
                                                  {"compile_timeout", 1.5},
                                                  {"compile_flags", ffi::Array<ffi::String>{"-a", "-b"}}});
  EXPECT_EQ(options.target, "cpu");
  EXPECT_THAT(options.out_idx, ElementsAre(-1, 0));
  EXPECT_EQ(options.verbose, true);
  EXPECT_EQ(options.device, 1);
  EXPECT_FALSE(options.use_cache);
  EXPECT_EQ(options.compile_timeout_s, 1.5);
  EXPECT_THAT(options.compile_flags, ElementsAre("-a", "-b"));
}

TEST(NamedValuesTest, ConvertBackendOptionsToText) {
  const NamedValues inner{{"engine", ffi::String("host")}, {"level", 3}, {"fast", true}};
  EXPECT_THAT(compile_options({{"options", inner}}).options,
              ElementsAre(Pair("engine", "host"), Pair("fast", "true"), Pair("level", "3")));
}

TEST(NamedValuesTest, NullKeepsDefault) {
  const NamedValues values{{"use_cache", nullptr}, {"target", nullptr}, {"device", nullptr}};
  EXPECT_EQ(compile_options(values), CompileOptions{});
}

TEST(NamedValuesTest, AcceptIntegerSeconds) { EXPECT_EQ(par_settings({{"timeout", 2}}).timeout, milliseconds(2000)); }

TEST(NamedValuesTest, SuggestNameForUnknownOption) {
  EXPECT_THAT(refusal({{"execution_backnd", ffi::String("cpu")}}), HasSubstr("Did you mean 'execution_backend'?"));
}

TEST(NamedValuesTest, RejectWrongTypes) {
  EXPECT_THAT(refusal({{"target", 3}}), HasSubstr("option 'target' is an int that is not a string"));
  EXPECT_THAT(refusal({{"device", 1.5}}), HasSubstr("is not an int"));
  EXPECT_THAT(refusal({{"device", std::int64_t{1} << 40}}), HasSubstr("is not an int"));
  EXPECT_THAT(refusal({{"verbose", 1}}), HasSubstr("is not a bool"));
  EXPECT_THAT(refusal({{"compile_timeout", 1e30}}), HasSubstr("is not a number of seconds"));
  EXPECT_THAT(refusal({{"compile_flags", ffi::Array<std::int64_t>{1}}}), HasSubstr("is not a list of strings"));
  EXPECT_THAT(refusal({{"options", ffi::Array<std::int64_t>{}}}), HasSubstr("is not a dict of strings"));
}

TEST(NamedValuesTest, RejectNegativeMemoryBudget) { EXPECT_THROW(par_settings({{"memory_budget", -1}}), ffi::Error); }

TEST(NamedValuesTest, ResolveRejectsUnsupportedOptions) {
  EXPECT_EQ(resolve_options({{"policy", ffi::String("pinned")}}).policy, Policy::kPinned);
  EXPECT_EQ(resolve_options({{"policy", ffi::String("")}}).policy, std::nullopt);
  EXPECT_THROW(resolve_options({{"policy", ffi::String("pined")}}), ffi::Error);
  EXPECT_THROW(resolve_options({{"isolation", ffi::String("thread")}}), ffi::Error);
  EXPECT_THROW(resolve_options({{"out_idx", ffi::Array<std::int64_t>{0}}}), ffi::Error);
}

}  // namespace
}  // namespace kmux::bridge
