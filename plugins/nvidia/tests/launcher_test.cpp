#include "nvidia/launch/launcher.h"

#include <thread>

#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

constexpr int kNothing(const kmux_driver_env&, kmux_sink) { return KMUX_OK; }

class LauncherTest : public OpenedLauncherTest {
 protected:
  const DriverTable& driver = *open_driver(sink());

  CUstream make_stream(unsigned flags) {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    EXPECT_EQ(driver.primary_retain(&context, 0), CUDA_SUCCESS);
    EXPECT_EQ(driver.current_set(context), CUDA_SUCCESS);
    EXPECT_EQ(driver.stream_create(&stream, flags), CUDA_SUCCESS);
    return stream;
  }

  void expect_captured(CUstream stream) {
    CUstreamCaptureStatus status{};
    EXPECT_EQ(driver.stream_capturing(stream, &status), CUDA_SUCCESS);
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  }
};

TEST_F(LauncherTest, MakesNoDriverCallsBeforeUse) {
  fake.clear_calls();
  launcher();
  close();
  EXPECT_THAT(fake.calls(), IsEmpty());
}

TEST_F(LauncherTest, PreparesOnceInFixedOrder) {
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(),
              ElementsAre("cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxGetCurrent", "cuCtxSetCurrent",
                          "cuThreadExchangeStreamCaptureMode", "cuLibraryLoadData", "cuLibraryGetKernel",
                          "cuLibraryGetKernel", "cuDeviceGetAttribute", "cuKernelGetAttribute", "cuKernelGetAttribute",
                          "cuKernelGetAttribute", "cuKernelGetAttribute", "cuKernelGetAttribute",
                          "cuKernelGetAttribute", "cuThreadExchangeStreamCaptureMode", "cuCtxGetCurrent",
                          "cuKernelGetFunction", "cuKernelGetFunction"));
  fake.clear_calls();
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.calls(), IsEmpty());
}

TEST_F(LauncherTest, LoadsOneLibraryForAllDevices) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  EXPECT_EQ(launch(add(), 1), KMUX_OK) << error;
  EXPECT_EQ(launch(add(), 0), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuLibraryLoadData").size(), 1U);
  EXPECT_EQ(fake.calls("cuDevicePrimaryCtxRetain").size(), 2U);
}

TEST_F(LauncherTest, LoadsNothingWithoutKernels) {
  facts.kernel_count = 0;
  EXPECT_EQ(call(kNothing), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), Not(Contains("cuLibraryLoadData")));
  close();
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

TEST_F(LauncherTest, SeparatesKernelsOfSameName) {
  std::vector<CUlibrary> libraries;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { libraries.push_back(run.library); });
  Launcher other("other code", facts, Log{});
  const kmux_driver_launch what = add();
  const auto body = [&](const kmux_driver_env& env, kmux_sink to) { return env.driver->launch(&env, &what, to); };
  EXPECT_EQ(call(body), KMUX_OK) << error;
  EXPECT_EQ(other.call(kmux_launch_env{}, sink(), body), KMUX_OK) << error;
  EXPECT_EQ(call(body), KMUX_OK) << error;
  fake.finish();
  ASSERT_EQ(libraries.size(), 3U);
  EXPECT_NE(libraries[0], libraries[1]);
  EXPECT_EQ(libraries[0], libraries[2]);
}

TEST_F(LauncherTest, LaunchesOnDeviceOfCallAndRestoresContext) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  const CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);  // device 0 is current
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_EQ(launcher().prepare(1, sink()), KMUX_OK) << error;
  std::vector<int> devices;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { devices.push_back(run.device); });
  EXPECT_EQ(launch(add(), 1), KMUX_OK) << error;
  fake.finish();
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
  fake.finish();
  EXPECT_THAT(devices, ElementsAre(1, 0));
  CUdevice current = -1;
  EXPECT_EQ(driver.current_device(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, 0);
}

