#include "nvidia/launch/device_state.h"

#include <thread>

#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

class DeviceStateTest : public OpenedLauncherTest {
 protected:
  std::vector<std::string> raised() { return fake.calls("cuKernelSetAttribute"); }
  kmux_driver_launch add_with(unsigned long long smem) {
    kmux_driver_launch what = add();
    what.dynamic_smem_bytes = smem;
    return what;
  }
};

TEST_F(DeviceStateTest, DoesNotRaiseSharedMemoryUpTo48KiB) {
  kernels[0].dynamic_smem_bytes = 48 * 1024;
  EXPECT_EQ(launch(add_with(48 * 1024)), KMUX_OK) << error;
  EXPECT_THAT(raised(), IsEmpty());
}

TEST_F(DeviceStateTest, RaisesConstantMaximumOnce) {
  kernels[0].dynamic_smem_bytes = 100000;
  warm();
  EXPECT_EQ(launch(add_with(100000)), KMUX_OK) << error;
  EXPECT_EQ(launch(add_with(200)), KMUX_OK) << error;
  EXPECT_THAT(raised(), IsEmpty());
}

TEST_F(DeviceStateTest, RaisesConstantMaximumInPrepare) {
  kernels[0].dynamic_smem_bytes = 100000;
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(raised(), ElementsAre("cuKernelSetAttribute add attribute 8 value 100000 device 0"));
}

TEST_F(DeviceStateTest, RaisesWhenStaticAndDynamicExceed48KiB) {
  fake.set_static_shared("add", 1024);
  warm();
  EXPECT_EQ(launch(add_with(47 * 1024)), KMUX_OK) << error;
  EXPECT_THAT(raised(), IsEmpty());
  EXPECT_EQ(launch(add_with(47 * 1024 + 1)), KMUX_OK) << error;
  EXPECT_THAT(raised(), ElementsAre("cuKernelSetAttribute add attribute 8 value 48129 device 0"));
}

TEST_F(DeviceStateTest, RaisesToRequestedSizeOnly) {
  fake.set_static_shared("add", 32000);
  warm();
  EXPECT_EQ(launch(add_with(49152 - 32000)), KMUX_OK) << error;
  EXPECT_THAT(raised(), IsEmpty());
  EXPECT_EQ(launch(add_with(20000)), KMUX_OK) << error;
  EXPECT_THAT(raised(), ElementsAre("cuKernelSetAttribute add attribute 8 value 20000 device 0"));
}

TEST_F(DeviceStateTest, RaisesAtLaunchForComputedSizes) {
  warm();
  for (const unsigned bytes : {50000U, 60000U, 60000U, 50000U}) EXPECT_EQ(launch(add_with(bytes)), KMUX_OK) << error;
  EXPECT_THAT(raised(), ElementsAre("cuKernelSetAttribute add attribute 8 value 50000 device 0",
                                    "cuKernelSetAttribute add attribute 8 value 60000 device 0"));
}

TEST_F(DeviceStateTest, RaisesForEachDevice) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  EXPECT_EQ(launch(add_with(50000), 0), KMUX_OK) << error;
  EXPECT_EQ(launch(add_with(60000), 1), KMUX_OK) << error;
  EXPECT_THAT(raised(), ElementsAre("cuKernelSetAttribute add attribute 8 value 50000 device 0",
                                    "cuKernelSetAttribute add attribute 8 value 60000 device 1"));
}

