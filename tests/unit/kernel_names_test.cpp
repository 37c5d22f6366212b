#include "kmux/plugin/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

TEST(KernelNames, AreWrittenAsInCpp) {
  EXPECT_EQ(demangled("_ZN2ns5scaleIfEEvPT_"), "void ns::scale<float>(float*)");
  EXPECT_EQ(function_name("_ZN2ns5scaleIfEEvPT_"), "ns::scale<float>");
  EXPECT_EQ(function_name("_Z5scalePf"), "scale");
  EXPECT_EQ(function_name("_Z1kIPFivEEvT_"), "k<int (*)()>") << "a blank and parentheses in an argument end no name";
}

TEST(KernelNames, LeaveAloneWhatIsNotMangled) {
  EXPECT_EQ(demangled("f"), "f") << "which is a mangled type";
  EXPECT_EQ(function_name("scale"), "scale");
  EXPECT_EQ(function_name("_Zx"), "_Zx");
}

TEST(KernelNames, HaveTheTypesOfTheParameters) {
  EXPECT_THAT(parameter_types("_Z5scaleIfEvPT_S0_l"), Optional(ElementsAre("float*", "float", "long")));
  EXPECT_THAT(parameter_types("_Z1kPKfSt4pairIiPfEPFviiE"),
              Optional(ElementsAre("float const*", "std::pair<int, float*>", "void (*)(int, int)")));
  EXPECT_THAT(parameter_types("_Z1kv"), Optional(IsEmpty()));
  EXPECT_EQ(parameter_types("scale"), std::nullopt);
  EXPECT_EQ(parameter_types("_ZN2ns5valueE"), std::nullopt) << "a variable";
}

TEST(KernelNames, FindTheSymbolItself) {
  EXPECT_THAT(find_symbols("scale", {"_Z5scalePf", "scale"}), ElementsAre(1)) << "before what is written alike";
}

TEST(KernelNames, FindAnInstantiationWhateverItsBlanks) {
  const std::vector<std::string> symbols = {"_Z5scaleIfLi4EEvPT_", "_Z5scaleIdLi4EEvPT_"};
  EXPECT_THAT(find_symbols("scale<float,4>", symbols), ElementsAre(0));
  EXPECT_THAT(find_symbols("scale< double, 4 >", symbols), ElementsAre(1));
  EXPECT_THAT(find_symbols("scale", symbols), IsEmpty());
}

TEST(KernelNames, FindEveryOverload) {
  EXPECT_THAT(find_symbols("scale", {"_Z5scalePf", "other", "_Z5scalePd"}), ElementsAre(0, 2));
}

}  // namespace
}  // namespace kmux
