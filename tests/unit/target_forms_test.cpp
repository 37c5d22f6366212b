#include "kmux/target_forms.h"

#include <gtest/gtest.h>

namespace kmux {
namespace {

constexpr TargetForms kForms = {"toy", "auto and toy", "arch", R"("toy" or "toy:t1")"};

TEST(TargetForms, RefuseOtherKinds) {
  const Error error = unknown_kind({"cuda", "sm_90"}, kForms);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            R"(target "cuda:sm_90" is not one of backend toy (it knows auto and toy). Use "toy" or "toy:t1".)");
}

TEST(TargetForms, RefuseOtherAttributes) {
  const Error error = unknown_attribute("colour", "re\nd", kForms);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            R"(target attribute "colour=re\nd" is not known to backend toy (it knows arch). Remove it.)");
}

}  // namespace
}  // namespace kmux
