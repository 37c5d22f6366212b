// The life of a kernel, from opening its plugin to unloading it, with each call of the driver failing once.
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "over_fake.h"
#include "temp_folder.h"

namespace kmux::nvidia {
namespace {

using testing::HasSubstr;

constexpr const char* kSource = R"(
struct alignas(64) Map { char bytes[128]; };
extern "C" __global__ void first(const __grid_constant__ Map map, float* w, int n) { w[0] = map.bytes[0] + n; }
extern "C" __global__ void second(float* x, float* w) { x[0] = w[0]; }
)";

const Expr kFaultsN = Expr::symbol("n");

TensorMap map_of_x() {
  TensorMap map;
  map.name = "map";
  map.base = {"x"};
  map.dims = {kFaultsN};
  map.mode = TiledMap{{32}};
  return map;
}

// Returns a body with a workspace, a fill, a map, and two launches that a graph may contain.
ProgramBuilder plain_body() {
  ProgramBuilder builder = program_of("life", kSource);
  builder.workspace("w", kFaultsN * 4);
  builder.tensor_map(map_of_x());
  builder.body().fill("w", kFaultsN * 4, 1);
  builder.launch("first").grid({1}).block({32}).dynamic_smem_bytes(60000).args({"map", "w"}).arg(kFaultsN);
  builder.launch("second").grid({32}).block({32}).cluster({16}).args({"x", "w"});
  return builder;
}

// Returns the same with a window, a cooperative launch and one that starts early.
ProgramBuilder rich_body() {
  ProgramBuilder builder = plain_body();
  builder.launch("second").grid({2}).block({32}).cooperative().l2_window("x", kFaultsN * 4).args({"x", "w"});
  builder.launch("second").grid({2}).block({32}).programmatic_serialization().args({"x", "w"});
  return builder;
}

class PluginFaultsTest : public OverFake {
 protected:
  // Opens the plugin again for each life; compiled code stays on disk.
  void start() {
    Environment environment;
    environment.cache_dir = folder_.path() / "cache";
    RegistryOptions options;
    options.variables = Environment::from_process().variables;  // location of the compilers
    runtime = Runtime::create(environment, options).value();
    logs.clear();
    fake.clear_calls();
  }

  // Builds, warms and launches the kernel, twice with the same memory, and copies that to pinned memory. Returns an
  // empty string on success, else the error.
  std::string live(const ProgramBuilder& builder, const Options& options) {
    const auto kernel = try_compile(builder, options);
    if (!kernel) return kernel.error().explain();
    if (const Status warm = kernel->warm(); !warm.ok()) return warm.error().explain();
    for (const std::int64_t n : {64, 128}) {
      const auto x = Tensor::zeros({n}, dtype::kFloat32, kernel->device());
      if (!x) return x.error().explain();
      for (int i = 0; i < 2; ++i) {
        if (const Status launched = kernel->launch({*x}); !launched.ok()) return launched.error().explain();
      }
      const auto pinned = Tensor::pinned({n}, dtype::kFloat32, kernel->device());
      if (!pinned) return pinned.error().explain();
      if (const Status copied = pinned->copy_from(*x); !copied.ok()) return copied.error().explain();
    }
    const Status done = kernel->device().synchronize();
    return done.ok() ? "" : done.error().explain();
  }

  void restart() {
    unload();
    start();
  }

  // Runs a life in which the `nth` call fails, and one after it. Returns false if no call was left to fail.
  bool survive(const ProgramBuilder& builder, const Options& options, CUresult code, unsigned nth) {
    start();
    fake.fail_any(code, nth);
    std::string told = live(builder, options);
    const std::string failed = fake.failed();
    if (told.find("cannot run here") != std::string::npos) restart();  // a plugin is probed once
    EXPECT_EQ(failed.empty() ? "" : live(builder, options), "") << "after " << failed;
    unload();
    EXPECT_EQ(fake.live(), fake_cuda::Live{}) << nth << ": " << fake.failed();
    for (const std::string& line : logs) told += "\n" + line;
    if (!fake.failed().empty()) expect_told(told, code);
    return !fake.failed().empty();
  }

  // A call that cannot query its stream still launches, without a graph.
  void expect_told(const std::string& told, CUresult code) {
    const std::string failed = fake.failed().substr(0, fake.failed().find("_v2"));
    if (failed == "cuStreamIsCapturing" && told.empty()) return;
    EXPECT_THAT(told, HasSubstr(failed + " failed with " + std::to_string(code) + " CUDA_ERROR_")) << failed;
  }

  // Fails every call of a life, one after the other. Returns their number.
  unsigned fail_each(const ProgramBuilder& builder, const Options& options, CUresult code) {
    fake.reset();
    start();
    EXPECT_EQ(live(builder, options), "");  // compiled now
    unload();
    fake.reset();
    unsigned nth = 1;
    while (survive(builder, options, code, nth) && nth < 1000) {
      fake.reset();
      ++nth;
    }
    return nth - 1;
  }

 private:
  TempFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(On, PluginFaultsTest, testing::ValuesIn(plugins_over_fake()),
                         [](const auto& plugin) { return std::string(plugin.param); });

TEST_P(PluginFaultsTest, PlainLaunchesSurviveEveryFault) {
  EXPECT_GT(fail_each(rich_body(), {}, CUDA_ERROR_LAUNCH_FAILED), 80U);
  EXPECT_GT(fail_each(rich_body(), {}, CUDA_ERROR_OUT_OF_MEMORY), 80U);
}

TEST_P(PluginFaultsTest, GraphsSurviveEveryFault) {
  EXPECT_GT(fail_each(plain_body(), {{"graph", "on"}}, CUDA_ERROR_UNKNOWN), 80U);
}

}  // namespace
}  // namespace kmux::nvidia
