#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kmux/plugin/driver.h"
#include "kmux/plugin/lane_states.h"

namespace kmux {

// Also printed into generated launchers: C++17 and libc alone.

/// A launch as a node of a graph has it. `Kernel` is the driver's.
template <class Kernel>
struct KernelStep {
  Kernel kernel = {};  // as the driver has it
  unsigned grid[3] = {};  // blocks in x, y, z
  unsigned block[3] = {};  // threads in x, y, z
  unsigned cluster[3] = {};  // 0: none
  unsigned dynamic_smem_bytes = 0;  // of each block
  void** args = nullptr;  // the address of each argument
};

/// A fill as a node of a graph has it.
struct FillStep {
  void* target = nullptr;  // the first byte
  unsigned value = 0;  // of each byte
  size_t bytes = 0;  // how many
};

/// Keeps `given`, and says whether it is another value than before.
template <class Value>
bool take_value(Value& kept, Value given) {
  const bool changed = kept != given;
  kept = given;
  return changed;
}
/// The same of three extents.
inline bool take_extents(unsigned (&kept)[3], const unsigned (&given)[3]) {
  if (memcmp(kept, given, sizeof kept) == 0) return false;
  memcpy(kept, given, sizeof kept);
  return true;
}

/// One launch or fill of a body as a node of a graph: what it is to do in the next launch of the graph, and what the
/// executable already knows of that. On cache lines of its own. See Replay for `Graphs`.
template <class Graphs>
class alignas(64) ReplayNode {
 public:
  using Kernel = typename Graphs::Kernel;  // the driver's
  using Node = typename Graphs::Node;  // of a graph, the driver's

  /// Takes what `launch` asks for. `restructure` becomes true where an executable cannot follow.
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
    // The cluster belongs to the form of an executable: it has no call that changes one.
    *restructure |= take_extents(launch_.cluster, launch.cluster);
    *restructure |= node_ == nullptr;
    present_ = true;
    return {};
  }
  /// The same of a fill.
  void keep(const kmux_driver_fill& fill, bool* restructure) {
    kind_ = Kind::kFill;
    changed_ |= take_value(fill_.target, fill.target);
    changed_ |= take_value(fill_.value, static_cast<unsigned>(fill.value));
    changed_ |= take_value(fill_.bytes, static_cast<size_t>(fill.bytes));
    *restructure |= node_ == nullptr;
    present_ = true;
  }

  /// Adds the node to `graph`, after `*last`, and becomes `*last`; nothing where no call had this step yet.
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

  /// Tells the executable what changed since it was told last: parameters, and whether this call has the step.
  /// `restructure` becomes true where it cannot follow.
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

  /// The step is not (or no longer) in the call in progress.
  void leave() { present_ = false; }

 private:
  enum class Kind : unsigned char { kNone, kKernel, kFill };

  // A fill that a call does not have may name memory that is gone, which the driver would refuse. A kernel's arguments it
  // only copies, and turns the node off where it can.
  bool is_left_out(const Graphs& graphs) const { return kind_ == Kind::kFill || !graphs.can_enable(); }

  Kind kind_ = Kind::kNone;
  bool present_ = false;  // in the call in progress
  bool enabled_ = false;  // in the executable
  bool changed_ = false;  // since the executable was told
  Node node_ = nullptr;
  KernelStep<Kernel> launch_ = {};
  ArgumentCopy arguments_;
  FillStep fill_ = {};
};

