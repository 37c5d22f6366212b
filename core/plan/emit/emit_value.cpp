#include "emit_value.h"

#include <algorithm>
#include <limits>

#include "kmux/plugin/characters.h"
#include "kmux/plugin/emit.h"

// Shared by dialects and emit_launcher: values that are checked before they are used.

namespace kmux {
namespace {

void define(CodeWriter& out, std::string_view name, const std::string& value) {
  out.line("const long long " + std::string(name) + " = " + value + ";");
}

std::string described(std::string_view what, const Expr& expr) {
  return std::string(what) + " = \"" + to_string(expr) + "\"";
}

}  // namespace

void emit_fault_check(CodeWriter& out, std::string_view what) {
  out.line("if (kmux_fault != 0) return kmux_bad_value(error, kmux_fault, " + quote_c(what) + ");");
}

std::string emit_condition(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what) {
  if (!can_fail(expr)) return print_cpp_condition(expr);
  out.line("const bool " + std::string(name) + " = " + print_cpp_condition(expr) + ";");
  emit_fault_check(out, described(what, expr));
  return std::string(name);
}

std::string emit_value(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what) {
  if (!can_fail(expr)) return print_cpp(expr);
  define(out, name, print_cpp(expr));
  emit_fault_check(out, described(what, expr));
  return std::string(name);
}

std::string emit_size(CodeWriter& out, const Expr& expr, std::string_view name, std::string_view what) {
  if (expr.is_constant() && expr.constant() >= 0) return print_cpp(expr);
  define(out, name, "kmux_size(" + print_cpp(expr) + ", kmux_fault)");
  emit_fault_check(out, described(what, expr));
  return std::string(name);
}

std::string emit_address(CodeWriter& out, const Plan& plan, const PlanAddress& address, std::string_view name,
                         std::string_view what) {
  const bool in_slot = address.source == PlanAddress::Source::kSlot;
  std::string base = in_slot ? "slots[" + std::to_string(address.index) + "].ptr" : plan.workspaces[address.index].name;
  if (address.offset_bytes.is_constant(0)) return base;
  const std::string offset = emit_size(out, address.offset_bytes, name, what);
  return "(char*)" + base + " + " + offset;
}

std::string braced(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text.append(text.empty() ? "" : ", ").append(item);
  return "{" + text + "}";
}

void emit_array(CodeWriter& out, std::string_view type, std::string_view name, std::vector<std::string> items) {
  if (items.empty()) items.emplace_back("0");
  out.line("const " + std::string(type) + " " + std::string(name) + "[] = " + braced(items) + ";");
}

std::string unsigned_text(const Expr& expr, const std::string& size) {
  return expr.is_constant() ? size : "(unsigned long long)" + size;
}

void emit_call(CodeWriter& out, const std::string& function, const std::string& arguments) {
  out.line("if (const int kmux_status = " + function + "(env, " + arguments + ", error)) return kmux_status;");
}

std::string c_type(DType type) {
  if (type == dtype::kFloat32) return "float";
  if (type == dtype::kFloat64) return "double";
  if (type == dtype::kBool) return "bool";
  const std::string sign = type.code == kDLInt ? "signed " : "unsigned ";
  const std::int64_t bits = total_bits(type);
  if (bits <= 8) return sign + "char";
  if (bits <= 16) return sign + "short";
  if (bits <= 32) return type.code == kDLInt ? "int" : "unsigned int";
  return type.code == kDLInt ? "long long" : "unsigned long long";
}

namespace {

constexpr std::string_view kFault = "kmux_fault";

bool is_logic(const Expr& expr) { return expr.op() == ExprOp::kAnd || expr.op() == ExprOp::kOr; }

bool is_comparison(const Expr& expr) { return expr.op() >= ExprOp::kEq && expr.op() <= ExprOp::kGe; }

// Returns true if the printed text has type bool.
bool prints_bool(const Expr& expr) {
  const bool cast_to_bool = expr.op() == ExprOp::kCast && expr.type() == dtype::kBool;
  return is_comparison(expr) || is_logic(expr) || expr.op() == ExprOp::kNot || cast_to_bool;
}

bool is_shift_count(const Expr& expr) { return expr.is_constant() && expr.constant() >= 0 && expr.constant() <= 63; }

// Returns the prelude's function for `op`, or "" if C++ has an operator with the same semantics.
std::string_view function_of(ExprOp op) {
  switch (op) {
    case ExprOp::kAdd:
      return "kmux_add";
    case ExprOp::kSub:
      return "kmux_sub";
    case ExprOp::kMul:
      return "kmux_mul";
    case ExprOp::kFloorDiv:
      return "kmux_floordiv";
    case ExprOp::kFloorMod:
      return "kmux_floormod";
    case ExprOp::kTruncDiv:
      return "kmux_truncdiv";
    case ExprOp::kTruncMod:
      return "kmux_truncmod";
    case ExprOp::kCeilDiv:
      return "kmux_ceildiv";
    case ExprOp::kMin:
      return "kmux_min";
    case ExprOp::kMax:
      return "kmux_max";
    case ExprOp::kShl:
      return "kmux_shl";
    case ExprOp::kShr:
      return "kmux_shr";
    default:
      return {};
  }
}

std::string constant_text(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min())
    return "(-9223372036854775807LL - 1)";  // C++ has no such literal
  const bool is_int = value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  return std::to_string(value) + (is_int ? "" : "LL");
}

// Returns an operand of a C++ operator, with parentheses where precedence could be misread, and bool converted.
std::string operand_text(const Expr& expr) {
  if (prints_bool(expr)) return "(long long)(" + print_cpp(expr) + ")";
  const bool is_simple = expr.operands().empty() || expr.op() == ExprOp::kSelect || expr.op() == ExprOp::kCast ||
                         !function_of(expr.op()).empty();
  return is_simple ? print_cpp(expr) : "(" + print_cpp(expr) + ")";
}

// Returns an operand of && or ||.
std::string condition_operand(const Expr& expr, ExprOp parent) {
  const std::string text = print_cpp_condition(expr);
  return is_logic(expr) && expr.op() != parent ? "(" + text + ")" : text;
}

std::string infix(const Expr& expr, std::string_view op) {
  return operand_text(expr.operands()[0]) + " " + std::string(op) + " " + operand_text(expr.operands()[1]);
}

std::string logic_text(const Expr& expr) {
  const std::string_view op = expr.op() == ExprOp::kAnd ? " && " : " || ";
  return condition_operand(expr.operands()[0], expr.op()) + std::string(op) +
         condition_operand(expr.operands()[1], expr.op());
}

std::string select_text(const Expr& expr) {
  return "(" + print_cpp_condition(expr.operands()[0]) + " ? " + operand_text(expr.operands()[1]) + " : " +
         operand_text(expr.operands()[2]) + ")";
}

std::string cast_text(const Expr& expr) {
  const DType type = expr.type();
  if (type == dtype::kBool) return print_cpp_condition(expr.operands()[0]);
  if (!is_integer(type) || type.lanes != 1) return "kmux_no_cast(" + print_cpp(expr.operands()[0]) + ", kmux_fault)";
  const bool is_signed = type.code == kDLInt;
  const int value_bits = std::min<int>(type.bits, 64) - (is_signed || type.bits >= 64 ? 1 : 0);
  const std::int64_t top = static_cast<std::int64_t>((std::uint64_t{1} << value_bits) - 1);
  return "kmux_cast(" + print_cpp(expr.operands()[0]) + ", " + constant_text(is_signed ? -top - 1 : 0) + ", " +
         constant_text(top) + ", " + std::string(kFault) + ")";
}

std::string call_text(const Expr& expr, std::string_view function) {
  const bool never_fails = expr.op() == ExprOp::kMin || expr.op() == ExprOp::kMax;
  return std::string(function) + "(" + print_cpp(expr.operands()[0]) + ", " + print_cpp(expr.operands()[1]) +
         (never_fails ? ")" : ", " + std::string(kFault) + ")");
}

bool node_can_fail(const Expr& expr) {
  switch (expr.op()) {
    case ExprOp::kAdd:
    case ExprOp::kSub:
    case ExprOp::kMul:
    case ExprOp::kShl:
      return true;
    case ExprOp::kShr:
      return !is_shift_count(expr.operands()[1]);
    case ExprOp::kFloorDiv:
    case ExprOp::kFloorMod:
    case ExprOp::kTruncDiv:
    case ExprOp::kTruncMod:
    case ExprOp::kCeilDiv: {
      const Expr& divisor = expr.operands()[1];
      return !divisor.is_constant() || divisor.is_constant(0) || divisor.is_constant(-1);
    }
    case ExprOp::kCast:
      return expr.type() != dtype::kBool && expr.type() != dtype::kInt64;
    default:
      return false;
  }
}

}  // namespace

