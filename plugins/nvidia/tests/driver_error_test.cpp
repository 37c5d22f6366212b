#include "nvidia/launch/driver_error.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "written_text.h"

namespace kmux::nvidia {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

DriverTable driver_of_names() {
  DriverTable driver{};
  driver.error_name = [](CUresult, const char** text) { return *text = "CUDA_ERROR_X", CUDA_SUCCESS; };
  driver.error_string = [](CUresult, const char** text) { return *text = "what it means", CUDA_SUCCESS; };
  return driver;
}

TEST(DriverErrorTest, ContainsCallCodeNameDetailAndAdvice) {
  WrittenText written;
  const int code = fail_call(driver_of_names(), written.sink(), "cuLaunchKernelEx", CUDA_ERROR_INVALID_VALUE,
                             "kernel \"%s\"", "add");
  EXPECT_EQ(code, KMUX_LAUNCH_FAILED);
  EXPECT_EQ(written.text,
            "cuLaunchKernelEx failed with 1 CUDA_ERROR_X (what it means; kernel \"add\"). Check extents, shared memory "
            "and addresses against the limits of the device.");
}

TEST(DriverErrorTest, OmitsEmptyDetail) {
  WrittenText written;
  fail_call(driver_of_names(), written.sink(), "cuCtxGetCurrent", CUDA_ERROR_UNKNOWN, "%s", "");
  EXPECT_THAT(written.text, HasSubstr("(what it means). "));
}

TEST(DriverErrorTest, HandlesMissingDriverTexts) {
  DriverTable driver{};
  driver.error_name = [](CUresult, const char**) { return CUDA_ERROR_INVALID_VALUE; };
  driver.error_string = [](CUresult, const char** text) { return *text = nullptr, CUDA_SUCCESS; };
  WrittenText written;
  fail_call(driver, written.sink(), "cuX", static_cast<CUresult>(12345), "%s", "");
  EXPECT_EQ(written.text, "cuX failed with 12345 unknown (unknown). Look the number up in the CUDA Driver API.");
}

TEST(DriverErrorTest, MapsResultsToErrorCodes) {
  EXPECT_EQ(error_code_of(CUDA_SUCCESS), KMUX_OK);
  EXPECT_EQ(error_code_of(CUDA_ERROR_INVALID_DEVICE), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(error_code_of(CUDA_ERROR_NO_BINARY_FOR_GPU), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(error_code_of(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE), KMUX_INVALID_ARGUMENT);
  EXPECT_EQ(error_code_of(CUDA_ERROR_NOT_SUPPORTED), KMUX_UNSUPPORTED);
  EXPECT_EQ(error_code_of(CUDA_ERROR_OUT_OF_MEMORY), KMUX_UNAVAILABLE);
  EXPECT_EQ(error_code_of(CUDA_ERROR_NO_DEVICE), KMUX_UNAVAILABLE);
  EXPECT_EQ(error_code_of(CUDA_ERROR_ILLEGAL_ADDRESS), KMUX_LAUNCH_FAILED);
  EXPECT_EQ(error_code_of(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED), KMUX_LAUNCH_FAILED);
}

struct Advice {
  CUresult result;
  const char* part;
};
class DriverErrorAdviceTest : public ::testing::TestWithParam<Advice> {};

TEST_P(DriverErrorAdviceTest, MatchesResultCode) {
  WrittenText written;
  fail_call(driver_of_names(), written.sink(), "cuX", GetParam().result, "%s", "");
  EXPECT_THAT(written.text, HasSubstr(GetParam().part));
  EXPECT_THAT(written.text, EndsWith("."));
}

INSTANTIATE_TEST_SUITE_P(
    Each, DriverErrorAdviceTest,
    ::testing::Values(
        Advice{CUDA_ERROR_OUT_OF_MEMORY, "Free memory"}, Advice{CUDA_ERROR_DEINITIALIZED, "while the process ends"},
        Advice{CUDA_ERROR_NO_DEVICE, "CUDA_VISIBLE_DEVICES"}, Advice{CUDA_ERROR_INVALID_DEVICE, "ordinal"},
        Advice{CUDA_ERROR_INVALID_IMAGE, "damaged, or none for NVIDIA's devices: compile it again"},
        Advice{CUDA_ERROR_NO_BINARY_FOR_GPU, "compile it for the architecture"},
        Advice{CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "Install a driver"},
        Advice{CUDA_ERROR_CONTEXT_IS_DESTROYED, "Keep the context"},
        Advice{CUDA_ERROR_INVALID_HANDLE, "stream of this device"}, Advice{CUDA_ERROR_NOT_FOUND, "name of the kernel"},
        Advice{CUDA_ERROR_ILLEGAL_ADDRESS, "compute-sanitizer"},
        Advice{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "fewer threads"},
        Advice{CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "fewer blocks"},
        Advice{CUDA_ERROR_INVALID_CLUSTER_SIZE, "smaller clusters"}, Advice{CUDA_ERROR_NOT_SUPPORTED, "can do this"},
        Advice{CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "before the capture begins"}));

TEST(DriverErrorTest, RecognizesCaptureResults) {
  EXPECT_TRUE(says_capturing(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED));
  EXPECT_TRUE(says_capturing(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT));
  EXPECT_TRUE(says_capturing(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD));
  EXPECT_FALSE(says_capturing(CUDA_ERROR_NOT_SUPPORTED));
  EXPECT_FALSE(says_capturing(CUDA_ERROR_INVALID_CLUSTER_SIZE));
}

TEST(DriverErrorTest, TruncatesLongMessages) {
  WrittenText written;
  EXPECT_EQ(fail(written.sink(), KMUX_INTERNAL, "%s", std::string(5000, 'x').c_str()), KMUX_INTERNAL);
  EXPECT_EQ(written.text.size(), 2047u);
}

}  // namespace
}  // namespace kmux::nvidia
