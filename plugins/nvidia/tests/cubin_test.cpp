#include "nvidia/cubin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cubin_example.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Names = std::vector<std::string>;

TEST(CubinTest, ListsGlobalFunctionsAsKernels) {
  CubinExample cubin{{{"second"}, {"first"}}};
  cubin.symbols.push_back({"helper", ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0});
  cubin.symbols.push_back({"table", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)});
  cubin.symbols.push_back({"elsewhere", ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0x10, SHN_UNDEF});
  EXPECT_THAT(cubin_kernels(cubin.bytes()).value(), ElementsAre("first", "second"));
}

TEST(CubinTest, ReadsArchSuffixFromAssemblerNote) {
  EXPECT_EQ(cubin_arch(CubinExample{}.bytes()).value(), (Arch{90, 'a'}));
  EXPECT_EQ(cubin_arch(CubinExample{.note = "-arch sm_90 -m 64"}.bytes()).value(), (Arch{90, '\0'}));
  EXPECT_EQ(cubin_arch(CubinExample{.note = "-arch sm_80a"}.bytes()).value(), (Arch{90, '\0'}));
  EXPECT_EQ(cubin_arch(CubinExample{.flags = 0x06006402, .note = "-arch sm_100f "}.bytes()).value(), (Arch{100, 'f'}));
}

TEST(CubinTest, ReadsArchFromFirstByteBeforeAbi8) {
  EXPECT_EQ(cubin_arch(CubinExample{.flags = 0x00500550, .abi = 7, .note = ""}.bytes()).value(), (Arch{80, '\0'}));
  EXPECT_EQ(cubin_arch(CubinExample{.flags = 0x005a055a, .abi = 7, .note = ""}.bytes()).value(), (Arch{90, '\0'}));
  EXPECT_EQ(cubin_arch(CubinExample{.flags = 0x005a0d5a, .abi = 7, .note = ""}.bytes()).value(), (Arch{90, 'a'}));
}

TEST(CubinTest, RejectsInvalidBytesWithReason) {
  const auto why = [](const std::string& bytes) { return cubin_kernels(bytes).error().message; };
  EXPECT_THAT(why(""), HasSubstr("it is too short"));
  EXPECT_THAT(why(std::string(100, 'x')), HasSubstr("it is not ELF"));
  EXPECT_THAT(why(CubinExample{.machine = EM_X86_64}.bytes()), HasSubstr("it is for another machine"));
  std::string narrow = CubinExample{}.bytes();
  narrow[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(why(narrow), HasSubstr("it is not of 64 bits"));
  const std::string whole = CubinExample{{{"k"}}}.bytes();
  EXPECT_THAT(why(whole.substr(0, whole.size() - 1)), HasSubstr("it is truncated"));
  EXPECT_EQ(cubin_arch("").error().code, ErrorCode::kInvalidArgument);
}

TEST(CubinTest, DamagedFileIsNotReadOutOfBounds) {
  const std::string whole = CubinExample{{{"k"}}}.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(cubin_kernels(whole.substr(0, size)).ok());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = '\xff';
    (void)cubin_kernels(damaged);
    (void)cubin_arch(damaged);
  }
}

TEST(FindKernelsTest, MatchesExactSymbols) {
  EXPECT_THAT(find_kernels({"b", "a"}, {"a", "b", "c"}).value(), ElementsAre("b", "a"));
}

TEST(FindKernelsTest, MatchesDemangledNamesIgnoringBlanks) {
  const std::vector<std::string> present = {"_Z5scaleIfEvPT_", "_ZN2ns4manyILi3ELb1EEEvPf", "_Z5plainPf"};
  EXPECT_THAT(find_kernels({"scale<float>", "ns::many< 3,true >", "plain"}, present).value(),
              ElementsAre("_Z5scaleIfEvPT_", "_ZN2ns4manyILi3ELb1EEEvPf", "_Z5plainPf"));
}

TEST(FindKernelsTest, ReportsMissingAndAvailableKernels) {
  const auto found = find_kernels({"a", "scale<double>"}, Names{"a", "_Z5scaleIfEvPT_"});
  EXPECT_EQ(found.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(found.error().message, AllOf(HasSubstr("kernel \"scale<double>\" is not in the compiled code"),
                                           HasSubstr("the code has a, void scale<float>(float*) = _Z5scaleIfEvPT_")));
  EXPECT_THAT(find_kernels({"a"}, Names()).error().message, HasSubstr("the code has no kernel"));
}

TEST(FindKernelsTest, RejectsAmbiguousNames) {
  EXPECT_THAT(find_kernels({"k"}, Names{"_Z1kPf", "_Z1kPi"}).error().message,
              HasSubstr("kernel \"k\" is in the compiled code more than once"));
}

TEST(FindKernelsTest, ReadsSymbolsFromCubin) {
  EXPECT_THAT(find_kernels({"k"}, std::string_view(CubinExample{{{"k"}}}.bytes())).value(), ElementsAre("k"));
  EXPECT_EQ(find_kernels({"k"}, std::string_view("text")).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kmux::nvidia
