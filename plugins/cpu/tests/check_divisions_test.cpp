// Option check=on: divisions of kernels that have no quotient.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked_kernel.h"

namespace kmux::cpu {
namespace {

/// Returns the findings of a kernel whose thread t stores `quotient` in line 3, of `type` a and b that are not
/// constants.
std::vector<std::string> findings_of_quotient(const std::string& type, const std::string& a, const std::string& b,
                                              const std::string& quotient) {
  return findings_of({.source = "__global__ void k(const float* x, float* y, int n) {\n  const " + type + " a = " + a +
                                ", b = " + b + ";\n  y[threadIdx.x] = (float)(" + quotient + ");\n}",
                      .block = {8}});
}

testing::Matcher<std::string> is_division(const char* problem) {
  return AllOf(HasSubstr(std::string("kernel \"k\" divides ") + problem),
               HasSubstr("block (0, 0, 0), thread (3, 0, 0), at k.cu:3)."));
}

TEST(CheckDivisionsTest, ReportsDivisionOfLeastIntegerByMinusOne) {
  for (const char* const quotient : {"a / b", "a % b"}) {
    for (const auto& [type, least] :
         {std::pair("int", "-2147483647 - 1"), {"long long", "-9223372036854775807LL - 1"}}) {
      const std::string a = std::string("threadIdx.x == 3 ? ") + least + " : -7";
      EXPECT_THAT(findings_of_quotient(type, a, "n - 65", quotient),
                  ElementsAre(is_division("the least integer by -1 (its type has no such quotient; ")))
          << type << quotient;
      EXPECT_THAT(findings_of_quotient(type, a, "n - 66", quotient), IsEmpty()) << type << quotient;
    }
  }
}

TEST(CheckDivisionsTest, ReportsDivisionByZero) {
  for (const char* const type : {"int", "unsigned", "short", "long long", "unsigned long long"}) {
    for (const char* const quotient : {"a / b", "a % b"}) {
      EXPECT_THAT(findings_of_quotient(type, "n", "threadIdx.x - 3", quotient),
                  ElementsAre(is_division("by 0 (the quotient is undefined; ")))
          << type << quotient;
    }
  }
}

TEST(CheckDivisionsTest, ReportsLineOfDivisionInFunction) {
  EXPECT_THAT(findings_of({.source = R"(__device__ int divided(int a, int b) { return a / b; }
__global__ void k(const float* x, float* y, int n) {
  y[threadIdx.x] = divided(n, 3 - threadIdx.x);
})",
                           .block = {4}}),
              ElementsAre(AllOf(HasSubstr("divides by 0"), HasSubstr("thread (3, 0, 0), at k.cu:1)"))));
}

TEST(CheckDivisionsTest, AllowsDivisionsThatAreNotReached) {
  EXPECT_THAT(findings_of_quotient("int", "n", "threadIdx.x - 3", "b == 0 ? 0 : a / b"), IsEmpty());
  EXPECT_THAT(findings_of_quotient("int", "n", "threadIdx.x - 3", "a / 7 + a % 64 + a / -1"), IsEmpty());
  EXPECT_THAT(findings_of_quotient("float", "n", "0", "a / b > 1"), IsEmpty());
}

}  // namespace
}  // namespace kmux::cpu
