#include "kmux/plugin/emit.h"
#include "kmux/plugin/shared_text.h"

#include "emit_expr.h"
#include "emit_value.h"
#include "ir/mentions.h"

namespace kmux {
namespace {

// Prints the function's body. Names that begin with kmux_ cannot be the program's; a running number keeps them apart.
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
      // Expressions are signed: what is above their range fails, it does not wrap.
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

  // As `emit_value`, for text that is evaluated again and again.
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

// A parameter that nothing uses has no name.
std::string parameter(std::string_view type, std::string_view name, std::string_view body) {
  return std::string(type) + (mentions(body, name) ? " " + std::string(name) : "");
}

std::string function_text(const std::string& body, std::string_view symbol) {
  CodeWriter out;
  out.open("extern \"C\" int " + std::string(symbol) + "(" + parameter("const kmux_slot*", "slots", body) + ", " +
           parameter("const kmux_launch_env*", "env", body) + ", " + parameter("kmux_sink", "error", body) + ") {");
  if (mentions(body, "kmux_fault")) out.line("int kmux_fault = 0;");
  return out.lines(body).close().text();
}

}  // namespace

std::string emit_launcher(const Plan& plan, LauncherDialect& dialect, std::string_view symbol) {
  CodeWriter declarations;
  dialect.declarations(declarations, plan);
  CodeWriter body;
  LauncherPrinter(body, plan, dialect).print();

  const std::string code =
      declarations.text() + (declarations.text().empty() ? "" : "\n") + function_text(body.text(), symbol);
  return "// The launcher of " + quote_c(plan.name) + ".\n" +
         shared_text("what a call is, and checked arithmetic", launcher_prelude_for(code)) + "\n" + code;
}

}  // namespace kmux
