#include "kmux/plugin/compiler_flags.h"

#include <array>

#include <gtest/gtest.h>

namespace kmux {
namespace {

constexpr std::array<std::string_view, 2> kWhole = {"-w", "-g"};
constexpr std::array<std::string_view, 2> kWithValue = {"-D", "-std="};
constexpr FlagList kFlags = {kWhole, kWithValue};

TEST(CompilerFlags, AreTakenInFullOrWithAValue) {
  for (const char* flag : {"-w", "-g", "-DA", "-D=", "-std=c++20"}) EXPECT_TRUE(kFlags.contains(flag)) << flag;
  for (const char* flag : {"", "-", "-D", "-std=", "-std", "-w1", " -w", "w", "-dA", "@file"}) {
    EXPECT_FALSE(kFlags.contains(flag)) << flag;
  }
}

TEST(CompilerFlags, AreSplitAsAShellDoesIt_C2_8) {
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

TEST(CompilerFlags, AreClosed_C2_8) {
  for (const char* open : {"-DX='1", "\"-DX=1", "-DX=1\\", "'", "\\"}) {
    const auto split = split_flags(open);
    ASSERT_FALSE(split) << open;
    EXPECT_EQ(split.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(split.error().message.find("within a quote"), std::string::npos);
  }
}

TEST(CompilerFlags, BeginWithAPrefixEvenIfNothingFollows) {
  EXPECT_TRUE(begins_with_any("-D", kWithValue));
  EXPECT_TRUE(begins_with_any("-DA", kWithValue));
  EXPECT_FALSE(begins_with_any("-", kWithValue));
  EXPECT_FALSE(begins_with_any("", kWithValue));
}

TEST(CompilerFlags, OfTheUserBeatTheStandardOfTheSettings) {
  const auto added = [](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"-O3"};
    add_standard(arguments, {.standard = "c++17"}, flags);
    return arguments;
  };
  EXPECT_EQ(added({"-DA"}), (std::vector<std::string>{"-O3", "-std=c++17"}));
  EXPECT_EQ(added({"-DA", "-std=c++20"}), std::vector<std::string>{"-O3"});
  EXPECT_EQ(added({"--std=c++20"}), std::vector<std::string>{"-O3"});
}

TEST(CompilerFlags, AreRefusedByName) {
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

}  // namespace
}  // namespace kmux
