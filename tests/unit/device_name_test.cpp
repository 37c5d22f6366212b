#include <gtest/gtest.h>

#include "kernel/argument_checker.h"

namespace kmux {
namespace {

TEST(DeviceNameTest, FollowsDlpackNames) {
  EXPECT_EQ(to_string(DLDevice{kDLCPU, 0}), "cpu");
  EXPECT_EQ(to_string(DLDevice{kDLCUDA, 1}), "cuda:1");
  EXPECT_EQ(to_string(DLDevice{kDLROCMHost, 0}), "rocm_host:0");
  EXPECT_EQ(to_string(DLDevice{static_cast<DLDeviceType>(31), 3}), "device type 31, ordinal 3");
}

}  // namespace
}  // namespace kmux
