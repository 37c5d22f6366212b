#include <algorithm>

#include "base/quoted.h"
#include "validation.h"

namespace kmux {

namespace {

// Checks one body; names come into scope as it goes.
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
    if (assertion.message.empty())
      problems_.add(at / "message", "an assert without a message helps nobody. Write one.");
  }

  void workspace(const Workspace& workspace, const JsonPointer& at) {
    check_quantity(workspace.bytes, "the size of a workspace", 0, scope_, at / "bytes", problems_);
    if (!is_power_of_two(workspace.alignment_bytes)) {
      problems_.add(at / "alignment_bytes", "an alignment of " + std::to_string(workspace.alignment_bytes) +
                                                " bytes is no power of two. Use one.");
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

  // What is not constant is checked in the call.
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

}  // namespace kmux
