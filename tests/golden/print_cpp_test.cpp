#include <gtest/gtest.h>

#include "kmux/plugin/emit.h"

#include "compiled.h"
#include "random_expr.h"

namespace kmux {
namespace {

using kmux::test::RandomExpr;

using Function = long long(long long m, long long n, long long k, int* fault);

std::string function_text(std::size_t index, const Expr& expr) {
  return "extern \"C\" long long f" + std::to_string(index) +
         "([[maybe_unused]] long long m, [[maybe_unused]] long long n, [[maybe_unused]] long long k, int* fault) {\n"
         "  int kmux_fault = 0;\n"
         "  const long long value = " +
         print_cpp(expr) +
         ";\n"
         "  *fault = kmux_fault;\n"
         "  return value;\n"
         "}\n";
}

// Compares on values that reach every edge. Returns the number of defined results.
int compare(Function* function, const Expr& expr, RandomExpr& random) {
  int defined = 0;
  for (int i = 0; i < 100; ++i) {
    const auto values = random.values();
    const auto expected = evaluate(expr, RandomExpr::bindings(values));
    int fault = 0;
    const long long actual = function(values[0], values[1], values[2], &fault);
    EXPECT_EQ(fault == 0, expected.ok()) << to_string(expr) << "\n" << print_cpp(expr);
    if (expected) {
      EXPECT_EQ(actual, *expected) << to_string(expr) << "\n" << print_cpp(expr);
    }
    defined += expected ? 1 : 0;
  }
  return defined;
}

TEST(PrintCppTest, MatchesEvaluateOnRandomExpressions) {
  constexpr std::size_t kCount = 400;
  RandomExpr random(11);
  std::vector<Expr> exprs;
  std::string code(launcher_prelude());
  for (std::size_t i = 0; i < kCount; ++i) {
    exprs.push_back(random.expr(4));
    code += function_text(i, exprs.back());
  }
  const auto library = test::compile(code);
  ASSERT_TRUE(library) << library.error().message;
  int defined = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto function = library->function<Function>("f" + std::to_string(i));
    ASSERT_TRUE(function);
    defined += compare(*function, exprs[i], random);
  }
  EXPECT_GT(defined, 10'000);
  EXPECT_LT(defined, 35'000);
}

TEST(PrintCppTest, PrintsReadableExpressions) {
  const Expr m = Expr::symbol("m");
  const Expr n = Expr::symbol("n");
  EXPECT_EQ(print_cpp(m), "m");
  EXPECT_EQ(print_cpp(Expr(-5)), "-5");
  EXPECT_EQ(print_cpp(Expr(std::int64_t{1} << 40)), "1099511627776LL");
  EXPECT_EQ(print_cpp(ceildiv(m, 128) * 4), "kmux_mul(kmux_ceildiv(m, 128, kmux_fault), 4, kmux_fault)");
  EXPECT_EQ(print_cpp(min(m, n)), "kmux_min(m, n)");
  EXPECT_EQ(print_cpp(m < n), "m < n");
  EXPECT_EQ(print_cpp((m < n) + 1), "kmux_add(m < n, 1, kmux_fault)");
  EXPECT_EQ(print_cpp(eq(m < n, 1)), "(long long)(m < n) == 1");
  EXPECT_EQ(print_cpp(logical_or(logical_and(m < n, n), m)), "(m < n && n != 0) || m != 0");
  EXPECT_EQ(print_cpp(select(m < n, m & 7, n)), "(m < n ? (m & 7) : n)");
  EXPECT_EQ(print_cpp(Expr::cast(dtype::kUInt8, m)), "kmux_cast(m, 0, 255, kmux_fault)");
  EXPECT_EQ(print_cpp(logical_not(m)), "m == 0");
  EXPECT_EQ(print_cpp_condition(m & 1), "(m & 1) != 0");
}

}  // namespace
}  // namespace kmux
