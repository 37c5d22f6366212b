#include "nvidia/launch/context.h"

#include <thread>

#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

class ContextTest : public OpenedLauncherTest {
 protected:
  ContextTest() {
    fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
    for (int i = 0; i < 2; ++i) EXPECT_EQ(retain_context(driver, i, &devices[i], sink()), KMUX_OK) << error;
    EXPECT_EQ(driver.current_set(nullptr), CUDA_SUCCESS);
    fake.clear_calls();
  }
  CUcontext current() {
    CUcontext context = nullptr;
    EXPECT_EQ(driver.current_get(&context), CUDA_SUCCESS);
    return context;
  }

  const DriverTable& driver = *open_driver(sink());
  DeviceContext devices[2] = {};
};

TEST_F(ContextTest, IsEnteredAndLeft) {
  ContextScope scope(driver, devices[0]);
  EXPECT_EQ(scope.enter(sink()), KMUX_OK);
  EXPECT_EQ(scope.leave(KMUX_OK, sink()), KMUX_OK);
  EXPECT_THAT(fake.symbols(), ElementsAre("cuCtxGetCurrent", "cuCtxSetCurrent", "cuCtxSetCurrent"));
  EXPECT_EQ(current(), nullptr);
}

// C2.19: the context that CUDA's runtime would use may stay current.
TEST_F(ContextTest, StaysCurrentOnFirstDeviceIfNoneWasCurrent) {
  devices[0].may_stay = true;
  ContextScope scope(driver, devices[0]);
  EXPECT_EQ(scope.enter(sink()), KMUX_OK);
  EXPECT_FALSE(scope.is_changed());
  EXPECT_EQ(scope.leave(KMUX_OK, sink()), KMUX_OK);
  EXPECT_THAT(fake.symbols(), ElementsAre("cuCtxGetCurrent", "cuCtxSetCurrent"));
  EXPECT_EQ(current(), devices[0].primary);
  EXPECT_EQ(release_context(driver, devices[0]).result, CUDA_SUCCESS);
  EXPECT_EQ(current(), nullptr);
  EXPECT_EQ(fake.live().contexts, 1u) << "that of device 1";
}

TEST_F(ContextTest, DoesNotStayCurrentOnOtherDevices) {
  devices[1].may_stay = true;
  ContextScope scope(driver, devices[1]);
  EXPECT_EQ(scope.enter(sink()), KMUX_OK);
  EXPECT_EQ(scope.leave(KMUX_OK, sink()), KMUX_OK);
  EXPECT_EQ(current(), nullptr);
}

// Otherwise it would be destroyed while current on the other thread.
TEST_F(ContextTest, IsNotReleasedWhileCurrentOnOtherThread) {
  devices[0].may_stay = true;
  const auto stay = [&] {
    ContextScope scope(driver, devices[0]);
    EXPECT_EQ(scope.enter(sink()), KMUX_OK);
    EXPECT_EQ(scope.leave(KMUX_OK, sink()), KMUX_OK);
  };
  std::thread(stay).join();
  stay();
  EXPECT_EQ(release_context(driver, devices[0]).result, CUDA_SUCCESS);
  EXPECT_EQ(fake.live().contexts, 2u);
  EXPECT_EQ(current(), devices[0].primary);
}

TEST_F(ContextTest, IsNotSetIfAlreadyCurrent) {
  driver.current_set(devices[0].primary);
  fake.clear_calls();
  ContextScope scope(driver, devices[0]);
  EXPECT_EQ(scope.enter(sink()), KMUX_OK);
  EXPECT_EQ(scope.leave(KMUX_OK, sink()), KMUX_OK);
  EXPECT_THAT(fake.symbols(), ElementsAre("cuCtxGetCurrent"));
}

TEST_F(ContextTest, RestoresContextOfOtherDevice) {
  driver.current_set(devices[1].primary);
  fake.clear_calls();
  ContextScope scope(driver, devices[0]);
  EXPECT_EQ(scope.enter(sink()), KMUX_OK);
  EXPECT_EQ(current(), devices[0].primary);
  EXPECT_TRUE(scope.is_primary());
  EXPECT_EQ(scope.leave(KMUX_OK, sink()), KMUX_OK);
  EXPECT_EQ(current(), devices[1].primary);
}

// The fake only has primary contexts: a scope with another primary represents a context that a caller created.
TEST_F(ContextTest, KeepsOtherContextOfSameDevice) {
  driver.current_set(devices[0].primary);
  fake.clear_calls();
  const DeviceContext made = {0, devices[0].device, devices[1].primary};
  ContextScope scope(driver, made);
  EXPECT_EQ(scope.enter(sink()), KMUX_OK);
  EXPECT_EQ(scope.leave(KMUX_OK, sink()), KMUX_OK);
  EXPECT_THAT(fake.symbols(), ElementsAre("cuCtxGetCurrent", "cuCtxGetDevice"));
  EXPECT_FALSE(scope.is_primary());
}

TEST_F(ContextTest, ReportsEveryEntryFailure) {
  for (const char* symbol : {"cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxSetCurrent"}) {
    driver.current_set(devices[1].primary);
    fake.fail(symbol, CUDA_ERROR_INVALID_CONTEXT);
    error.clear();
    ContextScope scope(driver, devices[0]);
    EXPECT_EQ(scope.enter(sink()), KMUX_LAUNCH_FAILED);
    EXPECT_THAT(error, HasSubstr(std::string(symbol) + " failed with 201 CUDA_ERROR_INVALID_CONTEXT"));
    EXPECT_EQ(scope.leave(KMUX_LAUNCH_FAILED, sink()), KMUX_LAUNCH_FAILED);
    EXPECT_EQ(current(), devices[1].primary);
  }
}

TEST_F(ContextTest, ReportsFailedRestoreUnlessCallFailed) {
  for (const int code : {KMUX_OK, KMUX_INVALID_ARGUMENT}) {
    driver.current_set(devices[1].primary);
    error.clear();
    ContextScope scope(driver, devices[0]);
    EXPECT_EQ(scope.enter(sink()), KMUX_OK);
    fake.fail("cuCtxSetCurrent", CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(scope.leave(code, sink()), code == KMUX_OK ? KMUX_LAUNCH_FAILED : code);
    EXPECT_EQ(error.empty(), code != KMUX_OK);
  }
}

TEST_F(ContextTest, RejectsUnknownDevice) {
  DeviceContext none{};
  EXPECT_EQ(retain_context(driver, 2, &none, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, AllOf(HasSubstr("cuDeviceGet failed with 101 CUDA_ERROR_INVALID_DEVICE"), HasSubstr("device 2")));
}

TEST_F(ContextTest, ReportsRetainFailure) {
  fake.fail("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY);
  DeviceContext none{};
  EXPECT_EQ(retain_context(driver, 0, &none, sink()), KMUX_UNAVAILABLE);
  EXPECT_THAT(error, HasSubstr("cuDevicePrimaryCtxRetain failed with 2 CUDA_ERROR_OUT_OF_MEMORY"));
}

}  // namespace
}  // namespace kmux::nvidia
