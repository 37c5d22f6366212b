// Streams, contexts, devices, captures, several programs, unloading: the resulting driver calls.
#include <atomic>
#include <thread>

#include "cubin_example.h"
#include "nvidia/launch/driver_table.h"
#include "over_fake.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

KMUX_OVER_FAKE(LifeSequencesTest);

constexpr const char* kLifeScale = "extern \"C\" __global__ void scale(float* x) { x[0] = 2; }\n";

ProgramBuilder doubling_program(const std::string& source = kLifeScale) {
  ProgramBuilder builder = program_of("scale", source);
  builder.launch("scale").grid({1}).block({32}).dynamic_smem_bytes(50000).args({"x"});
  return builder;
}

std::string scale_line(const Tensor& x, const std::string& stream) {
  return line({.kernel = "scale", .args = {written(x)}, .smem = 50000, .stream = stream});
}

TEST_P(LifeSequencesTest, EveryKindOfStreamReachesDriver) {
  const Kernel kernel = warmed(doubling_program());
  const Stream own = Stream::create(kernel.device()).value();
  const Tensor x = zeros(kernel, {4});
  EXPECT_THAT(work_of(kernel, {x}, nullptr), ElementsAre(scale_line(x, "0x0")));
  EXPECT_THAT(work_of(kernel, {x}, reinterpret_cast<void*>(1)), ElementsAre(scale_line(x, "0x1")));
  EXPECT_THAT(work_of(kernel, {x}, reinterpret_cast<void*>(2)), ElementsAre(scale_line(x, "0x2")));
  EXPECT_THAT(work_of(kernel, {x}, own.handle()), ElementsAre(scale_line(x, "0x3000010")));
}

TEST_P(LifeSequencesTest, InvalidStreamFailsOnlyThatCall) {
  const Kernel kernel = warmed(doubling_program());
  const Tensor x = zeros(kernel, {4});
  const Status refused = kernel.launch({x}, StreamRef{reinterpret_cast<void*>(0x3000990)});
  EXPECT_EQ(refused.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(refused.error().message, HasSubstr("cuLaunchKernelEx failed with 400 CUDA_ERROR_INVALID_HANDLE"));
  EXPECT_TRUE(kernel.launch({x}).ok());
}

TEST_P(LifeSequencesTest, ChosenCarveoutIsSet) {
  const Kernel kernel = compiled(doubling_program(), {{"shared_carveout", "25"}});
  kernel.warm().value();
  EXPECT_THAT(fake.calls("cuKernelSetAttribute"), Contains("cuKernelSetAttribute scale attribute 9 value 25 device 0"));
}

// The manifest takes the option from the environment.
TEST_P(LifeSequencesTest, EnvironmentVariableMakesLaunchesBlocking) {
  use_variable("KMUX_LAUNCH_BLOCKING", "1");
  const Kernel kernel = warmed(doubling_program());
  const Tensor x = zeros(kernel, {4});
  fake.fail("cuStreamSynchronize", CUDA_ERROR_LAUNCH_FAILED);
  const Status refused = kernel.launch({x});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(refused.error().message, HasSubstr("kernel \"scale\" failed with 719"));
}

ProgramBuilder of_fatbin(const FatbinExample& fatbin) {
  ProgramBuilder builder("scale");
  builder.buffer("x", BufferParam{dtype::kFloat32, {builder.symbol("n")}});
  builder.variant("cubin").source("scale.fatbin", fatbin.bytes());
  builder.launch("scale").grid({1}).block({32}).args({"x"});
  return builder;
}

// Returns a cubin with kernel "scale" of one pointer, for sm_90a.
std::string cubin_of_scale() {
  CubinExample::Symbol scale{"scale"};
  scale.parameters = {8};
  return CubinExample{{scale}}.bytes();
}

TEST_P(LifeSequencesTest, FatbinEntryForDeviceIsLoaded) {
  const std::string cubin = cubin_of_scale();
  fake.set_parameters("scale", {8});  // the fake cannot read this from compressed code
  for (const std::uint64_t flag : {std::uint64_t{0}, FatbinExample::kZstd}) {
    const Kernel kernel = warmed(of_fatbin({{{FatbinExample::kCubin, 80, "for others"},
                                             {FatbinExample::kCubin, 90, cubin, flag | FatbinExample::kOwnArch}}}));
    const Tensor x = zeros(kernel, {4});
    EXPECT_THAT(work_of(kernel, {x}), ElementsAre(line({.kernel = "scale", .args = {written(x)}})));
    for (const File& file : kernel.files()) {
      if (file.path != "artifact/code") continue;
      EXPECT_EQ(file.content.starts_with(cubin), flag == 0) << "only what is for the device";
    }
  }
  const auto refused = try_compile(of_fatbin({{{FatbinExample::kCubin, 80, cubin}}}));
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("has no code for sm_90a (it has sm_80)"));
}

