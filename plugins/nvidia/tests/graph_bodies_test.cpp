// Bodies replayed as graphs, through a complete launcher and a driver that runs them: the results must equal those of
// plain launches, whatever happens in between.
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "fake_cuda.h"
#include "nvidia/launch/launcher.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using Numbers = std::array<int, 16>;
constexpr KernelFacts kKernels[] = {{"twice", 0, false}, {"add", 0, false}};
constexpr PlanFacts kFacts = {kKernels, 2, 0, 3, 0, true, "example", false};

// to[i] = 2 * from[i], or to[i] += from[i].
void run_kernel(const fake_cuda::KernelRun& run) {
  int* to = nullptr;
  const int* from = nullptr;
  std::memcpy(&to, run.args[0], sizeof(to));
  std::memcpy(&from, run.args[1], sizeof(from));
  for (std::size_t i = 0; i < Numbers().size(); ++i) to[i] = run.kernel == "twice" ? 2 * from[i] : to[i] + from[i];
}

// A workspace whose content is invalidated when it is freed.
struct Workspace {
  static constexpr int kFreed = -1000000;
  Numbers memory = {};
  kmux_allocator allocator = {sizeof(kmux_allocator), this, allocate, free};

  static kmux_code allocate(void* self, int32_t, void*, size_t, size_t, void** address) {
    *address = static_cast<Workspace*>(self)->memory.data();
    return KMUX_OK;
  }
  static void free(void* self, int32_t, void*, void*) { static_cast<Workspace*>(self)->memory.fill(kFreed); }
};

class GraphBodiesTest : public testing::Test {
 protected:
  GraphBodiesTest() {
    for (const KernelFacts& kernel : kKernels) fake_.set_parameters(kernel.name, {8, 8});
    fake_.on_launch(run_kernel);
    fake_.set_eager();  // the workspace is freed at the call, not in the order of a stream
    error_.text.clear();
  }

  static kmux_launch_env env(Workspace& workspace, std::uintptr_t stream = 0, unsigned lane = 0) {
    return {sizeof(kmux_launch_env), 0, reinterpret_cast<void*>(stream), &workspace.allocator, lane, 0};
  }

