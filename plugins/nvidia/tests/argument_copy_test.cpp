#include <cstdint>
#include <cstring>

#include <gmock/gmock.h>

#include "nvidia/launch/replay.h"
#include "recorded_driver.h"

namespace kmux::nvidia {
namespace {

const CUkernel kKernel = reinterpret_cast<CUkernel>(1);

TEST(ArgumentCopyTest, CopiesAllBytesAndDetectsChanges) {
  RecordedDriver driver;
  driver.parameters[1] = {1, 8, 128, 4};
  ArgumentCopy copy;
  ASSERT_EQ(copy.shape(GraphCalls{&driver.table}, kKernel).call, nullptr);
  std::uint8_t byte = 3;
  std::uint64_t word = 5;
  unsigned char map[128] = {};
  float half = 0.5F;
  void* args[] = {&byte, &word, map, &half};
  EXPECT_TRUE(copy.update(args));
  EXPECT_FALSE(copy.update(args));
  byte = 4;
  EXPECT_TRUE(copy.update(args));
  word = 6;
  EXPECT_TRUE(copy.update(args));
  map[127] = 1;
  EXPECT_TRUE(copy.update(args));
  half = 0.25F;
  EXPECT_TRUE(copy.update(args));
  EXPECT_FALSE(copy.update(args));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(std::memcmp(copy.args()[i], args[i], driver.parameters[1][static_cast<size_t>(i)]), 0) << i;
    EXPECT_NE(copy.args()[i], args[i]) << i;
  }
}

TEST(ArgumentCopyTest, AlignsTensorMapsTo64Bytes) {
  RecordedDriver driver;
  driver.parameters[1] = {4, 128, 8};
  ArgumentCopy copy;
  ASSERT_EQ(copy.shape(GraphCalls{&driver.table}, kKernel).call, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copy.args()[1]) % 64, 0U);
}

TEST(ArgumentCopyTest, AcceptsKernelWithoutParameters) {
  RecordedDriver driver;
  driver.parameters[1] = {};
  ArgumentCopy copy;
  ASSERT_EQ(copy.shape(GraphCalls{&driver.table}, kKernel).call, nullptr);
  EXPECT_FALSE(copy.update(nullptr));
}

TEST(ArgumentCopyTest, QueriesSizesOnce) {
  RecordedDriver driver;
  ArgumentCopy copy;
  ASSERT_EQ(copy.shape(GraphCalls{&driver.table}, kKernel).call, nullptr);
  EXPECT_FALSE(driver.take().empty());
  ASSERT_EQ(copy.shape(GraphCalls{&driver.table}, kKernel).call, nullptr);
  EXPECT_TRUE(driver.take().empty());
}

TEST(ArgumentCopyTest, ReportsFailedCallAndRetries) {
  RecordedDriver driver;
  ArgumentCopy copy;
  driver.fail("cuKernelGetParamInfo", CUDA_ERROR_OUT_OF_MEMORY);
  const ReplayFailure failure = copy.shape(GraphCalls{&driver.table}, kKernel);
  EXPECT_STREQ(failure.call, "cuKernelGetParamInfo");
  EXPECT_EQ(failure.result, CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(copy.shape(GraphCalls{&driver.table}, kKernel).call, nullptr);
}

}  // namespace
}  // namespace kmux::nvidia
