#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device.h"

namespace kmux::hip {
namespace {

using testing::HasSubstr;

Result<std::string> no_device() { return make_error(ErrorCode::kUnavailable, "no device was asked for"); }
Result<std::string> a_device() { return std::string("gfx90a"); }

std::string resolved(const char* request) { return to_string(resolve_hip_target(request, no_device).value()); }
Error refusal(const char* request) { return resolve_hip_target(request, no_device).error(); }

TEST(HipTargetTest, HasOneCanonicalForm) {
  for (const char* request : {"hip:gfx942", "gfx942", "rocm:gfx942", "hip -mcpu=gfx942", "HIP:gfx942",
                              R"({"kind":"hip","mcpu":"gfx942","thread_warp_size":64})"}) {
    EXPECT_EQ(resolved(request), "hip:gfx942") << request;
  }
}

TEST(HipTargetTest, QueriesDeviceForMissingArchitecture) {
  for (const char* request : {"", "auto", "hip", "hip:native"}) {
    EXPECT_EQ(to_string(resolve_hip_target(request, a_device).value()), "hip:gfx90a") << request;
    EXPECT_EQ(refusal(request).code, ErrorCode::kUnavailable) << request;
    EXPECT_THAT(refusal(request).message, HasSubstr("Name one: --target hip:gfx942")) << "C2.5: " << request;
  }
}

TEST(HipTargetTest, RejectsOtherTargets) {
  EXPECT_THAT(refusal("cuda:sm_90").message, HasSubstr("\"cuda:sm_90\" is not one of backend hip"));
  EXPECT_THAT(refusal("hip:sm_90").message, HasSubstr("architecture \"sm_90\""));
  EXPECT_THAT(refusal("hip:gfx942,libs=rocblas").message, HasSubstr("\"libs=rocblas\""));
  EXPECT_EQ(refusal("hip:sm_90").code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::hip
