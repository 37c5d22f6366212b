// Graphs of the HIP on the CPU: nodes are ordered only by their edges.
#include <gmock/gmock.h>

#include "kmux/plugin/sink.h"

#include "fake_hip.h"
#include "launch/hip_table.h"

namespace kmux::hip {
namespace {

class FakeHipGraphTest : public testing::Test {
 protected:
  FakeHipGraphTest() {
    EXPECT_EQ(hip.allocate(&memory, 8), 0);
    EXPECT_EQ(hip.graph_create(&graph, 0), 0);
  }
  ~FakeHipGraphTest() override {
    EXPECT_EQ(hip.graph_destroy(graph), 0);
    hip.free(memory);
  }
  // Adds a node that fills the memory.
  hipGraphNode_t add(unsigned value, hipGraphNode_t after = nullptr) {
    hipGraphNode_t node = nullptr;
    const MemsetParams params = fill(value);
    EXPECT_EQ(hip.graph_add_memset(&node, graph, &after, after == nullptr ? 0 : 1, &params), 0);
    return node;
  }
  MemsetParams fill(unsigned value) const { return {memory, 1, 1, 0, value, 8}; }
  // Returns the value that a launch leaves.
  int launched(hipGraphExec_t executable) {
    EXPECT_EQ(hip.graph_launch(executable, nullptr), 0);
    return static_cast<const unsigned char*>(memory)[7];
  }
  hipGraphExec_t instantiated() {
    hipGraphExec_t executable = nullptr;
    EXPECT_EQ(hip.graph_instantiate(&executable, graph, nullptr, nullptr, 0), 0);
    return executable;
  }

  FakeHip fake = FakeHip::load();
  const HipTable& hip = *open_hip({FakeHip::path(), {}}, discard());
  hipGraph_t graph = nullptr;
  void* memory = nullptr;
};

TEST_F(FakeHipGraphTest, RunsInLeastLikelyAllowedOrder) {
  add(1), add(2);
  const hipGraphExec_t without = instantiated();
  EXPECT_EQ(launched(without), 1) << "the last one came first";
  hip.executable_destroy(without);
  const hipGraphNode_t third = add(3);
  add(4, third);
  const hipGraphExec_t with = instantiated();
  EXPECT_EQ(launched(with), 1);
  hip.executable_destroy(with);
}

TEST_F(FakeHipGraphTest, UpdatesAndDisablesNodes) {
  const hipGraphNode_t first = add(1);
  const hipGraphNode_t second = add(2, first);
  const hipGraphExec_t executable = instantiated();
  EXPECT_EQ(launched(executable), 2);
  const MemsetParams other = fill(7);
  EXPECT_EQ(hip.executable_set_memset(executable, second, &other), 0);
  EXPECT_EQ(launched(executable), 7);
  EXPECT_EQ(hip.node_enable(executable, second, 0), 0);
  EXPECT_EQ(launched(executable), 1);
  EXPECT_EQ(hip.node_enable(executable, second, 1), 0);
  EXPECT_EQ(launched(executable), 7);
  EXPECT_EQ(hip.executable_destroy(executable), 0);
  EXPECT_EQ(hip.graph_launch(executable, nullptr), kInvalidValue) << "it is gone";
}

TEST_F(FakeHipGraphTest, RejectsInvalidNodesAndLaunchDuringCapture) {
  hipGraphNode_t node = nullptr;
  const MemsetParams strange = {&node, 1, 1, 0, 0, 8};
  EXPECT_EQ(hip.graph_add_memset(&node, graph, nullptr, 0, &strange), kInvalidValue) << "memory of the host";
  const KernelNodeParams none = {};
  EXPECT_EQ(hip.graph_add_kernel(&node, graph, nullptr, 0, &none), kInvalidHandle);
  hipStream_t stream = nullptr;
  hip.stream_create(&stream, kStreamNonBlocking);
  add(1);
  const hipGraphExec_t executable = instantiated();
  fake->begin_capture(stream, fake_hip::CaptureMode::kRelaxed);
  EXPECT_EQ(hip.graph_launch(executable, stream), kStreamCaptureUnsupported);
  void* captured = nullptr;
  EXPECT_EQ(fake->end_capture(stream, &captured), 0);
  fake->destroy_graph(captured);
  hip.executable_destroy(executable);
  hip.stream_destroy(stream);
}

}  // namespace
}  // namespace kmux::hip
