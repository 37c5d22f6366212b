#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kmux/error.h"
#include "kmux/expr.h"

namespace kmux {

/// Returns the index of a name in the values that a code is evaluated over, or nothing if the name has no value.
using ValueIndex = std::function<std::optional<std::size_t>(std::string_view name)>;

/// An expression compiled once and evaluated often: flat code for a stack machine, with the exact semantics of
/// `evaluate`.
///
/// Threads: immutable, so any.
class ExprCode {
 public:
  /// The value, or the reason of a failure: a static text, null for success.
  struct Outcome {
    std::int64_t value = 0;  // 0 on failure
    const char* fault = nullptr;  // "division by zero", ...
    /// Returns true on success.
    bool ok() const { return fault == nullptr; }
  };

  /// The constant 0.
  ExprCode() : ExprCode(0) {}
  /// A constant.
  explicit ExprCode(std::int64_t constant) : steps_{{Operation::kConstant, {}, {}, constant}} {}

  /// Compiles `expr` and folds its constant parts.
  ///
  /// Errors: invalid_argument for a name without an index and for nesting deeper than the evaluation stack.
  static Result<ExprCode> compile(const Expr& expr, const ValueIndex& index);

  /// Returns the value over `values`, each at the index that was passed to `compile`. Does not allocate or throw.
  ///
  /// Errors: a fault wherever `kmux::evaluate` has an error; the caller must use that function to make the message.
  Outcome evaluate(std::span<const std::int64_t> values) const noexcept;

 private:
  enum class Operation : std::uint8_t {
    kConstant,     // push `operand`
    kValue,        // push values[operand]
    kBinary,       // pop two, push `op` of them
    kNot,
    kTruth,        // non-zero becomes 1
    kCast,         // to `type`
    // The jumps, to step `operand`.
    kKeepIfTrue,   // or: a true top becomes 1 and the jump is taken; a false top is popped
    kKeepIfFalse,  // and
    kJumpIfFalse,  // pop; taken if it was 0
    kJump,
  };
  struct Step {
    Operation operation;
    ExprOp op;
    DType type;
    std::int64_t operand;
  };
  class Compiler;
  class Machine;
  std::vector<Step> steps_;
};

}  // namespace kmux
