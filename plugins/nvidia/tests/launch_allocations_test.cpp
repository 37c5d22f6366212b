// A call of a launcher that is warm allocates nothing: counted below operator new and malloc, over a driver that does
// nothing.
#include <gtest/gtest.h>

#include "integration/allocations.h"
#include "map_example.h"
#include "nvidia/launch/launcher.h"
#include "step_example.h"
#include "written_text.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace kmux::nvidia {
namespace {

template <class Handle>
CUresult make_handle(Handle* handle) {
  *handle = reinterpret_cast<Handle>(std::uintptr_t{0x10});
  return CUDA_SUCCESS;
}

int replays = 0;

DriverTable idle_driver() {
  DriverTable table;
#define KMUX_CALL(name, symbol, params) table.name = [] params { return CUDA_SUCCESS; };
  KMUX_DRIVER_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)
#undef KMUX_CALL
  // Kernels have one pointer.
  table.kernel_parameter = [](CUkernel, size_t index, size_t* offset, size_t* size) {
    *offset = 0, *size = sizeof(void*);
    return index == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  table.kernel_attribute_get = [](int* value, CUfunction_attribute, CUkernel, CUdevice) {
    return *value = 1024, CUDA_SUCCESS;
  };
  table.current_get = [](CUcontext* context) { return *context = nullptr, CUDA_SUCCESS; };
  table.graph_create = [](CUgraph* graph, unsigned) { return make_handle(graph); };
  table.graph_add_kernel = [](CUgraphNode* node, CUgraph, const CUgraphNode*, size_t, const CUDA_KERNEL_NODE_PARAMS*) {
    return make_handle(node);
  };
  table.graph_instantiate = [](CUgraphExec* executable, CUgraph, unsigned long long) {
    return make_handle(executable);
  };
  table.graph_launch = [](CUgraphExec, CUstream) { return ++replays, CUDA_SUCCESS; };
  table.stream_capturing = [](CUstream, CUstreamCaptureStatus* status) {
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  return table;
}

constexpr KernelFacts kBothKernels[] = {{"add", 0, false}, {"mul", 0, false}};

// Returns the allocations of a thousand calls of `body` after a first one.
template <class Body>
std::size_t allocated_by(bool replay, Body body) {
  const PlanFacts facts = {kBothKernels, 2, 1, 2, 0, replay, "sum", false};
  const DriverTable driver = idle_driver();
  WrittenText error;
  Launcher launcher("code", facts, Log{}, &driver);
  const kmux_launch_env env = {sizeof env, 0, nullptr, nullptr, 0, 0};
  EXPECT_EQ(launcher.call(env, error.sink(), body), KMUX_OK) << error.text;
  const std::size_t before = kmux::test::allocations();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(launcher.call(env, error.sink(), body), KMUX_OK);
  return kmux::test::allocations() - before;
}

int launch_both(const kmux_driver_env& env, kmux_sink error) {
  static StepExample step;
  step.argument += 16;
  for (step.step = 0; step.step < 2; ++step.step) {
    const kmux_driver_launch launch = step.launch();
    if (const int code = env.driver->launch(&env, &launch, error)) return code;
  }
  return KMUX_OK;
}

TEST(LaunchAllocationsTest, AreCounted) {
  const std::size_t before = kmux::test::allocations();
  ::operator delete(::operator new(16));
  EXPECT_EQ(kmux::test::allocations(), before + 1);
}

TEST(LaunchAllocationsTest, AreZeroForLaunches) { EXPECT_EQ(allocated_by(false, launch_both), 0U); }

TEST(LaunchAllocationsTest, AreZeroForTensorMaps) {
  const MapExample example;
  const auto body = [&](const kmux_driver_env& env, kmux_sink error) {
    kmux_tensor_map map;
    const kmux_map_geometry geometry = example.geometry();
    const int code = env.driver->encode_tiled(&env, &map, &geometry, example.box, error);
    return code == KMUX_OK ? launch_both(env, error) : code;
  };
  EXPECT_EQ(allocated_by(false, body), 0U);
}

TEST(LaunchAllocationsTest, AreZeroForReplays) {
  EXPECT_EQ(allocated_by(true, launch_both), 0U);
  EXPECT_EQ(replays, 1001);
}

}  // namespace
}  // namespace kmux::nvidia
