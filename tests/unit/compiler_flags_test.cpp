#include "kmux/plugin/compiler_flags.h"

#include <array>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::ElementsAre;

constexpr std::array<std::string_view, 2> kWhole = {"-w", "-g"};
constexpr std::array<std::string_view, 2> kWithValue = {"-D", "-std="};
constexpr FlagList kFlags = {kWhole, kWithValue};

TEST(CompilerFlagsTest, MatchExactlyOrWithValue) {
  for (const char* flag : {"-w", "-g", "-DA", "-D=", "-std=c++20"}) EXPECT_TRUE(kFlags.contains(flag)) << flag;
  for (const char* flag : {"", "-", "-D", "-std=", "-std", "-w1", " -w", "w", "-dA", "@file"}) {
    EXPECT_FALSE(kFlags.contains(flag)) << flag;
  }
}

TEST(CompilerFlagsTest, AreSplitIntoShellWords) {
  using Flags = std::vector<std::string>;
  EXPECT_EQ(split_flags("-DX=1 -DY=2").value(), (Flags{"-DX=1", "-DY=2"}));
  EXPECT_EQ(split_flags(" -O2\t-DX=2\n-g ").value(), (Flags{"-O2", "-DX=2", "-g"}));
  EXPECT_EQ(split_flags(R"('-DSUM=(1 + 2)' -DS="a b" -DT=a\ b)").value(),
            (Flags{"-DSUM=(1 + 2)", "-DS=a b", "-DT=a b"}));
  EXPECT_EQ(split_flags(R"('-DV="1.0"' "-DW=\"a\\b\"" -D'X'=\"$Y\n)").value(),
            (Flags{R"(-DV="1.0")", R"(-DW="a\b")", R"(-DX="$Yn)"}));
  EXPECT_EQ(split_flags(R"("" -g)").value(), (Flags{"", "-g"}));
  EXPECT_EQ(split_flags("").value(), Flags{});
  EXPECT_EQ(split_flags("  ").value(), Flags{});
}

TEST(CompilerFlagsTest, RejectUnclosedQuotes) {
  for (const char* open : {"-DX='1", "\"-DX=1", "-DX=1\\", "'", "\\"}) {
    const auto split = split_flags(open);
    ASSERT_FALSE(split) << open;
    EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(split.error().message.find("within a quote"), std::string::npos);
  }
}

TEST(CompilerFlagsTest, MatchPrefixWithoutValue) {
  EXPECT_TRUE(begins_with_any("-D", kWithValue));
  EXPECT_TRUE(begins_with_any("-DA", kWithValue));
  EXPECT_FALSE(begins_with_any("-", kWithValue));
  EXPECT_FALSE(begins_with_any("", kWithValue));
}

TEST(CompilerFlagsTest, UserStandardOverridesSettings) {
  const auto added = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"-O3"};
    add_standard(arguments, {.standard = "c++17"}, flags);
    return arguments;
  };
  EXPECT_EQ(added({"-DA"}), (std::vector<std::string>{"-O3", "-std=c++17"}));
  EXPECT_EQ(added({"-DA", "-std=c++20"}), std::vector<std::string>{"-O3"});
  EXPECT_EQ(added({"--std=c++20"}), std::vector<std::string>{"-O3"});
}

TEST(CompilerFlagsTest, StandardIsThatOfCallerWithoutSettings) {
  const auto added = [](std::string_view otherwise) {
    std::vector<std::string> arguments;
    add_standard(arguments, {}, {}, otherwise);
    return arguments;
  };
  EXPECT_EQ(added("c17"), std::vector<std::string>{"-std=c17"});
  EXPECT_EQ(added(""), std::vector<std::string>());
}

TEST(CompilerFlagsTest, RejectedFlagIsNamed) {
  const auto is_allowed = [](std::string_view flag) { return kFlags.contains(flag); };
  EXPECT_TRUE(check_flags({}, is_allowed, {"toy", "-D"}));
  EXPECT_TRUE(check_flags({"-w", "-DA"}, is_allowed, {"toy", "-D"}));
  const Status status = check_flags({"-w", "-o", "-x"}, is_allowed, {"toy", "-w, -g and -D in one piece"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.error().message,
            "compiler flag \"-o\" is not allowed (backend toy; it could write files, load code or change the steps of "
            "the compilation). Use -w, -g and -D in one piece.");
}

TEST(CompilerFlagsTest, MatchTheirValueTypes) {
  constexpr std::string_view kWords[] = {"on", "off"};
  const ValuedFlag number{"-n="}, numbers{"-l=", FlagValue::kNumbers}, truth{"-t=", FlagValue::kTruth};
  const ValuedFlag name{"-a=", FlagValue::kName}, word{"-w=", FlagValue::kWord, kWords};
  for (const auto& [flag, value] :
       {std::pair(number, "9999"), std::pair(numbers, "177,20014"), std::pair(truth, "true"),
        std::pair(name, "znver4+sse4.2,!x"), std::pair(word, "off")}) {
    EXPECT_TRUE(flag.matches(std::string(flag.begin) + value)) << flag.begin;
  }
  for (const auto& [flag, value] :
       {std::pair(number, "10000"), std::pair(number, "-1"), std::pair(number, "x"), std::pair(numbers, "1;2"),
        std::pair(truth, "yes"), std::pair(name, "a/b"), std::pair(name, "$x"), std::pair(word, "o")}) {
    EXPECT_FALSE(flag.matches(std::string(flag.begin) + value)) << flag.begin << value;
    EXPECT_FALSE(flag.matches(std::string(flag.begin))) << flag.begin;
  }
  EXPECT_FALSE(number.matches("-m=1"));
}

TEST(CompilerFlagsTest, RecognizeWarningFlags) {
  for (const char* flag : {"-Wall", "-Wno-unused", "-Werror", "-Werror=shadow", "-Wno-error=all", "-Wc++17-compat",
                           "-Wshift-overflow=2"}) {
    EXPECT_TRUE(is_warning_flag(flag)) << flag;
  }
  for (const char* flag : {"-W", "-Wl,-Map=x", "-Wa,-al", "-Wp,-MD,x", "-Wx=y", "-Wx=12345", "-w", "-Werror="}) {
    EXPECT_FALSE(is_warning_flag(flag)) << flag;
  }
}

TEST(CompilerFlagsTest, ReadableFoldersComeFromUserOnly) {
  Settings settings;
  settings.compile_flags = {"-I/root/.ssh", "-DX"};
  EXPECT_THAT(folders_of_user({"/a"}, {"-I/root/.ssh", "-DX", "-I/b", "--include-path=/c"}, settings),
              ElementsAre("/a", "/b", "/c"));
  EXPECT_EQ(in_program("-Iinc", "../program"), "-I../program/inc");
  EXPECT_EQ(in_program("--include-path=inc", "/p"), "--include-path=/p/inc");
  for (const char* flag : {"-I/abs", "-DI=inc", "-O2"}) EXPECT_EQ(in_program(flag, "/p"), flag);
}

}  // namespace
}  // namespace kmux
