#include <array>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/sink.h"

#include "fake_cuda.h"
#include "nvidia/device.h"

namespace kmux::nvidia {
namespace {

using fake_cuda::Device;
using fake_cuda::Live;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class DevicesTest : public testing::Test {
 protected:
  FakeCuda fake = FakeCuda::load();
  static const DriverTable& driver() { return *open_driver(discard()); }
  std::vector<std::string> logged;
  kmux_host_api api{sizeof api, 0, 0, this, nullptr, &log, nullptr, nullptr};
  Devices own{Host(&api)};
  DeviceApi& devices = own;

 private:
  static void log(void* self, std::int32_t, kmux_bytes text) {
    static_cast<DevicesTest*>(self)->logged.emplace_back(text.data, text.size);
  }
};

TEST_F(DevicesTest, ReportsPropertiesWithoutContext) {
  EXPECT_EQ(devices.count().value(), 1);
  const Json properties = devices.properties(0).value();
  EXPECT_EQ(*properties.find("name")->as_string(), "Fake H200");
  EXPECT_EQ(*properties.find("arch")->as_string(), "sm_90a");
  EXPECT_EQ(*properties.find("compute_capability")->as_string(), "9.0");
  EXPECT_EQ(*properties.find("memory_bytes")->as_integer(), 1 << 30);
  EXPECT_EQ(*properties.find("multiprocessors")->as_integer(), 132);
  EXPECT_EQ(*properties.find("l2_bytes")->as_integer(), 50 << 20);
  EXPECT_EQ(*properties.find("shared_memory_bytes_per_block")->as_integer(), 232448);
  EXPECT_EQ(*properties.find("driver_version")->as_string(), "13.0");
  EXPECT_EQ(*properties.find("pci")->as_string(), "0000:1b:00");
  EXPECT_EQ(fake.live(), Live{});
}

TEST_F(DevicesTest, RejectsUnknownOrdinals) {
  EXPECT_EQ(devices.properties(1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(devices.properties(1).error().message,
              HasSubstr("cuDeviceGet failed with 101 CUDA_ERROR_INVALID_DEVICE (invalid device ordinal; device 1)"));
  EXPECT_THAT(devices.allocate(-1, nullptr, 8, 8).error().message, HasSubstr("device -1 is out of range"));
  EXPECT_EQ(devices.allocate(1, nullptr, 8, 8).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(DevicesTest, AllocatesFromPoolInStreamOrder) {
  void* memory = devices.allocate(0, reinterpret_cast<void*>(2), 1000, 256).value();
  devices.free(0, reinterpret_cast<void*>(2), memory);
  const std::string address = fake.calls("cuMemFreeAsync").at(0).substr(15, 14);
  EXPECT_THAT(fake.calls("cuMemAllocFromPoolAsync"),
              ElementsAre("cuMemAllocFromPoolAsync bytes 1000 pool 0x8000000 stream 0x2 -> " + address));
  EXPECT_THAT(fake.calls("cuMemPoolSetAttribute"),
              ElementsAre("cuMemPoolSetAttribute pool 0x8000000 attribute 4 value 18446744073709551615"));
  devices.free(0, nullptr, devices.allocate(0, nullptr, 1, 0).value());
  EXPECT_THAT(fake.calls("cuMemPoolSetAttribute"), SizeIs(1));
  EXPECT_EQ(fake.live().allocations, 0U);
  EXPECT_THAT(logged, IsEmpty());
}

TEST_F(DevicesTest, AcceptsZeroBytes) {
  void* memory = devices.allocate(0, nullptr, 0, 256).value();
  EXPECT_NE(memory, nullptr);
  devices.free(0, nullptr, memory);
  devices.free(0, nullptr, nullptr);
  EXPECT_TRUE(devices.copy(0, nullptr, nullptr, nullptr, 0, KMUX_COPY_DEVICE_TO_DEVICE).ok());
  EXPECT_TRUE(devices.memset(0, nullptr, nullptr, 1, 0).ok());
  EXPECT_THAT(logged, IsEmpty());
}

TEST_F(DevicesTest, RejectsUnsatisfiableAllocations) {
  const auto aligned = devices.allocate(0, nullptr, 8, 512);
  EXPECT_EQ(aligned.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(aligned.error().message,
              AllOf(HasSubstr("alignment 512 is more than the 256 bytes"), HasSubstr("round the address up")));
  EXPECT_THAT(devices.allocate(0, nullptr, 8, 24).error().message, HasSubstr("24 is not a power of two"));
  const auto huge = devices.allocate(0, nullptr, std::size_t{1} << 40, 256);
  EXPECT_EQ(huge.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(huge.error().message, HasSubstr("cuMemAllocFromPoolAsync failed with 2 CUDA_ERROR_OUT_OF_MEMORY (out of "
                                              "memory; 1099511627776 bytes on device 0)"));
  Device poor;
  poor.memory_pools = 0;
  fake.set_devices({poor});
  const std::unique_ptr<DeviceApi> without_pools = std::make_unique<Devices>(Host(nullptr));
  const auto unsupported = without_pools->allocate(0, nullptr, 8, 8);
  EXPECT_EQ(unsupported.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(unsupported.error().message, HasSubstr("device 0 has no memory pools"));
  EXPECT_EQ(fake.live(), Live{});
}

TEST_F(DevicesTest, CopiesAndSetsMemory) {
  const char text[] = "letters";
  char back[sizeof text] = {};
  void* a = devices.allocate(0, nullptr, sizeof text, 1).value();
  void* b = devices.allocate(0, nullptr, sizeof text, 1).value();
  fake.clear_calls();
  EXPECT_TRUE(devices.copy(0, nullptr, a, text, sizeof text, KMUX_COPY_HOST_TO_DEVICE).ok());
  EXPECT_TRUE(devices.memset(0, nullptr, a, 'L', 1).ok());
  EXPECT_TRUE(devices.copy(0, nullptr, b, a, sizeof text, KMUX_COPY_DEVICE_TO_DEVICE).ok());
  EXPECT_TRUE(devices.copy(0, nullptr, back, b, sizeof text, KMUX_COPY_DEVICE_TO_HOST).ok());
  EXPECT_STREQ(back, "Letters");
  EXPECT_EQ(fake.calls("cuMemcpyHtoDAsync_v2").size() + fake.calls("cuMemcpyAsync").size() +
                fake.calls("cuMemcpyDtoHAsync_v2").size() + fake.calls("cuMemsetD8Async").size(),
            4U);
  EXPECT_THAT(devices.copy(0, nullptr, a, text, 100, KMUX_COPY_HOST_TO_DEVICE).error().message,
              HasSubstr("cuMemcpyHtoDAsync failed with 1 CUDA_ERROR_INVALID_VALUE (invalid argument; 100 bytes from"));
  EXPECT_EQ(devices.memset(0, nullptr, back, 1, 1).error().code, ErrorCode::kLaunchFailed);
}

TEST_F(DevicesTest, ReportsMemoryInfo) {
  void* memory = devices.allocate(0, nullptr, 1 << 20, 256).value();
  const auto info = devices.memory_info(0).value();
  EXPECT_EQ(info.total_bytes, 1U << 30);
  EXPECT_EQ(info.total_bytes - info.free_bytes, 1U << 20);
  devices.free(0, nullptr, memory);
}

TEST_F(DevicesTest, CreatesNonBlockingStreams) {
  void* stream = devices.stream_create(0).value();
  EXPECT_THAT(fake.calls("cuStreamCreate"), ElementsAre("cuStreamCreate flags 1 -> 0x3000010"));
  EXPECT_TRUE(devices.stream_synchronize(0, stream).ok());
  devices.stream_destroy(0, stream);
  EXPECT_EQ(fake.live().streams, 0U);
  EXPECT_THAT(devices.stream_synchronize(0, stream).error().message, HasSubstr("Pass a stream of this device"));
  EXPECT_THAT(logged, IsEmpty());
  devices.stream_destroy(0, stream);
  EXPECT_THAT(logged, ElementsAre(HasSubstr("cuStreamDestroy failed with 400 CUDA_ERROR_INVALID_HANDLE")));
}

TEST_F(DevicesTest, CreatesStreamsWithPriority) {
  void* const stream = devices.stream_create_with_priority(0, -5).value();
  EXPECT_THAT(fake.calls("cuStreamCreateWithPriority"),
              ElementsAre("cuStreamCreateWithPriority flags 1 priority -5 -> 0x3000010"));
  EXPECT_THAT(fake.calls("cuStreamCreate"), IsEmpty());
  devices.stream_destroy(0, stream);
}

TEST_F(DevicesTest, AllocatesPinnedHostMemory) {
  void* const memory = devices.host_allocate(0, 1000, 256).value();
  EXPECT_THAT(fake.calls("cuMemHostAlloc"), ElementsAre("cuMemHostAlloc bytes 1000 flags 1"));  // valid for every
                                                                                                // device
  std::memset(memory, 1, 1000);
  devices.host_free(0, memory);
  devices.host_free(0, nullptr);
  EXPECT_THAT(fake.calls("cuMemFreeHost"), SizeIs(1));
  EXPECT_THAT(devices.host_allocate(0, 8, 512).error().message, HasSubstr("512"));
  fake.fail("cuMemHostAlloc", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THAT(devices.host_allocate(0, 8, 8).error().message,
              HasSubstr("cuMemHostAlloc failed with 2 CUDA_ERROR_OUT_OF_MEMORY (out of memory; 8 bytes on device 0)"));
}

TEST_F(DevicesTest, CopiesBetweenDevices) {
  fake.set_devices({Device{}, Device{}});
  void* const first = devices.allocate(0, nullptr, 16, 8).value();
  void* const second = devices.allocate(1, nullptr, 16, 8).value();
  std::array<unsigned char, 16> bytes{1, 2, 3}, copied{};
  ASSERT_TRUE(devices.copy(0, nullptr, first, bytes.data(), 16, KMUX_COPY_HOST_TO_DEVICE).ok());
  ASSERT_TRUE(devices.stream_synchronize(0, nullptr).ok());
  EXPECT_TRUE(devices.copy_peer(1, nullptr, second, 0, first, 16).ok());
  ASSERT_TRUE(devices.copy(1, nullptr, copied.data(), second, 16, KMUX_COPY_DEVICE_TO_HOST).ok());
  EXPECT_EQ(copied, bytes);
  EXPECT_TRUE(devices.copy_peer(1, nullptr, second, 0, first, 0).ok());
  EXPECT_THAT(devices.copy_peer(1, nullptr, second, 0, first, 17).error().message,
              AllOf(HasSubstr("cuMemcpyPeerAsync failed with 1 "), HasSubstr("; 17 bytes from device 0, device 1)")));
  EXPECT_THAT(devices.copy_peer(0, nullptr, first, 2, second, 16).error().message, HasSubstr("device 2"));
  devices.free(0, nullptr, first);
  devices.free(1, nullptr, second);
}

TEST_F(DevicesTest, EventsMeasureTime) {
  void* begin = devices.event_create(0).value();
  void* end = devices.event_create(0).value();
  EXPECT_TRUE(devices.event_record(0, begin, nullptr).ok());
  const auto early = devices.event_elapsed(0, begin, end);
  EXPECT_EQ(early.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(early.error().message, HasSubstr("an event was never recorded"));
  EXPECT_TRUE(devices.event_record(0, end, nullptr).ok());
  EXPECT_GE(devices.event_elapsed(0, begin, end).value(), 0.0);
  devices.event_destroy(0, begin);
  devices.event_destroy(0, end);
  EXPECT_EQ(fake.live().events, 0U);
}

// Another thread records a graph meanwhile, in an unrelated stream.
TEST_F(DevicesTest, PreservesCapturesOfOtherStreams) {
  Device small;
  small.l2_bytes = 4096;  // flushed often, by the seeds of tests/stream_order
  fake.set_devices({small});
  void* const captured = devices.stream_create(0).value();
  fake.set_capture(static_cast<CUstream>(captured), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  void* const begin = devices.event_create(0).value();
  EXPECT_TRUE(devices.event_record(0, begin, nullptr).ok());
  EXPECT_TRUE(devices.event_elapsed(0, begin, begin).ok());
  EXPECT_TRUE(devices.stream_synchronize(0, nullptr).ok());
  EXPECT_TRUE(devices.l2_flush(0, nullptr).ok());
  void* const memory = devices.allocate(0, nullptr, 16, 16).value();
  devices.free(0, nullptr, memory);
  EXPECT_TRUE(devices.memory_info(0).ok());
  EXPECT_EQ(devices.stream_capture(0, nullptr).value(), 0U);
  devices.event_destroy(0, begin);
  EXPECT_NE(devices.stream_capture(0, captured).value(), 0U);
  CUstreamCaptureStatus status{};
  EXPECT_EQ(driver().stream_capturing(static_cast<CUstream>(captured), &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_FALSE(devices.stream_synchronize(0, captured).ok());  // this invalidates the capture, as its owner requested
}

TEST_F(DevicesTest, StreamsWaitForEvents) {
  void* const event = devices.event_create(0).value();
  void* const stream = devices.stream_create(0).value();
  EXPECT_TRUE(devices.event_record(0, event, nullptr).ok());
  EXPECT_TRUE(devices.stream_wait_event(0, stream, event).ok());
  EXPECT_THAT(fake.calls("cuStreamWaitEvent"), SizeIs(1));
  devices.stream_destroy(0, stream);
  devices.event_destroy(0, event);
}

TEST_F(DevicesTest, FlushesL2WithMemoryAllocatedOnce) {
  Device small;
  small.l2_bytes = 4096;
  fake.set_devices({small});
  {
    Devices opened{Host(nullptr)};
    DeviceApi& flushed = opened;
    EXPECT_TRUE(flushed.l2_flush(0, nullptr).ok());
    EXPECT_TRUE(flushed.l2_flush(0, reinterpret_cast<void*>(2)).ok());
    EXPECT_THAT(fake.calls("cuMemAllocFromPoolAsync"), SizeIs(1));
    EXPECT_THAT(fake.calls("cuMemsetD8Async"),
                ElementsAre(HasSubstr(" value 0 bytes 8192 stream 0x0"), HasSubstr(" value 0 bytes 8192 stream 0x2")));
    EXPECT_EQ(fake.live().allocations, 1U);
  }
  EXPECT_EQ(fake.live(), Live{});
}

TEST_F(DevicesTest, RestoresCurrentContext) {
  fake.set_devices({Device{}, Device{}});
  EXPECT_TRUE(devices.memory_info(0).ok());
  fake.clear_calls();
  EXPECT_TRUE(devices.memory_info(0).ok());
  EXPECT_THAT(fake.calls(),
              ElementsAre("cuCtxGetCurrent -> 0x0", "cuCtxSetCurrent 0x9000000", HasSubstr("cuThreadExchange"),
                          HasSubstr("cuMemGetInfo_v2 -> "), HasSubstr("cuThreadExchange"), "cuCtxSetCurrent 0x0"));
  EXPECT_TRUE(devices.memory_info(1).ok());
  EXPECT_EQ(fake.live().contexts, 2U);
}

TEST_F(DevicesTest, RetainsContextOnceForAllThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      void* memory = devices.allocate(0, nullptr, 64, 64).value();
      devices.free(0, nullptr, memory);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake.live().contexts, 1U);
  EXPECT_EQ(fake.live().allocations, 0U);
  EXPECT_THAT(fake.calls("cuMemPoolSetAttribute"), SizeIs(1));
}

// Fails every call of the table that a life of the device functions makes, once each.
class DevicesLifeTest : public DevicesTest {
 protected:
  // Returns an empty string if every step worked, else the first error.
  static std::string live(DeviceApi& used) {
    char host[16] = {};
    if (const auto count = used.count(); !count) return count.error().message;
    if (const auto properties = used.properties(0); !properties) return properties.error().message;
    if (const auto info = used.memory_info(0); !info) return info.error().message;
    const auto stream = used.stream_create(0);
    if (!stream) return stream.error().message;
    std::string message = use_memory(used, *stream, host);
    if (message.empty()) message = use_events(used, *stream);
    used.stream_destroy(0, *stream);
    return message;
  }
  static std::string use_memory(DeviceApi& used, void* stream, char (&host)[16]) {
    const auto memory = used.allocate(0, stream, sizeof host, 16);
    if (!memory) return memory.error().message;
    std::string message;
    for (const Status& status :
         {used.memset(0, stream, *memory, 1, 16), used.copy(0, stream, *memory, host, 16, KMUX_COPY_HOST_TO_DEVICE),
          used.copy(0, stream, *memory, *memory, 16, KMUX_COPY_DEVICE_TO_DEVICE),
          used.copy(0, stream, host, *memory, 16, KMUX_COPY_DEVICE_TO_HOST), used.stream_synchronize(0, stream),
          used.l2_flush(0, stream)}) {
      if (!status.ok() && message.empty()) message = status.error().message;
    }
    used.free(0, stream, *memory);
    return message;
  }
  static std::string use_events(DeviceApi& used, void* stream) {
    const auto event = used.event_create(0);
    if (!event) return event.error().message;
    std::string message;
    for (const Status& status : {used.event_record(0, *event, stream), used.stream_wait_event(0, stream, *event)}) {
      if (!status.ok() && message.empty()) message = status.error().message;
    }
    if (const auto capture = used.stream_capture(0, stream); !capture && message.empty())
      message = capture.error().message;
    const auto elapsed = used.event_elapsed(0, *event, *event);
    if (!elapsed.ok() && message.empty()) message = elapsed.error().message;
    used.event_destroy(0, *event);
    return message;
  }
};

TEST_F(DevicesLifeTest, SurvivesFailureOfEachCall) {
  Device small;
  small.l2_bytes = 4096;
  fake.set_devices({small});
  unsigned failures = 0;
  for (unsigned nth = 1;; ++nth, ++failures) {
    fake.reset();
    fake.set_devices({small});
    logged.clear();
    std::unique_ptr<DeviceApi> used = std::make_unique<Devices>(Host(&api));
    fake.fail_any(CUDA_ERROR_LAUNCH_FAILED, nth);
    const std::string message = live(*used);
    EXPECT_EQ(fake.failed().empty() ? "" : live(*used), "") << fake.failed();
    used.reset();
    if (fake.failed().empty()) break;  // no call is left to fail
    const std::string name = fake.failed().substr(0, fake.failed().find("_v"));
    const std::string told = message.empty() && !logged.empty() ? logged.front() : message;
    EXPECT_THAT(told, HasSubstr(name + " failed with 719 CUDA_ERROR_LAUNCH_FAILED (")) << "call " << nth;
    EXPECT_EQ(fake.live(), Live{}) << "call " << nth << " " << fake.failed();
  }
  EXPECT_GT(failures, 60U);
}

}  // namespace
}  // namespace kmux::nvidia