// Returns two variants, each a cubin in a fatbin, for their stated architectures; the second fits the device better.
ProgramBuilder for_two_architectures(const FatbinExample& better) {
  ProgramBuilder builder = of_fatbin({{{FatbinExample::kCubin, 90, cubin_of_scale()}}});
  builder.requires_arch("sm_90").variant("cubin").source("better.fatbin", better.bytes());
  builder.requires_arch("sm_90a").launch("scale").grid({1}).block({32}).args({"x"});
  return builder;
}

TEST_P(LifeSequencesTest, BestFittingVariantIsChosenWithFallback) {
  const std::string cubin = cubin_of_scale();
  const FatbinExample better{{{FatbinExample::kCubin, 90, cubin, FatbinExample::kOwnArch}}};
  const Resolution resolution = resolve(*runtime, for_two_architectures(better).build().value(),
                                        {.target = "cuda:sm_90a", .execution_backend = GetParam()});
  ASSERT_GE(resolution.candidates.size(), 2U);
  EXPECT_EQ(resolution.candidates[0].variant, 1U) << resolution.explain();
  EXPECT_EQ(resolution.candidates[1].variant, 0U);
  EXPECT_THAT(resolution.candidates[1].reason,
              HasSubstr("variant 1 fits \"sm_90a\" better (it is for sm_90a, this one for sm_90)"));

  const FatbinExample empty{{{FatbinExample::kCubin, 80, cubin}}};
  const Program program = for_two_architectures(empty).build().value();
  const Kernel kernel = compile(*runtime, program, {.target = "cuda:sm_90a"}).value();
  EXPECT_EQ(kernel.resolution().chosen()->variant, 0U) << kernel.resolution().explain();
}

