#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kmux/plugin/expr_code.h"

#include "ir/arithmetic.h"

namespace kmux {

/// floordiv((value + plus) * times, divisor) of the value at `index`; the result must lie in least..most. All simple
/// forms have this form, so that the same code, nearly without branches, computes each.
struct LinearNumber {
  std::uint32_t index = 0;
  std::uint32_t shift = 0;  // the divisor, if it is a power of two; else 0
  std::int64_t divisor = 1;
  std::int64_t plus = 0;
  std::int64_t times = 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  /// Returns false if the number has no value, and for some values at the limits of 64 bits.
  bool evaluate(std::int64_t of, std::int64_t& out) const noexcept {
    std::int64_t value = 0;
    bool is_bad = __builtin_add_overflow(of, plus, &value);
    is_bad |= __builtin_mul_overflow(value, times, &value);
    value >>= shift;
    if (divisor != 1) [[unlikely]] {
      value = value / divisor - (value % divisor < 0 ? 1 : 0);
    }
    out = value;
    return !(is_bad | (value < least) | (value > most));
  }
};

/// A compiled expression of a plan. Evaluates common forms (a value, "n * 4", "ceildiv(n, 128)") without the stack
/// machine of `ExprCode`.
///
/// Threads: immutable, so any.
class RunnerNumber {
 public:
  /// The constant 0.
  RunnerNumber() = default;

  /// Compiles `expr`.
  ///
  /// Errors: as `ExprCode::compile`.
  static Result<RunnerNumber> compile(const Expr& expr, const ValueIndex& index);

  bool is_constant() const { return form_ == Form::kConstant; }
  std::int64_t constant() const { return a_; }

  ExprCode::Outcome evaluate(std::span<const std::int64_t> values) const noexcept;

  /// Returns the equivalent linear number; nothing for a constant and for other forms.
  std::optional<LinearNumber> linear() const;

 private:
  enum class Form : std::uint8_t {
    kConstant,  // a
    kValue,  // values[index]; likewise in all forms below
    kPlus,  // value + a
    kTimes,  // value * a
    kFloorDiv,  // floordiv(value + a, b), b > 0
    kFloorShift,  // floordiv(value + a, 1 << b)
    kCeilDiv,  // ceildiv(value, b), b > 0
    kCeilShift,  // ceildiv(value, 1 << b)
    kFitted,  // value, which must lie in a..b
    kCode,
  };
  static ExprCode::Outcome sum(std::int64_t a, std::int64_t b) noexcept;
  static ExprCode::Outcome product(std::int64_t a, std::int64_t b) noexcept;
  static std::int64_t floor(std::int64_t value, std::int64_t divisor) noexcept;
  bool take_simple(const Expr& expr, const ValueIndex& index);
  bool take_value(const Expr& expr, const ValueIndex& index);
  bool take_sum(const Expr& expr, const ValueIndex& index);
  bool take_binary(ExprOp op, std::int64_t right);
  bool take_quotient(Form by_division, Form by_shift, std::int64_t divisor);
  bool take_cast(DType type);

  Form form_ = Form::kConstant;
  std::uint32_t index_ = 0;
  std::int64_t a_ = 0;
  std::int64_t b_ = 0;
  std::unique_ptr<const ExprCode> code_;  // allocated separately, so that numbers of other forms are small
};

inline ExprCode::Outcome RunnerNumber::sum(std::int64_t a, std::int64_t b) noexcept {
  ExprCode::Outcome out;
  if (__builtin_add_overflow(a, b, &out.value)) [[unlikely]] {
    out = {0, fault::kOverflow};
  }
  return out;
}

inline ExprCode::Outcome RunnerNumber::product(std::int64_t a, std::int64_t b) noexcept {
  ExprCode::Outcome out;
  if (__builtin_mul_overflow(a, b, &out.value)) [[unlikely]] {
    out = {0, fault::kOverflow};
  }
  return out;
}

inline std::int64_t RunnerNumber::floor(std::int64_t value, std::int64_t divisor) noexcept {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

inline ExprCode::Outcome RunnerNumber::evaluate(std::span<const std::int64_t> values) const noexcept {
  if (form_ == Form::kConstant) return {a_, nullptr};
  if (form_ == Form::kCode) return code_->evaluate(values);
  const std::int64_t value = values[index_];
  switch (form_) {
    case Form::kPlus:
      return sum(value, a_);
    case Form::kTimes:
      return product(value, a_);
    case Form::kFloorDiv:
    case Form::kFloorShift: {
      ExprCode::Outcome out = sum(value, a_);
      out.value = form_ == Form::kFloorShift ? out.value >> b_ : floor(out.value, b_);
      return out;
    }
    case Form::kCeilDiv:
      return {value / b_ + (value % b_ > 0 ? 1 : 0), nullptr};
    case Form::kCeilShift:
      return {(value >> b_) + ((value & ((std::int64_t{1} << b_) - 1)) != 0 ? 1 : 0), nullptr};
    case Form::kFitted:
      if (value >= a_ && value <= b_) return {value, nullptr};
      return {0, fault::kNoFit};
    default:
      return {value, nullptr};
  }
}

/// A compiled condition of a plan: comparisons that must all hold. Common asserts need no stack machine: "n > 0", or
/// "bytes <= n * 4 and bytes >= 0".
///
/// Threads: immutable, so any.
class RunnerCondition {
 public:
  /// Compiles `expr`.
  ///
  /// Errors: as `ExprCode::compile`.
  static Result<RunnerCondition> compile(const Expr& expr, const ValueIndex& index);

  /// Returns 1 if the condition holds, else 0. Evaluates the same operands as `kmux::evaluate`.
  ExprCode::Outcome evaluate(std::span<const std::int64_t> values) const noexcept {
    ExprCode::Outcome left;
    for (const Comparison& comparison : comparisons_) {
      if (!comparison.has_same_left) left = comparison.left.evaluate(values);
      if (!left.ok()) return left;
      const ExprCode::Outcome right = comparison.right.evaluate(values);
      if (!right.ok()) return right;
      if (!holds(comparison.op, left.value, right.value)) return {0, nullptr};
    }
    return {1, nullptr};
  }

 private:
  struct Comparison {
    RunnerNumber left;
    bool has_same_left = false;  // as the comparison before
    ExprOp op = ExprOp::kNe;  // kEq to kGe
    RunnerNumber right;
  };

  static bool holds(ExprOp op, std::int64_t left, std::int64_t right) noexcept {
    if (op == ExprOp::kEq) return left == right;
    if (op == ExprOp::kNe) return left != right;
    if (op == ExprOp::kLt) return left < right;
    if (op == ExprOp::kLe) return left <= right;
    return op == ExprOp::kGt ? left > right : left >= right;
  }

  // `left` is the left side of the previous comparison.
  Status add(const Expr& expr, const ValueIndex& index, std::optional<Expr>& left);
  std::vector<Comparison> comparisons_;
};

}  // namespace kmux
