#include "tensor/device_memory.h"

#include <thread>

#include <gmock/gmock.h>

#include "kmux/kernel.h"
#include "kmux/log.h"
#include "kmux/tensor.h"

#include "in_process_plugin.h"
#include "tensor/thread_stream.h"

namespace kmux {
namespace {

using ::testing::HasSubstr;

StreamRef stream(std::uintptr_t handle) { return {reinterpret_cast<void*>(handle)}; }

// Device memory that records the order of its operations.
class DeviceMemoryTest : public ::testing::Test {
 protected:
  Tensor tensor(std::uintptr_t on) { return Tensor::empty({4}, dtype::kInt32, device, stream(on)).value(); }
  std::string take() { return std::exchange(devices().order, ""); }
  InProcessDevices& devices() { return plugin->devices(); }
  void capture(std::uintptr_t on, std::uint64_t id) { devices().captures[stream(on).handle] = id; }

  Shared<InProcessPlugin> plugin = Shared<InProcessPlugin>::make(kDLCUDA);
  Device device{plugin, 0};
};

TEST_F(DeviceMemoryTest, IsFreedOnItsAllocationStream) {
  tensor(16);
  EXPECT_EQ(take(), "allocate on 16; free on 16; ");
  tensor(0);
  EXPECT_EQ(take(), "allocate on 0; free on 0; ");
}

TEST_F(DeviceMemoryTest, CopiesBetweenBackendsUseEachBackendsStream) {
  const auto other = Shared<InProcessPlugin>::make(kDLROCM);
  const Tensor source = tensor(16);
  take();
  const Tensor copy = source.to(Device(other, 0), stream(32)).value();
  EXPECT_EQ(take(), "host waits for 0; ");
  EXPECT_EQ(std::exchange(other->devices().order, ""), "allocate on 32; host waits for 32; ");
}

TEST_F(DeviceMemoryTest, IsFreedAfterAllStreamsThatUsedIt) {
  {
    const Tensor x = tensor(16);
    x.used_on(stream(16)).value();
    x.used_on(stream(32)).value();
    x.used_on(stream(48)).value();
    EXPECT_EQ(take(), "allocate on 16; record on 32; record on 48; ");
  }
  EXPECT_EQ(take(), "16 waits; 16 waits; free on 16; ");
}

// A handle may belong to a newer stream, which then must wait for the event of the older one.
TEST_F(DeviceMemoryTest, UsesOneEventPerStreamHandle) {
  {
    const Tensor x = tensor(16);
    x.used_on(stream(32)).value();
    x.used_on(stream(32)).value();
    EXPECT_EQ(take(), "allocate on 16; record on 32; 32 waits; record on 32; ");
  }
  EXPECT_EQ(take(), "16 waits; free on 16; ");
}

// Handle 2 is the per-thread default stream, a different stream in each thread. The legacy default stream waits for all
// of them.
TEST_F(DeviceMemoryTest, IsFreedOnDefaultStreamByAnotherThread) {
  for (const std::uintptr_t handle : {2, 16}) {
    Tensor x = tensor(handle);
    std::thread([&] { x = Tensor(); }).join();
  }
  tensor(2);
  EXPECT_EQ(take(), "allocate on 2; free on 0; allocate on 16; free on 16; allocate on 2; free on 2; ");
}

// The handle of the per-thread default stream is a different stream in each thread.
TEST_F(DeviceMemoryTest, IsFreedAfterUseOnDefaultStreamOfAnotherThread) {
  {
    const Tensor x = tensor(2);
    x.used_on(stream(2)).value();
    EXPECT_EQ(take(), "allocate on 2; ");
    std::thread([&] { x.used_on(stream(2)).value(); }).join();
    EXPECT_EQ(take(), "record on 2; ");
  }
  EXPECT_EQ(take(), "2 waits; free on 2; ");
}

TEST(SoleStreamTest, IsNeverPerThreadDefaultStream) {
  SoleStream sole;
  sole.add(stream(2).handle);
  EXPECT_TRUE(sole.may_differ_from(stream(2).handle));
}

TEST_F(DeviceMemoryTest, KeepsOwnedStreamsAlive) {
  Shared<void> allocated(this, [](void*) {});
  Shared<void> used(&device, [](void*) {});
  {
    const Tensor x = Tensor::empty({4}, dtype::kInt32, device, {this, &allocated}).value();
    x.used_on({&device, &used}).value();
    EXPECT_EQ(allocated.use_count(), 2);
    EXPECT_EQ(used.use_count(), 2);
  }
  EXPECT_EQ(allocated.use_count(), 1);
  EXPECT_EQ(used.use_count(), 1);
}

TEST_F(DeviceMemoryTest, RecordsKernelLaunchOnAnotherStream) {
  const auto parts = fake_parts(fake_signature({buffer_param("x", dtype::kInt32, {Expr::symbol("n")})}), {}, kDLCUDA);
  const Kernel kernel = make_kernel(parts).value();
  auto& order = static_cast<InProcessPlugin&>(*parts.plugin).devices().order;
  {
    const Tensor x = Tensor::empty({4}, dtype::kInt32, kernel.device(), stream(16)).value();
    kernel.launch({x}, stream(16)).value();
    EXPECT_EQ(std::exchange(order, ""), "allocate on 16; ");
    kernel.launch({x}, stream(32)).value();
    EXPECT_EQ(std::exchange(order, ""), "record on 32; ");
  }
  EXPECT_EQ(order, "16 waits; free on 16; ");
}

TEST_F(DeviceMemoryTest, IsRecognizedThroughDlpack) {
  const auto parts = fake_parts(fake_signature({buffer_param("x", dtype::kInt32, {Expr::symbol("n")})}), {}, kDLCUDA);
  const Kernel kernel = make_kernel(parts).value();
  auto& order = static_cast<InProcessPlugin&>(*parts.plugin).devices().order;
  {
    const Tensor x = Tensor::empty({4}, dtype::kInt32, kernel.device(), stream(16)).value();
    auto* const first = x.to_dlpack_versioned();
    auto* const second = x.to_dlpack();
    second->deleter(second);
    DLTensor view = first->dl_tensor;
    std::int64_t extent = 2;
    view.shape = &extent;
    view.data = static_cast<int*>(view.data) + 2;
    view.strides = nullptr;
    order.clear();
    kernel.launch({&view}, stream(32)).value();  // uses only its second half
    EXPECT_EQ(std::exchange(order, ""), "record on 32; ");
    const Tensor back = Tensor::from_dlpack(first).value();
    back.used_on(stream(48)).value();
    EXPECT_EQ(std::exchange(order, ""), "record on 48; ");
  }
  EXPECT_EQ(order, "16 waits; 16 waits; free on 16; ");
}

TEST_F(DeviceMemoryTest, RejectsRecordingUseOfForeignMemory) {
  int number = 0;
  const Tensor x = Tensor::borrow(&number, {1}, dtype::kInt32, device);
  EXPECT_EQ(x.used_on(stream(32)).error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(x.used_on(stream(32)).error().message, HasSubstr("Record the use with the library that made it"));
  EXPECT_TRUE(Tensor::empty({1}, dtype::kInt32).value().used_on(stream(32)).ok());
  EXPECT_TRUE(Tensor().used_on(stream(32)).ok());
}

// A graph can only free its own allocations.
TEST_F(DeviceMemoryTest, IsFreedAfterCaptureEnds) {
  {
    const Tensor x = tensor(16);
    x.used_on(stream(32)).value();
    take();
    capture(16, 7);
  }
  tensor(64);
  EXPECT_EQ(take(), "allocate on 64; free on 64; ");
  capture(16, 0);
  const Tensor next = tensor(64);
  EXPECT_EQ(take(), "16 waits; free on 16; allocate on 64; ");
  EXPECT_EQ(devices().live, 1);
}

TEST_F(DeviceMemoryTest, IsFreedByGraphThatAllocatedIt) {
  capture(16, 7), capture(32, 7);
  {
    const Tensor x = tensor(16);
    x.used_on(stream(32)).value();
  }
  EXPECT_EQ(take(), "allocate on 16; record on 32; 16 waits; free on 16; ");
}

TEST_F(DeviceMemoryTest, BelongsToGraphAfterCapture) {
  for (const std::uint64_t later : {0, 8}) {
    capture(16, 7);
    {
      const Tensor x = tensor(16);
      capture(16, later);
    }
    EXPECT_EQ(take(), "allocate on 16; ") << later;
  }
}

// A graph may be launched at any later time, so the owner of the graph must keep the memory.
TEST_F(DeviceMemoryTest, IsNotKeptAliveByCapture) {
  capture(32, 7);
  {
    const Tensor x = tensor(16);
    x.used_on(stream(32)).value();
  }
  EXPECT_EQ(take(), "allocate on 16; free on 16; ");
}

TEST_F(DeviceMemoryTest, FallsBackToHostWait) {
  std::string logged;
  set_log_sink(LogLevel::kWarning, [&](LogLevel, std::string_view text) { logged += text; });
  {
    const Tensor x = tensor(16);
    devices().records = make_error(ErrorCode::kLaunchFailed, "no event. Wait.");
    EXPECT_FALSE(x.used_on(stream(32)).ok());
    EXPECT_EQ(take(), "allocate on 16; record on 32; host waits for 32; ");
    devices().records = Ok{};
    x.used_on(stream(48)).value();
    take();
    devices().waits = make_error(ErrorCode::kLaunchFailed, "no wait. Wait.");
  }
  EXPECT_EQ(take(), "16 waits; host waits for an event; 16 waits; host waits for an event; free on 16; ");
  EXPECT_THAT(logged, HasSubstr("freeing memory of a device: no wait. Wait."));
  set_log_sink(LogLevel::kWarning, nullptr);
}

TEST_F(DeviceMemoryTest, RejectsCopiesDuringCapture) {
  const Tensor host = Tensor::zeros({4}, dtype::kInt32).value();
  capture(16, 7);
  const auto copied = host.to(device, stream(16));
  ASSERT_FALSE(copied.ok());
  EXPECT_THAT(copied.error().message, HasSubstr("on a stream that is captured"));
  EXPECT_FALSE(Tensor::zeros({4}, dtype::kInt32, device, stream(16)).ok());
}

}  // namespace
}  // namespace kmux