TEST_F(LauncherTest, RejectsUnknownDevices) {
  EXPECT_EQ(launcher().prepare(1, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("cuDeviceGet failed with 101"));
  for (const int device : {-1, 64, 1 << 30}) {
    EXPECT_EQ(call(kNothing, device), KMUX_INVALID_ARGUMENT);
    EXPECT_THAT(error, HasSubstr("device " + std::to_string(device) + " is out of range (0 to 63)."));
  }
}

TEST_F(LauncherTest, ReportsMissingKernel) {
  fake.hide_kernel("mul");
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error,
              AllOf(HasSubstr("cuLibraryGetKernel failed with 500 CUDA_ERROR_NOT_FOUND"), HasSubstr("kernel \"mul\"")));
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

TEST_F(LauncherTest, LeaksNothingWhenPreparationFails) {
  facts.window_bytes = 4096;
  kernels[0].dynamic_smem_bytes = 100000;
  kernels[1].large_cluster = true;
  for (unsigned nth = 1;; ++nth) {
    fake.reset();
    tell_kernels();
    fake.fail_any(CUDA_ERROR_UNKNOWN, nth);
    error.clear();
    const int code = launcher().prepare(0, sink());
    if (fake.failed().empty()) break;
    EXPECT_THAT(error, HasSubstr(fake.failed().substr(0, fake.failed().find('_')))) << fake.failed();
    EXPECT_EQ(code, KMUX_LAUNCH_FAILED) << fake.failed();
    EXPECT_EQ(launch(add()), KMUX_OK) << error;
    close();
    EXPECT_EQ(fake.live(), fake_cuda::Live{}) << fake.failed();
  }
}

TEST_F(LauncherTest, RejectsFirstCallDuringCapture) {
  const CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
  for (const auto status : {CU_STREAM_CAPTURE_STATUS_ACTIVE, CU_STREAM_CAPTURE_STATUS_INVALIDATED}) {
    fake.set_capture(stream, status);
    EXPECT_EQ(launch(add(), 0, stream), KMUX_LAUNCH_FAILED);
    EXPECT_EQ(
        error,
        "the first call of \"sum\" on device 0 is inside a capture (its code is not ready yet). Call warm() before "
        "the capture begins.");
  }
  EXPECT_THAT(fake.symbols(), Not(Contains("cuLibraryLoadData")));
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
}

TEST_F(LauncherTest, RejectsFirstCallOnLegacyStreamBesideCapture) {
  fake.set_capture(make_stream(CU_STREAM_DEFAULT), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(launch(add()), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(error, HasSubstr("Call warm() before the capture begins."));
}

TEST_F(LauncherTest, LaunchesInCaptureOnceWarm) {
  const CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  fake.clear_calls();
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuStreamIsCapturing", "cuLaunchKernelEx"));
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuStreamIsCapturing").size(), 1U) << "known for good";
}

// The owner of a graph may launch it at any time.
TEST_F(LauncherTest, KeepsCodeRecordedByCapture) {
  const CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
  warm();
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
  const fake_cuda::Live before = fake.live();
  close();
  EXPECT_EQ(fake.live(), before);
  EXPECT_THAT(logs, ElementsAre("the code of \"sum\" stays loaded (a capture has recorded a call of it)."));
}

TEST_F(LauncherTest, UnloadsCodeAfterInvalidatedCapture) {
  const CUstream stream = make_stream(CU_STREAM_NON_BLOCKING);
  warm();
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  static_cast<void>(launch(add(), 0, stream));
  close();
  EXPECT_EQ(fake.live().libraries, 0U);
}

TEST_F(LauncherTest, IgnoresCaptureQueryFailureOnceWarm) {
  warm();
  fake.fail("cuStreamIsCapturing", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(launch(add()), KMUX_OK) << error;
  fake.fail("cuStreamIsCapturing", CUDA_ERROR_ILLEGAL_ADDRESS);
  fake.fail("cuLaunchKernelEx", CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(launch(add()), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(error, HasSubstr("cuLaunchKernelEx failed with 700"));
  close();
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

TEST_F(LauncherTest, PreparesWithoutInvalidatingCapture) {
  facts.window_bytes = 4096;  // raises a limit of the context
  const CUstream stream = make_stream(CU_STREAM_DEFAULT);
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(launcher().prepare(0, sink()), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), Contains("cuCtxSetLimit"));
  expect_captured(stream);
}

TEST_F(LauncherTest, ReportsCaptureQueryFailureOnFirstCall) {
  fake.fail("cuStreamIsCapturing", CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(launch(add()), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(error, AllOf(HasSubstr("cuStreamIsCapturing failed with 400"), HasSubstr("stream of \"sum\"")));
}

TEST_F(LauncherTest, PassesEnvironmentToBody) {
  const auto body = [](const kmux_driver_env& env, kmux_sink) {
    EXPECT_EQ(env.env.lane, 5U);
    EXPECT_EQ(env.env.device, 0);
    EXPECT_EQ(env.env.stream, reinterpret_cast<void*>(2));
    return KMUX_OK;
  };
  EXPECT_EQ(call(body, 0, reinterpret_cast<CUstream>(2), 5), KMUX_OK) << error;
}

TEST_F(LauncherTest, ReturnsResultOfBody) {
  const auto body = [](const kmux_driver_env&, kmux_sink to) {
    to.write(to.self, "no", 2);
    return +KMUX_UNSUPPORTED;
  };
  EXPECT_EQ(call(body), KMUX_UNSUPPORTED);
  EXPECT_EQ(error, "no");
}

TEST_F(LauncherTest, UnloadsInFixedOrder) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  warm(0);
  warm(1);
  close();
  EXPECT_THAT(fake.symbols(), ElementsAre("cuThreadExchangeStreamCaptureMode", "cuLibraryUnload", "cuCtxGetCurrent",
                                          "cuCtxSetCurrent", "cuDevicePrimaryCtxRelease_v2",
                                          "cuDevicePrimaryCtxRelease_v2", "cuThreadExchangeStreamCaptureMode"))
      << "the first device's context stayed current";
  EXPECT_THAT(logs, IsEmpty());
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

TEST_F(LauncherTest, UnloadsWithoutInvalidatingCapture) {
  for (const unsigned flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING}) {
    const CUstream stream = make_stream(flags);
    warm();
    fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
    close();
    EXPECT_EQ(fake.live().libraries, 0U);
    EXPECT_THAT(logs, IsEmpty());
    expect_captured(stream);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    EXPECT_EQ(driver.exchange_capture_mode(&mode), CUDA_SUCCESS);
    EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL) << "of this thread, after";
    fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_NONE);
  }
}

TEST_F(LauncherTest, KeepsCodeWhenCaptureForbidsUnload) {
  warm();
  DriverTable strict = driver;
  strict.library_unload = [](CUlibrary) { return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; };
  {
    Launcher mine("code", facts, log(), &strict);
    EXPECT_EQ(mine.prepare(0, sink()), KMUX_OK) << error;
  }
  EXPECT_EQ(fake.live().libraries, 2U);
  EXPECT_EQ(fake.live().contexts, 2U);
  EXPECT_THAT(logs, ElementsAre(HasSubstr("cuLibraryUnload failed with 900 CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED; it "
                                          "stays loaded.")));
}

class LauncherLeakTest : public LauncherTest, public testing::WithParamInterface<CUresult> {};

TEST_P(LauncherLeakTest, KeepsCodeWhenCaptureModeCannotBeChanged) {
  warm();
  fake.fail("cuThreadExchangeStreamCaptureMode", GetParam());
  close();
  EXPECT_THAT(fake.symbols(), Not(Contains("cuLibraryUnload")));
  EXPECT_EQ(fake.live().libraries, 1U);
  EXPECT_THAT(logs, ElementsAre(AllOf(
                        HasSubstr("unloading the code of \"sum\": cuThreadExchangeStreamCaptureMode failed with "),
                        HasSubstr("it stays loaded"))));
}

INSTANTIATE_TEST_SUITE_P(Each, LauncherLeakTest,
                         testing::Values(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUDA_ERROR_CONTEXT_IS_DESTROYED,
                                         CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_INVALID_CONTEXT));

TEST_F(LauncherTest, UnloadsAndReportsAfterKernelFailure) {
  warm();
  fake.fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_ILLEGAL_ADDRESS);
  fake.fail("cuLibraryUnload", CUDA_ERROR_ILLEGAL_ADDRESS);
  fake.fail("cuDevicePrimaryCtxRelease_v2", CUDA_ERROR_ILLEGAL_ADDRESS);
  close();
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
  EXPECT_THAT(logs, ElementsAre(HasSubstr("cuThreadExchangeStreamCaptureMode failed with 700 "
                                          "CUDA_ERROR_ILLEGAL_ADDRESS; it is unloaded all the same"),
                                HasSubstr("cuLibraryUnload failed with 700 CUDA_ERROR_ILLEGAL_ADDRESS; it is unloaded"),
                                HasSubstr("cuDevicePrimaryCtxRelease failed with 700")));
}

TEST_F(LauncherTest, ReportsThreadLeftInRelaxedCaptureMode) {
  warm();
  fake.fail("cuThreadExchangeStreamCaptureMode", CUDA_ERROR_UNKNOWN, 2);
  close();
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
  EXPECT_THAT(logs,
              ElementsAre(HasSubstr("failed with 999 CUDA_ERROR_UNKNOWN; captures by this thread stay relaxed.")));
}

TEST_F(LauncherTest, PreparesOnceForConcurrentThreads) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    threads.emplace_back([this] {
      WrittenText text;
      EXPECT_EQ(launcher().prepare(0, text.sink()), KMUX_OK) << text.text;
    });
    if (i == 0) threads[0].join();
  }
  for (unsigned i = 1; i < 8; ++i) threads[i].join();
  EXPECT_EQ(fake.calls("cuLibraryLoadData").size(), 1U);
}

TEST_F(LauncherTest, UsesInjectedDriver) {
  DriverTable table = driver;
  table.device_get = [](CUdevice*, int) { return CUDA_ERROR_NO_DEVICE; };
  Launcher mine("code", facts, Log{}, &table);
  EXPECT_EQ(mine.prepare(0, sink()), KMUX_UNAVAILABLE);
  EXPECT_THAT(error, HasSubstr("cuDeviceGet failed with 100"));
}

}  // namespace
}  // namespace kmux::nvidia
