#include "kmux/plugin/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(KernelNamesTest, AreDemangled) {
  EXPECT_EQ(demangled("_ZN2ns5scaleIfEEvPT_"), "void ns::scale<float>(float*)");
  EXPECT_EQ(function_name("_ZN2ns5scaleIfEEvPT_"), "ns::scale<float>");
  EXPECT_EQ(function_name("_Z5scalePf"), "scale");
  EXPECT_EQ(function_name("_Z1kIPFivEEvT_"), "k<int (*)()>") << "a blank and parentheses in an argument end no name";
  EXPECT_EQ(function_name("_ZN12_GLOBAL__N_11kEPf"), "(anonymous namespace)::k") << "nor those of an unnamed namespace";
}

TEST(KernelNamesTest, KeepUnmangledNames) {
  EXPECT_EQ(demangled("f"), "f") << "which is a mangled type";
  EXPECT_EQ(function_name("scale"), "scale");
  EXPECT_EQ(function_name("_Zx"), "_Zx");
}

TEST(KernelNamesTest, ListParameterTypes) {
  EXPECT_THAT(parameter_types("_Z5scaleIfEvPT_S0_l"), Optional(ElementsAre("float*", "float", "long")));
  EXPECT_THAT(parameter_types("_Z1kPKfSt4pairIiPfEPFviiE"),
              Optional(ElementsAre("float const*", "std::pair<int, float*>", "void (*)(int, int)")));
  EXPECT_THAT(parameter_types("_Z1kv"), Optional(IsEmpty()));
  EXPECT_EQ(parameter_types("scale"), std::nullopt);
  EXPECT_EQ(parameter_types("_ZN2ns5valueE"), std::nullopt) << "a variable";
}

TEST(KernelNamesTest, PreferExactSymbol) {
  EXPECT_THAT(find_symbols("scale", {"_Z5scalePf", "scale"}), ElementsAre(1)) << "before what is written alike";
}

TEST(KernelNamesTest, FindInstantiationIgnoringWhitespace) {
  const std::vector<std::string> symbols = {"_Z5scaleIfLi4EEvPT_", "_Z5scaleIdLi4EEvPT_"};
  EXPECT_THAT(find_symbols("scale<float,4>", symbols), ElementsAre(0));
  EXPECT_THAT(find_symbols("scale< double, 4 >", symbols), ElementsAre(1));
  EXPECT_THAT(find_symbols("scale<int, 4>", symbols), IsEmpty());
  EXPECT_THAT(find_symbols("scale<float>", symbols), ElementsAre(0)) << "the other argument has a default";
  EXPECT_THAT(find_symbols("scale", symbols), ElementsAre(0, 1));
}

TEST(KernelNamesTest, FindEveryOverload) {
  const std::vector<std::string> symbols = {"_Z5scalePf", "other", "_Z5scalePd", "_Z5scalePKfj"};
  EXPECT_THAT(find_symbols("scale", symbols), ElementsAre(0, 2, 3));
  EXPECT_THAT(find_symbols("scale(double *)", symbols), ElementsAre(2));
  EXPECT_THAT(find_symbols("scale(const float* __restrict__, const unsigned)", symbols), ElementsAre(3));
  EXPECT_THAT(find_symbols("scale(float const*, uint32_t)", symbols), ElementsAre(3));
  EXPECT_THAT(find_symbols("scale(int*)", symbols), IsEmpty());
  EXPECT_THAT(find_symbols("other(int*)", symbols), ElementsAre(1)) << "C has no types in its symbols";
}

TEST(KernelNamesTest, MatchEquivalentTypesAndNumbers) {
  const std::vector<std::string> symbols = {"_Z6reduceILj256EEvPf",      "_Z6reduceILj512EEvPf",
                                            "_Z4flagILb1ELc97ELxn3EEvv", "_Z4castIPKhyEvT_",
                                            "_Z4nestI4PairIfLi2EEEvPf",  "_Z4modeIL4Mode1EEvv"};
  EXPECT_THAT(find_symbols("reduce<256>", symbols), ElementsAre(0));
  EXPECT_THAT(find_symbols("reduce<0x200u>", symbols), ElementsAre(1));
  EXPECT_THAT(find_symbols("flag<true, 97, -3>", symbols), ElementsAre(2));
  EXPECT_THAT(find_symbols("flag<1, 97, -3ll>", symbols), ElementsAre(2));
  EXPECT_THAT(find_symbols("cast<const unsigned char *, unsigned long long int>", symbols), ElementsAre(3));
  EXPECT_THAT(find_symbols("nest<Pair<float,2>>", symbols), ElementsAre(4));
  EXPECT_THAT(find_symbols("mode<1>", symbols), ElementsAre(5));
}

TEST(KernelNamesTest, MatchGivenScopeOrOnlyCandidate) {
  const std::vector<std::string> symbols = {"_Z4areaPf", "_ZN6shapes4areaEPf", "_ZN2v24lastEPf",
                                            "_ZN12_GLOBAL__N_16hiddenEPf", "_ZN3app12_GLOBAL__N_16hiddenEPf"};
  EXPECT_THAT(find_symbols("area", symbols), ElementsAre(0));
  EXPECT_THAT(find_symbols("::area", symbols), ElementsAre(0));
  EXPECT_THAT(find_symbols("shapes::area", symbols), ElementsAre(1));
  EXPECT_THAT(find_symbols("v1::area", symbols), IsEmpty());
  EXPECT_THAT(find_symbols("last", symbols), ElementsAre(2)) << "of an inline namespace, say";
  EXPECT_THAT(find_symbols("hidden", symbols), ElementsAre(3));
  EXPECT_THAT(find_symbols("app::hidden", symbols), ElementsAre(4));
}

TEST(KernelNamesTest, ListCandidatesWhenAmbiguousOrMissing) {
  const Error several = find_symbol("scale", {"_Z5scalePf", "c", "_Z5scalePd"}).error();
  EXPECT_EQ(several.code, ErrorCode::kCompileFailed);
  EXPECT_EQ(several.message,
            "kernel \"scale\" is in the compiled code more than once (scale(float*) = _Z5scalePf, scale(double*) = "
            "_Z5scalePd). Name one of them in full: \"scale(float*)\", or by its symbol.");
  const Error none = find_symbol("scael", {"_Z5scaleIfEvPT_", "c"}).error();
  EXPECT_EQ(none.message,
            "kernel \"scael\" is not in the compiled code (the code has void scale<float>(float*) = _Z5scaleIfEvPT_, "
            "c). Correct "
            "the name; of a template, name an instantiation as in \"scale<float>\".");
  EXPECT_EQ(find_symbol("c", {"a", "c"}).value(), "c");
}

TEST(KernelNamesTest, FormNameExpressions) {
  EXPECT_EQ(kernel_address("ns::scale<float>"), "&ns::scale<float>");
  EXPECT_EQ(kernel_address("gelu(float const*, int)"), "static_cast<void (*)(float const*, int)>(&gelu)");
  EXPECT_EQ(kernel_address("gelu ()"), "static_cast<void (*)()>(&gelu)");
  EXPECT_FALSE(is_name_expression("scale"));
  for (const char* name : {"scale<float>", "ns::scale", "scale(float*)"}) EXPECT_TRUE(is_name_expression(name)) << name;
  EXPECT_THAT(name_expressions({"add", "scale<float>", "ns::copy", "mul"}), ElementsAre("scale<float>", "ns::copy"));
}

}  // namespace
}  // namespace kmux
