// Probes one driver after the other. The program starts with an LD_LIBRARY_PATH on which libcuda is not a library.
#include <dlfcn.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_cuda.h"
#include "nvidia/device.h"

namespace kmux::nvidia {
namespace {

using testing::HasSubstr;

Availability probe_with(const char* path) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  const Availability availability = probe_driver();
  if (library != nullptr) dlclose(library);
  return availability;
}

TEST(ProbeTest, ReportsMissingDriver) {
  const Availability availability = probe_driver();
  EXPECT_EQ(availability.code, "no_driver");
  EXPECT_THAT(availability.reason, HasSubstr("cannot open the CUDA driver \"libcuda.so.1\" ("));
  EXPECT_THAT(availability.reason, HasSubstr("Install NVIDIA's driver."));
}

TEST(ProbeTest, RejectsOldDriver) {
  const Availability availability = probe_with(KMUX_OLD_DRIVER);
  EXPECT_EQ(availability.code, "no_driver");
  EXPECT_THAT(availability.reason, HasSubstr("older than 12.0"));
}

TEST(ProbeTest, ReportsDriverWithoutDevices) {
  const Availability availability = probe_with(KMUX_DEVICELESS_DRIVER);
  EXPECT_EQ(availability.code, "no_device");
  EXPECT_THAT(availability.reason, HasSubstr("cuInit failed with 100 "));
}

// Must run last: opened libraries stay open.
TEST(ProbeTest, FindsDevicesWithoutCreatingContext) {
  FakeCuda fake = FakeCuda::load();
  EXPECT_EQ(probe_driver(), Availability{});
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
  fake.fail("cuDeviceGetCount", CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(probe_driver().code, "no_driver");
  fake.set_devices({});
  const Availability none = probe_driver();
  EXPECT_EQ(none.code, "no_device");
  EXPECT_THAT(none.reason, HasSubstr("lists no device"));
}

}  // namespace
}  // namespace kmux::nvidia
