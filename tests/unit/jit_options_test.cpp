#include "kmux/jit_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(JitOptionsTest, DefaultToModeOfFunction) {
  EXPECT_EQ(jit_mode(JitMode::kLazy, {}, {}).value(), JitMode::kLazy);
  EXPECT_EQ(jit_mode(JitMode::kEager, {}, {.mode = JitMode::kEager}).value(), JitMode::kEager);
}

TEST(JitOptionsTest, RejectModeContradictingFunction) {
  const Error lazy = jit_mode(JitMode::kLazy, {}, {.mode = JitMode::kEager, .name = "f"}).error();
  EXPECT_EQ(lazy.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(
      lazy.message,
      HasSubstr("jit function \"f\": mode 'eager' contradicts the function (it returns a Program, so it is lazy)"));
  EXPECT_THAT(jit_mode(JitMode::kEager, {}, {.mode = JitMode::kLazy}).error().message,
              HasSubstr("mode 'lazy' contradicts the function (it builds with a JitBuilder, so it is eager)"));
}

TEST(JitOptionsTest, RejectOutIdxInEagerMode) {
  const Error error = jit_mode(JitMode::kEager, {.out_idx = {-1}}, {}).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("out_idx is only supported in lazy mode"),
                                   HasSubstr("Use JitBuilder::empty to declare output tensors instead.")));
  EXPECT_TRUE(jit_mode(JitMode::kLazy, {.out_idx = {-1}}, {}).ok());
}

TEST(JitOptionsTest, NameModes) {
  EXPECT_EQ(to_string(JitMode::kAuto), "auto");
  EXPECT_EQ(to_string(JitMode::kLazy), "lazy");
  EXPECT_EQ(to_string(JitMode::kEager), "eager");
}

}  // namespace
}  // namespace kmux
