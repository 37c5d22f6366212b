// Starts without NVTX (see CMakeLists.txt), then has a fake of it.
#include <dlfcn.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nvidia/launch/call.h"
#include "nvidia/launch/launcher.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Log log_to(std::vector<std::string>& lines) {
  return {&lines, [](void* self, int, const char* text, std::size_t size) {
            static_cast<std::vector<std::string>*>(self)->emplace_back(text, size);
          }};
}

TEST(RangesTest, MissingNvtxIsReportedOnce) {
  std::vector<std::string> lines;
  EXPECT_EQ(open_ranges(log_to(lines)), nullptr);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("no NVTX ranges (neither \"libnvtx3interop.so.1\" nor")));
  lines.clear();
  EXPECT_EQ(open_ranges(log_to(lines)), nullptr);
  EXPECT_THAT(lines, IsEmpty());
}

TEST(RangesTest, ScopeWithoutNvtxDoesNothing) { const ProfilerRange scope(nullptr, "call"); }

// Returns a driver on which every call succeeds.
DriverTable willing_driver() {
  DriverTable driver{};
  driver.device_get = [](CUdevice*, int) { return CUDA_SUCCESS; };
  driver.primary_retain = [](CUcontext*, CUdevice) { return CUDA_SUCCESS; };
  driver.primary_release = [](CUdevice) { return CUDA_SUCCESS; };
  driver.current_get = [](CUcontext* context) { return *context = nullptr, CUDA_SUCCESS; };
  driver.exchange_capture_mode = [](CUstreamCaptureMode*) { return CUDA_SUCCESS; };
  driver.stream_capturing = [](CUstream, CUstreamCaptureStatus*) { return CUDA_SUCCESS; };
  driver.device_attribute = [](int*, CUdevice_attribute, CUdevice) { return CUDA_SUCCESS; };
  driver.library_load = [](CUlibrary*, const void*, int*, void**, unsigned, int*, void**, unsigned) {
    return CUDA_SUCCESS;
  };
  driver.library_kernel = [](CUkernel* kernel, CUlibrary, const char*) {
    *kernel = reinterpret_cast<CUkernel>(8);
    return CUDA_SUCCESS;
  };
  driver.kernel_function = [](CUfunction*, CUkernel) { return CUDA_SUCCESS; };
  driver.kernel_attribute_get = [](int* value, CUfunction_attribute, CUkernel, CUdevice) {
    *value = 1024;
    return CUDA_SUCCESS;
  };
  driver.launch = [](const CUlaunchConfig*, CUfunction, void**, void**) { return CUDA_SUCCESS; };
  return driver;
}

std::string launched_with(bool ranges) {
  const DriverTable driver = willing_driver();
  const KernelFacts kernel = {"add_kernel", 0, false};
  const PlanFacts facts = {&kernel, 1, 0, 1, 0, false, "add", ranges};
  WrittenText error;
  Launcher launcher("code", facts, Log{}, &driver);
  const kmux_driver_launch launch = {0, 0, {1, 1, 1}, {32, 1, 1}, {}, 0, 0, 0, nullptr, nullptr};
  const auto body = [&](const kmux_driver_env& env, kmux_sink to) { return env.driver->launch(&env, &launch, to); };
  EXPECT_EQ(launcher.call(kmux_launch_env{}, error.sink(), body), KMUX_OK) << error.text;
  return error.text;
}

TEST(RangesTest, LaunchSucceedsWithoutNvtx) { EXPECT_EQ(launched_with(true), ""); }

// Must run last: opened libraries stay open.
TEST(RangesTest, UseNamesOfPlanAndKernels) {
  void* const library = dlopen(KMUX_FAKE_NVTX, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto told = reinterpret_cast<const char* (*)()>(dlsym(library, "kmux_told"));
  ASSERT_NE(told, nullptr);
  launched_with(false);
  EXPECT_STREQ(told(), "");
  launched_with(true);
  EXPECT_STREQ(told(), "add(add_kernel())");
}

}  // namespace
}  // namespace kmux::nvidia
