#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cubin_example.h"
#include "dsl_compiler.h"

namespace kmux::cutedsl {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string cubin_with(const std::vector<std::string>& names) {
  nvidia::CubinExample example;
  for (const std::string& name : names) example.symbols.push_back({name});
  return example.bytes();
}

TEST(KernelSymbolsTest, UseReportedSymbols) {
  const auto found =
      kernel_symbols({{"k"}, {"k"}}, {"cutlass_k_1", "cutlass_k_0"}, cubin_with({"cutlass_k_0", "cutlass_k_1"}));
  EXPECT_THAT(found.value(), ElementsAre("cutlass_k_1", "cutlass_k_0"));
}

TEST(KernelSymbolsTest, FallBackToPatterns) {
  const auto found = kernel_symbols({{"k_b"}, {"k_a"}}, {}, cubin_with({"x_k_a_y", "x_k_b_y"}));
  EXPECT_THAT(found.value(), ElementsAre("x_k_b_y", "x_k_a_y"));
}

TEST(KernelSymbolsTest, ListAmbiguousMatches) {
  const auto refused = kernel_symbols({{"k_a"}}, {}, cubin_with({"x_k_a_y", "z_k_a_y"}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("no kernel for \"k_a\" (several match"), HasSubstr("x_k_a_y, z_k_a_y")));
}

TEST(KernelSymbolsTest, RejectMissingKernels) {
  EXPECT_THAT(kernel_symbols({{"k"}}, {"gone"}, cubin_with({"x"})).error().message,
              AllOf(HasSubstr("no kernel for \"k\" (\"gone\""), HasSubstr("there are x")));
  EXPECT_THAT(kernel_symbols({{"k"}}, {}, cubin_with({"x"})).error().message, HasSubstr("none matches"));
  EXPECT_EQ(kernel_symbols({{"k"}}, {}, "no cubin").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::cutedsl
