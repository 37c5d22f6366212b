#include "dialect.h"

#include "kmux/plugin/emit.h"

namespace kmux::cutedsl {
namespace {

bool is_dynamic(const TensorParameter& tensor) {
  return count_dynamic(tensor.shape) + count_dynamic(tensor.strides) > 0;
}

std::string type_name(std::size_t entry, std::size_t number) {
  return "kmux_view_" + std::to_string(entry) + "_" + std::to_string(number);
}

// Emits, for example, "struct kmux_view_0_1 { void* data; int shape[2]; long long strides[1]; };".
void emit_struct(CodeWriter& out, const TensorParameter& tensor, const std::string& name) {
  std::string members = "void* data;";
  const std::size_t extents = count_dynamic(tensor.shape);
  const std::size_t strides = count_dynamic(tensor.strides);
  if (extents > 0) members.append(" int shape[").append(std::to_string(extents)).append("];");
  if (strides > 0) members.append(" long long strides[").append(std::to_string(strides)).append("];");
  out.line("struct " + name + " { " + members + " };");
}

// Declares the parts of printed/host_functions.h: a function of the object beside the code, and its call.
constexpr std::string_view kHostCall = R"(
struct kmux_host_function {
  const char* name;
  unsigned number;          // among the host functions of the program
  unsigned argument_count;
  unsigned step;            // of the plan
};
static int kmux_call_host(const kmux_launch_env* env, const kmux_host_function& function, void** args, kmux_sink error);
)";

// The variable that holds a value, and the value's description in messages.
struct Place {
  std::string variable;
  std::string text;
};

bool is_int32(const Plan& plan, const Expr& value) {
  if (!value.is_symbol()) return false;
  for (const PlanBinding& binding : plan.bindings) {
    if (binding.name == value.name()) return binding.dtype == dtype::kInt32;
  }
  return false;
}

std::string extent_text(CodeWriter& out, const Plan& plan, const Expr& extent, const Place& place) {
  const Expr checked = is_int32(plan, extent) ? extent : Expr::cast(dtype::kInt32, extent);
  return "(int)" + emit_value(out, checked, place.variable, place.text);
}

}  // namespace

void CuteDialect::declarations(CodeWriter& out, const Plan& plan) {
  DriverDialect::declarations(out, plan);
  out.line("#include <stddef.h>")
      .line("#include <stdint.h>")
      .lines(shared_text("how arguments are checked", checks_prelude()));
  out.lines(checks_.text);
  emit_names(out);
  out.line();
  emit_structs(out, entries_.list, 0);
  emit_structs(out, entries_.hosts, entries_.list.size());
  if (!entries_.hosts.empty()) out.lines(kHostCall);
}

void CuteDialect::emit_structs(CodeWriter& out, const std::vector<Entry>& entries, std::size_t first) const {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    for (std::size_t j = 0; j < entries[i].parameters.size(); ++j) {
      const auto* tensor = std::get_if<TensorParameter>(&entries[i].parameters[j]);
      if (tensor != nullptr && is_dynamic(*tensor)) emit_struct(out, *tensor, type_name(first + i, j));
    }
  }
}

// Emits the program's data for printed/tvm_ffi_entry.h.
void CuteDialect::emit_names(CodeWriter& out) const {
  out.line().line("static constexpr size_t kmux_tvm_slot_count = " + std::to_string(checks_.slot_count) + ";");
  out.open("static const char* const kmux_kernel_functions[] = {");
  for (const Entry& entry : entries_.list) out.line(quote_c(entry.kernel) + ",");
  out.line("nullptr,").close("};");
}

void CuteDialect::launch(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
  if (!calls_host_function(plan, launch)) return DriverDialect::launch(out, plan, launch);
  Plan named = plan;  // for messages about arguments
  for (const Entry& host : entries_.hosts) named.kernels.push_back(host.kernel);
  out.open("{  // host function " + named.kernels[launch.kernel]);
  const std::vector<PrintedArg> args = tensors_and_values(out, named, launch);
  std::string places;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string place = "kmux_arg_" + std::to_string(i);
    out.line(args[i].type + " " + place + " = " + args[i].value + ";");
    places.append("&").append(place).append(", ");
  }
  out.line("void* kmux_args[] = {" + places + "nullptr};");
  out.line("static const kmux_host_function kmux_host = {" + quote_c(named.kernels[launch.kernel]) + ", " +
           std::to_string(launch.kernel - plan.kernels.size()) + ", " + std::to_string(args.size()) + ", " +
           std::to_string(launch.step) + "};");
  out.line("if (const int kmux_status = kmux_call_host(env, kmux_host, kmux_args, error)) return kmux_status;").close();
}

std::vector<PrintedArg> CuteDialect::arguments(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
  std::vector<PrintedArg> args = tensors_and_values(out, plan, launch);
  args.push_back({"unsigned char", "0"});
  return args;
}

std::vector<PrintedArg> CuteDialect::tensors_and_values(CodeWriter& out, const Plan& plan, const PlanLaunch& launch) {
  std::vector<PrintedArg> args = emit_args(out, plan, launch);
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto* tensor = std::get_if<TensorParameter>(&entries_.of(launch).parameters[i]);
    if (tensor == nullptr || !is_dynamic(*tensor)) continue;
    args[i] = {type_name(launch.kernel, i), tensor_value(out, plan, launch, i, args[i].value)};
  }
  return args;
}

std::string CuteDialect::tensor_value(CodeWriter& out, const Plan& plan, const PlanLaunch& launch, std::size_t number,
                                      const std::string& address) {
  const SlotInfo& slot = plan.slots[std::get<PlanAddress>(launch.args[number]).index];
  const Layout layout = layout_of(*as_buffer(*find_param(signature_, slot.name)));
  const std::string of = " of tensor \"" + slot.name + "\"";
  std::string value = "{" + address;
  const auto append = [&](const std::vector<Expr>& items, const std::string& what, const auto& print) {
    std::string texts;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_constant()) continue;
      const std::string index = std::to_string(i);
      Place place{"kmux_" + what, what};
      place.variable.append("_").append(std::to_string(number)).append("_").append(index);
      place.text.append(" ").append(index).append(of);
      texts.append(texts.empty() ? "" : ", ").append(print(items[i], place));
    }
    if (!texts.empty()) value.append(", {").append(texts).append("}");
  };
  append(layout.shape, "extent",
         [&](const Expr& item, const Place& place) { return extent_text(out, plan, item, place); });
  append(layout.strides, "stride",
         [&](const Expr& item, const Place& place) { return emit_value(out, item, place.variable, place.text); });
  return value + "}";
}

Result<PrintedChecks> launch_checks(const Signature& signature, const std::string& kernel) {
  return emit_checks(signature, CheckPrinting{.prefix = "kmux_tvm",
                                              .kernel = kernel,
                                              .device_type = kDLCUDA,
                                              .trailing = {"stream", "device_id", "cubin_path"}});
}

nvidia::ArgumentPack pack_of(const Entry& entry) {
  nvidia::ArgumentPack pack;
  pack.spare = true;
  for (const Parameter& parameter : entry.parameters) pack.sizes.push_back(static_cast<unsigned>(size_of(parameter)));
  return pack;
}

nvidia::ArgumentSizes argument_sizes(const Entries& entries) {
  return [&entries](const PlanLaunch& launch) { return pack_of(entries.list[launch.kernel]); };
}

}  // namespace kmux::cutedsl
