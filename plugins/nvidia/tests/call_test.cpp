#include "nvidia/launch/call.h"

#include "opened_launcher.h"

namespace kmux::nvidia {
namespace {

class CallTest : public OpenedLauncherTest {
 protected:
  CallTest() { fake.adopt(memory_, sizeof memory_); }
  int fill(const kmux_driver_fill& what, CUstream stream = nullptr) {
    return call([&](const kmux_driver_env& env, kmux_sink to) { return env.driver->fill(&env, &what, to); }, 0, stream);
  }
  /// Encodes a map of 16 x 64 floats at `memory_`, tiled by 16 x 16.
  int encode(kmux_tensor_map* map, unsigned long long offset = 0, bool im2col = false, unsigned lane = 0) {
    geometry_.base = memory_ + offset;
    const auto body = [&](const kmux_driver_env& env, kmux_sink to) {
      const int corner[1] = {0};
      return im2col ? env.driver->encode_im2col(&env, map, &geometry_, corner, corner, 16, 16, to)
                    : env.driver->encode_tiled(&env, map, &geometry_, box_, to);
    };
    return call(body, 0, nullptr, lane);
  }

  // Launches both kernels, one after the other.
  int launch_both(const kmux_driver_env& env, kmux_sink to) {
    kmux_driver_launch what = add();
    if (const int code = env.driver->launch(&env, &what, to)) return code;
    what.kernel = 1, what.args = nullptr;
    return env.driver->launch(&env, &what, to);
  }

  alignas(128) unsigned char memory_[8192] = {};
  unsigned long long dims_[3] = {16, 8, 8};
  unsigned long long strides_[2] = {64, 512};
  unsigned box_[3] = {16, 8, 1};
  unsigned ones_[3] = {1, 1, 1};
  kmux_map_geometry geometry_ = {"A_map", 0, nullptr, 7, 3, dims_, strides_, ones_, 0, 0, 0, 0};
};

TEST_F(CallTest, PassesLaunchParametersToDriver) {
  warm_as_current();
  kmux_driver_launch what = add();
  what.dynamic_smem_bytes = 640;
  what.grid[1] = 2, what.grid[2] = 3, what.block[1] = 2, what.block[2] = 4;
  EXPECT_EQ(launch(what), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"),
              ElementsAre("cuLaunchKernelEx add grid 4,2,3 block 128,2,4 smem 640 stream 0x0 args "
                          "[0x0000000000001234 0x00000007] attributes []"));
}

TEST_F(CallTest, MakesOneDriverCallPerLaunch) {
  warm_as_current();
  EXPECT_EQ(call([this](auto& env, kmux_sink to) { return launch_both(env, to); }), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLaunchKernelEx", "cuLaunchKernelEx"));
}

TEST_F(CallTest, EntersContextWhenNotCurrent) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  warm(1);
  EXPECT_EQ(call([this](auto& env, kmux_sink to) { return launch_both(env, to); }, 1), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLaunchKernelEx", "cuCtxGetCurrent", "cuCtxSetCurrent", "cuLaunchKernelEx",
                                          "cuLaunchKernelEx", "cuCtxSetCurrent"));
}

// C2.19
TEST_F(CallTest, EntersContextOnceWhenNoneIsCurrent) {
  warm();
  leave_context();
  EXPECT_EQ(launch(add()), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuCtxSetCurrent", "cuLaunchKernelEx", "cuCtxGetCurrent", "cuCtxSetCurrent",
                                          "cuLaunchKernelEx"));
  fake.clear_calls();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(launch(add()), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLaunchKernelEx", "cuLaunchKernelEx"));
}

TEST_F(CallTest, ChecksContextFirstIfPreviousCallEnteredIt) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  warm(1);
  const auto launch_twice = [this] {
    fake.clear_calls();
    EXPECT_EQ(call([this](auto& env, kmux_sink to) { return launch_both(env, to); }, 1), KMUX_OK) << error;
    return fake.symbols();
  };
  launch_twice();
  EXPECT_THAT(launch_twice(), ElementsAre("cuCtxGetCurrent", "cuCtxSetCurrent", "cuLaunchKernelEx", "cuLaunchKernelEx",
                                          "cuCtxSetCurrent"));
  make_current(1);
  EXPECT_THAT(launch_twice(), ElementsAre("cuCtxGetCurrent", "cuLaunchKernelEx", "cuLaunchKernelEx"));
  EXPECT_THAT(launch_twice(), ElementsAre("cuLaunchKernelEx", "cuLaunchKernelEx"));
  leave_context();
}

