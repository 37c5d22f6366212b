#include "kmux/plugin/name_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NameTableTest, DeclaresVariablePerExpression) {
  EXPECT_EQ(name_table({"plain"}), "");
  const std::string table = name_table({"plain", "ns::scale<N>", "gelu(float*, int)"});
  EXPECT_THAT(table, HasSubstr("#line 1 \"kernel names\"\n"));
  EXPECT_THAT(table, HasSubstr("kmux_kernel<1, decltype(&ns::scale<N>), &ns::scale<N>>;\n"));
  EXPECT_THAT(table, HasSubstr("kmux_kernel<2, void (*)(float*, int), &gelu>;\n"));
}

// The symbols of variables as nvcc 13.0 and Clang 19 mangle them.
TEST(NameTableTest, MapsNamesToSymbols) {
  const std::vector<std::string> symbols = {"_Z2ovPdi",
                                            "_Z2ovPfi",
                                            "_Z6renderILj3EEvPf",
                                            "_ZN1u2o2EPf",
                                            "_ZN1u2o2EPd",
                                            "cc",
                                            "_Z2stPf",
                                            "_ZN36_GLOBAL__N__959edb7c_4_b_cu_4d11ce8d5anon2EPf"};
  const std::vector<std::string> variables = {
      "_Z11kmux_kernelILi1EPFvPfEXadL_Z6renderILj3EEvS0_EEE",
      "_Z11kmux_kernelILi2EPFvPdiEXadL_Z2ovS0_iEEE",
      "_Z11kmux_kernelILi3EPFvPfEXadL_ZN1u2o2ES0_EEE",
      "_Z11kmux_kernelILi4EPFvPfEXadL_ZN1u2ccEEEE",
      "_ZN34_INTERNAL_959edb7c_4_b_cu_4d11ce8d11kmux_kernelILi5EPFvPfEXadL_Z2stS1_EEEE",
      "_ZN34_INTERNAL_959edb7c_4_b_cu_4d11ce8d11kmux_kernelILi6EPFvPfEXadL_ZN36_GLOBAL__N__959edb7c_4_b_cu_"
      "4d11ce8d5anon2ES1_"
      "EEEE",
      "_ZN1q7weightsE",
  };
  EXPECT_THAT(names_by_table(
                  {"plain", "render<CH>", "ov(double*, int)", "u::o2(float*)", "u::cc", "st<>", "anon2<>", "ns::none"},
                  variables, symbols),
              ElementsAre("plain", "_Z6renderILj3EEvPf", "_Z2ovPdi", "_ZN1u2o2EPf", "cc", "_Z2stPf",
                          "_ZN36_GLOBAL__N__959edb7c_4_b_cu_4d11ce8d5anon2EPf", "ns::none"));
  EXPECT_TRUE(is_of_name_table(variables[3]));
  EXPECT_FALSE(is_of_name_table(variables.back()));
}

TEST(NameTableTest, DetectsLogsWithErrorsOnlyInTable) {
  EXPECT_TRUE(
      is_about_names("k.cu(3): warning #177-D: unused\nkernel names(2): error: identifier \"x\" is undefined\n"
                     "1 error detected in the compilation of \"kmux-unit.cu\".\n"));
  EXPECT_TRUE(is_about_names("kernel names:1:63: error: no matching function\n1 error generated.\n"));
  EXPECT_FALSE(is_about_names("kernel names(2): error: a\nk.cu(3): error: b\n"));
  EXPECT_FALSE(is_about_names("kernel names(1): warning #3450-D: variable templates are a C++14 feature\n"));
  EXPECT_FALSE(is_about_names(""));
  EXPECT_TRUE(is_about_names("__nv_name_map(2): error: identifier \"nix\" is undefined\n", "__nv_name_map"));
}

TEST(NameTableTest, AttachesCompilerLogToError) {
  const Error error = make_error(ErrorCode::kCompileFailed, "kernel");
  EXPECT_EQ(with_name_errors(error, "said").note("log"), "said");
  EXPECT_EQ(with_name_errors(error, "").notes.size(), 0U);
}

}  // namespace
}  // namespace kmux
