// The life of a kernel, from opening its plugin to unloading it, with each call of HIP failing once.
#include <algorithm>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/log.h"
#include "kmux/registry.h"

#include "fake_hip.h"
#include "launch/hip_abi.h"
#include "launch/hip_symbols.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

constexpr const char* kSource = R"(
__constant__ float bias;
extern "C" __global__ void first(const float* x, float* w, int n) { w[threadIdx.x] = x[threadIdx.x] + n + bias; }
extern "C" __global__ void second(float* x, const float* w) { x[threadIdx.x] = w[threadIdx.x]; }
)";

// A constant, a workspace, a fill, two launches, the second one cooperative.
ProgramBuilder life_of_a_kernel() {
  ProgramBuilder builder("life");
  const Expr n = builder.symbol("n");
  builder.constant({"bias", dtype::kFloat32});
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}}).variant("hip").source("life.hip", kSource);
  builder.workspace("w", n * 4);
  builder.body().fill("w", n * 4, 1);
  builder.launch("first").grid({1}).block({32}).dynamic_smem_bytes(1024).args({"x", "w"}).arg(n);
  builder.launch("second").grid({1}).block({32}).cooperative().args({"x", "w"});
  return builder;
}

class HipFaultsTest : public testing::Test {
 protected:
  HipFaultsTest() {
    set_log_sink(LogLevel::kWarning, [this](LogLevel, std::string_view text) { logs_.emplace_back(text); });
  }
  ~HipFaultsTest() override { set_log_sink(LogLevel::kWarning, {}); }

  // Opens the plugin again for each life; compiled code stays on disk.
  void start(bool cached) {
    Environment environment;
    environment.cache_dir = folder_.path() / "cache";
    environment.disable_cache = !cached;
    RegistryOptions registry;
    registry.plugin_options = {{"hip.library", FakeHip::path()}, {"hip.engine", "hiprtc"}};
    runtime_ = Runtime::create(environment, registry).value();
    logs_.clear();
  }

  // Builds the kernel and launches it twice. Returns an empty string on success, else the error.
  std::string live() {
    const auto kernel = compile(*runtime_, life_of_a_kernel().build().value(), {.execution_backend = "hip"});
    if (!kernel) return kernel.error().explain();
    const Status done = launch_twice(*kernel);
    return done.ok() ? "" : done.error().explain();
  }

  Kernel kernel() {
    start(true);
    return compile(*runtime_, life_of_a_kernel().build().value(), {.execution_backend = "hip"}).value();
  }

  static Status launch_twice(const Kernel& kernel) {
    KMUX_TRY(kernel.device().properties());
    KMUX_TRY(kernel.device().plugin()->backend().devices().memory_info(0));
    KMUX_ASSIGN(const Stream stream, Stream::create(kernel.device()));
    KMUX_ASSIGN(const Stream first, Stream::create(kernel.device(), -1));
    KMUX_ASSIGN(const Event begin, Event::create(kernel.device()));
    KMUX_ASSIGN(const Event end, Event::create(kernel.device()));
    KMUX_ASSIGN(const Tensor zeros, Tensor::zeros({64}, dtype::kFloat32));
    KMUX_ASSIGN(const Tensor x, zeros.to(kernel.device()));
    KMUX_ASSIGN(const Tensor bias, Tensor::zeros({}, dtype::kFloat32));
    KMUX_TRY(kernel.set_constant("bias", bias));
    KMUX_TRY(begin.record(stream));
    KMUX_TRY(kernel.launch({x}, stream));
    KMUX_TRY(kernel.warm());
    KMUX_TRY(kernel.launch({x}));
    KMUX_TRY(end.record(stream));
    KMUX_TRY(stream.synchronize());
    KMUX_TRY(end.elapsed_since(begin));
    KMUX_TRY(x.to(Device{}));
    KMUX_ASSIGN(const Tensor pinned, Tensor::pinned({64}, dtype::kFloat32, kernel.device()));
    KMUX_TRY(pinned.copy_from(x, first));
    return kernel.device().synchronize();
  }

  void unload() {
    Status unloaded = runtime_->registry().unload("hip");
    for (int tries = 0; !unloaded.ok() && tries < 1000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      unloaded = runtime_->registry().unload("hip");
    }
    EXPECT_TRUE(unloaded.ok()) << unloaded.error().explain();
  }

