#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/lane_states.h"

namespace kmux {

// Also printed into generated launchers, so it must be C++17 with libc only.

/// The parameters of a kernel node of a graph. `Kernel` is the driver's type.
template <class Kernel>
struct KernelStep {
  Kernel kernel = {};  // the driver's handle
  unsigned grid[3] = {};  // blocks in x, y, z
  unsigned block[3] = {};  // threads in x, y, z
  unsigned cluster[3] = {};  // 0: none
  unsigned dynamic_smem_bytes = 0;  // of each block
  void** args = nullptr;  // the address of each argument
};

/// The parameters of a fill node of a graph.
struct FillStep {
  void* target = nullptr;  // the first byte
  unsigned value = 0;  // of each byte
  size_t bytes = 0;  // length of the fill
};

/// Stores `given` in `kept`. Returns true if the value changed.
template <class Value>
bool take_value(Value& kept, Value given) {
  const bool changed = kept != given;
  kept = given;
  return changed;
}
/// Same for three extents.
inline bool take_extents(unsigned (&kept)[3], const unsigned (&given)[3]) {
  if (memcmp(kept, given, sizeof kept) == 0) return false;
  memcpy(kept, given, sizeof kept);
  return true;
}

/// One launch or fill of a body as a graph node: its parameters for the next launch, and the state that the executable
/// already has. Occupies separate cache lines. See Replay for `Graphs`.
template <class Graphs>
class alignas(64) ReplayNode {
 public:
  using Kernel = typename Graphs::Kernel;  // the driver's kernel handle
  using Node = typename Graphs::Node;  // the driver's node handle

  /// Stores the parameters of `launch`. Sets `restructure` if an executable cannot be updated to match.
  ReplayFailure keep(const Graphs& graphs, const kmux_driver_launch& launch, const Kernel& kernel, bool* restructure) {
    const ReplayFailure failure = arguments_.shape(graphs, kernel);
    if (failure.call != nullptr) return failure;
    kind_ = Kind::kKernel;
    launch_.args = arguments_.args();
    changed_ |= take_value(launch_.kernel, kernel);
    changed_ |= take_extents(launch_.grid, launch.grid);
    changed_ |= take_extents(launch_.block, launch.block);
    changed_ |= take_value(launch_.dynamic_smem_bytes, static_cast<unsigned>(launch.dynamic_smem_bytes));
    changed_ |= arguments_.update(launch.args);
    // The cluster is part of the graph's structure: no driver call changes it in an executable.
    *restructure |= take_extents(launch_.cluster, launch.cluster);
    *restructure |= node_ == nullptr;
    present_ = true;
    return {};
  }
  /// Same for a fill.
  void keep(const kmux_driver_fill& fill, bool* restructure) {
    kind_ = Kind::kFill;
    changed_ |= take_value(fill_.target, fill.target);
    changed_ |= take_value(fill_.value, static_cast<unsigned>(fill.value));
    changed_ |= take_value(fill_.bytes, static_cast<size_t>(fill.bytes));
    *restructure |= node_ == nullptr;
    present_ = true;
  }

  /// Adds the node to `graph` after `*last` and updates `*last`. Adds nothing if no call has had this step yet.
  ReplayFailure add(const Graphs& graphs, typename Graphs::Graph graph, Node* last) {
    node_ = nullptr;
    if (kind_ == Kind::kNone || (!present_ && is_left_out(graphs))) return {};
    const size_t after = *last == nullptr ? 0 : 1;
    const ReplayFailure failure = kind_ == Kind::kFill ? graphs.add(&node_, graph, last, after, fill_)
                                                       : graphs.add(&node_, graph, last, after, launch_);
    if (failure.call != nullptr) return failure;
    *last = node_;
    changed_ = false;
    enabled_ = true;
    return {};
  }

  /// Updates the executable with all changes since the last update: parameters, and whether this call has the step.
  /// Sets `restructure` if the executable cannot be updated.
  ReplayFailure apply(const Graphs& graphs, typename Graphs::Executable executable, bool* restructure) {
    if (node_ == nullptr) return {};
    if (present_ && changed_) {
      const ReplayFailure failure = kind_ == Kind::kFill ? graphs.set(executable, node_, fill_, restructure)
                                                         : graphs.set(executable, node_, launch_);
      if (failure.call != nullptr || *restructure) return failure;
      changed_ = false;
    }
    if (enabled_ == present_) return {};
    if (!graphs.can_enable()) return *restructure = true, ReplayFailure{};
    const ReplayFailure failure = graphs.enable(executable, node_, present_);
    if (failure.call == nullptr) enabled_ = present_;
    return failure;
  }

  /// Marks the step as absent from the call in progress.
  void leave() { present_ = false; }

