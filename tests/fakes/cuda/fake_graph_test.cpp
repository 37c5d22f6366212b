#include "opened_fake.h"

namespace kmux::fake_cuda {
namespace {

using testing::ElementsAre;

class FakeGraphTest : public OpenedFake {
 protected:
  FakeGraphTest() {
    fake.adopt(memory, sizeof memory);
    fake.on_launch([this](const KernelRun& run) {
      runs.push_back(std::to_string(*static_cast<std::int32_t*>(run.args[1])) + " sees " + std::to_string(memory[0]));
    });
    EXPECT_EQ(cu.graph_create(&graph, 0), CUDA_SUCCESS);
    const CUDA_MEMSET_NODE_PARAMS bytes = memset_params(9);
    EXPECT_EQ(cu.graph_add_memset(&fill, graph, nullptr, 0, &bytes, context), CUDA_SUCCESS);
    const CUDA_KERNEL_NODE_PARAMS add = kernel_params();
    EXPECT_EQ(cu.graph_add_kernel(&node, graph, &fill, 1, &add), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_instantiate(&executable, graph, 0), CUDA_SUCCESS);
  }
  CUDA_MEMSET_NODE_PARAMS memset_params(unsigned value) const {
    return {reinterpret_cast<std::uintptr_t>(memory), 0, value, 1, sizeof memory, 1};
  }
  CUDA_KERNEL_NODE_PARAMS kernel_params() { return {nullptr, 4, 1, 1, 128, 1, 1, 0, args, nullptr, kernel, context}; }

  char memory[4] = {};
  void* args[2] = {&first, &second};
  std::vector<std::string> runs;
  CUgraph graph = nullptr;
  CUgraphNode fill = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec executable = nullptr;
};

TEST_F(FakeGraphTest, RunsNodesInOrder) {
  second = 8;  // after the graph has copied its arguments
  EXPECT_EQ(cu.graph_launch(executable, nullptr), CUDA_SUCCESS);
  EXPECT_THAT(runs, ElementsAre("7 sees 9"));
  EXPECT_THAT(fake.symbols(), ElementsAre("cuGraphCreate", "cuGraphAddMemsetNode", "cuGraphAddKernelNode_v2",
                                          "cuGraphInstantiateWithFlags", "cuGraphLaunch"));
  EXPECT_THAT(fake.calls("cuGraphAddKernelNode_v2").at(0),
              testing::HasSubstr(" add grid 4,1,1 block 128,1,1 smem 0 args [0x0000000000001234 0x00000007]"));
}

TEST_F(FakeGraphTest, AcceptsNewNodeParameters) {
  second = 8;
  const CUDA_MEMSET_NODE_PARAMS bytes = memset_params(3);
  const CUDA_KERNEL_NODE_PARAMS add = kernel_params();
  EXPECT_EQ(cu.executable_set_kernel(executable, node, &add), CUDA_SUCCESS);
  EXPECT_EQ(cu.executable_set_memset(executable, fill, &bytes, context), CUDA_SUCCESS);
  EXPECT_EQ(cu.graph_launch(executable, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.executable_enable(executable, fill, 0), CUDA_SUCCESS);
  memory[0] = 1;
  EXPECT_EQ(cu.graph_launch(executable, nullptr), CUDA_SUCCESS);
  EXPECT_THAT(runs, ElementsAre("8 sees 3", "8 sees 1"));
  EXPECT_EQ(cu.executable_set_kernel(executable, fill, &add), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeGraphTest, IsCountedUntilDestroyed) {
  EXPECT_EQ(fake.live().graphs, 1U);
  EXPECT_EQ(fake.live().executables, 1U);
  EXPECT_EQ(cu.graph_destroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cu.graph_launch(executable, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.executable_destroy(executable), CUDA_SUCCESS);
  EXPECT_EQ(cu.graph_launch(executable, nullptr), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(fake.live(), (Live{.contexts = 1, .libraries = 1}));
}

TEST_F(FakeGraphTest, LaunchIsRejectedDuringCapture) {
  fake.set_capture(nullptr, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu.graph_launch(executable, nullptr), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

TEST_F(FakeGraphTest, DetectsConcurrentUpdateAndLaunch) {
  const CUDA_KERNEL_NODE_PARAMS add = kernel_params();
  EXPECT_EQ(cu.executable_set_kernel(executable, node, &add), CUDA_SUCCESS);
  EXPECT_EQ(fake.misuse(), "");
  std::thread([&] {
    EXPECT_EQ(cu.current_set(context), CUDA_SUCCESS);
    EXPECT_EQ(cu.graph_launch(executable, nullptr), CUDA_SUCCESS);
  }).join();
  EXPECT_EQ(fake.misuse(), "cuGraphLaunch by one thread while another one changes the executable");
}

TEST_F(FakeGraphTest, RejectsInvalidClusterSize) {
  CUlaunchAttributeValue cluster{};
  cluster.clusterDim = {3, 1, 1};
  EXPECT_EQ(cu.graph_set_attribute(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &cluster), CUDA_SUCCESS);
  CUgraphExec second_executable = nullptr;
  EXPECT_EQ(cu.graph_instantiate(&second_executable, graph, 0), CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

}  // namespace
}  // namespace kmux::fake_cuda