  static int launch(const kmux_driver_env& env, unsigned kernel, unsigned step, void* to, const void* from,
                    kmux_sink error) {
    void* args[] = {&to, &from};
    const kmux_driver_launch launch = {kernel, step, {1, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0, 0, 0, args, nullptr};
    return env.driver->launch(&env, &launch, error);
  }

  // memory = 0 (a fill), memory += 2 * from through the workspace: `to` = 2 * `from`, or 0 if `skip` omits the sum.
  static int body(const kmux_driver_env& env, kmux_sink error, Numbers& to, const Numbers& from, bool skip) {
    const kmux_allocator& allocator = *env.env.allocator;
    void* workspace = nullptr;
    int code = allocator.allocate(allocator.self, env.env.device, env.env.stream, sizeof(Numbers), 256, &workspace);
    if (code != KMUX_OK) return code;
    const kmux_driver_fill fill = {0, 0, to.data(), sizeof(Numbers)};
    code = env.driver->fill(&env, &fill, error);
    if (code == KMUX_OK) code = launch(env, 0, 1, workspace, from.data(), error);
    if (code == KMUX_OK && !skip) code = launch(env, 1, 2, to.data(), workspace, error);
    allocator.free(allocator.self, env.env.device, env.env.stream, workspace);
    return code;
  }

  int call(Launcher& launcher, const kmux_launch_env& env, Numbers& to, const Numbers& from, bool skip = false) {
    fake_.adopt(to.data(), sizeof(to));
    return launcher.call(env, error_.sink(), [&](const kmux_driver_env& inner, kmux_sink error) {
      return body(inner, error, to, from, skip);
    });
  }

  static Numbers numbers(int first) {
    Numbers made;
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = first + static_cast<int>(i);
    return made;
  }
  static Numbers doubled(Numbers numbers) {
    for (int& number : numbers) number *= 2;
    return numbers;
  }

  FakeCuda fake_ = FakeCuda::load();
  WrittenText error_;
  Workspace workspace_;
};

TEST_F(GraphBodiesTest, MatchResultsOfPlainLaunches) {
  {
    Launcher launcher("code", kFacts, {});
    std::array<Numbers, 3> outputs;
    for (int i = 0; i < 50; ++i) {
      Numbers& to = outputs[static_cast<std::size_t>(i) % 3];
      const Numbers from = numbers(i);
      const bool skip = i % 7 == 3;
      to.fill(99);
      ASSERT_EQ(call(launcher, env(workspace_), to, from, skip), 0) << error_.text;
      ASSERT_EQ(to, skip ? Numbers{} : doubled(from)) << i;
      ASSERT_EQ(workspace_.memory[0], Workspace::kFreed) << "used after it was freed";
    }
    EXPECT_THAT(fake_.calls("cuGraphInstantiateWithFlags"), SizeIs(1));
    EXPECT_THAT(fake_.calls("cuGraphLaunch"), SizeIs(50));
    EXPECT_THAT(fake_.calls("cuLaunchKernelEx"), SizeIs(0));
    EXPECT_EQ(fake_.live().executables, 1U);
  }
  EXPECT_EQ(fake_.live(), fake_cuda::Live{});
}

TEST_F(GraphBodiesTest, InitiallySkippedStepRebuildsGraphOnce) {
  Launcher launcher("code", kFacts, {});
  Numbers to;
  for (const bool skip : {true, false, true, false}) {
    ASSERT_EQ(call(launcher, env(workspace_), to, numbers(1), skip), 0) << error_.text;
    EXPECT_EQ(to, skip ? Numbers{} : doubled(numbers(1)));
  }
  EXPECT_THAT(fake_.calls("cuGraphInstantiateWithFlags"), SizeIs(2));
}

TEST_F(GraphBodiesTest, FollowStreamOfCall) {
  Launcher launcher("code", kFacts, {});
  Numbers to;
  ASSERT_EQ(call(launcher, env(workspace_, 0), to, numbers(1)), 0);
  fake_.clear_calls();
  ASSERT_EQ(call(launcher, env(workspace_, 2), to, numbers(2)), 0) << error_.text;
  EXPECT_EQ(to, doubled(numbers(2)));
  EXPECT_THAT(fake_.calls("cuGraphLaunch"), ElementsAre(HasSubstr("0x2")));
  EXPECT_THAT(fake_.calls("cuLaunchKernelEx"), SizeIs(0));
  EXPECT_THAT(fake_.calls("cuGraphInstantiateWithFlags"), SizeIs(0));
}

TEST_F(GraphBodiesTest, FallBackToPlainLaunchesDuringCapture) {
  Launcher launcher("code", kFacts, {});
  Numbers to;
  ASSERT_EQ(launcher.prepare(0, error_.sink()), 0) << error_.text;
  fake_.set_capture(nullptr, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  fake_.clear_calls();
  ASSERT_EQ(call(launcher, env(workspace_), to, numbers(2)), 0) << error_.text;
  EXPECT_THAT(fake_.calls("cuGraphLaunch"), SizeIs(0));
  EXPECT_THAT(fake_.calls("cuLaunchKernelEx"), SizeIs(2));
  fake_.set_capture(nullptr, CU_STREAM_CAPTURE_STATUS_NONE);
  ASSERT_EQ(call(launcher, env(workspace_), to, numbers(2)), 0) << error_.text;
  EXPECT_THAT(fake_.calls("cuGraphLaunch"), SizeIs(1));
}

TEST_F(GraphBodiesTest, FallBackToPlainLaunchesOnOldDrivers) {
  DriverTable old = *open_driver(error_.sink());
  old.kernel_parameter = nullptr;
  std::string reported;
  const Log log = {&reported, [](void* self, int level, const char* text, size_t size) {
                     if (level == kLogWarning) static_cast<std::string*>(self)->append(text, size);
                   }};
  Launcher launcher("code", kFacts, log, &old);
  Numbers to;
  ASSERT_EQ(call(launcher, env(workspace_), to, numbers(2)), 0) << error_.text;
  EXPECT_EQ(to, doubled(numbers(2)));
  EXPECT_THAT(fake_.calls("cuGraphCreate"), SizeIs(0));
  EXPECT_EQ(reported, "\"example\" is launched kernel by kernel (graphs need a driver of CUDA 12.4 or newer).");
}

TEST_F(GraphBodiesTest, FallBackToPlainLaunchesWhileLaneIsBusy) {
  Launcher launcher("code", kFacts, {});
  Numbers outer;
  Numbers inner;
  Workspace other;
  fake_.adopt(outer.data(), sizeof(outer));
  const Numbers from = numbers(3);
  const int code = launcher.call(env(workspace_), error_.sink(), [&](const kmux_driver_env& env, kmux_sink error) {
    EXPECT_EQ(call(launcher, GraphBodiesTest::env(other), inner, from), 0) << error_.text;
    EXPECT_THAT(fake_.calls("cuLaunchKernelEx"), SizeIs(2));
    return body(env, error, outer, from, false);
  });
  EXPECT_EQ(code, 0) << error_.text;
  EXPECT_THAT(fake_.calls("cuGraphLaunch"), SizeIs(1));
  EXPECT_EQ(inner, doubled(from));
  EXPECT_EQ(outer, doubled(from));
}

// For every driver call that fails once: returns an error that names the call, and a correct result afterwards, and
// leaves nothing behind.
TEST_F(GraphBodiesTest, RecoverFromEveryDriverFailure) {
  for (const CUresult failure : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_LAUNCH_FAILED}) {
    for (unsigned nth = 1;; ++nth) {
      fake_.reset();
      for (const KernelFacts& kernel : kKernels) fake_.set_parameters(kernel.name, {8, 8});
      fake_.on_launch(run_kernel);
      fake_.set_eager();
      error_.text.clear();
      {
        Launcher launcher("code", kFacts, {});
        Numbers to;
        fake_.fail_any(failure, nth);
        for (int i = 0; i < 4; ++i) {
          const bool skip = i == 1;
          if (call(launcher, env(workspace_), to, numbers(i), skip) == 0) {
            EXPECT_EQ(to, skip ? Numbers{} : doubled(numbers(i))) << fake_.failed();
          } else {
            EXPECT_THAT(error_.text, HasSubstr(std::to_string(failure))) << fake_.failed();
            EXPECT_EQ(call(launcher, env(workspace_), to, numbers(i), skip), 0) << fake_.failed() << error_.text;
          }
        }
      }
      EXPECT_EQ(fake_.live(), fake_cuda::Live{}) << fake_.failed();
      if (fake_.failed().empty()) break;
    }
  }
}

TEST_F(GraphBodiesTest, RunConcurrentlyOnSharedLanesAndStreams) {
  Launcher launcher("code", kFacts, {});
  std::vector<std::thread> threads;
  std::array<Numbers, 16> outputs = {};
  for (Numbers& to : outputs) fake_.adopt(to.data(), sizeof(to));
  for (unsigned t = 0; t < outputs.size(); ++t) {
    threads.emplace_back([&, t] {
      Workspace workspace;
      WrittenText error;
      for (int i = 0; i < 50; ++i) {
        const Numbers from = numbers(i);
        Numbers& to = outputs[t];
        const kmux_launch_env where = env(workspace, t % 3, t % 4);
        const int code = launcher.call(where, error.sink(), [&](const kmux_driver_env& inner, kmux_sink sink) {
          return body(inner, sink, to, from, i % 5 == 2);
        });
        ASSERT_EQ(code, 0) << error.text;
        ASSERT_EQ(to, i % 5 == 2 ? Numbers{} : doubled(from));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fake_.misuse(), "");
}

}  // namespace
}  // namespace kmux::nvidia
