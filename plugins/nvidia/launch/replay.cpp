#include "nvidia/launch/replay.h"

#include "nvidia/launch/driver_error.h"

namespace kmux::nvidia {
namespace {

ReplayFailure failure_of(const char* call, CUresult result) {
  return result == CUDA_SUCCESS ? ReplayFailure{} : ReplayFailure{call, result};
}

CUDA_KERNEL_NODE_PARAMS params_of(const GraphCalls::Step& step) {
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.gridDimX = step.grid[0];
  params.gridDimY = step.grid[1];
  params.gridDimZ = step.grid[2];
  params.blockDimX = step.block[0];
  params.blockDimY = step.block[1];
  params.blockDimZ = step.block[2];
  params.sharedMemBytes = step.dynamic_smem_bytes;
  params.kernelParams = step.args;
  params.kern = step.kernel;
  return params;
}

CUDA_MEMSET_NODE_PARAMS params_of(const FillStep& step) {
  CUDA_MEMSET_NODE_PARAMS params = {};
  params.dst = static_cast<CUdeviceptr>(reinterpret_cast<uintptr_t>(step.target));
  params.value = step.value;
  params.elementSize = 1;
  params.width = step.bytes;
  params.height = 1;
  return params;
}

}  // namespace

ReplayFailure GraphCalls::create(CUgraph* graph) const {
  return failure_of("cuGraphCreate", driver->graph_create(graph, 0));
}
ReplayFailure GraphCalls::destroy(CUgraph graph) const {
  return failure_of("cuGraphDestroy", driver->graph_destroy(graph));
}
ReplayFailure GraphCalls::instantiate(CUgraphExec* executable, CUgraph graph) const {
  return failure_of("cuGraphInstantiateWithFlags", driver->graph_instantiate(executable, graph, 0));
}
ReplayFailure GraphCalls::destroy(CUgraphExec executable) const {
  return failure_of("cuGraphExecDestroy", driver->executable_destroy(executable));
}
ReplayFailure GraphCalls::launch(CUgraphExec executable) const {
  return failure_of("cuGraphLaunch", driver->graph_launch(executable, stream));
}

ReplayFailure GraphCalls::add(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t after_count,
                              const Step& step) const {
  const CUDA_KERNEL_NODE_PARAMS params = params_of(step);
  const CUresult added = driver->graph_add_kernel(node, graph, after, after_count, &params);
  if (added != CUDA_SUCCESS || step.cluster[0] == 0) return failure_of("cuGraphAddKernelNode", added);
  CUlaunchAttributeValue value = {};
  value.clusterDim.x = step.cluster[0];
  value.clusterDim.y = step.cluster[1];
  value.clusterDim.z = step.cluster[2];
  return failure_of("cuGraphKernelNodeSetAttribute",
                    driver->graph_set_attribute(*node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value));
}

ReplayFailure GraphCalls::add(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t after_count,
                              const FillStep& step) const {
  const CUDA_MEMSET_NODE_PARAMS params = params_of(step);
  return failure_of("cuGraphAddMemsetNode",
                    driver->graph_add_memset(node, graph, after, after_count, &params, context));
}

ReplayFailure GraphCalls::set(CUgraphExec executable, CUgraphNode node, const Step& step) const {
  const CUDA_KERNEL_NODE_PARAMS params = params_of(step);
  return failure_of("cuGraphExecKernelNodeSetParams", driver->executable_set_kernel(executable, node, &params));
}

// The driver rejects an update that moves a fill to another kind of memory, for example from device to host. A new
// graph is then required.
ReplayFailure GraphCalls::set(CUgraphExec executable, CUgraphNode node, const FillStep& step, bool* restructure) const {
  const CUDA_MEMSET_NODE_PARAMS params = params_of(step);
  const CUresult result = driver->executable_set_memset(executable, node, &params, context);
  if (result == CUDA_ERROR_INVALID_VALUE) return *restructure = true, ReplayFailure{};
  return failure_of("cuGraphExecMemsetNodeSetParams", result);
}

ReplayFailure GraphCalls::enable(CUgraphExec executable, CUgraphNode node, bool on) const {
  return failure_of("cuGraphNodeSetEnabled", driver->executable_enable(executable, node, on ? 1 : 0));
}

// The driver has no call for the number of parameters, but rejects the first index past the last.
ReplayFailure GraphCalls::parameter(CUkernel kernel, unsigned index, ReplayParameter* parameter, bool* is_past) const {
  const CUresult result = driver->kernel_parameter(kernel, index, &parameter->offset, &parameter->size);
  if (result == CUDA_ERROR_INVALID_VALUE) return *is_past = true, ReplayFailure{};
  return failure_of("cuKernelGetParamInfo", result);
}

int GraphCalls::fail(const ReplayFailure& failure, kmux_sink error) const {
  return fail_call(*driver, error, failure.call, static_cast<CUresult>(failure.result),
                   "replaying the body as a graph");
}

}  // namespace kmux::nvidia
