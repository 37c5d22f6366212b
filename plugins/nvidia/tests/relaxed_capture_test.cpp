#include "nvidia/launch/context.h"
#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

class RelaxedCaptureTest : public OpenedLauncherTest {
 protected:
  RelaxedCaptureTest() { fake.clear_calls(); }
  int during(int code) {
    return RelaxedCapture::during(driver, sink(), [&] { return ++actions, code; });
  }

  const DriverTable& driver = *open_driver(sink());
  int actions = 0;
};

TEST_F(RelaxedCaptureTest, RestoresModeOfThread) {
  EXPECT_EQ(during(KMUX_OK), KMUX_OK);
  EXPECT_EQ(during(KMUX_UNSUPPORTED), KMUX_UNSUPPORTED);
  EXPECT_THAT(fake.calls(),
              ElementsAre("cuThreadExchangeStreamCaptureMode 2 -> 0", "cuThreadExchangeStreamCaptureMode 0 -> 2",
                          "cuThreadExchangeStreamCaptureMode 2 -> 0", "cuThreadExchangeStreamCaptureMode 0 -> 2"));
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  EXPECT_EQ(driver.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(during(KMUX_OK), KMUX_OK);
  EXPECT_EQ(driver.exchange_capture_mode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

TEST_F(RelaxedCaptureTest, SkipsActionWhenItCannotBegin) {
  fake.fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_DEINITIALIZED);
  EXPECT_EQ(during(KMUX_OK), KMUX_UNAVAILABLE);
  EXPECT_THAT(error, HasSubstr("cuThreadExchangeStreamCaptureMode failed with 4 CUDA_ERROR_DEINITIALIZED"));
  EXPECT_EQ(actions, 0);
  EXPECT_EQ(fake.calls("cuThreadExchangeStreamCaptureMode").size(), 1U) << "nothing to give back";
}

TEST_F(RelaxedCaptureTest, ReportsFailedRestoreUnlessActionFailed) {
  fake.fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_DEINITIALIZED, 2);
  EXPECT_EQ(during(KMUX_UNSUPPORTED), KMUX_UNSUPPORTED);
  EXPECT_THAT(error, IsEmpty());
  fake.fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_DEINITIALIZED, 2);
  EXPECT_EQ(during(KMUX_OK), KMUX_UNAVAILABLE);
  EXPECT_THAT(error, HasSubstr("cuThreadExchangeStreamCaptureMode failed with 4"));
}

}  // namespace
}  // namespace kmux::nvidia
