#include "nvidia/launch/replay.h"

#include <gmock/gmock.h>

#include "recorded_driver.h"
#include "step_example.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

CUkernel kernel_of(unsigned step) { return reinterpret_cast<CUkernel>(std::uintptr_t{step} + 70); }

// A replay of three steps, and calls of it. Handles are numbered in order of creation.
class ReplaysTest : public testing::Test {
 public:
  // Returns the calls of the driver, except queries.
  std::vector<std::string> take() {
    std::vector<std::string> calls = driver_.take();
    std::erase_if(calls, [](const std::string& call) {
      return call.starts_with("cuKernelGetParamInfo") || call.starts_with("cuThreadExchange");
    });
    return calls;
  }

 protected:
  ReplaysTest() { replay_.use(nodes_, 3); }
  ~ReplaysTest() override {
    replay_.destroy({&driver_.table});
    EXPECT_EQ(driver_.live(), 0);
  }

  GraphCalls place(std::uintptr_t stream = 5, int device = 0) {
    return {&driver_.table, device, reinterpret_cast<CUcontext>(300), reinterpret_cast<CUstream>(stream)};
  }
  int keep(unsigned step, std::uint64_t argument = 4096) {
    StepExample example;
    example.step = step;
    example.argument = argument;
    EXPECT_TRUE(replay_.takes(example.launch()));
    return replay_.keep(example.launch(), kernel_of(step), error_.sink());
  }
  int call(std::initializer_list<unsigned> steps, std::uint64_t argument = 4096, std::uintptr_t stream = 5) {
    EXPECT_TRUE(replay_.open(place(stream)));
    for (const unsigned step : steps) {
      if (const int code = keep(step, argument)) return replay_.close(code, error_.sink());
    }
    return replay_.close(0, error_.sink());
  }
  RecordedDriver driver_;
  ReplayNode nodes_[3];
  Replay replay_;
  WrittenText error_;
};

TEST_F(ReplaysTest, BuildChainedGraphAndLaunchOnce) {
  EXPECT_EQ(call({0, 1}), 0);
  EXPECT_THAT(take(),
              ElementsAre("cuGraphCreate -> 1",
                          "cuGraphAddKernelNode 1 kernel=70 grid=4,1,1 block=128,1,1 smem=0 args=4096 -> 2",
                          "cuGraphAddKernelNode 1 kernel=71 grid=4,1,1 block=128,1,1 smem=0 args=4096 after=2 -> 3",
                          "cuGraphInstantiateWithFlags 1 -> 4", "cuGraphLaunch 4 stream=5"));
}

TEST_F(ReplaysTest, LaunchWithoutUpdatesIfUnchanged) {
  call({0, 1});
  take();
  EXPECT_EQ(call({0, 1}), 0);
  EXPECT_THAT(take(), ElementsAre("cuGraphLaunch 4 stream=5"));
}

TEST_F(ReplaysTest, UpdateChangedNodesInBodyOrder) {
  call({0, 1});
  take();
  EXPECT_EQ(call({0, 1}, 8192), 0);
  EXPECT_THAT(take(),
              ElementsAre(StartsWith("cuGraphExecKernelNodeSetParams 4 2 kernel=70"),
                          StartsWith("cuGraphExecKernelNodeSetParams 4 3 kernel=71"), "cuGraphLaunch 4 stream=5"));
}

TEST_F(ReplaysTest, DisableSkippedStepAndEnableItAgain) {
  call({0, 1});
  take();
  EXPECT_EQ(call({1}), 0);
  EXPECT_THAT(take(), ElementsAre("cuGraphNodeSetEnabled 4 2 0", "cuGraphLaunch 4 stream=5"));
  EXPECT_EQ(call({0, 1}), 0);
  EXPECT_THAT(take(), ElementsAre("cuGraphNodeSetEnabled 4 2 1", "cuGraphLaunch 4 stream=5"));
}

