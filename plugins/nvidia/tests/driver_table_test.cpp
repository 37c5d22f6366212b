// Opens one driver after the other. The program starts with an LD_LIBRARY_PATH on which libcuda is not a library.
#include "nvidia/launch/driver_table.h"

#include <dlfcn.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "written_text.h"

namespace kmux::nvidia {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The result and the message of `open_driver` while `path` is the libcuda.so.1 of this process.
struct Opened {
  const DriverTable* driver;
  std::string error;
};

Opened open_with(const char* path) {
  void* const library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  EXPECT_EQ(library != nullptr, path != nullptr) << dlerror();
  WrittenText error;
  const DriverTable* const driver = open_driver(error.sink());
  if (library != nullptr) dlclose(library);
  return {driver, error.text};
}

TEST(DriverTableTest, ReportsMissingDriver) {
  const Opened opened = open_with(nullptr);
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_THAT(opened.error, AllOf(HasSubstr("cannot open the CUDA driver \"libcuda.so.1\" ("), HasSubstr("libcuda.so"),
                                  HasSubstr("). Install NVIDIA's driver.")));
}

TEST(DriverTableTest, RejectsDriverWithMissingCall) {
  const Opened opened = open_with(KMUX_OLD_DRIVER);
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_EQ(opened.error,
            "the CUDA driver lacks \"cuDriverGetVersion\" (it is older than 12.0). Install a newer driver.");
}

TEST(DriverTableTest, ReportsInitFailure) {
  const Opened opened = open_with(KMUX_DEVICELESS_DRIVER);
  EXPECT_EQ(opened.driver, nullptr);
  EXPECT_THAT(opened.error, AllOf(HasSubstr("cuInit failed with 100 "), HasSubstr("nvidia-smi")));
}

// Must run last: opened libraries stay open.
TEST(DriverTableTest, OpensOnceWithoutOptionalCalls) {
  const Opened opened = open_with(KMUX_WHOLE_DRIVER);
  ASSERT_NE(opened.driver, nullptr) << opened.error;
  EXPECT_THAT(opened.error, IsEmpty());
  EXPECT_EQ(opened.driver->launch(nullptr, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(opened.driver->kernel_parameter, nullptr);
  EXPECT_EQ(open_with(nullptr).driver, opened.driver);
}

}  // namespace
}  // namespace kmux::nvidia
