// The arguments and the geometry of one launch.
#include <algorithm>

#include "kmux/plugin/emit.h"

#include "emit_value.h"
#include "plan/max_extent.h"

namespace kmux {
namespace {

using Extents3 = std::array<Expr, 3>;

bool is_good_constant(const Expr& extent, std::int64_t low) {
  return extent.is_constant() && extent.constant() >= low && extent.constant() <= kMaxExtent;
}

std::string extent_text(const Expr& extent, std::int64_t low) {
  if (is_good_constant(extent, low)) return print_cpp(extent);
  return "kmux_extent(" + print_cpp(extent) + ", " + std::to_string(low) + ", kmux_fault)";
}

std::string described(const Extents3& extents) {
  return "\"(" + to_string(extents[0]) + ", " + to_string(extents[1]) + ", " + to_string(extents[2]) + ")\"";
}

// Constants are used as they are; other extents are computed into the array `name`.
std::array<std::string, 3> emit_extents(CodeWriter& out, const Extents3& extents, std::int64_t low,
                                        const std::string& name, const std::string& what) {
  const auto is_good = [&](const Expr& extent) { return is_good_constant(extent, low); };
  if (std::all_of(extents.begin(), extents.end(), is_good)) {
    return {print_cpp(extents[0]), print_cpp(extents[1]), print_cpp(extents[2])};
  }
  out.line("const long long " + name + "[3] = {" + extent_text(extents[0], low) + ", " + extent_text(extents[1], low) +
           ", " + extent_text(extents[2], low) + "};");
  emit_fault_check(out, what + " = " + described(extents));
  return {name + "[0]", name + "[1]", name + "[2]"};
}

// "a != 0 && b != 0" over the extents that are no constants; empty if all are.
std::string none_empty(const Extents3& extents, const std::array<std::string, 3>& texts) {
  std::string condition;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!extents[i].is_constant()) condition.append(condition.empty() ? "" : " && ").append(texts[i] + " != 0");
  }
  return condition;
}

PrintedArg print_arg(CodeWriter& out, const Plan& plan, const PlanArg& arg, const std::string& name,
                     const std::string& what) {
  if (const auto* address = std::get_if<PlanAddress>(&arg)) {
    return {"void*", emit_address(out, plan, *address, name, what)};
  }
  if (const auto* scalar = std::get_if<PlanScalar>(&arg)) {
    return {c_type(scalar->dtype), scalar_text(scalar->slot, scalar->dtype)};
  }
  if (const auto* map = std::get_if<PlanMapArg>(&arg)) {
    return {"kmux_tensor_map", "kmux_map_" + std::to_string(map->map)};
  }
  const auto& value = std::get<PlanValue>(arg);
  const std::string text = emit_value(out, value.value, name, what);
  if (value.value.is_constant()) return {c_type(value.dtype), text};
  return {c_type(value.dtype),
          "(" + c_type(value.dtype) + ")" + (value.value.operands().empty() || text == name ? text : "(" + text + ")")};
}

}  // namespace

std::string scalar_text(std::size_t slot, DType type) {
  const std::string place = "slots[" + std::to_string(slot) + "]";
  if (type == dtype::kFloat32) return "kmux_float32(" + place + ")";
  if (type == dtype::kFloat64) return "kmux_float64(" + place + ")";
  if (is_bool(type)) return place + ".bits != 0";
  if (type == dtype::kInt64) return place + ".i64";
  if (type == dtype::kUInt64) return place + ".bits";
  return "(" + c_type(type) + ")" + place + ".bits";
}

std::vector<PrintedArg> emit_args(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
  std::vector<PrintedArg> printed;
  for (const PlanArg& arg : launch.args) {
    const std::string number = std::to_string(printed.size());
    const std::string what = "argument " + number + " of \"" + plan.kernels[launch.kernel] + "\"";
    printed.push_back(print_arg(out, plan, arg, "kmux_value_" + number, what));
  }
  return printed;
}

void emit_on_grid(CodeWriter& out, const Plan& plan, const PlanLaunch& launch,
                  const std::function<void(const PrintedGeometry&)>& call) {
  const std::string& kernel = plan.kernels[launch.kernel];
  const auto is_zero = [](const Expr& extent) { return extent.is_constant(0); };
  const bool is_empty = std::any_of(launch.grid.begin(), launch.grid.end(), is_zero);
  const std::string of = " of \"" + kernel + "\"";
  out.open("{  // " + kernel);
  PrintedGeometry printed;
  printed.grid = emit_extents(out, launch.grid, 0, "kmux_grid", "grid" + of);
  const std::string condition = is_empty ? "false" : none_empty(launch.grid, printed.grid);
  if (!condition.empty()) out.open("if (" + condition + ") {");
  printed.block = emit_extents(out, launch.block, 1, "kmux_block", "block" + of);
  if (launch.cluster) printed.cluster = emit_extents(out, *launch.cluster, 1, "kmux_cluster", "cluster" + of);
  printed.dynamic_smem_bytes = emit_size(out, launch.dynamic_smem_bytes, "kmux_smem", "dynamic shared memory" + of);
  call(printed);
  if (!condition.empty()) out.close();
  out.close();
}

}  // namespace kmux
