#pragma once

#include "kmux/plugin/driver.h"
#include "kmux/plugin/graph_replay.h"
#include "kmux/plugin/lane_states.h"

#include "launch/device_code.h"
#include "launch/hip_error.h"
#include "launch/hip_table.h"

namespace kmux::hip {

/// The kernel of a graph node.
struct ReplayKernel {
  hipFunction_t function = nullptr;
  const StepFacts* step = nullptr;
  bool operator!=(const ReplayKernel& other) const { return function != other.function; }
};

/// HIP's graph calls for one call of a body, whose device must be current. See kmux::Replay. HIP guarantees no order
/// between launches of a graph on two streams, as with plain launches; each launch has the arguments of its call.
///
/// Source: HIP Runtime API, "Graph Management"; ROCm's clr, GraphKernelNode::copyParams.
struct GraphCalls {
  using Graph = hipGraph_t;
  using Executable = hipGraphExec_t;
  using Node = hipGraphNode_t;
  using Kernel = ReplayKernel;
  using Step = KernelStep<ReplayKernel>;
  static constexpr int kOutOfMemory = hip::kOutOfMemory;

  const HipTable* hip = nullptr;
  int device = -1;
  hipStream_t stream = nullptr;

  ReplayFailure create(hipGraph_t* graph) const;
  ReplayFailure destroy(hipGraph_t graph) const;
  ReplayFailure instantiate(hipGraphExec_t* executable, hipGraph_t graph) const;
  ReplayFailure destroy(hipGraphExec_t executable) const;
  ReplayFailure launch(hipGraphExec_t executable) const;
  ReplayFailure add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,
                    const Step& step) const;
  ReplayFailure add(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* after, size_t after_count,
                    const FillStep& step) const;
  ReplayFailure set(hipGraphExec_t executable, hipGraphNode_t node, const Step& step) const;
  ReplayFailure set(hipGraphExec_t executable, hipGraphNode_t node, const FillStep& step, bool* restructure) const;
  /// Returns true if nodes can be disabled; from ROCm 5.3 on.
  bool can_enable() const { return hip->node_enable != nullptr; }
  ReplayFailure enable(hipGraphExec_t executable, hipGraphNode_t node, bool on) const;

  static constexpr bool has_parameters() { return true; }
  ReplayFailure parameter(const ReplayKernel& kernel, unsigned index, ReplayParameter* parameter, bool* is_past) const;
  int fail(const ReplayFailure& failure, kmux_sink error) const;

  template <class Action>
  ReplayFailure relaxed(Action action, bool regardless = false) const {
    return RelaxedCapture::around(*hip, action, regardless);
  }
};

using Replay = kmux::Replay<GraphCalls>;
using ReplayNode = kmux::ReplayNode<GraphCalls>;

/// Returns the name of a graph function that this release of HIP lacks; null if it has all.
const char* missing_graph_call(const HipTable& hip);

/// The state that the calls of one lane keep from call to call. It does not share cache lines, so lanes do not slow
/// each other.
struct alignas(64) LaneReplay {
  std::atomic<bool> taken{false};
  Replay replay;
};

/// The replays of one launcher, for all devices: each is bound to one. Graphs that `close` does not destroy are leaked.
class LaneReplays : public LaneStates<LaneReplay> {
 public:
  /// Creates replays of `step_count` steps, once. Returns false if out of memory.
  bool make(unsigned step_count);
  /// Destroys the graphs that are bound to the device of `calls`. Returns the first failure.
  ReplayFailure close(const GraphCalls& calls);

 private:
  AlignedArray<ReplayNode> nodes_;  // step_count for each state
};

}  // namespace kmux::hip