/// The steps of a body as one executable graph. A call hands over its steps instead of launching them; the graph is
/// launched once, at the end, or before the first workspace is freed. Bound to the device of its first call; on another
/// stream than before it is launched as the driver orders that.
///
/// `Graphs` makes single calls of a driver for one call of a body, whose device is current. Each returns what failed:
///
/// - `Graph`, `Executable` and `Node`, handles; `Kernel`, what a node launches; `kOutOfMemory`, a result; `int device`
/// - `create(Graph*)`, `destroy(Graph)`, `instantiate(Executable*, Graph)`, `destroy(Executable)`, `launch(Executable)`
/// - `add(Node*, Graph, const Node* after, size_t after_count, const KernelStep<Kernel>&)`, and with a `FillStep`
/// - `set(Executable, Node, const KernelStep<Kernel>&)`; with a `FillStep` and `bool* restructure`, which becomes true where
///   the executable cannot have it, but a new one can
/// - `bool can_enable()`; `enable(Executable, Node, bool)`, where it can
/// - `bool has_parameters()`; `parameter(const Kernel&, unsigned index, ReplayParameter*, bool* is_past)`: one of the kernel,
///   or that there is none
/// - `relaxed(action, bool regardless = false)`: what `action()` returns, which no capture by others notices; where that cannot
///   be promised it is not done, unless regardless
/// - `int fail(const ReplayFailure&, kmux_sink error)`: the code of the failure, after writing to `error`
///
/// Threads: one at a time (the flag of its lane).   Lifetime: `destroy` comes last, and leaks if it never comes.
template <class Graphs>
class Replay {
 public:
  using Node = ReplayNode<Graphs>;  // a step of the plan

  Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// Uses `nodes`, one a step of the plan, for what it keeps.
  void use(Node* nodes, unsigned count) {
    nodes_ = nodes;
    count_ = count;
  }

  /// Begins a call, which no capture records. False where its launches must be plain: on another device, or over a driver
  /// that has no sizes of arguments.
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

  /// Whether `device` is another one than that of the graph.
  bool is_bound_elsewhere(int device) const { return device_ >= 0 && device_ != device; }

  /// The allocator for the call's workspaces: `inner`, which may be null, but what the graph uses is not freed before it is
  /// launched.
  const kmux_allocator* allocator(const kmux_allocator* inner) {
    if (inner == nullptr) return nullptr;
    inner_ = inner;
    allocator_ = {sizeof(kmux_allocator), this, allocate_workspace, free_workspace};
    return &allocator_;
  }

  /// Whether `keep` may have this step. Where not (it came before, or a graph cannot have it), what was kept is launched
  /// now, and the steps that follow are plain.
  bool takes(const kmux_driver_launch& launch) {
    return takes(launch.step, launch.flags == 0 && launch.window_count == 0);
  }
  /// The same of a fill.
  bool takes(const kmux_driver_fill& fill) { return takes(fill.step, true); }

  /// Takes over the step. The attributes of `kernel` allow the launch already; its grid is not empty.
  ///
  /// Errors: what the driver said; unavailable without memory.
  int keep(const kmux_driver_launch& launch, const typename Graphs::Kernel& kernel, kmux_sink error) {
    const ReplayFailure failure = nodes_[launch.step].keep(graphs_, launch, kernel, &restructure_);
    if (failure.call != nullptr) return graphs_.fail(failure, error);
    next_step_ = launch.step + 1;
    kept_ = true;
    return 0;
  }
  /// The same of a fill.
  int keep(const kmux_driver_fill& fill, kmux_sink) {
    next_step_ = fill.step + 1;
    if (fill.bytes == 0) return 0;
    nodes_[fill.step].keep(fill, &restructure_);
    kept_ = true;
    return 0;
  }

  /// Ends the call. `code` is the body's: if that is 0, launches what was kept. Returns `code`, or what the
  /// driver said. Then the graph is gone, and the next call builds it anew.
  int close(int code, kmux_sink error) {
    if (code == 0) flush();
    open_ = false;
    if (code != 0 || failure_.call == nullptr) return code;
    return graphs_.fail(failure_, error);
  }

  /// Destroys the graph. What cannot be destroyed now is leaked.
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
    // What the executable has heard of is not known any more. That which comes after a failure adds nothing to it.
    if (failure_.call != nullptr) destroy(graphs_);
  }

  ReplayFailure update_and_launch() {
    ReplayFailure failure;
    if (executable_ != nullptr && !restructure_) failure = update();
    // Another thread may be capturing meanwhile: a driver may take this for a wait, which spoils a capture.
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

  // Steps that earlier calls had and this one lacks are in the graph too, disabled, so that it is built once for all.
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

  // Of the call in progress.
  Graphs graphs_ = {};
  kmux_allocator allocator_ = {};
  const kmux_allocator* inner_ = nullptr;
  ReplayFailure failure_ = {};
  unsigned next_step_ = 0;
  bool kept_ = false;  // something
  bool open_ = false;
  bool restructure_ = false;  // the executable, if any, is not of the right form
};

}  // namespace kmux
