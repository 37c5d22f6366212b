// What dialects and emit_launcher share: values that are checked before they are used.
#include <algorithm>

#include "kmux/plugin/emit.h"

#include "emit_expr.h"

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

}  // namespace kmux
