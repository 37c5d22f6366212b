#include "kmux/plugin/expr_code.h"

#include <algorithm>
#include <array>
#include <string>

#include "ir/arithmetic.h"

namespace kmux {
namespace {

// Deeper than any expression that JSON can hold (kmux/json.h).
constexpr std::size_t kStackDepth = 256;

}  // namespace

class ExprCode::Compiler {
 public:
  explicit Compiler(const ValueIndex& index) : index_(index) {}

  // Adds the steps that push the value of `expr` on a stack that holds `depth` values.
  Status add(const Expr& expr, std::size_t depth) {
    if (depth >= kStackDepth) return too_deep();
    switch (expr.op()) {
      case ExprOp::kConstant:
        return emit({Operation::kConstant, {}, {}, expr.constant()});
      case ExprOp::kSymbol:
        return add_name(expr);
      case ExprOp::kAnd:
      case ExprOp::kOr:
        return add_logic(expr, depth);
      case ExprOp::kNot:
        return add_unary(expr, {Operation::kNot, {}, {}, 0}, depth);
      case ExprOp::kCast:
        return add_unary(expr, {Operation::kCast, {}, expr.type(), 0}, depth);
      case ExprOp::kSelect:
        return add_select(expr, depth);
      default:
        return add_binary(expr, depth);
    }
  }

  std::vector<Step> take() && { return std::move(steps_); }

 private:
  static Error too_deep() {
    return make_error(
        ErrorCode::kInvalidArgument,
        "an expression is nested deeper than " + std::to_string(kStackDepth) + " levels. Compute parts of it as lets.");
  }

  Status emit(Step step) {
    steps_.push_back(step);
    return Ok{};
  }

  // Emits a jump whose target `jump_here` sets.
  std::size_t emit_jump(Operation operation) {
    steps_.push_back({operation, {}, {}, 0});
    return steps_.size() - 1;
  }
  void jump_here(std::size_t jump) { steps_[jump].operand = static_cast<std::int64_t>(steps_.size()); }

  Status add_name(const Expr& expr) {
    if (const auto index = index_(expr.name())) {
      return emit({Operation::kValue, {}, {}, static_cast<std::int64_t>(*index)});
    }
    return make_error(ErrorCode::kInvalidArgument,
                      "\"" + expr.name() + "\" has no value here. Declare it as a symbol, let or integer scalar.");
  }

  Status add_unary(const Expr& expr, Step step, std::size_t depth) {
    KMUX_TRY(add(expr.operands()[0], depth));
    return emit(step);
  }

  Status add_binary(const Expr& expr, std::size_t depth) {
    KMUX_TRY(add(expr.operands()[0], depth));
    KMUX_TRY(add(expr.operands()[1], depth + 1));
    return emit({Operation::kBinary, expr.op(), {}, 0});
  }

  Status add_logic(const Expr& expr, std::size_t depth) {
    KMUX_TRY(add(expr.operands()[0], depth));
    const bool is_or = expr.op() == ExprOp::kOr;
    const std::size_t decided = emit_jump(is_or ? Operation::kKeepIfTrue : Operation::kKeepIfFalse);
    KMUX_TRY(add(expr.operands()[1], depth));
    KMUX_TRY(emit({Operation::kTruth, {}, {}, 0}));
    jump_here(decided);
    return Ok{};
  }

  Status add_select(const Expr& expr, std::size_t depth) {
    KMUX_TRY(add(expr.operands()[0], depth));
    const std::size_t otherwise = emit_jump(Operation::kJumpIfFalse);
    KMUX_TRY(add(expr.operands()[1], depth));
    const std::size_t done = emit_jump(Operation::kJump);
    jump_here(otherwise);
    KMUX_TRY(add(expr.operands()[2], depth));
    jump_here(done);
    return Ok{};
  }

  const ValueIndex& index_;
  std::vector<Step> steps_;
};

Result<ExprCode> ExprCode::compile(const Expr& expr, const ValueIndex& index) {
  Compiler compiler(index);
  KMUX_TRY(compiler.add(simplify(expr), 0));
  ExprCode code;
  code.steps_ = std::move(compiler).take();
  return code;
}

class ExprCode::Machine {
 public:
  explicit Machine(std::span<const std::int64_t> values) : values_(values) {}

  // Executes a step that is not a jump.
  Fault apply(const Step& step) noexcept {
    switch (step.operation) {
      case Operation::kConstant:
        return push({step.operand});
      case Operation::kValue:
        return push({values_[static_cast<std::size_t>(step.operand)]});
      case Operation::kCast:
        return push(convert(pop(), step.type));
      case Operation::kNot:
        return push({pop() == 0});
      case Operation::kTruth:
        return push({pop() != 0});
      default: {
        const std::int64_t right = pop();
        return push(compute(step.op, pop(), right));
      }
    }
  }

  // Executes a jump step. Returns true if the jump is taken.
  bool jumps(const Step& step) noexcept {
    if (step.operation == Operation::kJump) return true;
    const std::int64_t top = pop();
    if (step.operation == Operation::kJumpIfFalse) return top == 0;
    const bool kept = (top != 0) == (step.operation == Operation::kKeepIfTrue);
    if (kept) push({top != 0});
    return kept;
  }

  std::int64_t pop() noexcept { return stack_[--size_]; }

 private:
  Fault push(Computed computed) noexcept {
    stack_[size_++] = computed.value;
    return computed.fault;
  }

  std::span<const std::int64_t> values_;
  std::size_t size_ = 0;
  std::array<std::int64_t, kStackDepth> stack_;  // not initialised: the code writes before it reads
};

ExprCode::Outcome ExprCode::evaluate(std::span<const std::int64_t> values) const noexcept {
  Machine machine(values);
  for (std::size_t at = 0; at < steps_.size();) {
    const Step& step = steps_[at++];
    if (step.operation >= Operation::kKeepIfTrue) {
      if (machine.jumps(step)) at = static_cast<std::size_t>(step.operand);
    } else if (const Fault fault = machine.apply(step); fault != nullptr) {
      return {0, fault};
    }
  }
  return {machine.pop(), nullptr};
}

}  // namespace kmux
