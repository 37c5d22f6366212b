#pragma once

#include <cstdint>
#include <span>

#include "kmux/expr_code.h"

#include "arithmetic.h"

namespace kmux {

/// An expression of a plan, ready to be computed: what most bodies say (a value, "n * 4", "ceildiv(n, 128)") without the
/// stack machine of `ExprCode`.
///
/// Threads: immutable, so any.
class RunnerNumber {
 public:
  /// The constant 0.
  RunnerNumber() = default;

  /// Errors: as `ExprCode::compile`.
  static Result<RunnerNumber> compile(const Expr& expr, const ValueIndex& index);

  bool is_constant() const { return form_ == Form::kConstant; }
  std::int64_t constant() const { return a_; }

  ExprCode::Outcome evaluate(std::span<const std::int64_t> values) const noexcept;

 private:
  enum class Form : std::uint8_t {
    kConstant,  // a
    kValue,  // values[index]; so in all that follow
    kPlus,  // value + a
    kTimes,  // value * a
    kFloorShift,  // floordiv(value, 1 << a)
    kCeilShift,  // ceildiv(value, 1 << a)
    kFitted,  // value, which must lie in a..b
    kCode,
  };
  bool take_simple(const Expr& expr, const ValueIndex& index);
  bool take_binary(ExprOp op, std::int64_t right);
  bool take_cast(DType type);

  Form form_ = Form::kConstant;
  std::size_t index_ = 0;
  std::int64_t a_ = 0;
  std::int64_t b_ = 0;
  ExprCode code_;
};

inline ExprCode::Outcome RunnerNumber::evaluate(std::span<const std::int64_t> values) const noexcept {
  if (form_ == Form::kConstant) return {a_, nullptr};
  if (form_ == Form::kCode) return code_.evaluate(values);
  const std::int64_t value = values[index_];
  std::int64_t result = 0;
  switch (form_) {
    case Form::kPlus:
      return __builtin_add_overflow(value, a_, &result) ? ExprCode::Outcome{0, fault::kOverflow}
                                                        : ExprCode::Outcome{result, nullptr};
    case Form::kTimes:
      return __builtin_mul_overflow(value, a_, &result) ? ExprCode::Outcome{0, fault::kOverflow}
                                                        : ExprCode::Outcome{result, nullptr};
    case Form::kFloorShift:
      return {value >> a_, nullptr};
    case Form::kCeilShift:
      return {(value >> a_) + ((value & ((std::int64_t{1} << a_) - 1)) != 0 ? 1 : 0), nullptr};
    case Form::kFitted:
      return value < a_ || value > b_ ? ExprCode::Outcome{0, fault::kNoFit} : ExprCode::Outcome{value, nullptr};
    default:
      return {value, nullptr};
  }
}

}  // namespace kmux
