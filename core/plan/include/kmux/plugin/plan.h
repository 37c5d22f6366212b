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

/// Where an address comes from: a slot of the call, or a workspace of the plan, plus an offset.
struct PlanAddress {
  /// What `index` counts: slots of the call, or Plan::workspaces.
  enum class Source : std::uint8_t { kSlot, kWorkspace };
  Source source = Source::kSlot;  // what it is relative to
  std::size_t index = 0;  // of the slot or workspace
  Expr offset_bytes = 0;  // added to it
  bool operator==(const PlanAddress&) const = default;
};

/// A kernel argument with its name looked up.
struct PlanScalar {  // the bits of slot `slot`, of width dtype.bits
  std::size_t slot = 0;  // of the call
  DType dtype;  // of the scalar
  bool operator==(const PlanScalar&) const = default;
};
/// An integer argument of a kernel; `value` has a cast to `dtype` where it might not fit.
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
/// A member of a structure: a place in its bytes, and what lies there. Structures in structures are taken apart.
struct PlanMember {
  std::variant<PlanAddress, PlanScalar, PlanValue> value;  // as an argument of its own
  std::size_t offset_bytes = 0;  // in the structure
  bool operator==(const PlanMember&) const = default;
};
/// A structure by value, which a launch puts together. Bytes between members are 0.
struct PlanStruct {
  std::vector<PlanMember> members;  // by their offsets
  std::size_t bytes = 0;  // a multiple of the alignment
  std::size_t alignment_bytes = 1;  // a power of two
  bool operator==(const PlanStruct&) const = default;
};
/// What a kernel is given.
using PlanArg = std::variant<PlanAddress, PlanScalar, PlanValue, PlanMapArg, PlanStruct>;

/// The type of a member of a structure; an address is none.
std::optional<DType> type_of(const PlanMember& member);
/// The size of a member in bytes.
std::size_t bytes_of(const PlanMember& member);
/// Returns true if there are bytes between or behind the members.
bool has_gaps(const PlanStruct& record);

/// Bytes from `base` on that should stay in the L2 cache during a launch.
struct PlanWindow {
  PlanAddress base;  // its first byte
  Expr bytes;  // its size
  double hit_ratio = 0.8;  // of accesses that stay, 0 to 1
  bool operator==(const PlanWindow&) const = default;
};

/// The grid is evaluated first: if an extent is 0, nothing else of the launch is.
struct PlanLaunch {
  std::size_t kernel = 0;  // index in Plan::kernels
  std::size_t step = 0;    // the number of this launch among the launches and fills of the plan
  std::vector<PlanArg> args;  // in the kernel's order
  std::array<Expr, 3> grid;   // always three; 1 where the body has none
  std::array<Expr, 3> block;  // likewise
  std::optional<std::array<Expr, 3>> cluster;  // nothing: no cluster
  Expr dynamic_smem_bytes = 0;  // of each block
  bool cooperative = false;  // all blocks at once
  bool programmatic_serialization = false;  // may begin before the launch ahead of it has ended
  std::vector<PlanWindow> l2_windows;  // may be empty
  CallResult returns = CallResult::kVoid;  // as in Launch
  bool packed_values = false;  // as in Launch
  bool is_call = false;  // it has neither grid nor block: a plain call, or a host function of dialect `cutedsl`
  bool operator==(const PlanLaunch&) const = default;
};

/// A condition that a call must meet, else it fails with invalid_argument and the message: text, and for each number its
/// value and the text behind it.
struct PlanAssert {
  /// A number in the message, and the text behind it.
  struct Number {
    Expr value;  // has one wherever the condition has
    std::string text;  // up to the next number
    bool operator==(const Number&) const = default;
  };
  Expr condition;  // not 0 is true
  std::string message;  // up to the first number
  std::vector<Number> numbers = {};  // in the order of the message
  std::string what = "assert";  // for the error if the condition has no value
  bool operator==(const PlanAssert&) const = default;
};

/// Sets `bytes` bytes from `target` on to `value`.
struct PlanFill {
  PlanAddress target;  // the first byte
  Expr bytes;  // 0: nothing is done
  std::uint8_t value = 0;  // of each byte
  std::size_t step = 0;  // as in PlanLaunch
  std::optional<PlanAssert> bounds =
      {};  // checked before this step; a fill outside guards and loops has them in Plan::asserts
  bool operator==(const PlanFill&) const = default;
};

