#pragma once

#include "kmux/plugin/driver.h"
#include "kmux/plugin/graph_replay.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/driver_abi.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// The driver's graph calls for one call of a body, whose context must be current. See kmux::Replay. The driver
/// serializes launches of a graph, also on different streams.
struct GraphCalls {
  using Graph = CUgraph;
  using Executable = CUgraphExec;
  using Node = CUgraphNode;
  using Kernel = CUkernel;
  using Step = KernelStep<CUkernel>;
  static constexpr int kOutOfMemory = CUDA_ERROR_OUT_OF_MEMORY;

  const DriverTable* driver = nullptr;
  int device = -1;
  CUcontext context = nullptr;
  CUstream stream = nullptr;

  ReplayFailure create(CUgraph* graph) const;
  ReplayFailure destroy(CUgraph graph) const;
  ReplayFailure instantiate(CUgraphExec* executable, CUgraph graph) const;
  ReplayFailure destroy(CUgraphExec executable) const;
  ReplayFailure launch(CUgraphExec executable) const;
  ReplayFailure add(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t after_count,
                    const Step& step) const;
  ReplayFailure add(CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t after_count,
                    const FillStep& step) const;
  ReplayFailure set(CUgraphExec executable, CUgraphNode node, const Step& step) const;
  ReplayFailure set(CUgraphExec executable, CUgraphNode node, const FillStep& step, bool* restructure) const;
  static constexpr bool can_enable() { return true; }
  ReplayFailure enable(CUgraphExec executable, CUgraphNode node, bool on) const;

  /// Returns true if the driver reports parameter sizes, which are the bytes that it reads; from 12.4 on.
  bool has_parameters() const { return driver->kernel_parameter != nullptr; }
  ReplayFailure parameter(CUkernel kernel, unsigned index, ReplayParameter* parameter, bool* is_past) const;
  int fail(const ReplayFailure& failure, kmux_sink error) const;

  template <class Action>
  ReplayFailure relaxed(Action action, bool regardless = false) const {
    return RelaxedCapture::around(*driver, action, regardless);
  }
};

using Replay = kmux::Replay<GraphCalls>;
using ReplayNode = kmux::ReplayNode<GraphCalls>;

}  // namespace kmux::nvidia
