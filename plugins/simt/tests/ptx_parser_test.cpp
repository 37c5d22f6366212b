// The parser of PTX statements: structure, scopes, errors, and any text at all.
#include <chrono>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simt/ptx/parser.h"

namespace kmux::simt::ptx {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Operand::Kind;

Text parsed(const std::string& text) {
  const auto result = parse(text);
  EXPECT_TRUE(result.ok()) << text << "\n" << (result.ok() ? "" : result.error().message);
  return result.ok() ? *result : Text{};
}

std::string refusal(const std::string& text) {
  const auto result = parse(text);
  if (result.ok()) return "it was parsed";
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  return result.error().message;
}

TEST(PtxParserTest, SplitsMnemonicsAndOperands) {
  const Text text = parsed("ld.global.L1::no_allocate.v2.u32 $(%r1, $0$), [$1 + -16];");
  ASSERT_EQ(text.statements.size(), 1U);
  const Statement& load = text.statements[0];
  EXPECT_THAT(load.parts, ElementsAre("ld", "global", "L1::no_allocate", "v2", "u32"));
  ASSERT_EQ(load.operands.size(), 2U);
  EXPECT_EQ(load.operands[0].kind, Kind::kVector);
  EXPECT_EQ(load.operands[0].parts[0].kind, Kind::kSpecial);  // not declared
  EXPECT_EQ(load.operands[0].parts[1].kind, Kind::kArgument);
  EXPECT_EQ(load.operands[1].kind, Kind::kAddress);
  EXPECT_EQ(load.operands[1].parts[0].index, 1U);
  EXPECT_EQ(static_cast<std::int64_t>(load.operands[1].bits), -16);
}

// As TileLang's stores by tensor maps do.
TEST(PtxParserTest, JoinsPartsThatSpacesSeparate) {
  const Text text = parsed("cp.async.bulk.tensor .2d .L2::cache_hint [$0], $1;\n.reg .b32 %r1;\nexit");
  ASSERT_EQ(text.statements.size(), 2U);
  EXPECT_THAT(text.statements[0].parts, ElementsAre("cp", "async", "bulk", "tensor", "2d", "L2::cache_hint"));
  EXPECT_EQ(text.statements[0].mnemonic, "cp.async.bulk.tensor.2d.L2::cache_hint");
  EXPECT_EQ(text.registers.size(), 1U);
  EXPECT_THAT(refusal("ld .[$0], $1;"), HasSubstr("where PTX has a part of a mnemonic"));
}

TEST(PtxParserTest, ReadsGuardsPairsAndSpecialRegisters) {
  const Text text = parsed("$( .reg .pred p, q;\n @!p setp.lt.s32 p$|q, %tid.x, -3; elect.sync _$|q, 0xff;$)");
  ASSERT_EQ(text.registers.size(), 2U);
  EXPECT_EQ(text.registers[0].type, kPredicate);
  const Statement& compare = text.statements[0];
  ASSERT_EQ(compare.guard.size(), 1U);
  EXPECT_TRUE(compare.guard[0].is_negated);
  EXPECT_EQ(compare.operands[0].kind, Kind::kPair);
  EXPECT_EQ(compare.operands[1].name, "tid.x");
  EXPECT_EQ(static_cast<std::int64_t>(compare.operands[2].bits), -3);
  EXPECT_EQ(text.statements[1].operands[0].parts[0].kind, Kind::kDiscarded);
}

TEST(PtxParserTest, ReadsNumbers) {
  const auto bits = [](const std::string& number) {
    return parsed("mov.b32 $0, " + number + ";").statements[0].operands[1].bits;
  };
  EXPECT_EQ(bits("0f3F800000"), 0x3f800000U);
  EXPECT_EQ(bits("-0f3F800000"), 0xbf800000U);
  EXPECT_EQ(bits("0d3FF0000000000000"), 0x3ff0000000000000U);
  EXPECT_EQ(bits("1.5"), 0x3ff8000000000000U);
  EXPECT_EQ(bits("0x1F"), 31U);
  EXPECT_EQ(bits("017"), 15U);
  EXPECT_EQ(bits("0b101"), 5U);
  EXPECT_EQ(bits("7U"), 7U);
  EXPECT_THAT(refusal("mov.b32 $0, 0f3F80;"), HasSubstr("\"0f3F80\" where PTX has a number"));
  EXPECT_THAT(refusal("mov.b32 $0, 99999999999999999999;"), HasSubstr("a number"));
}

TEST(PtxParserTest, SkipsCommentsAndEndsStatementsAtLines) {
  const Text text = parsed("// first\nbar.sync 0 /* all */\ntrap\n\n/* not closed");
  ASSERT_EQ(text.statements.size(), 2U);
  EXPECT_EQ(text.statements[1].mnemonic, "trap");
  EXPECT_EQ(parsed("mov.u32 $0,\n $1").statements[0].operands.size(), 2U);
}

TEST(PtxParserTest, ResolvesNamesByScope) {
  const Text text =
      parsed(".reg .b32 r; { .reg .b64 r; mov.b64 r, 1; } mov.b32 r, 2; .reg .f32 %f<3>; neg.f32 %f2, %f0;");
  EXPECT_EQ(text.statements[0].operands[0].index, 1U);
  EXPECT_EQ(text.statements[1].operands[0].index, 0U);
  EXPECT_EQ(text.registers.at(text.statements[2].operands[0].index).name, "%f2");
  EXPECT_THAT(refusal(".reg .b32 r; .reg .b32 r;"), HasSubstr("register \"r\" is declared twice"));
}

TEST(PtxParserTest, ResolvesLabelsByScope) {
  const Text text = parsed("{ L: bra L; } { L: trap; { bra L; bra OUT; } } OUT_${:uid}: OUT:");
  EXPECT_EQ(text.labels.at(text.statements[0].operands[0].index).position, 0U);
  EXPECT_EQ(text.labels.at(text.statements[2].operands[0].index).position, 1U);
  EXPECT_EQ(text.labels.at(text.statements[3].operands[0].index).position, 4U);
  EXPECT_THAT(refusal("{ L: trap; } bra L;"), HasSubstr("label \"L\" is missing"));
  EXPECT_THAT(refusal("L: trap; L:"), HasSubstr("label \"L\" is declared twice"));
}

TEST(PtxParserTest, ErrorsNameTheText) {
  EXPECT_THAT(refusal("mov.u32 $0, %r1 %r2;"), HasSubstr("\"%r2\" where PTX has \",\", behind \"mov.u32\""));
  EXPECT_THAT(refusal("movl $$5, ${0:k}"), HasSubstr("operand \"0:k\" has a modifier"));
  EXPECT_THAT(refusal("%r1 = 5;"), HasSubstr("\"%r1\" where PTX has an instruction"));
  EXPECT_THAT(refusal("add..u32 $0, $1;"), HasSubstr("has an empty part"));
  EXPECT_THAT(refusal(".entry f;"), HasSubstr("\"entry\" where PTX has \".reg\""));
  EXPECT_THAT(refusal(".reg .quux r;"), HasSubstr("the type of a register"));
  EXPECT_THAT(refusal("}"), HasSubstr("an open \"{\""));
  EXPECT_THAT(refusal("@7 trap;"), HasSubstr("predicate"));
  EXPECT_THAT(refusal("add.u32 $0, {$1;"), HasSubstr("\"}\""));
}

TEST(PtxParserTest, LimitsDepthAndRegisters) {
  EXPECT_THAT(refusal(std::string(100000, '{')), HasSubstr("braces nest too deep"));
  EXPECT_THAT(refusal("mov.b32 $0, " + std::string(100000, '{')), HasSubstr("an operand"));
  EXPECT_THAT(refusal(".reg .b32 %r<99999999>;"), HasSubstr("a number of registers"));
  EXPECT_THAT(refusal(".reg .b32 %r<60000>; .reg .b32 %s<60000>;"), HasSubstr("too many registers"));
}

TEST(PtxParserTest, AcceptsAnyTokensWithoutCrash) {
  constexpr const char* kTokens[] = {"{",      "}",          "[",   "]",    ",",    ";",    "@",   "!",       "-",
                                     "+",      "|",          ":",   "::",   ".",    "<",    ">",   "\n",      " ",
                                     "$0",     "${1}",       "${",  "$",    "$(",   "$|",   "$)",  "${:uid}", "%r1",
                                     "%tid.x", "_",          "mov", ".u32", ".reg", ".b32", "p",   "bra",     "L",
                                     "L:",     "0f3F800000", "0x",  "7",    "1.5",  "//",   "/*",  "*/",      "add.u32",
                                     "(",      "=",          "\\",  "\"",   "\1",   "\x7f", "\xff"};
  std::mt19937 random(3);
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto k = random() % 40; k > 0; --k)
      (text += kTokens[random() % std::size(kTokens)]) += random() % 3 == 0 ? " " : "";
    parsed += parse(text).ok() ? 1 : 0;
  }
  EXPECT_GT(parsed, 100);
}

// Returns the time that a text of `count` lines takes, in seconds.
double seconds_for(int count) {
  std::string text = "{ .reg .b32 %r<100>;\n";
  for (int i = 0; i < count; ++i)
    text += "L" + std::to_string(i) + ": @!p add.u32 %r" + std::to_string(i % 100) + ", $0, [%r1 + 4]; bra L" +
            std::to_string(count - 1) + ";\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(parse(".reg .pred p; " + text + "}").ok());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(PtxParserTest, TakesLinearTime) {
  const double small = seconds_for(2000);
  EXPECT_LT(seconds_for(20000),
            100 * (small + 0.001));  // 1 MB; quadratic time would be 100 times as long, and much more
}

}  // namespace
}  // namespace kmux::simt::ptx
