#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kmux/expr.h"

namespace kmux::test {

/// Returns random trees over every operator, and values near the edges of the arithmetic.
class RandomExpr {
 public:
  static constexpr std::array<std::string_view, 3> kNames{"m", "n", "k"};
  using Values = std::array<std::int64_t, 3>;

  explicit RandomExpr(unsigned seed) : random_(seed) {}

  Expr expr(int depth) {
    if (depth == 0 || pick(6) == 0) return leaf();
    const auto op = static_cast<ExprOp>(2 + pick(static_cast<int>(ExprOp::kCast) - 1));
    if (op == ExprOp::kCast) return Expr::cast(type(), expr(depth - 1));
    std::vector<Expr> operands;
    for (int i = 0; i < arity(op); ++i) operands.push_back(expr(depth - 1));
    return Expr::make(op, std::move(operands));
  }

  std::int64_t number() {
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    constexpr std::array<std::int64_t, 12> kEdges{0, 1, -1, 2, -3, 7, 63, 64, 128, 1 << 20, kMin, ~kMin};
    return pick(3) == 0 ? kEdges[static_cast<std::size_t>(pick(12))] : pick(200) - 100;
  }

  Values values() { return {number(), number(), number()}; }

  static auto bindings(const Values& values) {
    return [values](std::string_view name) -> std::optional<std::int64_t> {
      for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) return values[i];
      }
      return std::nullopt;
    };
  }

 private:
  Expr leaf() {
    return pick(2) == 0 ? Expr(number()) : Expr::symbol(std::string(kNames[static_cast<std::size_t>(pick(3))]));
  }
  DType type() {
    constexpr std::array kTypes{dtype::kBool,   dtype::kInt8,   dtype::kUInt16, dtype::kInt32,
                                dtype::kUInt32, dtype::kUInt64, dtype::kInt64};
    return kTypes[static_cast<std::size_t>(pick(static_cast<int>(kTypes.size())))];
  }
  int pick(int count) { return std::uniform_int_distribution(0, count - 1)(random_); }
  std::mt19937 random_;
};

}  // namespace kmux::test