 private:
  enum class Kind : unsigned char { kNone, kKernel, kFill };

  // An absent fill may refer to freed memory, which the driver would reject. Kernel arguments are only copied, so an
  // absent kernel stays in the graph, disabled, where the driver can disable nodes.
  bool is_left_out(const Graphs& graphs) const { return kind_ == Kind::kFill || !graphs.can_enable(); }

  Kind kind_ = Kind::kNone;
  bool present_ = false;  // in the call in progress
  bool enabled_ = false;  // in the executable
  bool changed_ = false;  // since the last update of the executable
  Node node_ = nullptr;
  KernelStep<Kernel> launch_ = {};
  ArgumentCopy arguments_;
  FillStep fill_ = {};
};

/// The steps of a body as one executable graph. A call records its steps instead of launching them. The graph is
/// launched once, at the end or before the first workspace is freed. It is bound to the device of its first call. On a
/// different stream than before, the driver orders its launches.
///
/// `Graphs` makes the driver calls of one body call, on the current device. They return a `ReplayFailure` unless noted:
///
/// - `Graph`, `Executable` and `Node`, handles; `Kernel`, the handle of a kernel; `kOutOfMemory`, a result; `int
///   device`
/// - `create(Graph*)`, `destroy(Graph)`, `instantiate(Executable*, Graph)`, `destroy(Executable)`, `launch(Executable)`
/// - `add(Node*, Graph, const Node* after, size_t after_count, const KernelStep<Kernel>&)`, and with a `FillStep`
/// - `set(Executable, Node, const KernelStep<Kernel>&)`; with a `FillStep` and `bool* restructure`, which is set if
///   only a new executable can have the fill
/// - `bool can_enable()`; `enable(Executable, Node, bool)`, called only if supported
/// - `bool has_parameters()`; `parameter(const Kernel&, unsigned index, ReplayParameter*, bool* is_past)`: a parameter
///   of the kernel, or sets `*is_past` if `index` is past the last
/// - `relaxed(action, bool regardless = false)`: returns the result of `action()`, hidden from captures by others;
///   where that cannot be guaranteed, `action` is not called unless `regardless`
/// - `int fail(const ReplayFailure&, kmux_sink error)`: writes the failure to `error` and returns its code
///
/// Threads: one at a time (the flag of its lane).   Lifetime: the caller must call `destroy` last, else the graph
/// leaks.
template <class Graphs>
class Replay {
 public:
  using Node = ReplayNode<Graphs>;  // a step of the plan

  Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// Uses `nodes`, one a step of the plan, as storage. Borrowed.
  void use(Node* nodes, unsigned count) {
    nodes_ = nodes;
    count_ = count;
  }

  /// Begins a call that is not being captured. Returns false if its launches must be plain: on a different device than
  /// the graph's, or with a driver that does not report the sizes of arguments.
  bool open(const Graphs& graphs) {
    if (count_ == 0 || !graphs.has_parameters() || is_bound_elsewhere(graphs.device)) return false;
    device_ = graphs.device;
    graphs_ = graphs;
    failure_ = {};
    next_step_ = 0;
    kept_ = false;
    for (unsigned i = 0; i < count_; ++i) nodes_[i].leave();
    open_ = true;
    return true;
  }

  /// Returns true if the graph is bound to another device than `device`.
  bool is_bound_elsewhere(int device) const { return device_ >= 0 && device_ != device; }

  /// Returns the allocator for the call's workspaces, or null if `inner` is null. It forwards to `inner`, but launches
  /// the graph before it frees memory that the graph uses.
  const kmux_allocator* allocator(const kmux_allocator* inner) {
    if (inner == nullptr) return nullptr;
    inner_ = inner;
    allocator_ = {sizeof(kmux_allocator), this, allocate_workspace, free_workspace};
    return &allocator_;
  }

  /// Returns true if `keep` accepts this step. Otherwise (out of order, or not possible in a graph) launches the steps
  /// kept so far; the steps that follow must be plain.
  bool takes(const kmux_driver_launch& launch) {
    return takes(launch.step, launch.flags == 0 && launch.window_count == 0);
  }
  /// Same for a fill.
  bool takes(const kmux_driver_fill& fill) { return takes(fill.step, true); }

  /// Records the step. The attributes of `kernel` must allow the launch already; its grid must not be empty.
  ///
  /// Errors: the driver's error; unavailable if out of memory.
  int keep(const kmux_driver_launch& launch, const typename Graphs::Kernel& kernel, kmux_sink error) {
    const ReplayFailure failure = nodes_[launch.step].keep(graphs_, launch, kernel, &restructure_);
    if (failure.call != nullptr) return graphs_.fail(failure, error);
    next_step_ = launch.step + 1;
    kept_ = true;
    return 0;
  }
  /// Same for a fill.
  int keep(const kmux_driver_fill& fill, kmux_sink) {
    next_step_ = fill.step + 1;
    if (fill.bytes == 0) return 0;
    nodes_[fill.step].keep(fill, &restructure_);
    kept_ = true;
    return 0;
  }

