#include "launch/replay.h"

#include "launch/hip_error.h"

namespace kmux::hip {
namespace {

constexpr size_t kArgumentAlignment = 16;  // sufficient for every argument type

ReplayFailure failure_of(const char* call, int result) {
  return result == kHipSuccess ? ReplayFailure{} : ReplayFailure{call, result};
}

KernelNodeParams params_of(const GraphCalls::Step& step) {
  KernelNodeParams params = {};
  params.block = {step.block[0], step.block[1], step.block[2]};
  params.function = step.kernel.function;
  params.grid = {step.grid[0], step.grid[1], step.grid[2]};
  params.arguments = step.args;
  params.shared_bytes = step.dynamic_smem_bytes;
  return params;
}

MemsetParams params_of(const FillStep& step) {
  MemsetParams params = {};
  params.to = step.target;
  params.element_bytes = 1;
  params.height = 1;
  params.value = step.value;
  params.width = step.bytes;
  return params;
}

}  // namespace

ReplayFailure GraphCalls::create(hipGraph_t* graph) const {
  return failure_of("hipGraphCreate", hip->graph_create(graph, 0));
}
ReplayFailure GraphCalls::destroy(hipGraph_t graph) const {
  return failure_of("hipGraphDestroy", hip->graph_destroy(graph));
}
ReplayFailure GraphCalls::instantiate(hipGraphExec_t* executable, hipGraph_t graph) const {
  return failure_of("hipGraphInstantiate", hip->graph_instantiate(executable, graph, nullptr, nullptr, 0));
}
ReplayFailure GraphCalls::destroy(hipGraphExec_t executable) const {
  return failure_of("hipGraphExecDestroy", hip->executable_destroy(executable));
}
ReplayFailure GraphCalls::launch(hipGraphExec_t executable) const {
  return failure_of("hipGraphLaunch", hip->graph_launch(executable, stream));
}

ReplayFailure GraphCalls::add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,
                              const Step& step) const {
  const KernelNodeParams params = params_of(step);
  return failure_of("hipGraphAddKernelNode", hip->graph_add_kernel(node, graph, after, after_count, &params));
}
ReplayFailure GraphCalls::add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,
                              const FillStep& step) const {
  const MemsetParams params = params_of(step);
  return failure_of("hipGraphAddMemsetNode", hip->graph_add_memset(node, graph, after, after_count, &params));
}

ReplayFailure GraphCalls::set(hipGraphExec_t executable, hipGraphNode_t node, const Step& step) const {
  const KernelNodeParams params = params_of(step);
  return failure_of("hipGraphExecKernelNodeSetParams", hip->executable_set_kernel(executable, node, &params));
}

// HIP rejects an update that moves a fill to memory of another device. Source: ROCm's clr,
// GraphMemsetNode::SetParamsInternal.
ReplayFailure GraphCalls::set(hipGraphExec_t executable, hipGraphNode_t node, const FillStep& step,
                              bool* restructure) const {
  const MemsetParams params = params_of(step);
  const int result = hip->executable_set_memset(executable, node, &params);
  if (result == kInvalidValue) return *restructure = true, ReplayFailure{};
  return failure_of("hipGraphExecMemsetNodeSetParams", result);
}

ReplayFailure GraphCalls::enable(hipGraphExec_t executable, hipGraphNode_t node, bool on) const {
  return failure_of("hipGraphNodeSetEnabled", hip->node_enable(executable, node, on ? 1 : 0));
}

ReplayFailure GraphCalls::parameter(const ReplayKernel& kernel, unsigned index, ReplayParameter* parameter,
                                    bool* is_past) const {
  const StepFacts& step = *kernel.step;
  if (index >= step.count) return *is_past = true, ReplayFailure{};
  parameter->offset = 0;
  for (unsigned i = 0; i < index; ++i) {
    parameter->offset += (step.sizes[i] + kArgumentAlignment - 1) / kArgumentAlignment * kArgumentAlignment;
  }
  parameter->size = step.sizes[index];
  return {};
}

int GraphCalls::fail(const ReplayFailure& failure, kmux_sink error) const {
  return fail_call(*hip, error, failure.call, failure.result, "replaying the body as a graph");
}

const char* missing_graph_call(const HipTable& hip) {
#define KMUX_CALL(name, symbol, params) \
  if (hip.name == nullptr) return #symbol;
  KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
#undef KMUX_CALL
  return nullptr;
}

bool LaneReplays::make(unsigned step_count) {
  if (states_.data() != nullptr) return true;
  if (!nodes_.make(size_t{kCount} * step_count) || !states_.make(kCount)) return nodes_.clear(), false;
  for (unsigned i = 0; i < kCount; ++i) {
    states_.data()[i].replay.use(nodes_.data() + size_t{i} * step_count, step_count);
  }
  return true;
}

ReplayFailure LaneReplays::close(const GraphCalls& calls) {
  ReplayFailure first;
  for (unsigned i = 0; i < kCount && states_.data() != nullptr; ++i) {
    Replay& replay = states_.data()[i].replay;
    if (replay.is_bound_elsewhere(calls.device)) continue;
    const ReplayFailure failure = replay.destroy(calls);
    if (first.call == nullptr) first = failure;
  }
  return first;
}

}  // namespace kmux::hip
