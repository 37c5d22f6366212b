#include "expr_json.h"

#include <vector>

#include "kmux/plugin/quoting.h"
#include "kmux/plugin/word_list.h"

#include "ir/printed/dlpack_facts.h"
#include "json_reader.h"

namespace kmux {
namespace {

std::vector<std::string> all_operators() {
  std::vector<std::string> names;
  for (int op = static_cast<int>(ExprOp::kAdd); op <= static_cast<int>(ExprOp::kCast); ++op) {
    names.emplace_back(to_string(static_cast<ExprOp>(op)));
  }
  return names;
}

std::optional<ExprOp> read_operator(const JsonReader& in) {
  const std::string* text = in.string();
  if (text == nullptr) return std::nullopt;
  const std::optional<ExprOp> op = parse_expr_op(*text);
  if (op) return op;
  const std::vector<std::string> known = all_operators();
  in.problem("unknown operator " + in_double_quotes(*text) + "." + suggestion(*text, known) + " Use one of " +
             listed(known) + ".");
  return std::nullopt;
}

// Reads an array whose first item is the operator.
Expr read_operation(const JsonReader& in, const Json::Array& items) {
  if (items.empty()) {
    in.problem("an empty array is not an expression. Begin it with an operator.");
    return {};
  }
  const std::optional<ExprOp> op = read_operator(in.at(0, items[0]));
  if (!op) return {};
  const std::size_t first = *op == ExprOp::kCast ? 2 : 1;
  const auto count = static_cast<std::size_t>(arity(*op));
  if (items.size() != first + count) {
    in.problem(in_double_quotes(to_string(*op)) + " takes " + (*op == ExprOp::kCast ? "a dtype and " : "") +
               std::to_string(count) + " operand(s) (the array has " + std::to_string(items.size()) +
               " items in all). Nest operations of more operands.");
    return {};
  }
  std::vector<Expr> operands;
  const DType type = *op == ExprOp::kCast ? read_dtype(in.at(1, items[1]), DTypePlace::kExpr) : DType{};
  for (std::size_t i = first; i < items.size(); ++i) operands.push_back(read_expr(in.at(i, items[i])));
  return *op == ExprOp::kCast ? Expr::cast(type, operands[0]) : Expr::make(*op, std::move(operands));
}

}  // namespace

Json write_dtype(DType type) { return to_string(type); }

Json write_expr(const Expr& expr) {
  if (expr.is_constant()) return expr.constant();
  if (expr.is_symbol()) return expr.name();
  Json::Array items{to_string(expr.op())};
  if (expr.op() == ExprOp::kCast) items.push_back(write_dtype(expr.type()));
  for (const Expr& operand : expr.operands()) items.push_back(write_expr(operand));
  return items;
}

Expr read_expr(const JsonReader& in) {
  if (const std::int64_t* constant = in.value().as_integer()) return *constant;
  if (const std::string* name = in.value().as_string()) return Expr::symbol(*name);
  if (const Json::Array* items = in.value().as_array()) return read_operation(in, *items);
  in.expected("an expression, that is an integer, a name or an array");
  return {};
}

DType read_dtype(const JsonReader& in, DTypePlace place) {
  const std::string* text = in.string();
  if (text == nullptr) return {};
  const std::string word = in_double_quotes(*text);
  const std::string advice = " Use " + std::string(allowed_dtypes(place)) + ".";
  const Result<DType> type = parse_dtype(*text);
  if (!type) return in.problem("unknown dtype " + word + "." + dtype_suggestion(*text, place) + advice), DType{};
  const std::string name = to_string(*type);
  if (name == *text) return *type;
  in.problem(is_allowed(*type, place) ? "dtype " + word + " is another name of \"" + name +
                                            "\" (programs have that one). Write \"" + name + "\"."
                                      : "dtype " + word + " cannot stand here (it is \"" + name + "\")." + advice);
  return *type;
}

namespace {

bool is_number(DType type) {
  return (is_integer(type) || is_float(type) || is_bool(type)) && !to_string(type).starts_with("dtype_");
}

bool has_whole_bytes(DType type) { return type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64; }

}  // namespace

bool is_allowed(DType type, DTypePlace place) {
  switch (place) {
    case DTypePlace::kBuffer:
      return is_number(type) || (is_complex(type) && type.lanes == 1);
    case DTypePlace::kScalar:
      return is_number(type) && type.lanes == 1 && has_whole_bytes(type);
    case DTypePlace::kSymbol:
      return type == dtype::kInt32 || type == dtype::kInt64;
    case DTypePlace::kExpr:
      return type.lanes == 1 && ((is_integer(type) && has_whole_bytes(type)) || type == dtype::kBool);
  }
  return false;
}

std::string_view allowed_dtypes(DTypePlace place) {
  switch (place) {
    case DTypePlace::kBuffer:
      return "an integer, a floating-point type, bool, complex64 or complex128";
    case DTypePlace::kScalar:
      return "bool, or an integer or floating-point type of 8 to 64 bits";
    case DTypePlace::kSymbol:
      return "int32 or int64";
    case DTypePlace::kExpr:
      return "int8 ... int64, uint8 ... uint64 or bool";
  }
  return "";
}

std::string dtype_suggestion(std::string_view word, DTypePlace place) {
  std::vector<std::string> known;
  for (const DTypeName& name : kDTypeNames) {
    if (is_allowed(DType{name.code, name.bits, 1}, place)) known.emplace_back(name.text);
  }
  return suggestion(word, known);
}

}  // namespace kmux
