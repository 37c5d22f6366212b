#include "bindings.h"

#include <array>

namespace kmux::metal {
namespace {

Error too_many(const Plan& plan, const PlanLaunch& launch, std::size_t count, std::size_t most,
               const std::string& what) {
  return make_error(ErrorCode::kUnsupported, "kernel \"" + plan.kernels[launch.kernel] + "\" takes " +
                                                 std::to_string(count) + " " + what + " (Metal binds at most " +
                                                 std::to_string(most) + "). Pass fewer, or tensors of them.");
}

DType type_of(const PlanArg& arg) {
  if (const auto* scalar = std::get_if<PlanScalar>(&arg)) return scalar->dtype;
  return std::get<PlanValue>(arg).dtype;
}

bool is_address(const PlanArg& arg) { return std::holds_alternative<PlanAddress>(arg); }

Result<LaunchBindings> bind(const Plan& plan, const PlanLaunch& launch) {
  LaunchBindings bindings;
  Count index = 0;
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const PlanArg& arg = launch.args[i];
    if (is_address(arg)) {
      bindings.addresses.push_back({i, index++});
    } else if (launch.packed_values) {
      bindings.packed.push_back(i);
    } else {
      bindings.values.push_back({i, index++, (static_cast<Count>(type_of(arg).bits) + 7) / 8});
    }
  }
  bindings.packed_index = index;
  const std::size_t buffers = index + (bindings.packed.empty() ? 0 : 1);
  if (buffers > kMaxBuffers) return too_many(plan, launch, buffers, kMaxBuffers, "buffers");
  if (bindings.packed.size() > kMaxPacked) {
    return too_many(plan, launch, bindings.packed.size(), kMaxPacked, "packed values");
  }
  return bindings;
}

std::string name_of(const PlanArg& arg, const Plan& plan) {
  if (const auto* address = std::get_if<PlanAddress>(&arg)) {
    const bool in_slot = address->source == PlanAddress::Source::kSlot;
    const std::string& name = in_slot ? plan.slots[address->index].name : plan.workspaces[address->index].name;
    return address->offset_bytes.is_constant(0) ? name : name + " + " + to_string(address->offset_bytes);
  }
  if (const auto* scalar = std::get_if<PlanScalar>(&arg)) return plan.slots[scalar->slot].name;
  return to_string(std::get<PlanValue>(arg).value);
}

// Returns the argument with its type. A cast already shows the type.
std::string typed(const PlanArg& arg, const Plan& plan) {
  const auto* const value = std::get_if<PlanValue>(&arg);
  const bool says_type = value != nullptr && value->value.op() == ExprOp::kCast;
  return (says_type ? "" : to_string(type_of(arg)) + " ") + name_of(arg, plan);
}

std::string listed(const std::array<Expr, 3>& extents) {
  return "(" + to_string(extents[0]) + ", " + to_string(extents[1]) + ", " + to_string(extents[2]) + ")";
}

void append(std::string& line, const std::string& what, Count index, const std::string& name) {
  line += (line.back() == ':' ? " " : ", ") + what + "(" + std::to_string(index) + ") " + name;
}

std::string line_of(const LaunchBindings& bindings, const PlanLaunch& launch, const Plan& plan) {
  std::string line = "  " + plan.kernels[launch.kernel] + ":";
  for (const auto& address : bindings.addresses) {
    append(line, "buffer", address.index, name_of(launch.args[address.argument], plan));
  }
  for (const auto& value : bindings.values) {
    const PlanArg& arg = launch.args[value.argument];
    append(line, "bytes", value.index, typed(arg, plan));
  }
  if (!bindings.packed.empty()) {
    std::string names;
    for (const std::size_t argument : bindings.packed) {
      names += (names.empty() ? "{" : ", ") + name_of(launch.args[argument], plan);
    }
    append(line, "bytes", bindings.packed_index, names + "}, 8 bytes each");
  }
  if (!launch.dynamic_smem_bytes.is_constant(0)) {
    append(line, "threadgroup", 0, to_string(launch.dynamic_smem_bytes) + " bytes");
  }
  return line + "; threadgroups " + listed(launch.grid) + " of threads " + listed(launch.block) + "\n";
}

}  // namespace

Result<std::vector<LaunchBindings>> bindings_of(const Plan& plan) {
  std::vector<LaunchBindings> bindings(plan.step_count);
  Status status = Ok{};
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) {
    auto bound = bind(plan, launch);
    if (bound) {
      bindings[launch.step] = std::move(bound).value();
    } else if (status.ok()) {
      status = std::move(bound).error();
    }
  });
  KMUX_TRY(std::move(status));
  return bindings;
}

std::string to_string(const std::vector<LaunchBindings>& bindings, const Plan& plan) {
  std::string text = "metal\n";
  for_each_launch(plan.steps, [&](const PlanLaunch& launch) { text += line_of(bindings[launch.step], launch, plan); });
  return text;
}

}  // namespace kmux::metal
