// Sixteen threads launch two programs, on per-thread and shared streams, on two devices. Must run under the thread
// sanitizer: once with kernels that count, and once with recording off, where the fake driver takes no lock that would
// hide a race.
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>

#include "fake_cuda.h"
#include "map_example.h"
#include "nvidia/launch/launcher.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

constexpr unsigned kThreads = 16;
constexpr unsigned kCalls = 200;
constexpr KernelFacts kMappedKernel = {"mapped", 60000, false};
constexpr KernelFacts kReplayedKernels[] = {{"first", 0, false}, {"second", 0, false}};
constexpr PlanFacts kMapped = {&kMappedKernel, 1, 1, 1, 1 << 20, false, "mapped program", false};
constexpr PlanFacts kReplayed = {kReplayedKernels, 2, 0, 2, 0, true, "replayed program", false};

/// The launches observed by the kernels of one thread.
struct alignas(64) Counts {
  std::atomic<unsigned> mapped{0};
  std::atomic<unsigned> first{0};
  std::atomic<unsigned> second{0};
};

class LaunchThreadsTest : public testing::Test {
 protected:
  LaunchThreadsTest() {
    fake_.set_devices({fake_cuda::Device{}, fake_cuda::Device{}});
    fake_.set_parameters("mapped", {128, 8});
    fake_.set_parameters("first", {8});
    fake_.set_parameters("second", {8, 4});
  }

  static kmux_driver_launch launch_of(unsigned kernel, unsigned step, void** args) {
    return {kernel, step, {4, 1, 1}, {128, 1, 1}, {0, 0, 0}, 0, 0, 0, args, nullptr};
  }

  // Launches with a map over the thread's own counts, a window, and more shared memory from call to call.
  static int launch_mapped(const kmux_driver_env& env, kmux_sink error, Counts* counts, unsigned call) {
    MapExample example;
    example.base = reinterpret_cast<char*>(counts);
    example.dims[0] = 64 + call / 50;
    kmux_tensor_map map;
    const kmux_map_geometry geometry = example.geometry();
    const int code = env.driver->encode_tiled(&env, &map, &geometry, example.box, error);
    if (code != KMUX_OK) return code;
    const kmux_driver_window window = {counts, 4096, 0.5};
    void* args[] = {&map, &counts};
    kmux_driver_launch launch = launch_of(0, 0, args);
    launch.dynamic_smem_bytes = 60000 + call;
    launch.window_count = 1, launch.windows = &window;
    return env.driver->launch(&env, &launch, error);
  }

  static int launch_replayed(const kmux_driver_env& env, kmux_sink error, Counts* counts, unsigned call) {
    void* args[] = {&counts, &call};
    const kmux_driver_launch first = launch_of(0, 0, args);
    const kmux_driver_launch second = launch_of(1, 1, args);
    const int code = env.driver->launch(&env, &first, error);
    return code == KMUX_OK ? env.driver->launch(&env, &second, error) : code;
  }

  // Alternates between both programs. Streams: per-thread, null and legacy; lanes: one per thread and one shared by
  // all.
  void run_thread(unsigned thread, Counts* counts) {
    WrittenText error;
    for (unsigned i = 0; i < kCalls; ++i) {
      const kmux_launch_env env = {sizeof(kmux_launch_env),
                                   static_cast<std::int32_t>(thread % 2),
                                   reinterpret_cast<void*>(std::uintptr_t{(thread + i / 20) % 3}),
                                   nullptr,
                                   i % 8 < 4 ? thread : kThreads,
                                   0};
      const int mapped = mapped_.call(env, error.sink(), [&](const kmux_driver_env& inner, kmux_sink sink) {
        return launch_mapped(inner, sink, counts, i);
      });
      const int replayed = replayed_.call(env, error.sink(), [&](const kmux_driver_env& inner, kmux_sink sink) {
        return launch_replayed(inner, sink, counts, i);
      });
      ASSERT_EQ(mapped, KMUX_OK) << error.text;
      ASSERT_EQ(replayed, KMUX_OK) << error.text;
    }
  }

  void run_all() {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([this, i] { run_thread(i, &counts_[i]); });
    for (std::thread& thread : threads) thread.join();
  }

  FakeCuda fake_ = FakeCuda::load();
  std::array<Counts, kThreads> counts_;
  Launcher mapped_{"code", kMapped, {}};
  Launcher replayed_{"code", kReplayed, {}};
};

// Counts for the thread that its arguments name, if map and arguments belong to the same call.
void count(const fake_cuda::KernelRun& run) {
  Counts* counts = nullptr;
  std::memcpy(&counts, run.args[run.kernel == "mapped" ? 1 : 0], sizeof counts);
  if (run.kernel == "first") counts->first += 1;
  if (run.kernel == "second") counts->second += 1;
  if (run.kernel != "mapped") return;
  const fake_cuda::TensorMapBytes map = FakeCuda::read_map(run.args[0]);
  if (map.base == reinterpret_cast<std::uintptr_t>(counts)) counts->mapped += 1;
}

TEST_F(LaunchThreadsTest, DoNotLoseOrMixLaunches) {
  fake_.on_launch(count);
  run_all();
  fake_.finish();
  for (const Counts& counts : counts_) {
    EXPECT_EQ(counts.mapped, kCalls);
    EXPECT_EQ(counts.first, kCalls);
    EXPECT_EQ(counts.second, kCalls);
  }
  EXPECT_EQ(fake_.misuse(), "");
  EXPECT_EQ(fake_.calls("cuLibraryLoadData").size(), 2U);
  EXPECT_EQ(fake_.live().contexts, 4U);
}

TEST_F(LaunchThreadsTest, RunWithoutRecordingLocks) {
  fake_.set_recording(false);
  run_all();
  EXPECT_EQ(fake_.misuse(), "");
}

}  // namespace
}  // namespace kmux::nvidia
