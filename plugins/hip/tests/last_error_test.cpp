// ROCm 7 keeps the last error of a thread until it is queried. An error that kmux handles must not be raised again by
// the next check of an application, such as PyTorch's after its own launches. The end of each case of `OverFake` checks
// this, too.
#include <dlfcn.h>

#include "device.h"
#include "over_fake.h"

namespace kmux::hip {
namespace {

using fake_hip::CaptureMode;

class HipLastErrorTest : public OverFake {
 protected:
  void SetUp() override {
    OverFake::SetUp();
    ASSERT_NE(library_, nullptr);
  }
  // Returns a HIP function for calls of an application, independent of kmux.
  template <class Function>
  Function* of_hip(const char* symbol) {
    return reinterpret_cast<Function*>(dlsym(library_, symbol));
  }
  int last_error() { return of_hip<int()>("hipGetLastError")(); }
  DeviceApi& devices = backend.devices();

 private:
  void* const library_ = dlopen(FakeHip::path().c_str(), RTLD_NOW | RTLD_LOCAL);
};

TEST_F(HipLastErrorTest, ApplicationErrorIsPreserved) {
  const auto set_device = of_hip<int(int)>("hipSetDevice");
  EXPECT_EQ(set_device(99), kInvalidDevice);
  devices.free(0, nullptr, devices.allocate(0, nullptr, 16, 0).value());
  const auto adapter = loaded(one_kernel(kAddOne));
  const DeviceVector x(backend, 64);
  launch(*adapter, {slot(x.address()), slot(64)}).value();
  EXPECT_EQ(last_error(), kInvalidDevice) << "success does not overwrite it, nor does kmux";
  EXPECT_EQ(last_error(), kHipSuccess);
}

TEST_F(HipLastErrorTest, IsClearAfterOutOfMemory) {
  EXPECT_FALSE(devices.allocate(0, nullptr, std::size_t{2} << 30, 0).ok());
  EXPECT_EQ(last_error(), kHipSuccess);
}

TEST_F(HipLastErrorTest, IsClearAfterCaptureConflict) {
  void* const stream = devices.stream_create(0).value();
  void* graph = nullptr;
  ASSERT_EQ(fake->begin_capture(stream, CaptureMode::kRelaxed), 0);
  fake->fail("hipStreamIsCapturing", kStreamCaptureImplicit, 1);
  EXPECT_EQ(devices.stream_capture(0, nullptr).value(), DeviceApi::kInTheWay);
  EXPECT_EQ(last_error(), kHipSuccess);
  ASSERT_EQ(fake->end_capture(stream, &graph), 0);
  fake->destroy_graph(graph);
  devices.stream_destroy(0, stream);
}

TEST_F(HipLastErrorTest, IsClearAfterRejectedLaunch) {
  const auto adapter = loaded(one_kernel(kAddOne));
  const DeviceVector x(backend, 64);
  launch(*adapter, {slot(x.address()), slot(64)}).value();
  fake->fail("hipModuleLaunchKernel", kInvalidValue, 1);
  EXPECT_FALSE(launch(*adapter, {slot(x.address()), slot(64)}).ok());
  EXPECT_EQ(last_error(), kHipSuccess);
}

TEST_F(HipLastErrorTest, IsClearAfterFailedLoad) {
  const auto adapter = loaded(one_kernel(kAddOne));
  fake->fail("hipModuleLoadData", kNoBinaryForGpu, 1);
  EXPECT_FALSE(adapter->prepare(0).ok());
  EXPECT_EQ(last_error(), kHipSuccess);
}

TEST_F(HipLastErrorTest, IsClearAfterFailedTableCall) {
  const HipTable& hip = *opened_hip(host).value();
  fake->fail("", kUnknown, 1);
  int device = 0;
  EXPECT_EQ(hip.device_get(&device), kUnknown);
  EXPECT_EQ(last_error(), kHipSuccess);
}

// A "not ready" result is not an error, so an older error is not the call's own.
TEST_F(HipLastErrorTest, NotReadyPreservesApplicationError) {
  const HipTable& hip = *opened_hip(host).value();
  EXPECT_EQ(of_hip<int(int)>("hipSetDevice")(99), kInvalidDevice);
  fake->fail("hipEventElapsedTime", kNotReady, 1);
  float milliseconds = 0;
  EXPECT_EQ(hip.event_elapsed(&milliseconds, nullptr, nullptr), kNotReady);
  EXPECT_EQ(last_error(), kInvalidDevice);
}

}  // namespace
}  // namespace kmux::hip
