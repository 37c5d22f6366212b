// Graphs that are built node by node. Unordered nodes run in the least likely order.
#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <vector>

#include "cpu/captures.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines HIP's functions

namespace {

using Work = std::function<int()>;

struct Made {
  hipGraphNode_t handle;
  Work work;
  bool is_kernel;
  std::vector<hipGraphNode_t> after;
  bool is_enabled = true;
};

}  // namespace

struct hipGraphNode {
  hipGraph_t graph;
};
struct ihipGraph {
  std::deque<hipGraphNode> handles;
  std::vector<Made> nodes;
};
struct hipGraphExec {
  std::vector<Made> nodes;
};

namespace {

bool is_alive(hipGraph_t graph) { return world().made_graphs.contains(graph); }

int add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, std::size_t count, Work work,
        bool is_kernel) {
  const std::lock_guard lock(world().mutex);
  if (!is_alive(graph)) return kInvalidValue;
  const std::vector<hipGraphNode_t> earlier(after, after + count);
  if (std::ranges::any_of(earlier, [&](hipGraphNode_t each) { return each->graph != graph; })) return kInvalidValue;
  *node = &graph->handles.emplace_back(hipGraphNode{graph});
  graph->nodes.push_back({*node, std::move(work), is_kernel, earlier});
  return kHipSuccess;
}

// The caller must hold the lock.
Made* find(hipGraphExec_t executable, hipGraphNode_t node) {
  if (!world().executables.contains(executable)) return nullptr;
  const auto found = std::ranges::find(executable->nodes, node, &Made::handle);
  return found == executable->nodes.end() ? nullptr : &*found;
}

int set(hipGraphExec_t executable, hipGraphNode_t node, Work work, bool is_kernel) {
  const std::lock_guard lock(world().mutex);
  Made* const found = find(executable, node);
  if (found == nullptr || found->is_kernel != is_kernel) return kInvalidValue;
  found->work = std::move(work);
  return kHipSuccess;
}

int work_of(const kmux::hip::MemsetParams& params, Work& work) {
  const std::size_t bytes = params.width * params.element_bytes;
  if (params.width == 0 || params.height != 1 || params.element_bytes != 1) return kInvalidValue;
  if (!is_device_memory(params.to, bytes)) return kInvalidValue;
  work = [to = params.to, value = params.value, bytes] {
    std::memset(to, static_cast<int>(value), bytes);
    return kHipSuccess;
  };
  return kHipSuccess;
}

bool is_ready(const Made& node, const std::vector<hipGraphNode_t>& done) {
  return std::ranges::all_of(node.after,
                             [&](hipGraphNode_t each) { return std::ranges::find(done, each) != done.end(); });
}

int run(std::vector<Made> nodes) {
  std::vector<hipGraphNode_t> done;
  while (!nodes.empty()) {
    const auto last =
        std::find_if(nodes.rbegin(), nodes.rend(), [&](const Made& node) { return is_ready(node, done); });
    if (last == nodes.rend()) return kUnknown;
    if (last->is_enabled) {
      if (const int failure = last->work()) return failure;
    }
    done.push_back(last->handle);
    nodes.erase(std::next(last).base());
  }
  return kHipSuccess;
}

}  // namespace

ReturnCode hipGraphCreate(hipGraph_t* graph, unsigned flags) {
  KMUX_BEGIN("hipGraphCreate");
  if (flags != 0) return kInvalidValue;
  *graph = new ihipGraph;
  const std::lock_guard lock(world().mutex);
  world().made_graphs.insert(*graph);
  return kHipSuccess;
}

ReturnCode hipGraphDestroy(hipGraph_t graph) {
  const int fault = begin("hipGraphDestroy");
  const std::lock_guard lock(world().mutex);
  if (world().made_graphs.erase(graph) == 0) return kInvalidValue;
  delete graph;
  return fault;
}

ReturnCode hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                                 std::size_t after_count, const kmux::hip::KernelNodeParams* params) {
  KMUX_BEGIN("hipGraphAddKernelNode");
  Work work;
  if (const int refused = work_of_kernel(*params, work)) return refused;
  return add(node, graph, after, after_count, std::move(work), true);
}

ReturnCode hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after,
                                 std::size_t after_count, const kmux::hip::MemsetParams* params) {
  KMUX_BEGIN("hipGraphAddMemsetNode");
  Work work;
  if (const int refused = work_of(*params, work)) return refused;
  return add(node, graph, after, after_count, std::move(work), false);
}

ReturnCode hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t graph, hipGraphNode_t*, char*, std::size_t) {
  KMUX_BEGIN("hipGraphInstantiate");
  const std::lock_guard lock(world().mutex);
  if (!is_alive(graph)) return kInvalidValue;
  *executable = new hipGraphExec{graph->nodes};
  world().executables.insert(*executable);
  return kHipSuccess;
}

ReturnCode hipGraphExecDestroy(hipGraphExec_t executable) {
  const int fault = begin("hipGraphExecDestroy");
  const std::lock_guard lock(world().mutex);
  if (world().executables.erase(executable) == 0) return kInvalidValue;
  delete executable;
  return fault;
}

// Stricter than HIP, which adds a child graph to a capture: the plugin guarantees plain launches there.
ReturnCode hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  KMUX_BEGIN("hipGraphLaunch");
  if (capture_of(stream) != nullptr) return kStreamCaptureUnsupported;
  std::vector<Made> nodes;
  {
    const std::lock_guard lock(world().mutex);
    if (!world().executables.contains(executable)) return kInvalidValue;
    nodes = executable->nodes;
  }
  return submit(stream, [&] { return run(std::move(nodes)); });
}

ReturnCode hipGraphExecKernelNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const kmux::hip::KernelNodeParams* params) {
  KMUX_BEGIN("hipGraphExecKernelNodeSetParams");
  Work work;
  if (const int refused = work_of_kernel(*params, work)) return refused;
  return set(executable, node, std::move(work), true);
}

ReturnCode hipGraphExecMemsetNodeSetParams(hipGraphExec_t executable, hipGraphNode_t node,
                                           const kmux::hip::MemsetParams* params) {
  KMUX_BEGIN("hipGraphExecMemsetNodeSetParams");
  Work work;
  if (const int refused = work_of(*params, work)) return refused;
  return set(executable, node, std::move(work), false);
}

ReturnCode hipGraphNodeSetEnabled(hipGraphExec_t executable, hipGraphNode_t node, unsigned enabled) {
  KMUX_BEGIN("hipGraphNodeSetEnabled");
  const std::lock_guard lock(world().mutex);
  Made* const found = find(executable, node);
  if (found == nullptr) return kInvalidValue;
  found->is_enabled = enabled != 0;
  return kHipSuccess;
}
