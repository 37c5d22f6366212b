#include <gmock/gmock.h>

#include "nvidia/launch/replay.h"
#include "recorded_driver.h"
#include "step_example.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

const CUgraph kGraph = reinterpret_cast<CUgraph>(100);
const CUgraphExec kExecutable = reinterpret_cast<CUgraphExec>(200);
const CUcontext kContext = reinterpret_cast<CUcontext>(300);
const CUkernel kReplayedKernel = reinterpret_cast<CUkernel>(7);

class ReplayNodesTest : public testing::Test {
 protected:
  GraphCalls calls() { return {&driver_.table, 0, kContext, nullptr}; }
  bool keep(StepExample step) {
    bool restructure = false;
    EXPECT_EQ(node_.keep(calls(), step.launch(), kReplayedKernel, &restructure).call, nullptr);
    driver_.take();
    return restructure;
  }
  bool keep(const kmux_driver_fill& fill) {
    bool restructure = false;
    node_.keep(fill, &restructure);
    return restructure;
  }
  ReplayFailure add() {
    CUgraphNode last = nullptr;
    return node_.add(calls(), kGraph, &last);
  }
  ReplayFailure apply() {
    restructure_ = false;
    return node_.apply(calls(), kExecutable, &restructure_);
  }

  RecordedDriver driver_;
  ReplayNode node_;
  bool restructure_ = false;
};

TEST_F(ReplayNodesTest, DoNothingBeforeStepIsRecorded) {
  EXPECT_EQ(add().call, nullptr);
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), IsEmpty());
}

TEST_F(ReplayNodesTest, RequestNewGraphWhenNew) {
  EXPECT_TRUE(keep(StepExample{}));
  EXPECT_EQ(add().call, nullptr);
  EXPECT_FALSE(keep(StepExample{}));
}

TEST_F(ReplayNodesTest, DependOnPreviousNode) {
  keep(StepExample{});
  CUgraphNode last = reinterpret_cast<CUgraphNode>(55);
  EXPECT_EQ(node_.add(calls(), kGraph, &last).call, nullptr);
  EXPECT_THAT(driver_.take(),
              ElementsAre("cuGraphAddKernelNode 100 kernel=7 grid=4,1,1 block=128,1,1 smem=0 args=4096 after=55 -> 1"));
  EXPECT_EQ(last, reinterpret_cast<CUgraphNode>(1));
}

TEST_F(ReplayNodesTest, SetParametersOnlyOnChange) {
  StepExample step;
  keep(step);
  add();
  driver_.take();
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), IsEmpty());
  const auto set = [&] {
    EXPECT_FALSE(keep(step));
    EXPECT_EQ(apply().call, nullptr);
    return driver_.take();
  };
  EXPECT_THAT(set(), IsEmpty());
  step.argument = 8192;
  EXPECT_THAT(set(), ElementsAre("cuGraphExecKernelNodeSetParams 200 1 kernel=7 grid=4,1,1 block=128,1,1 smem=0 "
                                 "args=8192"));
  step.grid[1] = 2;
  EXPECT_THAT(set(), ElementsAre(testing::HasSubstr("grid=4,2,1")));
  step.block[0] = 64;
  EXPECT_THAT(set(), ElementsAre(testing::HasSubstr("block=64,1,1")));
  step.dynamic_smem_bytes = 99000;
  EXPECT_THAT(set(), ElementsAre(testing::HasSubstr("smem=99000")));
  EXPECT_THAT(set(), IsEmpty());
}

TEST_F(ReplayNodesTest, SetClusterBeforeInstantiation) {
  StepExample step;
  step.cluster[0] = 2;
  step.cluster[1] = step.cluster[2] = 1;
  keep(step);
  EXPECT_EQ(add().call, nullptr);
  EXPECT_THAT(driver_.take(),
              ElementsAre(StartsWith("cuGraphAddKernelNode"), "cuGraphKernelNodeSetAttribute 1 id=4 2,1,1"));
  EXPECT_FALSE(keep(step));
  step.cluster[0] = 4;
  EXPECT_TRUE(keep(step));
}

