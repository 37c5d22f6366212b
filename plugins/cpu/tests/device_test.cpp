#include "device.h"

#include <algorithm>
#include <cstdint>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_host.h"

namespace kmux::cpu {
namespace {

using testing::HasSubstr;

TEST(DeviceTest, ReportsOneDeviceWithProperties) {
  CpuDevices devices;
  EXPECT_EQ(devices.count().value(), 1);
  const Json properties = devices.properties(0).value();
  EXPECT_NE(*properties.find("name")->as_string(), "");
  EXPECT_NE(*properties.find("arch")->as_string(), "");
  EXPECT_GT(*properties.find("memory_bytes")->as_integer(), 0);
  EXPECT_GE(*properties.find("cores")->as_integer(), 1);
}

TEST(DeviceTest, RejectsOtherOrdinals) {
  CpuDevices devices;
  const auto properties = devices.properties(1);
  ASSERT_FALSE(properties.ok());
  EXPECT_EQ(properties.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(properties.error().message, HasSubstr("device 1 does not exist"));
  EXPECT_FALSE(devices.allocate(-1, nullptr, 8, 8).ok());
}

TEST(DeviceTest, AllocatesAlignedMemory) {
  CpuDevices devices;
  for (const std::size_t alignment : {0, 1, 64, 4096}) {
    void* address = devices.allocate(0, nullptr, 100, alignment).value();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % std::max<std::size_t>(alignment, 64), 0U);
    devices.free(0, nullptr, address);
  }
  devices.free(0, nullptr, devices.allocate(0, nullptr, 0, 0).value());
  devices.free(0, nullptr, nullptr);
}

TEST(DeviceTest, RejectsImpossibleAllocations) {
  CpuDevices devices;
  const auto huge = devices.allocate(0, nullptr, SIZE_MAX / 2, 64);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(huge.error().message, HasSubstr("bytes of memory left"));
  EXPECT_THAT(devices.allocate(0, nullptr, 8, 48).error().message, HasSubstr("alignment 48 is not a power of two"));
}

TEST(DeviceTest, CopiesAndFills) {
  CpuDevices devices;
  unsigned char from[4] = {};
  unsigned char to[4] = {};
  EXPECT_TRUE(devices.memset(0, nullptr, from, 7, 3).ok());
  EXPECT_TRUE(devices.copy(0, nullptr, to, from, 4, KMUX_COPY_HOST_TO_DEVICE).ok());
  EXPECT_THAT(to, testing::ElementsAre(7, 7, 7, 0));
  EXPECT_TRUE(devices.copy(0, nullptr, nullptr, nullptr, 0, KMUX_COPY_DEVICE_TO_DEVICE).ok());
}

TEST(DeviceTest, ReportsTotalAndFreeMemory) {
  CpuDevices devices;
  const auto memory = devices.memory_info(0).value();
  EXPECT_GT(memory.total_bytes, 1U << 20);
  EXPECT_LE(memory.free_bytes, memory.total_bytes);
}

TEST(DeviceTest, CreatesDistinctStreams) {
  CpuDevices devices;
  void* a = devices.stream_create(0).value();
  void* b = devices.stream_create(0).value();
  EXPECT_NE(a, b);
  EXPECT_TRUE(devices.stream_synchronize(0, a).ok());
  EXPECT_TRUE(devices.stream_synchronize(0, nullptr).ok());
  devices.stream_destroy(0, a);
  devices.stream_destroy(0, b);
}

TEST(DeviceTest, MeasuresTime) {
  CpuDevices devices;
  void* begin = devices.event_create(0).value();
  void* end = devices.event_create(0).value();
  EXPECT_THAT(devices.event_elapsed(0, begin, end).error().message, HasSubstr("never recorded"));
  EXPECT_TRUE(devices.event_record(0, begin, nullptr).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_TRUE(devices.event_record(0, end, nullptr).ok());
  EXPECT_GE(devices.event_elapsed(0, begin, end).value(), 2.0);
  devices.event_destroy(0, begin);
  devices.event_destroy(0, end);
}

TEST(DeviceTest, FlushesItsCaches) { EXPECT_TRUE(CpuDevices().l2_flush(0, nullptr).ok()); }

TEST(DeviceTest, ParsesFlushSizeOption) {
  FakeHost host;
  EXPECT_EQ(flush_mib_option(host).value(), std::nullopt);
  host.options["cpu.flush_mib"] = "4";
  EXPECT_EQ(flush_mib_option(host).value(), 4);
  EXPECT_TRUE(CpuDevices(host).l2_flush(0, nullptr).ok());
  host.options["cpu.flush_mib"] = "0";
  EXPECT_EQ(flush_mib_option(host).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::cpu
