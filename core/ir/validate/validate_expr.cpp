#include <algorithm>

#include "base/quoted.h"
#include "ir/dtype_place.h"
#include "validation.h"

namespace kmux {

namespace {

int depth(const Expr& expr) {
  int deepest = 0;
  for (const Expr& operand : expr.operands()) deepest = std::max(deepest, depth(operand));
  return deepest + 1;
}

bool is_value(const Name& name, ExprPlace place) {
  switch (name.kind) {
    case NameKind::kSymbol:
      return true;
    case NameKind::kScalar:
      return is_integer(name.dtype) || (is_bool(name.dtype) && place == ExprPlace::kBody);
    case NameKind::kLet:
    case NameKind::kLoopVariable:
      return place == ExprPlace::kBody;
    default:
      return false;
  }
}

std::string allowed(ExprPlace place) {
  return place == ExprPlace::kShape
             ? "Use symbols and integer scalars here."
             : "Use symbols, integer or bool scalars, earlier lets, and loop variables in their loop.";
}

void check_use(const std::string& name, ExprPlace place, const Scope& scope, const JsonPointer& at,
               ProblemList& problems) {
  const Name* found = scope.find(name);
  if (found == nullptr && parse_expr_op(name)) {
    problems.add(at, in_double_quotes(name) + " is an operator, but stands where a value does. Write [" +
                         in_double_quotes(name) +
                         ", ...] in brackets of its own: a list of expressions with it has [[...]].");
  } else if (found == nullptr) {
    problems.add(at, "no " + in_double_quotes(name) + " in scope." + scope.suggestion(name) + " " + allowed(place));
  } else if (!is_value(*found, place)) {
    const std::string type = found->kind == NameKind::kScalar ? " of type " + to_string(found->dtype) : "";
    problems.add(at, in_double_quotes(name) + " is " + std::string(to_string(found->kind)) + type +
                         " (an expression cannot use it). " + allowed(place));
  }
}

}  // namespace

std::optional<std::int64_t> constant_of(const Expr& expr) {
  const Result<std::int64_t> value = evaluate(expr, [](std::string_view) { return std::nullopt; });
  return value ? std::optional(*value) : std::nullopt;
}

void check_expr(const Expr& expr, ExprPlace place, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  if (depth(expr) > kMaxExprDepth) {
    problems.add(at, "the expression is nested deeper than " + std::to_string(kMaxExprDepth) + " levels. Use lets.");
    return;
  }
  const std::set<std::string> names = symbols_of(expr);
  for (const std::string& name : names) check_use(name, place, scope, at, problems);
  bool has_value = names.empty();
  visit(expr, [&](const Expr& node) {
    if (node.op() != ExprOp::kCast || is_allowed(node.type(), DTypePlace::kExpr)) return;
    has_value = false;
    problems.add(at, "cannot cast to " + in_double_quotes(to_string(node.type())) +
                         " (expressions are integers). Cast to " + std::string(allowed_dtypes(DTypePlace::kExpr)) +
                         ".");
  });
  if (!has_value) return;
  const Result<std::int64_t> value = evaluate(expr, [](std::string_view) { return std::nullopt; });
  if (!value) problems.add(at, value.error().message);
}

void check_quantity(const Expr& expr, std::string_view what, std::int64_t least, const Scope& scope,
                    const JsonPointer& at, ProblemList& problems) {
  check_expr(expr, ExprPlace::kBody, scope, at, problems);
  const std::optional<std::int64_t> value = constant_of(expr);
  if (!value || *value >= least) return;
  problems.add(at, std::string(what) + " is " + std::to_string(*value) + " (the least is " + std::to_string(least) +
                       "). Correct it.");
}

void check_text(const std::string& text, const JsonPointer& at, ProblemList& problems) {
  if (!is_text(text)) problems.add(at, "the string is not UTF-8 without NUL. Correct it.");
}

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

const Name* require_name(const std::string& name, std::initializer_list<NameKind> kinds, std::string_view expected,
                         const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  const Name* found = scope.find(name);
  if (found == nullptr) {
    problems.add(at, "no " + in_double_quotes(name) + " in scope." + scope.suggestion(name) + " Name " +
                         std::string(expected) + ".");
    return nullptr;
  }
  if (std::ranges::find(kinds, found->kind) != kinds.end()) return found;
  problems.add(at, in_double_quotes(name) + " is " + std::string(to_string(found->kind)) + ". Name " +
                       std::string(expected) + ".");
  return nullptr;
}

void check_not_nullable(const std::string& name, const Name& what, const JsonPointer& at, ProblemList& problems) {
  if (!what.nullable) return;
  problems.add(at, "buffer " + in_double_quotes(name) +
                       " is nullable, but used here (a null tensor has no data). Remove " +
                       "\"nullable\", or do not use the buffer.");
}

}  // namespace kmux
