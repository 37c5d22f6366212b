#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kmux/plugin/plan.h"
#include "kmux/signature.h"

namespace kmux {

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

}  // namespace kmux
