#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

using FakeFaultsTest = OpenedFake;

TEST_F(FakeFaultsTest, FailNthCallOnce) {
  fake.fail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_FAILED, 2);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
  EXPECT_EQ(fake.failed(), "");
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(fake.failed(), "cuLaunchKernelEx");
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
  EXPECT_THAT(fake.calls().at(1), testing::HasSubstr(" = 719 CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(FakeFaultsTest, FailCallsWithRecordingOff) {
  fake.set_recording(false);
  fake.fail("cuLaunchKernelEx", CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
}

TEST_F(FakeFaultsTest, FailAnyCallExceptErrorDescriptions) {
  fake.fail_any(CUDA_ERROR_OUT_OF_MEMORY, 2);
  CUstream stream = nullptr;
  const char* text = nullptr;
  EXPECT_EQ(cu.stream_create(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(cu.error_name(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cu.stream_synchronize(stream), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu.error_name(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeFaultsTest, ReleaseResourcesDespiteFailure) {
  fake.fail("cuLibraryUnload", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu.library_unload(library), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(fake.live().libraries, 0U);
}

TEST_F(FakeFaultsTest, PoisonCallsThatNeedContext) {
  fake.poison(CUDA_ERROR_ILLEGAL_ADDRESS);
  int count = 0;
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu.stream_synchronize(nullptr), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu.device_count(&count), CUDA_SUCCESS);
  fake.poison(CUDA_SUCCESS);
  EXPECT_EQ(launch(config_of(1, 32)), CUDA_SUCCESS);
}

}  // namespace
}  // namespace kmux::fake_cuda
