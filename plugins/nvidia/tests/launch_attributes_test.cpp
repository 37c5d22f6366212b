#include <map>

#include "nvidia/launch/kernel_launch.h"
#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

using testing::EndsWith;

class LaunchAttributesTest : public OpenedLauncherTest {
 protected:
  /// Returns the attributes of the last launch, in the fake's notation.
  std::string launched(const kmux_driver_launch& what) {
    EXPECT_EQ(launch(what), KMUX_OK) << error;
    const std::string line = fake.calls("cuLaunchKernelEx").back();
    return line.substr(line.find("attributes [") + 11);
  }
  kmux_driver_launch with_windows(std::vector<kmux_driver_window> windows) {
    windows_ = std::move(windows);
    kmux_driver_launch what = add();
    what.windows = windows_.data();
    what.window_count = static_cast<unsigned>(windows_.size());
    return what;
  }
  static void* address(std::uintptr_t value) { return reinterpret_cast<void*>(value); }

 private:
  std::vector<kmux_driver_window> windows_;
};

TEST_F(LaunchAttributesTest, AreEmptyByDefault) { EXPECT_EQ(launched(add()), "[]"); }

TEST_F(LaunchAttributesTest, IncludeProgrammaticSerializationOnRequest) {
  kmux_driver_launch what = add();
  what.flags = kmux_programmatic_serialization;
  EXPECT_EQ(launched(what), "[programmatic_serialization 1]");
}

TEST_F(LaunchAttributesTest, IncludeCluster) {
  kmux_driver_launch what = add();
  what.cluster[0] = 2, what.cluster[1] = what.cluster[2] = 1;
  EXPECT_EQ(launched(what), "[cluster 2,1,1]");
}

TEST_F(LaunchAttributesTest, CombineClusterAndCooperative) {
  kmux_driver_launch what = add();
  what.cluster[0] = 4, what.cluster[1] = what.cluster[2] = 1;
  what.flags = kmux_cooperative;
  EXPECT_EQ(launched(what), "[cluster 4,1,1; cooperative 1]");
}

TEST_F(LaunchAttributesTest, CombineAllAttributes) {
  facts.window_bytes = 4096;
  kmux_driver_launch what = with_windows({{address(0x1000), 4096, 1}});
  what.cluster[0] = 4, what.cluster[1] = what.cluster[2] = 1;
  what.flags = kmux_cooperative | kmux_programmatic_serialization;
  EXPECT_EQ(launched(what),
            "[window 0x1000 bytes 4096 hit 1 persisting else streaming; cluster 4,1,1; cooperative 1; "
            "programmatic_serialization 1]");
}

TEST_F(LaunchAttributesTest, IncludeWindow) {
  facts.window_bytes = 4096;
  EXPECT_EQ(launched(with_windows({{address(0x1000), 4096, 0.5}})),
            "[window 0x1000 bytes 4096 hit 0.5 persisting else streaming]");
  EXPECT_THAT(logs, IsEmpty());
}

// C2.18: the smaller of the device's largest window and its persisting limit.
TEST_F(LaunchAttributesTest, ClampWindowToPersistingLimitAndReportOnce) {
  fake_cuda::Device device;
  device.max_window_bytes = 1 << 20;
  device.max_persisting_l2_bytes = 512 << 10;
  fake.set_devices({device});
  facts.window_bytes = 1;
  const kmux_driver_launch what = with_windows({{address(0x1000), (512 << 10) + 1, 0.5}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(launched(what), "[window 0x1000 bytes 524288 hit 0.5 persisting else streaming]");
  }
  EXPECT_THAT(logs, ElementsAre("\"sum\": an L2 window of 524289 bytes is cut to 524288 (the most that may persist on "
                                "device 0)."));
}

TEST_F(LaunchAttributesTest, ClampWindowToMaximumWindowSize) {
  fake_cuda::Device device;
  device.max_window_bytes = 256 << 10;
  device.max_persisting_l2_bytes = 512 << 10;
  fake.set_devices({device});
  facts.window_bytes = 1;
  EXPECT_EQ(launched(with_windows({{address(0x1000), 512 << 10, 0.5}})),
            "[window 0x1000 bytes 262144 hit 0.5 persisting else streaming]");
}

TEST_F(LaunchAttributesTest, UseLargestWindowAndReportOnce) {
  facts.window_bytes = 8192;
  const kmux_driver_launch what =
      with_windows({{address(0x1000), 4096, 0.5}, {address(0x8000), 8192, 1}, {address(0x4000), 1024, 1}});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(launched(what), "[window 0x8000 bytes 8192 hit 1 persisting else streaming]");
  }
  EXPECT_THAT(logs,
              ElementsAre("\"sum\": 2 L2 windows of 5120 bytes have no effect (a launch has one window, and takes "
                          "its largest)."));
}

TEST_F(LaunchAttributesTest, OmitEmptyWindow) {
  facts.window_bytes = 1;
  EXPECT_EQ(launched(with_windows({{address(0x1000), 0, 1}})), "[]");
  EXPECT_THAT(logs, IsEmpty());
}

TEST_F(LaunchAttributesTest, OmitWindowsOnUnsupportedDevice) {
  fake_cuda::Device device;
  device.max_window_bytes = 0;
  device.max_persisting_l2_bytes = 0;
  fake.set_devices({device});
  facts.window_bytes = 4096;
  EXPECT_EQ(launched(with_windows({{address(0x1000), 4096, 1}})), "[]");
  EXPECT_THAT(logs, ElementsAre(EndsWith("is cut to 0 (the most that may persist on device 0).")));
  EXPECT_THAT(fake.calls("cuCtxGetLimit"), IsEmpty());
  EXPECT_THAT(fake.calls("cuCtxSetLimit"), IsEmpty());
}

// As under MPS, where the administrator sets the limit, and with a driver without the limit.
TEST_F(LaunchAttributesTest, OmitWindowsWhenPersistingLimitIsUnavailable) {
  for (const auto& [call, code] : std::map<std::string, CUresult>{{"cuCtxSetLimit", CUDA_ERROR_NOT_SUPPORTED},
                                                                  {"cuCtxGetLimit", CUDA_ERROR_UNSUPPORTED_LIMIT}}) {
    close();
    logs.clear();
    facts.window_bytes = 4096;
    fake.fail(call, code);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(launched(with_windows({{address(0x1000), 4096, 1}})), "[]") << call;
    EXPECT_THAT(logs,
                ElementsAre(testing::StartsWith("\"sum\" is launched without its L2 windows on device 0 (" + call)));
  }
}

TEST_F(LaunchAttributesTest, BrokenContextFailsPreparationOfWindows) {
  facts.window_bytes = 4096;
  fake.fail("cuCtxSetLimit", CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(error, HasSubstr("cuCtxSetLimit failed with 719"));
  EXPECT_THAT(error, HasSubstr("4096 bytes of persisting L2 cache of device 0"));
}

}  // namespace
}  // namespace kmux::nvidia
