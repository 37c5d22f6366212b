#pragma once

#include "nvidia/launch/replay_node.h"

namespace kmux::nvidia {

/// Where a call runs; its context is current.
struct ReplayPlace {
  const DriverTable* driver;
  int device;
  CUcontext context;
  CUstream stream;
};

/// The steps of a body as one executable graph. A call hands over its steps instead of launching them; the graph is
/// launched once, at the end, or before the first workspace is freed. Bound to the device of its first call; on another
/// stream than before the driver launches it behind the launch before.
///
/// Threads: one at a time (the flag of its launch state).   Lifetime: `destroy` comes last, and leaks if it never comes.
class Replay {
 public:
  Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// Uses `nodes`, one a step of the plan, for what it keeps.
  void use(ReplayNode* nodes, unsigned count);

  /// Begins a call, which no capture records. False where its launches must be plain: on another device, or over a driver
  /// that cannot tell the sizes of arguments (before 12.4).
  bool open(const ReplayPlace& place);

  /// Whether `device` is another one than that of the graph.
  bool is_bound_elsewhere(int device) const { return device_ >= 0 && device_ != device; }

  /// The allocator for the call's workspaces: `inner`, which may be null, but what the graph uses is not freed before it is
  /// launched.
  const kmux_allocator* allocator(const kmux_allocator* inner);

  /// Whether `keep` may have this step. Where not (it came before, or a graph cannot have it), what was kept is launched
  /// now, and the steps that follow are plain.
  bool takes(const kmux_driver_launch& launch);
  bool takes(const kmux_driver_fill& fill);

  /// Takes over the step. The attributes of `kernel` allow the launch already; its grid is not empty.
  ///
  /// Errors: what the driver said; unavailable without memory.
  int keep(const kmux_driver_launch& launch, CUkernel kernel, kmux_sink error);
  int keep(const kmux_driver_fill& fill, kmux_sink error);

  /// Ends the call. `code` is the body's: if that is 0, launches what was kept. Returns `code`, or what the
  /// driver said. Then the graph is gone, and the next call builds it anew.
  int close(int code, kmux_sink error);

  /// Destroys the graph.
  ReplayFailure destroy(const DriverTable& driver);

 private:
  static int32_t allocate_workspace(void* self, int32_t device, void* stream, size_t bytes, size_t alignment,
                                    void** address);
  static void free_workspace(void* self, int32_t device, void* stream, void* address);

  bool takes(unsigned step, bool possible);
  int report(const ReplayFailure& failure, kmux_sink error) const;
  void flush();
  ReplayFailure update_and_launch();
  ReplayFailure update();
  ReplayFailure build();
  ReplayFailure build_relaxed();
  ReplayFailure destroy_relaxed(const DriverTable& driver);
  ReplayFailure add_nodes();

  ReplayNode* nodes_ = nullptr;
  unsigned count_ = 0;

  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
  int device_ = -1;  // of graph_; -1 before the first call

  // Of the call in progress.
  ReplayPlace place_ = {};
  kmux_allocator allocator_ = {};
  const kmux_allocator* inner_ = nullptr;
  ReplayFailure failure_ = {};
  unsigned next_step_ = 0;
  bool kept_ = false;  // something
  bool open_ = false;
  bool restructure_ = false;  // the executable, if any, is not of the right form
};

}  // namespace kmux::nvidia