struct PlanIf;
struct PlanFor;
/// What a plan consists of.
using PlanStep = std::variant<PlanLaunch, PlanFill, PlanIf, PlanFor>;
/// Runs `then_steps` if the condition is not 0, else `else_steps`.
struct PlanIf {
  Expr condition;  // not 0 is true
  std::vector<PlanStep> then_steps;  // where it is true
  std::vector<PlanStep> else_steps;  // where it is not
  friend bool operator==(const PlanIf&, const PlanIf&);
};
/// Runs `steps` for `variable` = begin, begin + 1, ... < end; both are evaluated once.
struct PlanFor {
  std::string variable;  // an integer that `steps` can use
  Expr begin;  // its first value
  Expr end;  // the first that it does not take
  std::vector<PlanStep> steps;  // in each round
  friend bool operator==(const PlanFor&, const PlanFor&);
};

/// A tensor map of the body with its base looked up.
struct PlanMap {
  TensorMap map;  // name, geometry and modes as in the body
  PlanAddress base;  // the first element
  bool operator==(const PlanMap&) const = default;
};

/// A named integer that expressions use, and the slot that holds it.
struct PlanBinding {
  std::string name;  // in expressions
  std::size_t slot = 0;  // of the call
  DType dtype;  // of what the slot holds
  bool operator==(const PlanBinding&) const = default;
};

/// A body with every name looked up and every choice made: first pass (lets, asserts, workspaces, maps), second pass
/// (steps). Backends execute it or print it; they never see the body. Constant lets are folded away; so are asserts that
/// hold and branches that are not taken. Behind the body's asserts come those that fills stay within their targets.
struct Plan {
  std::string name;  // of the program
  std::vector<SlotInfo> slots;  // what a call passes
  std::vector<PlanBinding> bindings;  // symbols and integer scalars that some expression uses
  std::vector<Let> lets;  // whose value a call determines
  std::vector<PlanAssert> asserts;  // checked before any step
  std::vector<Workspace> workspaces;  // allocated for a call
  std::vector<PlanMap> maps;  // equal maps are merged
  std::vector<std::string> kernels;  // each once, by first launch
  std::vector<PlanStep> steps;  // in order
  std::size_t step_count = 0;  // launches and fills
  bool operator==(const Plan&) const = default;
};

/// Calls `visit` for every launch of `steps`, those of guards and loops too, in the order of the text.
void for_each_launch(const std::vector<PlanStep>& steps, const std::function<void(const PlanLaunch&)>& visit);

/// Whether `launch` calls a function on the host, which launches what only it knows: then its kernel is none of the plan's.
bool calls_host_function(const Plan& plan, const PlanLaunch& launch);

/// Memory that the launches of a plan may use: a tensor, a workspace, or what lies at a bare pointer.
///
/// Units: bytes.
struct PlanMemory {
  std::string name;  // of the parameter or workspace
  PlanAddress address;  // of its first byte
  std::optional<Expr> bytes;  // nothing of what is at a pointer
};

/// The memory of `plan`, which is of a program with `signature`: tensors and pointers in the order of the parameters, then
/// workspaces. The names in the sizes become bindings of the plan.
std::vector<PlanMemory> bind_memory(const Signature& signature, Plan& plan);

/// Can a graph stand for the body? At least two launches outside of guards and loops; none at all with an L2 window,
/// programmatic serialization or cooperation. Guarded steps are nodes that calls turn off; no loop may have a step, since a
/// node runs once.
bool can_replay(const Plan& plan);

/// Lowers `variant` of `program`, both valid, to a plan. Constant expressions are folded.
///
/// Errors: invalid_argument if the program is not valid.
Result<Plan> lower(const Program& program, std::size_t variant);

/// An argument of a launch of `plan` for people: "x + 64 bytes", "alpha", "int32 n * 2", "int64(n)".
std::string to_string(const PlanArg& argument, const Plan& plan);

/// The plan as indented text for people: what `kmux launcher` prints for backends that execute plans.
std::string to_string(const Plan& plan);

/// The name of the part of an artifact that holds a plan, for backends that execute it.
inline constexpr const char* kPlanPart = "plan";

/// The content of that part: the program in its canonical form with this variant alone, sources and metadata left out. Its
/// plan is that of the variant.
std::string plan_part(const Program& program, std::size_t variant);

/// Errors: invalid_argument if `text` is not what `plan_part` writes.
Result<Plan> read_plan(std::string_view text);

}  // namespace kmux