TEST_F(ReplaysTest, LaunchNothingIfEveryStepIsSkipped) {
  EXPECT_EQ(call({}), 0);
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(ReplaysTest, AreRebuiltForNewStep) {
  call({0, 2});
  take();
  EXPECT_EQ(call({1, 2}), 0);
  EXPECT_THAT(take(),
              ElementsAre("cuGraphExecDestroy 4", "cuGraphDestroy 1", "cuGraphCreate -> 5", HasSubstr("kernel=70"),
                          HasSubstr("kernel=71"), HasSubstr("kernel=72"), "cuGraphInstantiateWithFlags 5 -> 9",
                          "cuGraphNodeSetEnabled 9 6 0", "cuGraphLaunch 9 stream=5"));
  EXPECT_EQ(call({0, 2}), 0);
  EXPECT_THAT(take(),
              ElementsAre("cuGraphNodeSetEnabled 9 6 1", "cuGraphNodeSetEnabled 9 7 0", "cuGraphLaunch 9 stream=5"));
}

TEST_F(ReplaysTest, AreRebuiltWhenClusterChanges) {
  const auto call_with_cluster = [&](unsigned size) {
    EXPECT_TRUE(replay_.open(place()));
    StepExample example;
    example.cluster[0] = size;
    example.cluster[1] = example.cluster[2] = 1;
    EXPECT_EQ(replay_.keep(example.launch(), kernel_of(0), error_.sink()), 0);
    EXPECT_EQ(replay_.close(0, error_.sink()), 0);
    return take();
  };
  call_with_cluster(2);
  EXPECT_THAT(call_with_cluster(2), ElementsAre(StartsWith("cuGraphLaunch")));
  EXPECT_THAT(call_with_cluster(4),
              ElementsAre(StartsWith("cuGraphExecDestroy"), StartsWith("cuGraphDestroy"), StartsWith("cuGraphCreate"),
                          StartsWith("cuGraphAddKernelNode"), HasSubstr("id=4 4,1,1"),
                          StartsWith("cuGraphInstantiateWithFlags"), StartsWith("cuGraphLaunch")));
}

TEST_F(ReplaysTest, IncludeFillsAmongLaunches) {
  EXPECT_TRUE(replay_.open(place()));
  const kmux_driver_fill fill = {0, 7, reinterpret_cast<void*>(64), 16};
  EXPECT_TRUE(replay_.takes(fill));
  EXPECT_EQ(replay_.keep(fill, error_.sink()), 0);
  EXPECT_EQ(keep(1), 0);
  EXPECT_EQ(replay_.close(0, error_.sink()), 0);
  EXPECT_THAT(take(),
              ElementsAre("cuGraphCreate -> 1", "cuGraphAddMemsetNode 1 fill=64 value=7 bytes=16 context=300 -> 2",
                          HasSubstr("after=2 -> 3"), "cuGraphInstantiateWithFlags 1 -> 4", "cuGraphLaunch 4 stream=5"));
}

TEST_F(ReplaysTest, SkipEmptyFill) {
  EXPECT_TRUE(replay_.open(place()));
  EXPECT_EQ(replay_.keep(kmux_driver_fill{0, 7, nullptr, 0}, error_.sink()), 0);
  EXPECT_EQ(replay_.close(0, error_.sink()), 0);
  EXPECT_THAT(take(), IsEmpty());
}

TEST_F(ReplaysTest, AreRebuiltInSameCallWhenFillUpdateFails) {
  const auto call_with_fill = [&](std::uintptr_t target) {
    EXPECT_TRUE(replay_.open(place()));
    EXPECT_EQ(replay_.keep(kmux_driver_fill{0, 7, reinterpret_cast<void*>(target), 16}, error_.sink()), 0);
    EXPECT_EQ(keep(1, target), 0);
    return replay_.close(0, error_.sink());
  };
  EXPECT_EQ(call_with_fill(64), 0);
  take();
  driver_.fail("cuGraphExecMemsetNodeSetParams", CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(call_with_fill(128), 0);
  EXPECT_THAT(take(),
              ElementsAre(StartsWith("cuGraphExecMemsetNodeSetParams"), "cuGraphExecDestroy 4", "cuGraphDestroy 1",
                          "cuGraphCreate -> 5", HasSubstr("fill=128"), HasSubstr("args=128"),
                          "cuGraphInstantiateWithFlags 5 -> 8", "cuGraphLaunch 8 stream=5"));
}

TEST_F(ReplaysTest, AreBoundToFirstDevice) {
  call({0, 1});
  take();
  EXPECT_TRUE(replay_.is_bound_elsewhere(1));
  EXPECT_FALSE(replay_.is_bound_elsewhere(0));
  EXPECT_FALSE(replay_.open(place(5, 1)));
  EXPECT_EQ(call({0, 1}), 0);
  EXPECT_THAT(take(), ElementsAre("cuGraphLaunch 4 stream=5"));
}

TEST_F(ReplaysTest, FollowStreamOfCall) {
  call({0, 1});
  take();
  EXPECT_EQ(call({0, 1}, 4096, 6), 0);
  EXPECT_EQ(call({0, 1}, 4096, 5), 0);
  EXPECT_THAT(take(), ElementsAre("cuGraphLaunch 4 stream=6", "cuGraphLaunch 4 stream=5"));
}

// The driver treats both as waits, and would invalidate another thread's capture.
TEST_F(ReplaysTest, RelaxCaptureModeToInstantiateAndDestroy) {
  call({0, 1});
  replay_.destroy({&driver_.table});
  std::vector<std::string> calls = driver_.take();
  std::erase_if(calls, [](const std::string& call) {
    return !call.starts_with("cuThreadExchange") && !call.starts_with("cuGraphInst") &&
           !call.starts_with("cuGraphExecDestroy");
  });
  const std::string exchange = "cuThreadExchangeStreamCaptureMode";
  EXPECT_THAT(calls, ElementsAre(exchange, StartsWith("cuGraphInst"), exchange, exchange,
                                 StartsWith("cuGraphExecDestroy"), exchange));
  EXPECT_EQ(driver_.capture_mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST_F(ReplaysTest, AreUnavailableWithoutParameterSizes) {
  driver_.table.kernel_parameter = nullptr;
  EXPECT_FALSE(replay_.open(place()));
}

TEST_F(ReplaysTest, AreUnavailableWithoutSteps) {
  Replay none;
  EXPECT_FALSE(none.open(place()));
}

TEST_F(ReplaysTest, FlushBeforeUnsupportedLaunch) {
  StepExample odd;
  odd.step = 1;
  for (const unsigned member : {0U, 1U}) {
    EXPECT_TRUE(replay_.open(place()));
    EXPECT_EQ(keep(0), 0);
    odd.flags = member == 0 ? 0 : kmux_programmatic_serialization;
    odd.window_count = member == 0 ? 1 : 0;
    EXPECT_FALSE(replay_.takes(odd.launch()));
    EXPECT_THAT(take().back(), StartsWith("cuGraphLaunch"));
    StepExample plain;
    plain.step = 2;
    EXPECT_FALSE(replay_.takes(plain.launch()));
    EXPECT_EQ(replay_.close(0, error_.sink()), 0);
    EXPECT_THAT(take(), IsEmpty());
  }
}

TEST_F(ReplaysTest, FlushBeforeRepeatedStep) {
  EXPECT_TRUE(replay_.open(place()));
  EXPECT_EQ(keep(0), 0);
  EXPECT_FALSE(replay_.takes(StepExample{}.launch()));
  EXPECT_THAT(take().back(), StartsWith("cuGraphLaunch"));
  EXPECT_EQ(replay_.close(0, error_.sink()), 0);
}

TEST_F(ReplaysTest, FlushBeforeWorkspaceIsFreed) {
  kmux_allocator own = {};
  own.struct_size = sizeof(own);
  own.self = this;
  own.allocate = [](void* self, int32_t device, void*, size_t bytes, size_t alignment, void** address) -> kmux_code {
    EXPECT_EQ(device, 3);
    EXPECT_EQ(bytes + alignment, 1256U);
    *address = self;
    return KMUX_UNAVAILABLE;
  };
  own.free = [](void* self, int32_t, void*, void*) {
    EXPECT_THAT(static_cast<ReplaysTest*>(self)->take().back(), "cuGraphLaunch 4 stream=5");
  };
  EXPECT_TRUE(replay_.open(place()));
  const kmux_allocator* allocator = replay_.allocator(&own);
  void* address = nullptr;
  EXPECT_EQ(allocator->allocate(allocator->self, 3, nullptr, 1000, 256, &address), KMUX_UNAVAILABLE);
  EXPECT_EQ(address, this);
  EXPECT_EQ(keep(0), 0);
  EXPECT_EQ(keep(1), 0);
  allocator->free(allocator->self, 3, nullptr, address);
  EXPECT_EQ(replay_.close(0, error_.sink()), 0);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(replay_.allocator(nullptr), nullptr);
}

TEST_F(ReplaysTest, ReportFlushFailureAtEndOfCall) {
  kmux_allocator own = {};
  own.free = [](void*, int32_t, void*, void*) {};
  EXPECT_TRUE(replay_.open(place()));
  const kmux_allocator* allocator = replay_.allocator(&own);
  EXPECT_EQ(keep(0), 0);
  driver_.fail("cuGraphLaunch", CUDA_ERROR_LAUNCH_FAILED);
  allocator->free(allocator->self, 0, nullptr, nullptr);
  EXPECT_EQ(error_.text, "");
  EXPECT_EQ(replay_.close(0, error_.sink()), KMUX_LAUNCH_FAILED);
  EXPECT_THAT(error_.text, HasSubstr("cuGraphLaunch failed with 719"));
}

TEST_F(ReplaysTest, LaunchNothingOfFailedBody) {
  EXPECT_TRUE(replay_.open(place()));
  EXPECT_EQ(keep(0), 0);
  EXPECT_EQ(replay_.close(KMUX_INVALID_ARGUMENT, error_.sink()), KMUX_INVALID_ARGUMENT);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(error_.text, "");
  EXPECT_EQ(call({1}), 0);
  EXPECT_THAT(take(), testing::Contains(StartsWith("cuGraphLaunch")));
}

TEST_F(ReplaysTest, DestroyGraphWhenBuildOrLaunchFails) {
  for (const char* symbol : {"cuKernelGetParamInfo", "cuGraphCreate", "cuGraphAddKernelNode",
                             "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    error_.text.clear();
    driver_.fail(symbol, CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(call({0, 1}), KMUX_LAUNCH_FAILED) << symbol;
    EXPECT_THAT(error_.text, StartsWith(std::string(symbol) + " failed with 719 CUDA_ERROR_TEST")) << symbol;
    EXPECT_THAT(error_.text, HasSubstr("replaying the body as a graph")) << symbol;
    EXPECT_EQ(driver_.live(), 0) << symbol;
  }
  take();
  EXPECT_EQ(call({0, 1}), 0);
  EXPECT_THAT(take().back(), StartsWith("cuGraphLaunch"));
}

TEST_F(ReplaysTest, AreRebuiltAfterFailedUpdate) {
  call({0, 1});
  for (const char* symbol : {"cuGraphExecKernelNodeSetParams", "cuGraphNodeSetEnabled"}) {
    driver_.fail(symbol, CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(call({1}, driver_.live() == 0 ? 1 : 8192), KMUX_LAUNCH_FAILED) << symbol;
    EXPECT_EQ(driver_.live(), 0) << symbol;
    EXPECT_EQ(call({0, 1}, 16384), 0) << symbol;
    EXPECT_EQ(driver_.live(), 2) << symbol;
  }
  take();
  EXPECT_EQ(call({0, 1}, 16384), 0);
  EXPECT_THAT(take(), ElementsAre(StartsWith("cuGraphLaunch")));
}

TEST_F(ReplaysTest, ReportFailedDestruction) {
  RecordedDriver driver;
  replay_.open({&driver.table, 0, nullptr, nullptr});
  keep(0);
  replay_.close(0, error_.sink());
  driver.fail("cuGraphExecDestroy", CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_STREQ(replay_.destroy({&driver.table}).call, "cuGraphExecDestroy");
  EXPECT_THAT(driver.take(), testing::Contains(StartsWith("cuGraphDestroy")));
  EXPECT_EQ(replay_.destroy({&driver.table}).call, nullptr);
}

}  // namespace
}  // namespace kmux::nvidia
