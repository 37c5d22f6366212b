#include <algorithm>
#include <iterator>

#include "call.h"
#include "executables.h"
#include "graph_nodes.h"

namespace kmux::fake_cuda {
namespace {

// Adds `node` to the graph if the graph and all predecessors exist.
CUresult add_node(CUgraph handle, const CUgraphNode* after, std::size_t after_count, Node node, CUgraphNode* made) {
  World& w = world();
  Graph* graph = w.graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (std::size_t i = 0; i < after_count; ++i) {
    const GraphNode* earlier = w.nodes.find(after[i]);
    if (earlier == nullptr || earlier->graph != handle) return CUDA_ERROR_INVALID_VALUE;
  }
  *made = w.nodes.add({handle, std::move(node), {after, after + after_count}});
  graph->nodes.push_back(*made);
  return CUDA_SUCCESS;
}

std::string after_text(const CUgraphNode* after, std::size_t count) {
  std::string text = " after [";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) text += " ";
    append(text, after[i]);
  }
  return text + "]";
}

Executable::Entry* entry_of(Executable* executable, CUgraphNode node) {
  if (executable == nullptr) return nullptr;
  const auto found = std::find_if(executable->entries.begin(), executable->entries.end(),
                                  [&](const Executable::Entry& entry) { return entry.handle == node; });
  return found == executable->entries.end() ? nullptr : &*found;
}

// Returns the device that owns the memory at an address; -1 if none does.
int device_at(CUdeviceptr address) {
  const auto next = world().memory.upper_bound(static_cast<std::uintptr_t>(address));
  return world().is_memory(address, 1) ? std::prev(next)->second.device : -1;
}

// Checks the parameters that an executable accepts for a node. Source: CUDA Driver API, cuGraphExecMemsetNodeSetParams:
// one-dimensional fills, both of memory of one context.
CUresult check_change(const CUDA_MEMSET_NODE_PARAMS& held, const CUDA_MEMSET_NODE_PARAMS& anew) {
  const int before = device_at(held.dst);
  const bool moves = before >= 0 && before != device_at(anew.dst);
  return held.height == 1 && anew.height == 1 && !moves ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult check_change(const KernelNode&, const KernelNode&) { return CUDA_SUCCESS; }

bool can_be_disabled(const Node& node) {
  return std::holds_alternative<KernelNode>(node) || std::holds_alternative<CUDA_MEMSET_NODE_PARAMS>(node) ||
         std::holds_alternative<CopyNode>(node);
}

// Replaces the parameters of a node of the same kind.
template <class Kind>
CUresult replace(CUgraphExec executable, CUgraphNode node, Kind anew, const char* what) {
  Executable* found = world().executables.find(executable);
  Executable::Entry* entry = entry_of(found, node);
  Kind* held = entry == nullptr ? nullptr : std::get_if<Kind>(&entry->node);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (held == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult wrong = check_change(*held, anew); wrong != CUDA_SUCCESS) return wrong;
  claim(*found, what);
  if constexpr (std::is_same_v<Kind, KernelNode>) anew.geometry.cluster = held->geometry.cluster;
  if (const CUresult wrong = check_node(anew, found->device); wrong != CUDA_SUCCESS) return wrong;
  *held = std::move(anew);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  Call call("cuGraphCreate", Needs::kInit);
  return call.with(" flags ", flags).run([&] {
    if (graph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    call.with(" -> ", *graph = world().graphs.add({}));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return Call("cuGraphDestroy", Needs::kInit).with(" ", graph).release([&] {
    world().nodes.erase_if([&](const GraphNode& node) { return node.graph == graph; });
    return world().graphs.erase(graph) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t after_count,
                                 const CUDA_KERNEL_NODE_PARAMS* params) {
  Call call("cuGraphAddKernelNode_v2", Needs::kInit);
  call.with(" ", graph, after_text(after, after_count), kernel_node_text(*params));
  return call.run([&] {
    KernelNode made;
    const int device = params->ctx == nullptr ? current_device() : device_of(params->ctx);
    if (const CUresult wrong = read_kernel_node(*params, made); wrong != CUDA_SUCCESS) return wrong;
    if (const CUresult wrong = check_node(made, device); wrong != CUDA_SUCCESS) return wrong;
    const CUresult result = add_node(graph, after, after_count, std::move(made), node);
    if (result == CUDA_SUCCESS) call.with(" -> ", *node);
    return result;
  });
}

CUresult cuGraphAddMemsetNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, std::size_t after_count,
                              const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context) {
  Call call("cuGraphAddMemsetNode", Needs::kInit);
  call.with(" ", graph, after_text(after, after_count), memset_node_text(*params));
  return call.run([&] {
    if (const CUresult wrong = check_node(*params, device_of(context)); wrong != CUDA_SUCCESS) return wrong;
    const CUresult result = add_node(graph, after, after_count, *params, node);
    if (result == CUDA_SUCCESS) call.with(" -> ", *node);
    return result;
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUlaunchAttributeID attribute,
                                       const CUlaunchAttributeValue* value) {
  Call call("cuGraphKernelNodeSetAttribute", Needs::kInit);
  const unsigned cluster[3] = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
  call.with(" ", node, " attribute ", static_cast<int>(attribute), " cluster ", list(cluster, 3));
  return call.run([&] {
    GraphNode* found = world().nodes.find(node);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    auto* kernel = std::get_if<KernelNode>(&found->node);
    if (kernel == nullptr || attribute != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return CUDA_ERROR_INVALID_VALUE;
    kernel->geometry.cluster = {cluster[0], cluster[1], cluster[2]};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec executable, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* params) {
  Call call("cuGraphExecKernelNodeSetParams_v2", Needs::kContext);
  return call.with(" ", executable, " node ", node, kernel_node_text(*params)).run([&] {
    KernelNode anew;
    const Executable* const found = world().executables.find(executable);
    const bool moves = found != nullptr && params->ctx != nullptr && device_of(params->ctx) != found->device;
    if (moves) return CUDA_ERROR_INVALID_VALUE;  // a node keeps its context
    if (const CUresult wrong = read_kernel_node(*params, anew); wrong != CUDA_SUCCESS) return wrong;
    return replace(executable, node, std::move(anew), "cuGraphExecKernelNodeSetParams_v2");
  });
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params,
                                        CUcontext) {
  Call call("cuGraphExecMemsetNodeSetParams", Needs::kContext);
  return call.with(" ", executable, " node ", node, memset_node_text(*params)).run([&] {
    return replace(executable, node, *params, "cuGraphExecMemsetNodeSetParams");
  });
}

CUresult cuGraphNodeSetEnabled(CUgraphExec executable, CUgraphNode node, unsigned enabled) {
  Call call("cuGraphNodeSetEnabled", Needs::kContext);
  return call.with(" ", executable, " node ", node, " enabled ", enabled).run([&] {
    Executable* found = world().executables.find(executable);
    Executable::Entry* entry = entry_of(found, node);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (entry == nullptr || !can_be_disabled(entry->node)) return CUDA_ERROR_INVALID_VALUE;
    claim(*found, "cuGraphNodeSetEnabled");
    entry->enabled = enabled != 0;
    return CUDA_SUCCESS;
  });
}

}  // namespace kmux::fake_cuda
