#include "kmux/plugin/plan_memory.h"

#include <algorithm>

#include "ir/arithmetic.h"

namespace kmux {
namespace {

void bind(const Expr& expr, Plan& plan) {
  for (const std::string& name : symbols_of(expr)) {
    if (std::ranges::find(plan.bindings, name, &PlanBinding::name) != plan.bindings.end()) continue;
    const auto slot = std::ranges::find(plan.slots, name, &SlotInfo::name);
    if (slot == plan.slots.end()) continue;  // a let
    plan.bindings.push_back({name, static_cast<std::size_t>(slot - plan.slots.begin()), slot->dtype});
  }
}

}  // namespace

std::vector<PlanMemory> bind_memory(const Signature& signature, Plan& plan) {
  std::vector<PlanMemory> memory;
  for (std::size_t slot = 0; slot < signature.params.size(); ++slot) {
    const Param& param = signature.params[slot];
    const BufferParam* const buffer = as_buffer(param);
    if (buffer == nullptr && !is_pointer(param)) continue;
    memory.push_back(
        {param.name, {PlanAddress::Source::kSlot, slot, 0}, buffer == nullptr ? std::nullopt : span_bytes(*buffer)});
    if (memory.back().bytes) bind(*memory.back().bytes, plan);
  }
  for (std::size_t i = 0; i < plan.workspaces.size(); ++i) {
    memory.push_back({plan.workspaces[i].name, {PlanAddress::Source::kWorkspace, i, 0}, plan.workspaces[i].bytes});
  }
  return memory;
}

}  // namespace kmux
