// Errors for invalid text: the place, the expected text, and suggestions.
#include <gmock/gmock.h>

#include "kmux/text.h"
#include "kmux/validate.h"

namespace kmux {
namespace {

using testing::HasSubstr;

Result<std::string> file_but_gone(const std::string& path) {
  if (path == "gone.cu")
    return make_error(ErrorCode::kUnavailable, "cannot open 'gone.cu' (No such file or directory).");
  return std::string("content");
}

Error error_of_text(const std::string& text) {
  Result<Program> read = from_text({"k.kmux", text}, file_but_gone);
  EXPECT_FALSE(read.ok()) << text;
  return read ? Error{} : read.error();
}

// Returns the text that a compiler would print.
std::string told(const std::string& text) {
  const Error error = error_of_text(text);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  return std::string(error.note("text").value_or(""));
}

// Returns the error for `line` in an otherwise valid program.
std::string told_of_line(const std::string& line) {
  return told("kernel k(x: f32[m, n], s: f32, p: pointer)\n  sources \"k.cu\"\n" + line +
              "\n  launch k<<<m, 1>>>(x)\n");
}
std::string told_of_step(const std::string& step) {
  return told("kernel k(x: f32[m, n], s: f32, p: pointer)\n  sources \"k.cu\"\n" + step + "\n");
}
std::string told_of_param(const std::string& param) {
  return told("kernel k(x: f32[n], " + param + ")\n  sources \"k.cu\"\n  launch k<<<n, 1>>>(x)\n");
}

TEST(TextErrorTest, PrintsLineAndCaret) {
  EXPECT_EQ(told_of_step("  launch k<<<ceildiv(rows, 256), 256>>>(x)"),
            "k.kmux:3:22: error: no \"rows\" in scope. Use symbols, integer or bool scalars, earlier lets, and loop "
            "variables in their loop.\n"
            "  launch k<<<ceildiv(rows, 256), 256>>>(x)\n"
            "                     ^~~~");
}

TEST(TextErrorTest, CountsColumnsFromBehindByteOrderMark) {
  EXPECT_THAT(
      told("\xef\xbb\xbfkernel k(x: f33[n])\n  sources \"k.cu\"\n  launch k<<<n, 1>>>(x)\n"),
      testing::AllOf(testing::StartsWith("k.kmux:1:13: error: "), HasSubstr("\nkernel k(x: f33[n])\n            ^~~")));
}

TEST(TextErrorTest, ReportsPositionWithinStructure) {
  const auto told_of = [](const std::string& args) { return told_of_step("  launch k<<<1, 1>>>(" + args + ")"); };
  EXPECT_THAT(told_of("{}, x"), HasSubstr("k.kmux:3:22: error: a structure without members"));
  EXPECT_THAT(told_of("{x, m"), HasSubstr("expected '}' or ','"));
  EXPECT_THAT(told_of("m}"), HasSubstr("k.kmux:3:23: error: expected ')' or ',' (found \"}\")"));
  EXPECT_THAT(told_of("{m,}"), HasSubstr("expected an expression (found \"}\")"));
  EXPECT_THAT(told_of("{m, {y}}"), HasSubstr("k.kmux:3:27: error: no \"y\" in scope"));
  EXPECT_THAT(told_of("{m} align 3"), HasSubstr("k.kmux:3:32: error: the alignment of a structure is 3"));
  EXPECT_THAT(told_of("{m} align n"), HasSubstr("expected an alignment in bytes (found \"n\")"));
  EXPECT_THAT(told_of("{s offset 4}"), HasSubstr("\"s\" has no offset"));
  for (const std::size_t levels : {9, 17, 10000})
    EXPECT_THAT(told_of(std::string(levels, '{') + "x" + std::string(levels, '}')),
                HasSubstr("error: structures are nested deeper than 8 levels. Flatten them."));
}

TEST(TextErrorTest, MessageContainsFirstError) {
  EXPECT_EQ(
      error_of_text("kernel k(x: f31[n])\n  lanch k()\n").message,
      "'k.kmux' has 2 errors, the first at 1:13: unknown dtype \"f31\". Did you mean 'f32'? Use bool, i8 ... i64, u8 "
      "... u64, f16, bf16, f32, f64, or one such as float8_e4m3fn or f16x4.");
}

TEST(TextErrorTest, ReportsOneErrorPerLine) {
  EXPECT_EQ(told(R"(kernel k(x: f32[n])
  sorces "k.cu"
  let a = (n + 1
  asert a > 0 && n, "message"
  if a > 3
    launch k<<<n / 256, 1>>>(x, , n)
    let b = 2
  launch k<<n, 256>>(x)
)"),
            R"(k.kmux:2:3: error: expected a step: launch, fill, if or for (found "sorces"). Did you mean 'sources'?
  sorces "k.cu"
  ^~~~~~
k.kmux:4:3: error: expected ')' (found "asert").
  asert a > 0 && n, "message"
  ^~~~~
k.kmux:6:18: error: "/" is not an operator here (it rounds in several ways). Write ceildiv(a, b) or floordiv(a, b).
    launch k<<<n / 256, 1>>>(x, , n)
                 ^
k.kmux:7:5: error: a let cannot stand in a block (it is done once a call). Move it before the steps.
    let b = 2
    ^~~
k.kmux:8:11: error: a launch has <<<grid, block>>> in three brackets. Add one.
  launch k<<n, 256>>(x)
          ^~)");
}

TEST(TextErrorTest, ReportsHeadErrors) {
  EXPECT_THAT(told(""), HasSubstr("1:1: error: there is no program. Begin with"));
  EXPECT_THAT(told("kernal k()\n"),
              HasSubstr("expected \"kernel\" or \"program\" (found \"kernal\"). Did you mean 'kernel'?"));
  EXPECT_THAT(told("kernel k()\n"), HasSubstr("1:1: error: the program has no lines. Indent some below it"));
  EXPECT_THAT(told("kernel int()\n  sources \"k.cu\"\n  launch k()\n"), HasSubstr("1:8: error: \"int\" is not a name"));
  EXPECT_THAT(told("kernel k()\n  sources \"k.txt\"\n  launch k()\n"), HasSubstr("do not say their dialect"));
  EXPECT_THAT(told("kernel k()\n  launch k()\n"), HasSubstr("1:1: error: there are no sources"));
  EXPECT_THAT(told("kernel k()\n  sources \"k.cu\"\n  launch k()\nkernel l()\n"),
              HasSubstr("4:1: error: a text has one program."));
  EXPECT_THAT(told("kernel k()\n  sources \"k.cu\"\n"), HasSubstr("the body launches nothing"));
}

TEST(TextErrorTest, ReportsParameterErrors) {
  EXPECT_THAT(told_of_param("y: f33[n]"), HasSubstr("1:24: error: unknown dtype \"f33\". Did you mean 'f32'?"));
  EXPECT_THAT(
      told_of_param("y f32[n]"),
      HasSubstr("1:23: error: expected ':' and the type of the parameter, as in \"x: f32[n]\" (found \"f32\")"));
  EXPECT_THAT(told_of_param("out y: f32"), HasSubstr("1:21: error: only a buffer is written. Give it a shape"));
  EXPECT_THAT(told_of_param("y: f32[n: i46]"), HasSubstr("unknown dtype \"i46\""));
  EXPECT_THAT(told_of_param("y: f32[n: i32, n: i64]"),
              HasSubstr("1:36: error: \"n\" is i32 before. Remove one of the types."));
  EXPECT_THAT(told_of_param("x: f32[n]"), HasSubstr("1:21: error: the name \"x\" is taken (a buffer at 1:10 has it)."));
  EXPECT_THAT(told_of_param("y: f32[n] aling 16"),
              HasSubstr("1:31: error: expected ',', ')', strides, align or nullable "
                        "(found \"aling\"). Did you mean 'align'?"));
  std::string many;
  for (int i = 0; i < 256; ++i) many += "p" + std::to_string(i) + ": f32" + (i < 255 ? ", " : "");
  EXPECT_THAT(told_of_param(many), HasSubstr("error: there are more than 256 parameters. Pass fewer."));
  EXPECT_THAT(told_of_param("y: f32[n] align 3"),
              HasSubstr("1:37: error: an alignment of 3 bytes is not a power of two"));
  EXPECT_THAT(told_of_param("out y: f32[m]"), HasSubstr("1:32: error: symbol \"m\" cannot be solved"));
}

TEST(TextErrorTest, ReportsErrorsBeforeBody) {
  EXPECT_THAT(told_of_line("  sources \"l.cu\""), HasSubstr("3:3: error: \"sources\" stands here twice."));
  EXPECT_THAT(told_of_line("  headers \"../h.h\""), HasSubstr("3:11: error: file path \"../h.h\" is refused"));
  EXPECT_THAT(told_of_line("  headers \"gone.cu\""), HasSubstr("3:11: error: cannot open 'gone.cu'"));
  EXPECT_THAT(told_of_line("  requires arc \"sm_90\""),
              HasSubstr("expected one of arch, features (found \"arc\"). Did you mean 'arch'?"));
  EXPECT_THAT(told_of_line("  defines \"A=1\", \"2B\""), HasSubstr("3:18: error: \"2B\" is not a define."));
  EXPECT_THAT(told_of_line("  dialect cud"), HasSubstr("(found \"cud\"). Did you mean 'cuda'?"));
  EXPECT_THAT(told_of_line("  standard c++17"), HasSubstr("3:12: error: expected a standard in double quotes"));
  EXPECT_THAT(told_of_line("  example q = 3"), HasSubstr("3:11: error: no \"q\" in scope"));
  EXPECT_THAT(told_of_line("  example n = 1.5"), HasSubstr("3:15: error: expected an integer (found \"1.5\")"));
  EXPECT_THAT(told_of_line("  returns x"), HasSubstr("3:11: error: \"x\" has no \"out\" among the parameters."));
  EXPECT_THAT(told_of_line("  description \"a"), HasSubstr("3:15: error: the text is not closed."));
  EXPECT_THAT(told_of_line("  variant cuda"),
              HasSubstr("3:3: error: the lines above are those of a variant of their own."));
}

TEST(TextErrorTest, ReportsConstantErrors) {
  EXPECT_THAT(told_of_line("  constant a::b: f32[3]"), HasSubstr("k.kmux:3:14: error: expected a type"));
  EXPECT_THAT(told_of_line("  constant w"), HasSubstr("expected ':' and the type of the constant"));
  EXPECT_THAT(told_of_line("  constant w: f32[m]"), HasSubstr("k.kmux:3:19: error: expected an integer"));
  EXPECT_THAT(told_of_line("  constant w: f32[0]"), HasSubstr("k.kmux:3:18: error: float32[0] cannot be the shape"));
  EXPECT_THAT(told_of_line("  constant w: f32[2] initialized"), HasSubstr("expected the end of the line"));
  EXPECT_THAT(told_of_line("  let a = 1\n  constant w: f32"), HasSubstr("\"constant\" stands before lets"));
}

TEST(TextErrorTest, ReportsDeclarationErrors) {
  EXPECT_THAT(told_of_line("  let a"), HasSubstr("3:8: error: expected '=' and a value (the line ends)."));
  EXPECT_THAT(told_of_line("  let m = 3"), HasSubstr("3:7: error: the name \"m\" is taken (a symbol at 1:17 has it)"));
  EXPECT_THAT(told_of_line("  assert n > 0, \"why\"\n  let a = 3"), HasSubstr("4:3: error: lets are before asserts"));
  EXPECT_THAT(told_of_line("  workspace w: 5"), HasSubstr("expected 'bytes' (the line ends)"));
  EXPECT_THAT(told_of_line("  workspace w: 5 bytes align 5"),
              HasSubstr("an alignment of 5 bytes is not a power of two"));
  EXPECT_THAT(told_of_line("  map t: tiled f32 over x"), HasSubstr("3:3: error: the map has no box. Add it."));
  EXPECT_THAT(told_of_line("  map t: tiled f32 over p box [8]"), HasSubstr("the map has no dims, strides_bytes."));
  EXPECT_THAT(told_of_line("  map t: tild f32 over x box [8]"), HasSubstr("Did you mean 'tiled'?"));
  EXPECT_THAT(told_of_line("  map t: tiled f32 over x box [8, 8] swizle 32b"),
              HasSubstr("3:38: error: there is no \"swizle\" here. Did you mean 'swizzle'?"));
  EXPECT_THAT(told_of_line("  map t: tiled f32 over x box [8, 8] swizzle 31b"), HasSubstr("expected one of none, 32b"));
}

TEST(TextErrorTest, ReportsStepErrors) {
  EXPECT_THAT(told_of_step("  launch k<<<1, 1>>>(z)"), HasSubstr("3:22: error: no \"z\" in scope"));
  EXPECT_THAT(told_of_step("  launch k<<<1, 1>>>(s offset 4)"), HasSubstr("\"s\" has no offset"));
  EXPECT_THAT(told_of_step("  launch k<<<1>>>(x)"), HasSubstr("3:15: error: expected ',' and a block (found \">>>\")"));
  EXPECT_THAT(told_of_step("  launch k<<<1, 1>>>(x) coperative"), HasSubstr("Did you mean 'cooperative'?"));
  EXPECT_THAT(told_of_step("  launch k<<<1, 1>>>(x, n: f32)"), HasSubstr("cannot cast to \"float32\""));
  EXPECT_THAT(told_of_step("  launch k<<<1, 1>>>(x) cooperative cooperative"),
              HasSubstr("\"cooperative\" stands here twice"));
  EXPECT_THAT(told_of_step("  fill x: 4 bytes value 256\n  launch k()"), HasSubstr("3:25: error: a byte is 0 to 255."));
  EXPECT_THAT(told_of_step("  if n > 3\n  launch k()"),
              HasSubstr("4:3: error: expected an indented line, or \"pass\" in one"));
  EXPECT_THAT(told_of_step("  launch k()\n  flops n"), HasSubstr("4:3: error: \"flops\" stands before lets"));
  EXPECT_THAT(told_of_step("  for i in 0 . 4\n    launch k()"), HasSubstr("3:14: error: \".\" cannot stand here."));
  EXPECT_THAT(told_of_step("  launch k()\n    launch k()"), HasSubstr("4:5: error: the line is indented further"));
  EXPECT_THAT(told_of_step("  if n\n      launch k()\n    launch k()"),
              HasSubstr("5:1: error: the line is indented by 4 columns"));
  EXPECT_THAT(told_of_step("\tlaunch k()"), HasSubstr("3:1: error: the line begins with a tab."));
}

TEST(TextErrorTest, ReportsExpressionErrors) {
  EXPECT_THAT(told_of_line("  let a = min(n)"), HasSubstr("3:16: error: expected ',' and another operand"));
  EXPECT_THAT(told_of_line("  let a = min(n, m, 3)"),
              HasSubstr("min takes 2 operands, and ')' behind them (found \",\")"));
  EXPECT_THAT(told_of_line("  let a = mni(n, m)"), HasSubstr("there is no function \"mni\". Did you mean 'min'?"));
  EXPECT_THAT(told_of_line("  let a = 0 < n < 5"), HasSubstr("3:17: error: comparisons cannot be chained."));
  EXPECT_THAT(told_of_line("  let a = n % 4"), HasSubstr("Write floormod(a, b)."));
  EXPECT_THAT(told_of_line("  let a = 9223372036854775808"), HasSubstr("the number does not fit 64 bits"));
  EXPECT_THAT(told_of_line("  let a = 1.5"), HasSubstr("expected an expression (found \"1.5\")"));
  EXPECT_THAT(told_of_line("  let a = s + 1"), HasSubstr("3:11: error: \"s\" is a scalar of type float32"));
  EXPECT_THAT(told_of_line("  let a = 1 << 64"), HasSubstr("3:11: error: cannot evaluate \"1 << 64\""));
}

TEST(TextErrorTest, PrintsAtMostTwentyErrors) {
  std::string text = "kernel k()\n";
  for (int i = 0; i < 30; ++i) text += "  lanch k()\n";
  EXPECT_THAT(told(text), HasSubstr("and 10 more errors"));
}

TEST(TextErrorTest, PrintsExcerptOfLongLine) {
  const std::string shown = told_of_line("  let a = " + std::string(1000, ' ') + "@" + std::string(1000, ' '));
  EXPECT_THAT(shown, HasSubstr("3:1011: error: \"@\" cannot stand here."));
  EXPECT_LT(shown.size(), 600U);
}

TEST(TextErrorTest, CutsLongLineBetweenCharacters) {
  for (std::size_t blanks = 0; blanks < 2; ++blanks) {
    std::string umlauts(blanks, ' ');
    for (int i = 0; i < 1000; ++i) umlauts += "\u00e4";
    const Error error = error_of_text("kernel k()\n  description \"" + umlauts + "\" @ \"" + umlauts + "\"\n");
    EXPECT_TRUE(is_text(error.explain())) << error.explain();
    const Error found = error_of_text("kernel \"" + umlauts + "\"\n");
    EXPECT_TRUE(is_text(found.explain())) << found.explain();
    EXPECT_LT(found.message.size(), 300U);
  }
}

TEST(TextErrorTest, PrintsVisibleCharactersVerbatim) {
  EXPECT_THAT(told("kernel \"gr\xc3\xb6\xc3\x9f"
                   "e\"()\n"),
              HasSubstr("(found \"\\\"gr\xc3\xb6\xc3\x9f"
                        "e\\\"\")."));
  EXPECT_THAT(told_of_line("  let a = n \xc3\x97 2"), HasSubstr("3:13: error: \"\xc3\x97\" cannot stand here."));
  EXPECT_THAT(told_of_line("  let a = n\xc2\xa0* 2"), HasSubstr(R"(3:12: error: "\xc2\xa0" cannot stand here.)"))
      << "not visible";
}

TEST(TextErrorTest, UsesLineNumbersOfSource) {
  const std::string source =
      "int before;\n\n  //! kmux\n  //! kernel k(x: f32[n])\n  //!   launch k<<<q, 1>>>(x)\nvoid k() {}\n";
  const Error error = from_text({"k.cu", source, "k.cu"}, file_but_gone).error();
  EXPECT_THAT(std::string(*error.note("text")), HasSubstr("k.cu:5:20: error: no \"q\" in scope."));
  EXPECT_THAT(std::string(*error.note("text")), HasSubstr("  //!   launch k<<<q, 1>>>(x)\n                   ^"));
  EXPECT_THAT(from_text({"k.cu", "void k() {}", "k.cu"}, file_but_gone).error().message,
              HasSubstr("'k.cu' carries no program (there is no comment \"//! kmux\""));
}

}  // namespace
}  // namespace kmux