bool can_fail(const Expr& expr) {
  bool found = false;
  visit(expr, [&](const Expr& node) { found = found || node_can_fail(node); });
  return found;
}

std::string print_cpp(const Expr& expr) {
  if (expr.is_constant()) return constant_text(expr.constant());
  if (expr.is_symbol()) return expr.name();
  if (const std::string_view function = function_of(expr.op()); !function.empty()) return call_text(expr, function);
  if (is_logic(expr)) return logic_text(expr);
  if (expr.op() == ExprOp::kSelect) return select_text(expr);
  if (expr.op() == ExprOp::kCast) return cast_text(expr);
  if (expr.op() == ExprOp::kNot) {
    const Expr& operand = expr.operands()[0];
    return prints_bool(operand) ? "!(" + print_cpp(operand) + ")" : operand_text(operand) + " == 0";
  }
  return infix(expr, to_string(expr.op()));
}

std::string print_cpp_condition(const Expr& expr) {
  return prints_bool(expr) ? print_cpp(expr) : operand_text(expr) + " != 0";
}

bool mentions(std::string_view code, std::string_view name) {
  for (std::size_t at = code.find(name); at != std::string_view::npos; at = code.find(name, at + 1)) {
    const bool begins = at == 0 || !is_name_character(code[at - 1]);
    const std::size_t end = at + name.size();
    if (begins && (end == code.size() || !is_name_character(code[end]))) return true;
  }
  return false;
}

}  // namespace kmux