TEST_F(CallTest, SkipsContextOnCreatedStreamAfterEntry) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  warm(1);
  EXPECT_EQ(launch(add(), 1), KMUX_OK) << error;  // had to enter
  make_current(1);
  CUstream stream = nullptr;
  EXPECT_EQ(open_driver(sink())->stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  leave_context();
  fake.clear_calls();
  EXPECT_EQ(launch(add(), 1, stream), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuStreamIsCapturing", "cuLaunchKernelEx"));
}

TEST_F(CallTest, EntersContextWhenOtherDeviceIsCurrent) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  warm_as_current(1);
  warm(0);
  std::vector<int> devices;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { devices.push_back(run.device); });
  EXPECT_EQ(call([this](auto& env, kmux_sink to) { return launch_both(env, to); }), KMUX_OK) << error;
  fake.finish();
  EXPECT_THAT(devices, ElementsAre(0, 0));
  EXPECT_THAT(fake.symbols(), ElementsAre("cuLaunchKernelEx", "cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxSetCurrent",
                                          "cuLaunchKernelEx", "cuLaunchKernelEx", "cuCtxSetCurrent"));
}

// The stream determines the context, whichever is current.
TEST_F(CallTest, SkipsContextOnCreatedStream) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  warm_as_current(0);
  CUstream stream = nullptr;
  EXPECT_EQ(open_driver(sink())->stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(open_driver(sink())->current_set(nullptr), CUDA_SUCCESS);
  fake.clear_calls();
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), ElementsAre("cuStreamIsCapturing", "cuLaunchKernelEx"));
}