  /// Ends the call. `code` is the result of the body: if 0, launches the recorded steps. Returns `code`, or the
  /// driver's error. After an error the graph is destroyed and the next call rebuilds it.
  int close(int code, kmux_sink error) {
    if (code == 0) flush();
    open_ = false;
    if (code != 0 || failure_.call == nullptr) return code;
    return graphs_.fail(failure_, error);
  }

  /// Destroys the graph. Objects that cannot be destroyed now leak.
  ReplayFailure destroy(const Graphs& graphs) {
    if (executable_ == nullptr && graph_ == nullptr) {
      device_ = -1;
      return {};
    }
    return graphs.relaxed([&] { return destroy_now(graphs); }, true);
  }

 private:
  static int32_t allocate_workspace(void* self, int32_t device, void* stream, size_t bytes, size_t alignment,
                                    void** address) {
    const kmux_allocator& inner = *static_cast<Replay*>(self)->inner_;
    return inner.allocate(inner.self, device, stream, bytes, alignment, address);
  }
  static void free_workspace(void* self, int32_t device, void* stream, void* address) {
    Replay& replay = *static_cast<Replay*>(self);
    replay.flush();
    replay.inner_->free(replay.inner_->self, device, stream, address);
  }

  bool takes(unsigned step, bool possible) {
    if (open_ && possible && step >= next_step_ && step < count_) return true;
    flush();
    return false;
  }

  void flush() {
    if (!open_) return;
    open_ = false;
    if (!kept_) return;
    failure_ = update_and_launch();
    // The state of the executable is unknown after a failure. A second failure here adds no information.
    if (failure_.call != nullptr) destroy(graphs_);
  }

  ReplayFailure update_and_launch() {
    ReplayFailure failure;
    if (executable_ != nullptr && !restructure_) failure = update();
    // Another thread may be capturing: a driver may treat building as a wait, which invalidates a capture.
    if (failure.call == nullptr && (executable_ == nullptr || restructure_)) {
      failure = graphs_.relaxed([&] { return build(); });
    }
    return failure.call != nullptr ? failure : graphs_.launch(executable_);
  }

  ReplayFailure update() {
    for (unsigned i = 0; i < count_ && !restructure_; ++i) {
      const ReplayFailure failure = nodes_[i].apply(graphs_, executable_, &restructure_);
      if (failure.call != nullptr) return failure;
    }
    return {};
  }

  // Includes steps that earlier calls had and this one lacks, disabled, so that the graph is built only once.
  ReplayFailure build() {
    ReplayFailure failure = destroy_now(graphs_);
    device_ = graphs_.device;
    if (failure.call == nullptr) failure = graphs_.create(&graph_);
    if (failure.call == nullptr) failure = add_nodes();
    if (failure.call == nullptr) failure = graphs_.instantiate(&executable_, graph_);
    if (failure.call != nullptr) return failure;
    restructure_ = false;
    return update();
  }

  ReplayFailure add_nodes() {
    typename Graphs::Node last = nullptr;
    for (unsigned i = 0; i < count_; ++i) {
      const ReplayFailure failure = nodes_[i].add(graphs_, graph_, &last);
      if (failure.call != nullptr) return failure;
    }
    return {};
  }

  ReplayFailure destroy_now(const Graphs& graphs) {
    ReplayFailure failure;
    if (executable_ != nullptr) failure = graphs.destroy(executable_);
    if (graph_ != nullptr) {
      const ReplayFailure second = graphs.destroy(graph_);
      if (failure.call == nullptr) failure = second;
    }
    executable_ = nullptr;
    graph_ = nullptr;
    device_ = -1;
    return failure;
  }

  Node* nodes_ = nullptr;
  unsigned count_ = 0;

  typename Graphs::Graph graph_ = nullptr;
  typename Graphs::Executable executable_ = nullptr;
  int device_ = -1;  // of graph_; -1 before the first call

  // State of the call in progress.
  Graphs graphs_ = {};
  kmux_allocator allocator_ = {};
  const kmux_allocator* inner_ = nullptr;
  ReplayFailure failure_ = {};
  unsigned next_step_ = 0;
  bool kept_ = false;  // at least one step
  bool open_ = false;
  bool restructure_ = false;  // the executable, if any, has the wrong structure
};

}  // namespace kmux
