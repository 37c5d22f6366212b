#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kmux/dispatch.h"
#include "kmux/signature.h"

namespace kmux {

/// The origin of an address: a slot of the call, or a workspace of the plan, plus an offset.
struct PlanAddress {
  /// Selects the list that `index` refers to: slots of the call, or Plan::workspaces.
  enum class Source : std::uint8_t { kSlot, kWorkspace };
  Source source = Source::kSlot;  // the kind of base address
  std::size_t index = 0;  // of the slot or workspace
  Expr offset_bytes = 0;  // added to it
  bool operator==(const PlanAddress&) const = default;
};

/// A scalar as an argument of a kernel, with its name resolved.
struct PlanScalar {  // the bits of slot `slot`, of width dtype.bits
  std::size_t slot = 0;  // of the call
  DType dtype;  // of the scalar
  bool operator==(const PlanScalar&) const = default;
};
/// An integer as an argument of a kernel; `value` has a cast to `dtype` if it might not fit.
struct PlanValue {
  Expr value;  // over Plan::bindings and lets
  DType dtype;  // of the kernel's parameter
  bool operator==(const PlanValue&) const = default;
};
/// A tensor map as an argument of a kernel; `map` is its index in Plan::maps.
struct PlanMapArg {
  std::size_t map = 0;  // passed by value
  bool operator==(const PlanMapArg&) const = default;
};
/// A member of a structure: an offset and a value. Nested structures are flattened.
struct PlanMember {
  std::variant<PlanAddress, PlanScalar, PlanValue, PlanMapArg> value;  // as for a separate argument
  std::size_t offset_bytes = 0;  // in the structure
  bool operator==(const PlanMember&) const = default;
};
/// A structure by value, which a launch builds from its members. Bytes between members are 0.
struct PlanStruct {
  std::vector<PlanMember> members;  // sorted by offset
  std::size_t bytes = 0;  // a multiple of the alignment
  std::size_t alignment_bytes = 1;  // a power of two
  bool operator==(const PlanStruct&) const = default;
};
/// An argument of a kernel.
using PlanArg = std::variant<PlanAddress, PlanScalar, PlanValue, PlanMapArg, PlanStruct>;

/// Returns the element type of a member of a structure; nothing for an address or a tensor map.
std::optional<DType> type_of(const PlanMember& member);
/// Returns true if a member is a tensor map.
bool is_tensor_map(const PlanMember& member);
/// Returns the size of a member in bytes.
std::size_t bytes_of(const PlanMember& member);
/// Returns true if the structure has padding between or after its members.
bool has_gaps(const PlanStruct& record);

/// Bytes from `base` on that should stay in the L2 cache during a launch.
struct PlanWindow {
  PlanAddress base;  // its first byte
  Expr bytes;  // its size
  double hit_ratio = 0.8;  // fraction of accesses that persist, 0 to 1
  bool operator==(const PlanWindow&) const = default;
};

/// One launch. The grid is evaluated first: if an extent is 0, the rest of the launch is not evaluated.
struct PlanLaunch {
  std::size_t kernel = 0;  // index in Plan::kernels
  std::size_t step = 0;    // the number of this launch among the launches and fills of the plan
  std::vector<PlanArg> args;  // in the kernel's order
  std::array<Expr, 3> grid;   // always three; 1 for extents missing in the body
  std::array<Expr, 3> block;  // likewise
  std::optional<std::array<Expr, 3>> cluster;  // nothing: no cluster
  Expr dynamic_smem_bytes = 0;  // of each block
  bool cooperative = false;  // all blocks resident at the same time
  bool programmatic_serialization = false;  // may begin before the launch ahead of it has ended
  std::vector<PlanWindow> l2_windows;  // may be empty
  CallResult returns = CallResult::kVoid;  // as in Launch
  bool packed_values = false;  // as in Launch
  bool is_call = false;  // has neither grid nor block: a plain call, or a host function of dialect `cutedsl`
  bool operator==(const PlanLaunch&) const = default;
};

/// A condition that a call must meet, else it fails with invalid_argument. The message is `message`, then for each
/// number its value and its text.
struct PlanAssert {
  /// A number in the message, and the text after it.
  struct Number {
    Expr value;  // must be computable whenever the condition is
    std::string text;  // up to the next number
    bool operator==(const Number&) const = default;
  };
  Expr condition;  // not 0 is true
  std::string message;  // up to the first number
  std::vector<Number> numbers = {};  // in the order of the message
  std::string what = "assert";  // names the condition in the error if it cannot be evaluated
  bool operator==(const PlanAssert&) const = default;
};

/// Sets `bytes` bytes from `target` on to `value`.
struct PlanFill {
  PlanAddress target;  // the first byte
  Expr bytes;  // 0: no effect
  std::uint8_t value = 0;  // of each byte
  std::size_t step = 0;  // as in PlanLaunch
  std::optional<PlanAssert> bounds =
      {};  // checked before this step; fills outside guards and loops have theirs in Plan::asserts
  bool operator==(const PlanFill&) const = default;
};

struct PlanIf;
struct PlanFor;
/// A step of a plan.
using PlanStep = std::variant<PlanLaunch, PlanFill, PlanIf, PlanFor>;
/// Runs `then_steps` if the condition is not 0, else `else_steps`.
struct PlanIf {
  Expr condition;  // not 0 is true
  std::vector<PlanStep> then_steps;  // if it is true
  std::vector<PlanStep> else_steps;  // if it is false
  friend bool operator==(const PlanIf&, const PlanIf&);
};
/// Runs `steps` for `variable` = begin, begin + 1, ... < end; both are evaluated once.
struct PlanFor {
  std::string variable;  // an integer that `steps` can use
  Expr begin;  // its first value
  Expr end;  // exclusive upper bound
  std::vector<PlanStep> steps;  // in each iteration
  friend bool operator==(const PlanFor&, const PlanFor&);
};

/// A tensor map of the body with its base resolved.
struct PlanMap {
  TensorMap map;  // name, geometry and modes as in the body
  PlanAddress base;  // the first element
  bool operator==(const PlanMap&) const = default;
};

/// A named integer that expressions use, and the slot that holds it.
struct PlanBinding {
  std::string name;  // in expressions
  std::size_t slot = 0;  // of the call
  DType dtype;  // of the value in the slot
  bool operator==(const PlanBinding&) const = default;
};

/// A lowered body, with all names resolved: first pass (lets, asserts, workspaces, maps), second pass (steps). Backends
/// execute it or print it; they never see the body. Constant lets, asserts that always hold and branches never taken
/// are folded away. The body's asserts precede those that check the bounds of fills.
struct Plan {
  std::string name;  // of the program
  std::vector<SlotInfo> slots;  // what a call passes
  std::vector<PlanBinding> bindings;  // symbols and integer scalars that some expression uses
  std::vector<Let> lets;  // with a value that depends on the call
  std::vector<PlanAssert> asserts;  // checked before any step
  std::vector<Workspace> workspaces;  // allocated for a call
  std::vector<PlanMap> maps;  // equal maps are merged
  std::vector<std::string> kernels;  // each once, in the order of first launches
  std::vector<PlanStep> steps;  // in order
  std::size_t step_count = 0;  // launches and fills
  bool operator==(const Plan&) const = default;
};

/// Calls `visit` for every launch of `steps`, including those in guards and loops, in program order.
void for_each_launch(const std::vector<PlanStep>& steps, const std::function<void(const PlanLaunch&)>& visit);

/// Returns true if `launch` calls a host function, which launches kernels unknown to the plan: its `kernel` is out of
/// range.
bool calls_host_function(const Plan& plan, const PlanLaunch& launch);

/// Memory that the launches of a plan may use: a tensor, a workspace, or the memory at a bare pointer.
///
/// Units: bytes.
struct PlanMemory {
  std::string name;  // of the parameter or workspace
  PlanAddress address;  // of its first byte
  std::optional<Expr> bytes;  // nothing for memory at a bare pointer
};

/// Returns the memory of `plan`, lowered from a program with `signature`: tensors and pointers in the order of the
/// parameters, then workspaces. Adds bindings to the plan for the names in the sizes.
std::vector<PlanMemory> bind_memory(const Signature& signature, Plan& plan);

/// Returns true if a graph can replace the body: it has at least two launches outside of guards and loops. No launch
/// may call a host function or have an L2 window, programmatic serialization or cooperation. Guarded steps are nodes
/// that calls disable; no loop may contain a launch or fill, since a node runs once.
bool can_replay(const Plan& plan);

/// Lowers `variant` of `program` to a plan. Constant expressions are folded.
///
/// Errors: invalid_argument if the program is invalid or has no such variant.
Result<Plan> lower(const Program& program, std::size_t variant);

/// Returns text for people for an argument of a launch of `plan`: "x + 64 bytes", "alpha", "int32 n * 2", "int64(n)".
std::string to_string(const PlanArg& argument, const Plan& plan);

/// Returns the plan as indented text for people, which `kmux launcher` prints for backends that execute plans.
std::string to_string(const Plan& plan);

/// The name of the part of an artifact that holds a plan, for backends that execute it.
inline constexpr const char* kPlanPart = "plan";

/// Returns the content of that part: the canonical form of the program with this variant alone, without sources and
/// metadata. It lowers to the same plan.
std::string plan_part(const Program& program, std::size_t variant);

/// Reads the output of `plan_part` and lowers it.
///
/// Errors: invalid_argument if `text` is not output of `plan_part`.
Result<Plan> read_plan(std::string_view text);

}  // namespace kmux
