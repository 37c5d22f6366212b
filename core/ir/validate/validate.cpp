#include "kmux/validate.h"

#include <algorithm>
#include <map>

#include "kmux/guarded.h"
#include "kmux/plugin/quoting.h"

#include "ir/expr_json.h"
#include "validation.h"

namespace kmux {
namespace {

// Variants that use the same path must have the same content for it.
void check_shared_files(const Program& program, ProblemList& problems) {
  std::map<std::string_view, const File*> first;
  const auto check = [&](const std::vector<File>& files, const JsonPointer& at) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const File* other = first.try_emplace(files[i].path, &files[i]).first->second;
      if (other->content == files[i].content) continue;
      problems.add(at / i, "file path " + in_double_quotes(files[i].path) +
                               " has other content in an earlier variant. Rename one of them.");
    }
  };
  for (std::size_t i = 0; i < program.variants.size(); ++i) {
    const JsonPointer at = JsonPointer() / "variants" / i;
    check(program.variants[i].sources, at / "sources");
    check(program.variants[i].headers, at / "headers");
  }
}

void check_constant(const Constant& constant, const JsonPointer& at, ProblemList& problems) {
  if (!is_variable_name(constant.name)) {
    problems.add(at / "name", in_double_quotes(constant.name) +
                                  " is not the name of a variable. Use an identifier, with namespaces as in "
                                  "\"filters::weights\".");
  }
  if (!is_allowed(constant.dtype, DTypePlace::kBuffer) || constant.dtype.lanes == 0) {
    problems.add(at / "dtype", "a constant cannot hold " + in_double_quotes(to_string(constant.dtype)) + ". Use " +
                                   std::string(allowed_dtypes(DTypePlace::kBuffer)) + ".");
  } else if (constant.shape.size() > kMaxRank || !bytes_of(constant)) {
    problems.add(at / "shape", describe(constant) +
                                   " cannot be the shape of a constant (extents are 1 or more, at most " +
                                   std::to_string(kMaxRank) + ", and all bytes are whole). Correct it.");
  }
}

ProblemList problems_of(const Program& program) {
  ProblemList problems;
  const JsonPointer root;
  if (!is_identifier(program.name)) {
    problems.add(root / "name",
                 in_double_quotes(program.name) + " is not a name. Use a C identifier that is not a keyword.");
  }
  const Scope scope = scope_of(program.signature, root / "signature");
  check_signature(program.signature, scope, root / "signature", problems);
  check_constants(program.constants, root / "constants", problems);
  if (program.variants.empty()) problems.add(root / "variants", "the program has no variants. Add one.");
  for (std::size_t i = 0; i < program.variants.size(); ++i) {
    check_variant(program.variants[i], scope, root / "variants" / i, problems);
  }
  check_shared_files(program, problems);
  check_metadata(program.metadata, scope, root / "metadata", problems);
  return problems;
}

}  // namespace