TEST_F(DeviceStateTest, NeverLowersMaximumRaisedByOtherThread) {
  warm();
  const auto raise = [&](unsigned bytes) {
    WrittenText text;
    const kmux_driver_launch what = add_with(bytes);
    const kmux_launch_env env = {sizeof env, 0, nullptr, nullptr, bytes, 0};
    const auto body = [&](const kmux_driver_env& inner, kmux_sink s) { return inner.driver->launch(&inner, &what, s); };
    for (int i = 0; i < 50; ++i) EXPECT_EQ(launcher().call(env, text.sink(), body), KMUX_OK) << text.text;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) threads.emplace_back(raise, 50000 + i * 1000);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(DeviceStateTest, RejectsSharedMemoryBeyondDeviceLimit) {
  fake.set_static_shared("add", 1000);
  warm();
  EXPECT_EQ(launch(add_with(232448 - 999)), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(
      error,
      "kernel \"add\" requests 231449 bytes of dynamic shared memory (device 0 has 231448 for it: 232448 a block, "
      "less 1000 static ones). Use smaller tiles or another device.");
  EXPECT_EQ(launch(add_with(~0ULL)), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(launch(add_with(232448 - 1000)), KMUX_OK) << error;
}

TEST_F(DeviceStateTest, RejectsOversizedConstantInPrepare) {
  kernels[1].dynamic_smem_bytes = 300000;
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, AllOf(HasSubstr("\"mul\" requests 300000"), HasSubstr("232448")));
}

TEST_F(DeviceStateTest, RejectsBlockBeyondKernelLimit) {
  fake.set_most_threads("add", 256);
  warm();
  kmux_driver_launch what = add();
  what.block[0] = 64, what.block[1] = 2, what.block[2] = 2;
  EXPECT_EQ(launch(what), KMUX_OK) << error;
  fake.clear_calls();
  what.block[2] = 3;
  EXPECT_EQ(launch(what), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(error,
            "kernel \"add\" is launched with blocks of 64 x 2 x 3 threads (on device 0 its code is for at most 256 a "
            "block, by its registers and __launch_bounds__). Use smaller blocks, or raise __launch_bounds__.");
  what.block[0] = what.block[1] = what.block[2] = 0x7fffffff;  // their product overflows 64 bits
  EXPECT_EQ(launch(what), KMUX_INVALID_ARGUMENT);
  what.block[0] = 1 << 16, what.block[1] = 1 << 16, what.block[2] = 1;
  EXPECT_EQ(launch(what), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(launch(add()), KMUX_OK) << error;
}

TEST_F(DeviceStateTest, RejectsOversizedCooperativeBlock) {
  fake.set_most_threads("add", 64);
  warm();
  kmux_driver_launch what = add();
  what.flags = kmux_cooperative;
  EXPECT_EQ(launch(what), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("at most 64 a block"));
}

TEST_F(DeviceStateTest, SetsChosenCarveoutForEveryKernel) {
  facts.shared_carveout = 50;
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(raised(), ElementsAre("cuKernelSetAttribute add attribute 9 value 50 device 0",
                                    "cuKernelSetAttribute mul attribute 9 value 50 device 0"));
}

TEST_F(DeviceStateTest, AllowsLargeClustersOnlyWhereNeeded) {
  kernels[1].large_cluster = true;
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(raised(), ElementsAre("cuKernelSetAttribute mul attribute 14 value 1 device 0"));
}

TEST_F(DeviceStateTest, QueriesNoWindowLimitsWithoutWindows) {
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuDeviceGetAttribute").size(), 1U);
  EXPECT_THAT(fake.symbols(), Not(Contains("cuCtxGetLimit")));
}

TEST_F(DeviceStateTest, RaisesPersistingLimitToLargestWindow) {
  facts.window_bytes = 1 << 20;
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuCtxSetLimit"), ElementsAre("cuCtxSetLimit limit 6 value 1048576"));
}

TEST_F(DeviceStateTest, RaisesPersistingLimitToMaximumForComputedWindow) {
  facts.window_bytes = 1;
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuCtxSetLimit"), ElementsAre("cuCtxSetLimit limit 6 value 33554432"));
}

TEST_F(DeviceStateTest, ClampsPersistingLimitToDeviceMaximum) {
  facts.window_bytes = 1ULL << 40;
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuCtxSetLimit"), ElementsAre("cuCtxSetLimit limit 6 value 33554432"));
}

TEST_F(DeviceStateTest, NeverLowersPersistingLimit) {
  facts.window_bytes = 2 << 20;
  warm();
  facts.window_bytes = 1 << 20;
  Launcher smaller("code", facts, Log{});
  EXPECT_EQ(smaller.prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), Contains("cuCtxGetLimit"));
  EXPECT_THAT(fake.symbols(), Not(Contains("cuCtxSetLimit")));
}

}  // namespace
}  // namespace kmux::nvidia
