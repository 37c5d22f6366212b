#include "executables.h"

#include <algorithm>

#include "call.h"
#include "graph_nodes.h"
#include "work.h"

namespace kmux::fake_cuda {
namespace {

constexpr unsigned long long kAutoFreeOnLaunch = 1;
constexpr unsigned long long kUseNodePriority = 8;

std::vector<std::size_t> indices_of(const std::vector<CUgraphNode>& wanted, const std::vector<CUgraphNode>& nodes) {
  std::vector<std::size_t> indices;
  for (const CUgraphNode node : wanted) {
    indices.push_back(static_cast<std::size_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin()));
  }
  return indices;
}

CUresult instantiate(CUgraph graph, unsigned long long flags, CUgraphExec* executable) {
  World& w = world();
  const Graph* found = w.graphs.find(graph);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if ((flags & ~(kAutoFreeOnLaunch | kUseNodePriority)) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult captured = w.spoil_captures(); captured != CUDA_SUCCESS) return captured;
  Executable made{current_device()};
  made.frees_on_launch = (flags & kAutoFreeOnLaunch) != 0;
  for (const CUgraphNode handle : found->nodes) {
    const GraphNode& node = *w.nodes.find(handle);
    made.entries.push_back({handle, node.node, indices_of(node.after, found->nodes)});
    if (const CUresult wrong = check_node(node.node, made.device); wrong != CUDA_SUCCESS) return wrong;
  }
  *executable = w.executables.add(std::move(made));
  return CUDA_SUCCESS;
}

// Allocations of an earlier launch that were never freed: frees them first, or refuses the launch.
CUresult free_left(const Executable& executable, CUstream stream, std::vector<Operation>& steps) {
  for (const Executable::Entry& entry : executable.entries) {
    const auto* node = std::get_if<AllocationNode>(&entry.node);
    Block* const block = node == nullptr ? nullptr : world().blocks.find(node->block);
    if (block == nullptr || !block->is_owned) continue;
    if (!executable.frees_on_launch) return CUDA_ERROR_INVALID_VALUE;
    block->is_owned = false;
    world().memory.erase(node->block);
    steps.push_back({FreeNode{node->block, block->generation}, executable.device, stream});
  }
  return CUDA_SUCCESS;
}

// Returns the node as this launch of its graph executes it.
Node node_of_launch(const Node& node, int device) {
  World& w = world();
  if (const auto* allocation = std::get_if<AllocationNode>(&node)) {
    Block& block = *w.blocks.find(allocation->block);
    block.is_owned = true;
    w.memory[allocation->block] = {block.bytes, device};
    return AllocationNode{allocation->block, ++block.generation};
  }
  if (const auto* freed = std::get_if<FreeNode>(&node)) {
    Block& block = *w.blocks.find(freed->block);
    block.is_owned = false;
    w.memory.erase(freed->block);
    return FreeNode{freed->block, block.generation};
  }
  return node;
}

void check_code(const Executable::Entry& entry) {
  const auto* kernel = std::get_if<KernelNode>(&entry.node);
  if (kernel == nullptr || world().kernels.find(kernel->kernel) != nullptr) return;
  world().report_misuse("cuGraphLaunch runs unloaded code: kernel \"" + kernel->name + "\"");
}

CUresult launch(Work& work, Executable& executable, CUstream stream) {
  std::vector<Operation> steps;
  if (const CUresult left = free_left(executable, stream, steps); left != CUDA_SUCCESS) return left;
  const std::size_t first = steps.size();
  std::vector<std::vector<std::size_t>> order(first);
  for (const Executable::Entry& entry : executable.entries) {
    order.emplace_back();
    for (std::size_t i = 0; i < first; ++i) order.back().push_back(i);
    for (const std::size_t after : entry.after) order.back().push_back(first + after);
    if (!entry.enabled) {
      steps.push_back({std::monostate(), executable.device, stream});
      continue;
    }
    check_code(entry);
    steps.push_back(prepare(node_of_launch(entry.node, executable.device), stream, executable.device));
  }
  executable.launched = work.add(stream, executable.device, std::move(steps), order, executable.launched);
  return CUDA_SUCCESS;
}

}  // namespace

// Reports misuse if another thread has changed the executable and has not yet launched it.
void claim(Executable& executable, const char* what) {
  const std::thread::id self = std::this_thread::get_id();
  if (executable.changed_by != std::thread::id() && executable.changed_by != self) {
    world().report_misuse(std::string(what) + " by one thread while another one changes the executable");
  }
  executable.changed_by = self;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long flags) {
  Call call("cuGraphInstantiateWithFlags", Needs::kContext);
  return call.with(" ", graph, " flags ", flags).run([&] {
    const CUresult result = instantiate(graph, flags, executable);
    if (result == CUDA_SUCCESS) call.with(" -> ", *executable);
    return result;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  return Call("cuGraphExecDestroy", Needs::kInit).with(" ", executable).release([&] {
    World& w = world();
    if (w.executables.find(executable) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult captured = w.spoil_captures(); captured != CUDA_SUCCESS) return captured;
    w.executables.erase(executable);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  Work work;
  Call call("cuGraphLaunch", Needs::kContext);
  return call.with(" ", executable, " stream ", stream).run([&] {
    World& w = world();
    Executable* found = w.executables.find(executable);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (const CUresult wrong = w.check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    // Stricter than the driver, which would add a child graph: kmux guarantees plain launches during a capture.
    if (w.capture_of(stream) != CU_STREAM_CAPTURE_STATUS_NONE) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (const CUresult wrong = check_capture(stream); wrong != CUDA_SUCCESS) return wrong;
    claim(*found, "cuGraphLaunch");
    found->changed_by = {};
    return launch(work, *found, stream);
  });
}

}  // namespace kmux::fake_cuda