TEST_F(ReplayNodesTest, AreDisabledWhileStepIsSkipped) {
  keep(StepExample{});
  add();
  driver_.take();
  node_.leave();
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), ElementsAre("cuGraphNodeSetEnabled 200 1 0"));
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), IsEmpty());
  keep(StepExample{});
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), ElementsAre("cuGraphNodeSetEnabled 200 1 1"));
}

TEST_F(ReplayNodesTest, KeepPendingChangesWhileDisabled) {
  StepExample step;
  keep(step);
  add();
  step.argument = 8192;
  keep(step);
  node_.leave();
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), ElementsAre("cuGraphNodeSetEnabled 200 1 0"));
  keep(step);
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(),
              ElementsAre(StartsWith("cuGraphExecKernelNodeSetParams"), "cuGraphNodeSetEnabled 200 1 1"));
}

TEST_F(ReplayNodesTest, AddFillsAsMemsetNodes) {
  kmux_driver_fill fill = {0, 0xab, reinterpret_cast<void*>(4096), 40};
  EXPECT_TRUE(keep(fill));
  EXPECT_EQ(add().call, nullptr);
  EXPECT_THAT(driver_.take(), ElementsAre("cuGraphAddMemsetNode 100 fill=4096 value=171 bytes=40 context=300 -> 1"));
  EXPECT_FALSE(keep(fill));
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), IsEmpty());
  fill.bytes = 48;
  EXPECT_FALSE(keep(fill));
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(),
              ElementsAre("cuGraphExecMemsetNodeSetParams 200 1 fill=4096 value=171 bytes=48 context=300"));
}

TEST_F(ReplayNodesTest, RequestNewGraphWhenFillUpdateFails) {
  kmux_driver_fill fill = {0, 0, reinterpret_cast<void*>(4096), 40};
  keep(fill);
  add();
  fill.target = reinterpret_cast<void*>(8192);
  keep(fill);
  driver_.fail("cuGraphExecMemsetNodeSetParams", CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_TRUE(restructure_);
}

TEST_F(ReplayNodesTest, OmitSkippedFillFromGraph) {
  const kmux_driver_fill fill = {0, 0, reinterpret_cast<void*>(4096), 40};
  keep(fill);
  node_.leave();
  EXPECT_EQ(add().call, nullptr);
  EXPECT_EQ(apply().call, nullptr);
  EXPECT_THAT(driver_.take(), IsEmpty());
  EXPECT_TRUE(keep(fill));
}

TEST_F(ReplayNodesTest, ReportFailedKernelNodeCall) {
  StepExample step;
  step.cluster[0] = step.cluster[1] = step.cluster[2] = 1;
  keep(step);
  for (const char* call : {"cuGraphAddKernelNode", "cuGraphKernelNodeSetAttribute"}) {
    driver_.fail(call, CUDA_ERROR_INVALID_VALUE);
    EXPECT_STREQ(add().call, call);
  }
  EXPECT_EQ(add().call, nullptr);
  step.argument = 1;
  keep(step);
  driver_.fail("cuGraphExecKernelNodeSetParams", CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(apply().call, "cuGraphExecKernelNodeSetParams");
  node_.leave();
  driver_.fail("cuGraphNodeSetEnabled", CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(apply().call, "cuGraphNodeSetEnabled");
}

TEST_F(ReplayNodesTest, ReportFailedMemsetNodeCall) {
  kmux_driver_fill fill = {0, 0, reinterpret_cast<void*>(4096), 40};
  keep(fill);
  driver_.fail("cuGraphAddMemsetNode", CUDA_ERROR_INVALID_VALUE);
  EXPECT_STREQ(add().call, "cuGraphAddMemsetNode");
  EXPECT_EQ(add().call, nullptr);
  fill.bytes = 1;
  keep(fill);
  driver_.fail("cuGraphExecMemsetNodeSetParams", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_STREQ(apply().call, "cuGraphExecMemsetNodeSetParams");
}

}  // namespace
}  // namespace kmux::nvidia
