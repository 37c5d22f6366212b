// Graphs are CUDA's.
#include "cuda/driver.h"

using namespace kmux::hip_on_cuda;  // NOLINT(google-build-using-namespace): this file defines HIP's functions
using namespace kmux::nvidia;       // NOLINT(google-build-using-namespace): the names of the driver's interface

namespace {

CUgraph graph_of(hipGraph_t graph) { return reinterpret_cast<CUgraph>(graph); }
CUgraphExec executable_of(hipGraphExec_t executable) { return reinterpret_cast<CUgraphExec>(executable); }
CUgraphNode node_of(hipGraphNode_t node) { return reinterpret_cast<CUgraphNode>(node); }

CUDA_KERNEL_NODE_PARAMS params_of(const kmux::hip::KernelNodeParams& params) {
  const auto& [block, extra, function, grid, arguments, shared_bytes] = params;
  return {static_cast<CUfunction>(function),
          grid.x,
          grid.y,
          grid.z,
          block.x,
          block.y,
          block.z,
          shared_bytes,
          arguments,
          extra,
          nullptr,
          nullptr};
}

CUDA_MEMSET_NODE_PARAMS params_of(const kmux::hip::MemsetParams& params) {
  return {reinterpret_cast<CUdeviceptr>(params.to),
          params.pitch,
          params.value,
          params.element_bytes,
          params.width,
          params.height};
}

// Returns the context that `enter` has made current.
int current_context(CUcontext* context) {
  KMUX_CHECK(enter());
  return driver()->current_get(context);
}

}  // namespace

int hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  KMUX_CHECK(enter());
  return driver()->graph_create(reinterpret_cast<CUgraph*>(graph), flags);
}
int hipGraphDestroy(hipGraph_t graph) { return driver()->graph_destroy(graph_of(graph)); }

int hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,
                          const kmux::hip::KernelNodeParams* params) {
  KMUX_CHECK(enter());
  const CUDA_KERNEL_NODE_PARAMS own = params_of(*params);
  return driver()->graph_add_kernel(reinterpret_cast<CUgraphNode*>(node), graph_of(graph),
                                    reinterpret_cast<const CUgraphNode*>(after), after_count, &own);
}
int hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,
                          const kmux::hip::MemsetParams* params) {
  CUcontext context = nullptr;
  KMUX_CHECK(current_context(&context));
  const CUDA_MEMSET_NODE_PARAMS own = params_of(*params);
  return driver()->graph_add_memset(reinterpret_cast<CUgraphNode*>(node), graph_of(graph),
                                    reinterpret_cast<const CUgraphNode*>(after), after_count, &own, context);
}
int hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t*, char*, size_t) {
  KMUX_CHECK(enter());
  return driver()->graph_instantiate(reinterpret_cast<CUgraphExec*>(executable), graph_of(graph), 0);
}
int hipGraphExecDestroy(hipGraphExec_t executable) { return driver()->executable_destroy(executable_of(executable)); }
int hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  KMUX_CHECK(enter());
  return driver()->graph_launch(executable_of(executable), reinterpret_cast<CUstream>(stream));
}

int hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                    const kmux::hip::KernelNodeParams* params) {
  KMUX_CHECK(enter());
  const CUDA_KERNEL_NODE_PARAMS own = params_of(*params);
  return driver()->executable_set_kernel(executable_of(executable), node_of(node), &own);
}
int hipGraphExecMemsetNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                    const kmux::hip::MemsetParams* params) {
  CUcontext context = nullptr;
  KMUX_CHECK(current_context(&context));
  const CUDA_MEMSET_NODE_PARAMS own = params_of(*params);
  return driver()->executable_set_memset(executable_of(executable), node_of(node), &own, context);
}
int hipGraphNodeSetEnabled(hipGraphExec_t executable, hipGraphNode_t node, unsigned enabled) {
  KMUX_CHECK(enter());
  return driver()->executable_enable(executable_of(executable), node_of(node), enabled);
}