  // Runs a life in which the `nth` call fails, and one after it. Returns false if no call was left to fail.
  bool survive(int code, unsigned nth, bool cached) {
    start(cached);
    fake_->fail("", code, nth);
    std::string told = live();
    const std::string failed = fake_->failed();
    if (!failed.empty() && told.find("cannot run here") != std::string::npos) {  // a plugin is probed once
      unload();
      start(cached);
    }
    EXPECT_EQ(failed.empty() ? "" : live(), "") << "after " << failed;
    unload();
    for (const std::string& line : logs_) told += "\n" + line;
    if (!fake_->failed().empty()) expect_told(told, code);
    return !fake_->failed().empty();
  }

  // A property that a device does not report has a default; for a stream, the launch reports the cause.
  void expect_told(const std::string& told, int code) {
    static const std::set<std::string> untold = {"hipDeviceGetAttribute", "hipRuntimeGetVersion",
                                                 "hiprtcDestroyProgram", "hipStreamIsCapturing"};
    const std::string failed = fake_->failed();
    if (untold.contains(failed)) return;
    EXPECT_THAT(told, HasSubstr(failed + " failed with " + std::to_string(code)));
  }

  // Fails every call of a life, one after the other. Returns their number.
  unsigned fail_each(int code, bool cached) {
    fake_->reset();
    start(cached);
    EXPECT_EQ(live(), "");  // compiled now
    unload();
    std::size_t modules = fake_->live().modules;
    unsigned nth = 1;
    for (fake_->reset(); survive(code, nth, cached) && nth < 1000; fake_->reset()) {
      EXPECT_LE(fake_->live().modules, modules + 1) << nth << ", " << fake_->failed();
      modules = fake_->live().modules;
      ++nth;
    }
    return nth - 1;
  }

  FakeHip fake_ = FakeHip::load();

 private:
  TempFolder folder_;
  Shared<Runtime> runtime_;
  std::vector<std::string> logs_;
};

TEST_F(HipFaultsTest, DeviceFaultsAreReported) {
  EXPECT_GT(fail_each(719, true), 30U);
  EXPECT_GT(fail_each(2, true), 30U);
}

// Returns true for calls that a life on one device does not use: other devices, graphs, releases before 6, and calls
// that the plugin does not make yet.
bool is_for_others(const std::string& symbol) {
  static const std::set<std::string> others = {"hipSetDevice",
                                               "hipMalloc",
                                               "hipFree",
                                               "hipGraphNodeSetEnabled",
                                               "hipMemcpyPeerAsync",
                                               "hipGetDevicePropertiesR0000",
                                               "hipGetDeviceProperties",
                                               "hipStreamGetCaptureInfo",
                                               "hipStreamWaitEvent",
                                               "hipThreadExchangeStreamCaptureMode"};
  return others.contains(symbol);
}

TEST_F(HipFaultsTest, CoverEveryCall) {
  start(false);
  EXPECT_EQ(live(), "");
  unload();
  const std::vector<std::string> calls = fake_->calls();
#define KMUX_CALL(name, symbol, params) \
  EXPECT_TRUE(is_for_others(#symbol) || std::ranges::find(calls, #symbol) != calls.end()) << #symbol;
  KMUX_HIP_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
}

TEST_F(HipFaultsTest, LaterFaultsNameEarlierLaunches) {
  const Kernel kernel = this->kernel();
  const Tensor x = Tensor::zeros({64}, dtype::kFloat32, kernel.device()).value();
  ASSERT_TRUE(kernel.set_constant("bias", Tensor::zeros({}, dtype::kFloat32).value()).ok());
  ASSERT_TRUE(kernel.device().synchronize().ok());
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(kernel.launch({x}).ok());
  fake_->fail("hipStreamSynchronize", 719, 1);
  const Status failed = kernel.device().synchronize();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().note("launched before"), "2 x life");
  fake_->fail("hipModuleLaunchKernel", 719, 1);
  const Status launched = kernel.launch({x});
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().note("launched before"), "2 x life");
  EXPECT_THAT(launched.error().message, HasSubstr("kernel \"life\": hipModuleLaunchKernel failed with 719"));
  ASSERT_TRUE(kernel.device().synchronize().ok());
  fake_->fail("hipModuleLaunchKernel", 719, 1);
  EXPECT_EQ(kernel.launch({x}).error().note("launched before"), std::nullopt);
}

TEST_F(HipFaultsTest, CompilerFaultsAreReported) {
  for (const char* symbol : {"hiprtcCreateProgram", "hiprtcCompileProgram", "hiprtcGetProgramLogSize",
                             "hiprtcGetProgramLog", "hiprtcGetCodeSize", "hiprtcGetCode"}) {
    start(false);
    fake_->fail(symbol, 11, 1);
    EXPECT_THAT(live(), HasSubstr(std::string(symbol) + " failed with 11"));
    EXPECT_EQ(live(), "") << symbol;
    unload();
  }
}

}  // namespace
}  // namespace kmux
