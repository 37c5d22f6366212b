#include "device.h"

#include <cstring>

#include "over_fake.h"

namespace kmux::hip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HipDevicesTest : public OverFake {
 protected:
  DeviceApi& devices = backend.devices();
};

TEST_F(HipDevicesTest, ReportsProperties) {
  EXPECT_EQ(devices.count().value(), 1);
  const Json properties = devices.properties(0).value();
  EXPECT_EQ(*properties.find("arch")->as_string(), "gfx90a");
  EXPECT_EQ(*properties.find("name")->as_string(), "Fake MI250");
  EXPECT_EQ(*properties.find("shared_memory_bytes_per_block")->as_integer(), 65536);
  EXPECT_EQ(*properties.find("wavefront_size")->as_integer(), 64);
  EXPECT_EQ(backend.resolve_target("auto", 0).value().arch, "gfx90a");
  EXPECT_THAT(devices.properties(1).error().message, HasSubstr("failed with 101"));
}

TEST_F(HipDevicesTest, CopiesAndFillsMemory) {
  const std::string text = "some bytes";
  void* const a = devices.allocate(0, nullptr, 16, 256).value();
  void* const b = devices.allocate(0, nullptr, 16, 0).value();
  devices.memset(0, nullptr, b, 'x', 16).value();
  devices.copy(0, nullptr, a, text.data(), text.size(), KMUX_COPY_HOST_TO_DEVICE).value();
  devices.copy(0, nullptr, b, a, 4, KMUX_COPY_DEVICE_TO_DEVICE).value();
  std::string back(6, ' ');
  devices.copy(0, nullptr, back.data(), b, 6, KMUX_COPY_DEVICE_TO_HOST).value();
  EXPECT_EQ(back, "somexx");
  EXPECT_EQ(devices.memory_info(0).value().total_bytes, std::size_t{1} << 30);
  EXPECT_LT(devices.memory_info(0).value().free_bytes, std::size_t{1} << 30);
  devices.free(0, nullptr, a);
  devices.free(0, nullptr, b);
  EXPECT_THAT(devices.allocate(0, nullptr, std::size_t{2} << 30, 0).error().message, HasSubstr("failed with 2"));
  EXPECT_THAT(devices.allocate(0, nullptr, 8, 512).error().message,
              HasSubstr("alignment 512 is more than the 256 bytes"));
  EXPECT_THAT(devices.allocate(0, nullptr, 8, 3).error().message, HasSubstr("alignment 3"));
}

TEST_F(HipDevicesTest, UsesPlainAllocationsWithoutPools) {
  fake->set_devices({{.memory_pools = 0}});
  fake->clear_calls();
  devices.free(0, nullptr, devices.allocate(0, nullptr, 16, 0).value());
  EXPECT_THAT(work(), ElementsAre("hipDeviceGetAttribute", "hipMalloc", "hipFree"));
}

TEST_F(HipDevicesTest, MeasuresElapsedTime) {
  HipDevices opened(host);  // frees the memory of the flush
  DeviceApi& own = opened;
  void* const stream = own.stream_create(0).value();
  void* const begin = own.event_create(0).value();
  void* const end = own.event_create(0).value();
  own.event_record(0, begin, stream).value();
  EXPECT_THAT(own.event_elapsed(0, begin, end).error().message, HasSubstr("never recorded"));
  own.event_record(0, end, stream).value();
  EXPECT_GE(own.event_elapsed(0, begin, end).value(), 0);
  own.stream_synchronize(0, stream).value();
  own.l2_flush(0, stream).value();
  own.l2_flush(0, stream).value();
  own.event_destroy(0, begin);
  own.event_destroy(0, end);
  own.stream_destroy(0, stream);
  own.stream_destroy(0, stream);
  EXPECT_THAT(host.log, HasSubstr("hipStreamDestroy failed with 400"));
}

TEST_F(HipDevicesTest, ReportsFailures) {
  for (const char* symbol : {"hipSetDevice", "hipGetDevice", "hipMallocAsync"}) {
    fake->set_devices({{}, {}});
    fake->fail(symbol, 719, 1);
    const auto failed = devices.allocate(1, nullptr, 16, 0);
    ASSERT_FALSE(failed.ok()) << symbol;
    EXPECT_THAT(failed.error().message, HasSubstr(std::string(symbol) + " failed with 719"));
  }
  EXPECT_THAT(devices.memory_info(5).error().message, HasSubstr("hipSetDevice failed with 101"));
}

TEST_F(HipDevicesTest, ProbeReportsMissingParts) {
  EXPECT_TRUE(backend.probe().value().can_run.ok());
  fake->set_devices({});
  const Availability empty = backend.probe().value().can_run;
  EXPECT_EQ(empty.code, "no_device");
  EXPECT_THAT(empty.reason, HasSubstr("See what rocminfo lists"));
  FakeHost nowhere;
  nowhere.options["hip.library"] = "/nowhere/libamdhip64.so";
  const Availability absent = HipBackend(nowhere).probe().value().can_run;
  EXPECT_EQ(absent.code, "no_driver");
  EXPECT_THAT(absent.reason, HasSubstr("/nowhere/libamdhip64.so: cannot open shared object file"));
  EXPECT_THAT(absent.reason, HasSubstr("Install ROCm, on Debian by apt-get install libamdhip64-5"));
  nowhere.options["hip.library"] = "libc.so.6";
  EXPECT_THAT(probe_runtime(nowhere).reason, HasSubstr("HIP's runtime has no function hipGetDeviceCount"));
}

// As in ROCm 5: the plain name, and the name of the architecture at another offset.
int old_properties(void* properties, int) {
  std::strcpy(static_cast<char*>(properties) + 396, "gfx906:sramecc+:xnack-");
  return kHipSuccess;
}
int strange_properties(void*, int) { return kHipSuccess; }

TEST(HipArchTest, IsReadFromOldReleases) {
  HipTable hip;
  EXPECT_EQ(device_arch(hip, 0).error().code, ErrorCode::kUnsupported);
  hip.properties = old_properties;
  EXPECT_EQ(device_arch(hip, 0).value(), "gfx906");
  hip.properties = strange_properties;
  EXPECT_THAT(device_arch(hip, 0).error().message, HasSubstr("has architecture \"\""));
}

}  // namespace
}  // namespace kmux::hip
