#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"
#include "nvidia/device.h"

namespace kmux::nvidia {
namespace {

TEST(HostLogTest, ReceivesLaunchLayerReports) {
  FakeHost fake;
  const Host host = fake;
  report(log_to(host), kLogWarning, "only %d bytes", 7);
  EXPECT_THAT(fake.log, testing::HasSubstr("only 7 bytes"));
}

TEST(HostLogTest, ShowsRangesOnRequest) {
  FakeHost host;
  EXPECT_FALSE(shows_ranges(host));
  for (const char* off : {"0", "off", "no", "False", ""}) {
    host.options["nvidia.nvtx"] = off;
    EXPECT_FALSE(shows_ranges(host)) << off;
  }
  host.options["nvidia.nvtx"] = "1";
  EXPECT_TRUE(shows_ranges(host));
}

TEST(HostLogTest, BlocksLaunchesOnRequest) {
  FakeHost host;
  EXPECT_FALSE(blocks_launches(host));
  host.options["nvidia.launch_blocking"] = "0";
  EXPECT_FALSE(blocks_launches(host));
  host.options["nvidia.launch_blocking"] = "1";
  EXPECT_TRUE(blocks_launches(host));
}

TEST(HostLogTest, TakesUnknownSwitchValueForOff) {
  FakeHost host;
  host.options["nvidia.launch_blocking"] = "ja";
  EXPECT_FALSE(blocks_launches(host));
  EXPECT_THAT(host.log, testing::HasSubstr("option \"nvidia.launch_blocking\" is \"ja\", which counts as \"off\""));
}

}  // namespace
}  // namespace kmux::nvidia