TEST_F(CallTest, DoesNotRetryFailedLaunch) {
  warm_as_current();
  fake.fail("cuLaunchKernelEx", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(launch(add()), KMUX_OK);
  EXPECT_THAT(fake.calls("cuLaunchKernelEx").size(), 1U);
  EXPECT_THAT(error, HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST_F(CallTest, ReportsContextEntryFailure) {
  warm();
  leave_context();
  fake.fail("cuCtxSetCurrent", CUDA_ERROR_DEINITIALIZED);
  EXPECT_NE(launch(add()), KMUX_OK);
  EXPECT_THAT(error, HasSubstr("cuCtxSetCurrent failed with 4"));
}

TEST_F(CallTest, QueriesCaptureOnlyOnCapturableStreams) {
  warm();
  for (const std::uintptr_t stream : {0, 1, 2}) {
    EXPECT_EQ(launch(add(), 0, reinterpret_cast<CUstream>(stream)), KMUX_OK) << error;
    EXPECT_EQ(fake.calls("cuStreamIsCapturing").size(), stream == 2 ? 1U : 0U);
  }
}

TEST_F(CallTest, PassesEveryKindOfStream) {
  warm();
  for (const std::uintptr_t stream : {0, 1, 2}) {
    EXPECT_EQ(launch(add(), 0, reinterpret_cast<CUstream>(stream)), KMUX_OK) << error;
    EXPECT_THAT(fake.calls("cuLaunchKernelEx").back(), HasSubstr(" stream 0x" + std::to_string(stream) + " "));
  }
}

TEST_F(CallTest, ReportsParametersOfFailedLaunch) {
  warm();
  kmux_driver_launch what = add();
  what.grid[2] = 70000;
  EXPECT_EQ(launch(what), KMUX_LAUNCH_FAILED);
  EXPECT_EQ(
      error,
      "cuLaunchKernelEx failed with 1 CUDA_ERROR_INVALID_VALUE (invalid argument; kernel \"add\" on device 0, grid "
      "4 x 1 x 70000, block 128 x 1 x 1, 0 bytes of dynamic shared memory). Check extents, shared memory and "
      "addresses against the limits of the device.");
}

TEST_F(CallTest, FillsInStreamOrder) {
  warm();
  EXPECT_EQ(fill({0, 0xAB, memory_, 16}, reinterpret_cast<CUstream>(2)), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuMemsetD8Async"), ElementsAre(AllOf(HasSubstr("0x2"), HasSubstr("16"))));
  fake.finish();
  EXPECT_EQ(memory_[15], 0xAB);
  EXPECT_EQ(memory_[16], 0);
}

TEST_F(CallTest, SkipsDriverForEmptyFill) {
  warm();
  EXPECT_EQ(fill({0, 1, nullptr, 0}), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuMemsetD8Async"), IsEmpty());
}

TEST_F(CallTest, ReportsFailedFill) {
  warm();
  fake.fail("cuMemsetD8Async", CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(fill({0, 1, memory_, 16}), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(
      error, AllOf(HasSubstr("cuMemsetD8Async failed with 1 "), HasSubstr("16 bytes at 0x"), HasSubstr("on device 0")));
}

TEST_F(CallTest, CachesTensorMapsPerLane) {
  facts.map_count = 1;
  warm();
  kmux_tensor_map map{};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(encode(&map), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuTensorMapEncodeTiled").size(), 1U);
  EXPECT_EQ(FakeCuda::read_map(&map).base, reinterpret_cast<std::uintptr_t>(memory_));
  EXPECT_EQ(encode(&map, 128), KMUX_OK) << error;
  EXPECT_EQ(FakeCuda::read_map(&map).base, reinterpret_cast<std::uintptr_t>(memory_) + 128);
  EXPECT_EQ(encode(&map, 128, false, 1), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuTensorMapEncodeTiled").size(), 2U);
}

TEST_F(CallTest, EncodesTensorMapsWithoutCacheSlot) {
  warm();  // facts.map_count is 0
  kmux_tensor_map map{};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(encode(&map), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuTensorMapEncodeTiled").size(), 2U);
}

TEST_F(CallTest, EncodesIm2colMapsOnce) {
  facts.map_count = 1;
  warm();
  kmux_tensor_map map{};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(encode(&map, 0, true), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuTensorMapEncodeIm2col").size(), 1U);
  EXPECT_EQ(FakeCuda::read_map(&map).channels_per_pixel, 16);
}

// A body with a map of 0 x 64 floats, whose address is null, and a launch: of the kernel that takes the map ("add"
// here), or of the other.
class EmptyMapTest : public CallTest {
 protected:
  EmptyMapTest() {
    fake.set_parameters("add", {8, 128});
    dims_[1] = 0;
    geometry_.base = nullptr;
  }
  int call_with(bool im2col, bool replayed, const kmux_driver_launch* what) {
    facts.replay = replayed;
    kmux_tensor_map map{};
    void* args[] = {&geometry_, &map};
    return call([&](const kmux_driver_env& env, kmux_sink to) {
      const int corner[1] = {0};
      const int code = im2col ? env.driver->encode_im2col(&env, &map, &geometry_, corner, corner, 16, 16, to)
                              : env.driver->encode_tiled(&env, &map, &geometry_, box_, to);
      if (code != KMUX_OK || what == nullptr) return code;
      kmux_driver_launch launch = *what;
      launch.args = args;
      return env.driver->launch(&env, &launch, to);
    });
  }
};

TEST_F(EmptyMapTest, IsNotEncodedByDriver) {
  facts.map_count = 1;
  warm();
  for (const bool im2col : {false, true}) EXPECT_EQ(call_with(im2col, false, nullptr), KMUX_OK) << error;
  EXPECT_THAT(fake.symbols(), Not(Contains(HasSubstr("cuTensorMap"))));
}

TEST_F(EmptyMapTest, DoesNotAffectOtherLaunches) {
  warm();
  kmux_driver_launch other = add();
  other.kernel = 1;
  EXPECT_EQ(call_with(false, false, &other), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuLaunchKernelEx").size(), 1U);
}

TEST_F(EmptyMapTest, IsRejectedWhenPassedToKernel) {
  const kmux_driver_launch what = add();
  for (const bool replayed : {false, true}) {
    EXPECT_EQ(call_with(replayed, replayed, &what), KMUX_INVALID_ARGUMENT);
    EXPECT_EQ(
        error,
        "tensor map \"A_map\" has no elements (dim 1 is 0), but \"add\" is launched. Launch an empty grid for an empty "
        "tensor, or pass one that is not.");
    close();
  }
  EXPECT_THAT(fake.symbols(), Not(Contains("cuLaunchKernelEx")));
}

// Drivers that cannot report a kernel's parameters.
TEST_F(EmptyMapTest, IsRejectedForAnyLaunchOnOldDrivers) {
  DriverTable old = *open_driver(sink());
  old.kernel_parameter = nullptr;
  Launcher mine("code", facts, Log{}, &old);
  kmux_driver_launch what = add();
  what.kernel = 1;
  kmux_tensor_map map{};
  const auto body = [&](const kmux_driver_env& env, kmux_sink to) {
    const int code = env.driver->encode_tiled(&env, &map, &geometry_, box_, to);
    return code == KMUX_OK ? env.driver->launch(&env, &what, to) : code;
  };
  EXPECT_EQ(mine.call(kmux_launch_env{}, sink(), body), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(error, HasSubstr("\"A_map\" has no elements (dim 1 is 0), but \"mul\" is launched."));
}

TEST_F(CallTest, NestedCallOnSameLaneCachesNothing) {
  facts.map_count = 1;
  warm();
  kmux_tensor_map map{};
  EXPECT_EQ(encode(&map), KMUX_OK) << error;
  const auto outer = [&](const kmux_driver_env&, kmux_sink) { return encode(&map); };
  EXPECT_EQ(call(outer), KMUX_OK) << error;
  EXPECT_EQ(fake.calls("cuTensorMapEncodeTiled").size(), 2U) << "the state of the lane is taken by the outer call";
}

TEST_F(CallTest, ReplaysBodyOfTwoLaunches) {
  facts.replay = true;
  const auto body = [&](const kmux_driver_env& env, kmux_sink to) {
    kmux_driver_launch what = add();
    if (const int code = env.driver->launch(&env, &what, to)) return code;
    what.kernel = what.step = 1, what.args = nullptr;
    return env.driver->launch(&env, &what, to);
  };
  const auto stream = reinterpret_cast<CUstream>(2);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(call(body, 0, stream), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), IsEmpty());
  EXPECT_EQ(fake.calls("cuGraphLaunch").size(), 2U);
  EXPECT_EQ(fake.calls("cuGraphInstantiateWithFlags").size(), 1U);
  close();
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

class BlockingCallTest : public CallTest {
 protected:
  BlockingCallTest() { facts.blocking = true; }
};

TEST_F(BlockingCallTest, WaitsForEachLaunch) {
  facts.only_launches = true;
  warm_as_current();
  EXPECT_EQ(call([&](const kmux_driver_env& env, kmux_sink to) { return launch_both(env, to); }), KMUX_OK) << error;
  const std::vector<std::string> symbols = fake.symbols();
  EXPECT_THAT(symbols,
              ElementsAre("cuLaunchKernelEx", "cuStreamSynchronize", "cuLaunchKernelEx", "cuStreamSynchronize"));
}

TEST_F(BlockingCallTest, ReportsFailedKernel) {
  warm_as_current();
  fake.fail("cuStreamSynchronize", CUDA_ERROR_ILLEGAL_ADDRESS, 2);
  EXPECT_EQ(call([&](const kmux_driver_env& env, kmux_sink to) { return launch_both(env, to); }), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(error,
              AllOf(testing::StartsWith("kernel \"mul\" failed with 700 CUDA_ERROR_ILLEGAL_ADDRESS ("),
                    HasSubstr("; on device 0, grid 4 x 1 x 1, block 128 x 1 x 1, 0 bytes of dynamic shared memory"),
                    HasSubstr("Run next: compute-sanitizer --tool memcheck COMMAND")));
}

TEST_F(BlockingCallTest, DoesNotWaitDuringCapture) {
  warm_as_current();
  CUstream stream = nullptr;
  ASSERT_EQ(open_driver(sink())->stream_create(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  fake.set_capture(stream, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  fake.clear_calls();
  EXPECT_EQ(launch(add(), 0, stream), KMUX_OK) << error;
  EXPECT_THAT(fake.calls("cuStreamSynchronize"), IsEmpty());
}

}  // namespace
}  // namespace kmux::nvidia
