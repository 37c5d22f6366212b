#include "expr_json.h"

#include "base/quoted.h"

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
    in.problem("an empty array is no expression. Begin it with an operator.");
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

}  // namespace kmux
