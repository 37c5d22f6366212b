#include <gtest/gtest.h>

#include "kmux/plugin/support.h"

namespace kmux {
namespace {

constexpr TargetForms kForms = {"toy", "auto and toy", "arch", R"("toy" or "toy:t1")"};

TEST(TargetFormsTest, RejectUnknownKind) {
  const Error error = unknown_kind({"cuda", "sm_90"}, kForms);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            R"(target "cuda:sm_90" is not one of backend toy (it supports auto and toy). Use "toy" or "toy:t1".)");
}

TEST(TargetFormsTest, RejectUnknownAttribute) {
  const Error error = unknown_attribute("colour", "re\nd", kForms);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            R"(target attribute "colour=re\nd" is unknown to backend toy (it supports arch). Remove it.)");
}

TEST(TargetFormsTest, RequestArchitectureWithoutDevice) {  // C2.5, C3.7
  const Error asked = no_architecture("toy", "toy:t1", make_error(ErrorCode::kUnavailable, "no driver. Install it."));
  EXPECT_EQ(asked.code, ErrorCode::kUnavailable);
  EXPECT_EQ(asked.message,
            R"(target "toy" names no architecture, and no device has one (no driver. Install it). Name one: )"
            R"(--target toy:t1, or target="toy:t1" in code.)");
  const Error other = make_error(ErrorCode::kInvalidArgument, "there is no device 7.");
  EXPECT_EQ(no_architecture("toy", "toy:t1", other).message, "there is no device 7.");
}

}  // namespace
}  // namespace kmux
