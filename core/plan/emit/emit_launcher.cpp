#include <algorithm>

#include "kmux/plugin/emit.h"

#include "emit_value.h"
#include "plan/fill_bounds.h"

// Prints the launcher of a plan, and the arguments and geometry of one launch.

namespace kmux {
namespace {

// Prints the body of the function. Names that begin with kmux_ are not names of programs; a counter makes them unique.
class LauncherPrinter {
 public:
  LauncherPrinter(CodeWriter& out, const Plan& plan, LauncherDialect& dialect)
      : out_(out), plan_(plan), dialect_(dialect) {}

  void print() {
    for (const PlanBinding& binding : plan_.bindings) print_binding(binding);
    for (const Let& let : plan_.lets) print_let(let);
    for (const PlanAssert& check : plan_.asserts) print_assert(check);
    for (const Workspace& workspace : plan_.workspaces) print_workspace(workspace);
    for (std::size_t i = 0; i < plan_.maps.size(); ++i) dialect_.tensor_map(out_, plan_, i);
    print_steps(plan_.steps);
    out_.line("return KMUX_OK;");
  }

 private:
  std::string number() { return std::to_string(count_++); }

  void print_binding(const PlanBinding& binding) {
    const std::string begin = "const long long " + binding.name + " = ";
    if (plan_.slots[binding.slot].kind == SlotKind::kSymbol) {
      out_.line(begin + scalar_text(binding.slot, dtype::kInt64) + ";");
    } else if (binding.dtype == dtype::kUInt64) {
      // Expressions are signed: a value above their range fails instead of wrapping.
      out_.line(begin + "kmux_size(" + scalar_text(binding.slot, dtype::kInt64) + ", kmux_fault);");
      emit_fault_check(out_, "scalar \"" + binding.name + "\"");
    } else {
      out_.line(begin + scalar_text(binding.slot, binding.dtype) + ";");
    }
  }

  void print_let(const Let& let) {
    out_.line("const long long " + let.name + " = " + print_cpp(let.value) + ";");
    if (can_fail(let.value)) {
      emit_fault_check(out_, "let \"" + let.name + "\" = \"" + to_string(let.value) + "\"");
    }
  }

  void print_assert(const PlanAssert& check) {
    const std::string condition = emit_condition(out_, check.condition, "kmux_holds_" + number(), check.what);
    const auto fail = [](const std::string& text) {
      return "return kmux_fail(error, KMUX_INVALID_ARGUMENT, " + quote_c(text) + ");";
    };
    if (check.numbers.empty()) {
      out_.line("if (!(" + condition + ")) " + fail(check.message));
      return;
    }
    out_.open("if (!(" + condition + ")) {");
    const std::string* text = &check.message;
    for (const PlanAssert::Number& number : check.numbers) {
      out_.line("kmux_write(error, " + quote_c(*text) + ");");
      out_.line("kmux_write_number(error, " + print_cpp(number.value) + ");");
      text = &number.text;
    }
    out_.line(fail(*text)).close();
  }

  void print_workspace(const Workspace& workspace) {
    const std::string index = number();
    const std::string memory = "kmux_memory_" + index;
    const std::string bytes =
        emit_size(out_, workspace.bytes, "kmux_bytes_" + index, "size of workspace \"" + workspace.name + "\"");
    out_.line("kmux_memory " + memory + "(env);");
    out_.line("if (const int kmux_status = " + memory + ".allocate(" + bytes + ", " +
              std::to_string(workspace.alignment_bytes) + ", " + quote_c(workspace.name) +
              ", error)) return kmux_status;");
    out_.line("void* const " + workspace.name + " = " + memory + ".address;");
  }

  void print_steps(const std::vector<PlanStep>& steps) {
    for (const PlanStep& step : steps) std::visit([this](const auto& kind) { print_step(kind); }, step);
  }

  void print_step(const PlanLaunch& launch) { dialect_.launch(out_, plan_, launch); }
  void print_step(const PlanFill& fill) {
    if (fill.bounds) print_assert(*fill.bounds);
    dialect_.fill(out_, plan_, fill);
  }

  void print_step(const PlanIf& guard) {
    const std::string condition = emit_condition(out_, guard.condition, "kmux_condition_" + number(), "condition");
    out_.open("if (" + condition + ") {");
    print_steps(guard.then_steps);
    if (!guard.else_steps.empty()) {
      out_.reopen("} else {");
      print_steps(guard.else_steps);
    }
    out_.close();
  }