void check_constants(const std::vector<Constant>& constants, const JsonPointer& at, ProblemList& problems) {
  for (std::size_t i = 0; i < constants.size(); ++i) {
    check_constant(constants[i], at / i, problems);
    const auto first = std::ranges::find(constants, constants[i].name, &Constant::name);
    if (first == constants.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    problems.add(at / i / "name",
                 "constant " + in_double_quotes(constants[i].name) + " is declared twice. Remove one.");
  }
}

std::vector<Problem> validate(const Program& program) { return problems_of(program).take(); }

Status check_valid(const Program& program) {
  return guarded([&]() -> Status { return problems_of(program).status("program " + in_double_quotes(program.name)); });
}

namespace {

// Checks one body; names enter the scope in order.
class BodyChecker {
 public:
  BodyChecker(const Dialect* dialect, Scope scope, ProblemList& problems)
      : dialect_(dialect), scope_(std::move(scope)), problems_(problems) {}

  void check(const Body& body, const JsonPointer& at) {
    for (std::size_t i = 0; i < body.lets.size(); ++i) let(body.lets[i], at / "lets" / i);
    for (std::size_t i = 0; i < body.asserts.size(); ++i) assertion(body.asserts[i], at / "asserts" / i);
    for (std::size_t i = 0; i < body.workspaces.size(); ++i) workspace(body.workspaces[i], at / "workspaces" / i);
    tensor_maps(body.tensor_maps, at / "tensor_maps");
    steps(body.steps, 1, at / "steps");
    if (!launches_) problems_.add(at / "steps", "the body launches nothing. Add a launch.");
  }

 private:
  void let(const Let& let, const JsonPointer& at) {
    check_expr(let.value, ExprPlace::kBody, scope_, at / "value", problems_);
    scope_.declare(let.name, {NameKind::kLet}, at / "name", problems_);
  }

  void assertion(const Assert& assertion, const JsonPointer& at) {
    check_expr(assertion.condition, ExprPlace::kBody, scope_, at / "condition", problems_);
    check_text(assertion.message, at / "message", problems_);
    if (assertion.message.empty()) problems_.add(at / "message", "an assert has no message. Write one.");
  }

  void workspace(const Workspace& workspace, const JsonPointer& at) {
    check_quantity(workspace.bytes, "the size of a workspace", 0, scope_, at / "bytes", problems_);
    if (!is_power_of_two(workspace.alignment_bytes)) {
      problems_.add(at / "alignment_bytes", "an alignment of " + std::to_string(workspace.alignment_bytes) +
                                                " bytes is not a power of two. Use one.");
    }
    const Name name{.kind = NameKind::kWorkspace, .bytes = constant_of(workspace.bytes)};
    scope_.declare(workspace.name, name, at / "name", problems_);
  }

  void tensor_maps(const std::vector<TensorMap>& maps, const JsonPointer& at) {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      check_tensor_map(maps[i], scope_, at / i, problems_);
      scope_.declare(maps[i].name, {NameKind::kTensorMap}, at / i / "name", problems_);
    }
    if (maps.empty() || dialect_ == nullptr || !dialect_->is_host) return;
    problems_.add(at, "dialect " + in_double_quotes(dialect_->name) + " has no tensor maps. Remove them.");
  }

  void steps(const std::vector<Step>& list, int depth, const JsonPointer& at) {
    if (depth > kMaxStepDepth && !list.empty()) {
      problems_.add(at, "steps are nested deeper than " + std::to_string(kMaxStepDepth) + " levels. Flatten them.");
      return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      std::visit([&](const auto& step) { this->step(step, depth, at / i); }, list[i]);
    }
  }

  void step(const Launch& launch, int, const JsonPointer& at) {
    launches_ = true;
    check_launch(launch, dialect_, scope_, at / "launch", problems_);
  }

  void step(const Fill& fill, int, const JsonPointer& at) {
    check_memory(fill.target, scope_, at / "fill" / "target", problems_);
    check_quantity(fill.bytes, "the size of a fill", 0, scope_, at / "fill" / "bytes", problems_);
    const Name* const target = scope_.find(fill.target.name);
    if (target != nullptr && target->bytes.value_or(-1) >= 0) fits(fill, *target, at / "fill" / "bytes");
  }

  // Checks constant sizes; the call checks others.
  void fits(const Fill& fill, const Name& target, const JsonPointer& at) {
    const std::optional<std::int64_t> offset = constant_of(fill.target.offset_bytes);
    const std::optional<std::int64_t> bytes = constant_of(fill.bytes);
    if (!offset || !bytes || *offset < 0 || *bytes < 0 || *bytes <= *target.bytes - *offset) return;
    const std::string kind = target.kind == NameKind::kBuffer ? "buffer" : "workspace";
    problems_.add(at, "fill of " + in_double_quotes(fill.target.name) + " writes " + std::to_string(*bytes) + " bytes" +
                          (*offset == 0 ? "" : " at offset " + std::to_string(*offset)) + " (the " + kind + " has " +
                          std::to_string(*target.bytes) + "). Fill at most the " + kind + ".");
  }

  void step(const If& guard, int depth, const JsonPointer& at) {
    check_expr(guard.condition, ExprPlace::kBody, scope_, at / "if" / "condition", problems_);
    steps(guard.then_steps, depth + 1, at / "if" / "then");
    steps(guard.else_steps, depth + 1, at / "if" / "else");
  }

  void step(const For& loop, int depth, const JsonPointer& at) {
    check_expr(loop.begin, ExprPlace::kBody, scope_, at / "for" / "begin", problems_);
    check_expr(loop.end, ExprPlace::kBody, scope_, at / "for" / "end", problems_);
    const bool is_new = scope_.find(loop.variable) == nullptr;
    scope_.declare(loop.variable, {NameKind::kLoopVariable}, at / "for" / "variable", problems_);
    steps(loop.steps, depth + 1, at / "for" / "steps");
    if (is_new) scope_.remove(loop.variable);
  }

  const Dialect* dialect_;
  Scope scope_;
  ProblemList& problems_;
  bool launches_ = false;
};

}  // namespace

void check_body(const Body& body, const Dialect* dialect, Scope scope, const JsonPointer& at, ProblemList& problems) {
  BodyChecker(dialect, std::move(scope), problems).check(body, at);
}

void check_memory(const MemoryRef& memory, const Scope& scope, const JsonPointer& at, ProblemList& problems) {
  const Name* found = require_name(memory.name, {NameKind::kBuffer, NameKind::kPointer, NameKind::kWorkspace},
                                   "a buffer, a pointer or a workspace", scope, at / "name", problems);
  if (found != nullptr) check_not_nullable(memory.name, *found, at / "name", problems);
  check_quantity(memory.offset_bytes, "an offset", 0, scope, at / "offset_bytes", problems);
}

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
  const std::vector<std::string> names = symbols_of(expr);
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
                       " is nullable, but used here (a null tensor has no data; a kernel may be given its address "
                       "alone). Remove \"nullable\", or do not use the buffer.");
}

}  // namespace kmux