TEST_P(LifeSequencesTest, CallersContextIsRestored) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  const Kernel kernel = warmed(doubling_program());
  const Tensor x = zeros(kernel, {4});
  const Tensor far = zeros(kernel, {4}, dtype::kFloat32, 1);
  WrittenText text;
  const DriverTable& driver = *open_driver(text.sink());
  CUcontext second = nullptr;
  EXPECT_EQ(driver.primary_retain(&second, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver.current_set(second), CUDA_SUCCESS);
  fake.clear_calls();
  kernel.launch({x}).value();
  EXPECT_THAT(fake.calls(),
              ElementsAre(scale_line(x, "0x0") + " = 400 CUDA_ERROR_INVALID_HANDLE", "cuCtxGetCurrent -> 0x9000010",
                          "cuCtxGetDevice -> 1", "cuCtxSetCurrent 0x9000000", scale_line(x, "0x0"),
                          "cuCtxSetCurrent 0x9000010"));
  kernel.warm(1).value();
  fake.clear_calls();
  kernel.launch({far}).value();  // the previous launch had to enter a context, so this one looks first
  EXPECT_THAT(fake.calls(), ElementsAre("cuCtxGetCurrent -> 0x9000010", scale_line(far, "0x0")));
  fake.clear_calls();
  kernel.launch({far}).value();
  EXPECT_THAT(fake.calls(), ElementsAre(scale_line(far, "0x0")));
  EXPECT_EQ(driver.current_set(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver.primary_release(1), CUDA_SUCCESS);
}

TEST_P(LifeSequencesTest, DevicesShareLibraryButNotSharedMemoryMaximum) {
  fake.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
  const Kernel kernel = compiled(doubling_program());
  const Tensor near = zeros(kernel, {4});
  const Tensor far = zeros(kernel, {4}, dtype::kFloat32, 1);
  EXPECT_THAT(work_of(kernel, {near}), Contains("cuKernelSetAttribute scale attribute 8 value 50000 device 0"));
  EXPECT_EQ(fake.calls("cuLibraryLoadData").size(), 1U);
  EXPECT_THAT(work_of(kernel, {far}), Contains("cuKernelSetAttribute scale attribute 8 value 50000 device 1"));
  EXPECT_THAT(fake.calls("cuLibraryLoadData"), IsEmpty());
  make_current(1);
  EXPECT_THAT(work_of(kernel, {far}), ElementsAre(scale_line(far, "0x0")));
}

TEST_P(LifeSequencesTest, LaunchCanBeCapturedAfterWarm) {
  const Kernel kernel = warmed(doubling_program());
  const Stream stream = Stream::create(kernel.device()).value();
  const Tensor x = zeros(kernel, {4});
  fake.set_capture(static_cast<CUstream>(stream.handle()), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_THAT(work_of(kernel, {x}, stream.handle()), ElementsAre(scale_line(x, "0x3000010")));
  fake.set_capture(static_cast<CUstream>(stream.handle()), CU_STREAM_CAPTURE_STATUS_NONE);
  kept = {.contexts = 1, .libraries = 1};  // the code, for the graph of the capture
}

TEST_P(LifeSequencesTest, FirstUseDuringCaptureIsRejectedWithAdvice) {
  const Kernel kernel = compiled(doubling_program());
  const Stream stream = Stream::create(kernel.device()).value();
  const Tensor x = zeros(kernel, {4});
  fake.set_capture(static_cast<CUstream>(stream.handle()), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  const Status refused = kernel.launch({x}, stream);
  EXPECT_EQ(refused.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(refused.error().message, HasSubstr("Call warm() before the capture begins."));
  EXPECT_THAT(fake.symbols(), Not(Contains("cuLibraryLoadData")));
  fake.set_capture(static_cast<CUstream>(stream.handle()), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_TRUE(kernel.launch({x}, stream).ok());
}

TEST_P(LifeSequencesTest, KernelsOfSameNameStaySeparate) {
  const Kernel first = warmed(doubling_program());
  const Kernel second = warmed(doubling_program("extern \"C\" __global__ void scale(float* x) { x[0] = 3; }\n"));
  const Tensor x = zeros(first, {4});
  std::vector<CUlibrary> libraries;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { libraries.push_back(run.library); });
  first.launch({x}).value();
  second.launch({x}).value();
  first.launch({x}).value();
  fake.finish();
  ASSERT_EQ(libraries.size(), 3U);
  EXPECT_NE(libraries[0], libraries[1]);
  EXPECT_EQ(libraries[0], libraries[2]);
}

TEST_P(LifeSequencesTest, UnloadingDoesNotSynchronize) {
  use_no_cache();  // cached entries are read in the background, which holds the kernel
  {
    const Kernel kernel = warmed(doubling_program());
    EXPECT_EQ(fake.live().libraries, 1U);
  }
  EXPECT_THAT(work(), ElementsAre(HasSubstr("cuLibraryUnload "), "cuDevicePrimaryCtxRelease_v2 device 0"));
  EXPECT_EQ(fake.calls("cuThreadExchangeStreamCaptureMode").size(), 2U);
  EXPECT_EQ(fake.live(), fake_cuda::Live{});
}

TEST_P(LifeSequencesTest, SixteenThreadsLaunchTwoKernels) {
  constexpr int kThreads = 16;
  constexpr int kCalls = 50;
  const Kernel first = compiled(doubling_program());
  const Kernel second = compiled(doubling_program("extern \"C\" __global__ void scale(float* x) { x[0] = 3; }\n"));
  const Tensor x = zeros(first, {4});
  std::atomic<int> launches{0};
  fake.on_launch([&](const fake_cuda::KernelRun& run) {
    if (*static_cast<void* const*>(run.args[0]) == x.data()) ++launches;
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Stream own = Stream::create(first.device()).value();
      for (int call = 0; call < kCalls; ++call) {
        const StreamRef stream = i % 2 == 0 ? StreamRef(own) : StreamRef{reinterpret_cast<void*>(std::uintptr_t{1})};
        EXPECT_TRUE(first.launch({x}, stream).ok());
        EXPECT_TRUE(second.launch({x}, stream).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  fake.finish();
  EXPECT_EQ(launches, 2 * kThreads * kCalls);
  kept = {.contexts = 2};  // one per kernel, current until thread exit on threads that had none
  EXPECT_EQ(fake.calls("cuLibraryLoadData").size(), 2U);
}

}  // namespace
}  // namespace kmux::nvidia