  void print_step(const PlanFor& loop) {
    const std::string index = number();
    const std::string variable = loop.variable;
    const std::string of = " of loop \"" + loop.variable + "\"";
    const std::string begin = emit_value(out_, loop.begin, "kmux_begin_" + index, "begin" + of);
    const std::string end = emit_once(loop.end, "kmux_end_" + index, "end" + of);
    out_.open("for (long long " + variable + " = " + begin + "; " + variable + " < " + end + "; ++" + variable + ") {");
    print_steps(loop.steps);
    out_.close();
  }

  // As `emit_value`, for text that is evaluated repeatedly: names any value that is not a constant or name.
  std::string emit_once(const Expr& expr, const std::string& name, const std::string& what) {
    std::string text = emit_value(out_, expr, name, what);
    if (text == name || expr.operands().empty()) return text;
    out_.line("const long long " + name + " = " + text + ";");
    return name;
  }

  CodeWriter& out_;
  const Plan& plan_;
  LauncherDialect& dialect_;
  int count_ = 0;
};

// Returns the text of a parameter, without a name if `body` does not use it.
std::string parameter(std::string_view type, std::string_view name, std::string_view body) {
  return std::string(type) + (mentions(body, name) ? " " + std::string(name) : "");
}

std::string function_text(const std::string& body, std::string_view symbol, std::string_view specifiers) {
  CodeWriter out;
  out.open("extern \"C\" " + std::string(specifiers) + "int " + std::string(symbol) + "(" +
           parameter("const kmux_slot*", "slots", body) + ", " + parameter("const kmux_launch_env*", "env", body) +
           ", " + parameter("kmux_sink", "error", body) + ") {");
  if (mentions(body, "kmux_fault")) out.line("int kmux_fault = 0;");
  return out.lines(body).close().text();
}

}  // namespace

std::string emit_launcher(const Plan& plan, LauncherDialect& dialect, std::string_view symbol,
                          std::string_view specifiers) {
  CodeWriter declarations;
  dialect.declarations(declarations, plan);
  CodeWriter body;
  LauncherPrinter(body, plan, dialect).print();

  const std::string code =
      declarations.text() + (declarations.text().empty() ? "" : "\n") + function_text(body.text(), symbol, specifiers);
  return "// The launcher of " + quote_c(plan.name) + ".\n" +
         shared_text("what a call is, and checked arithmetic", launcher_prelude_for(code)) + "\n" + code;
}

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

// Returns constant extents in range as they are; otherwise prints the computation of all into the array `name`.
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

// Returns "a != 0 && b != 0" over the extents that are not constant; empty if all are.
std::string none_empty(const Extents3& extents, const std::array<std::string, 3>& texts) {
  std::string condition;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!extents[i].is_constant()) condition.append(condition.empty() ? "" : " && ").append(texts[i] + " != 0");
  }
  return condition;
}

}  // namespace

PrintedArg emit_arg(CodeWriter& out, const Plan& plan, const PlanArg& arg, const std::string& name,
                    const std::string& what) {
  if (const auto* record = std::get_if<PlanStruct>(&arg)) return emit_struct(out, plan, *record, name, what);
  if (const auto* address = std::get_if<PlanAddress>(&arg)) {
    return {"void*", emit_address(out, plan, *address, name, what)};
  }
  if (const auto* scalar = std::get_if<PlanScalar>(&arg)) {
    return {c_type(scalar->dtype), scalar_text(scalar->slot, scalar->dtype)};
  }
  if (const auto* map = std::get_if<PlanMapArg>(&arg)) {
    return {"kmux_tensor_map", "kmux_map_" + std::to_string(map->map), /*is_place=*/true};
  }
  const auto& value = std::get<PlanValue>(arg);
  const std::string text = emit_value(out, value.value, name, what);
  if (value.value.is_constant()) return {c_type(value.dtype), text};
  return {c_type(value.dtype),
          "(" + c_type(value.dtype) + ")" + (value.value.operands().empty() || text == name ? text : "(" + text + ")")};
}

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
    printed.push_back(emit_arg(out, plan, arg, "kmux_value_" + number, what));
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
