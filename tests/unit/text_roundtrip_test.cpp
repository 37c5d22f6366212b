// JSON -> text -> JSON and text -> JSON -> text are identities, and no text takes long. tests/fuzz tests damaged texts.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <functional>
#include <vector>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/text.h"

#include "unit/random_program.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kPrograms = 500;

Result<Program> read_text_of(std::string_view text, const Program& program) {
  return from_text({"program.kmux", text}, files_of(program));
}

void expect_identity(const Program& program, const std::string& what) {
  const std::string text = to_text(program);
  const Result<Program> read = read_text_of(text, program);
  ASSERT_TRUE(read.ok()) << what << ": " << read.error().explain() << "\n" << text;
  ASSERT_EQ(*read, program) << what << "\n" << text << to_json(*read) << "\n" << to_json(program);
  ASSERT_EQ(to_text(*read), text) << what;
  ASSERT_EQ(format_text({"program.kmux", text}).value(), text) << what;
}

TEST(TextRoundtripTest, PreservesRandomPrograms) {
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    expect_identity(random_program(seed), "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

// All programs of the tree, from any tool.
TEST(TextRoundtripTest, PreservesEveryProgramInTree) {
  int count = 0;
  for (const char* folder : {"/tests/data", "/examples", "/integrations", "/bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(KMUX_TEST_SOURCE_DIR) + folder)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".kmux.json")) continue;
      const Result<Program> program = load_program(path);
      if (!program) continue;  // an invalid program of another test
      expect_identity(*program, path);
      ++count;
    }
  }
  EXPECT_GT(count, 70);
}

// Two different expressions must be printed differently, for all operators.
TEST(TextRoundtripTest, PreservesEveryOperatorPair) {
  const Expr n = Expr::symbol("n");
  Program program = random_program(1);
  program.signature = {.params = {{"x", BufferParam{dtype::kFloat32, {n}}}}, .symbols = {{"n", dtype::kInt64}}};
  program.variants = {{.dialect = "c", .sources = {{"a.c", "x"}}, .body = {.steps = {Launch{.kernel = "k"}}}}};
  program.metadata = {};
  const auto made = [&](ExprOp op, const std::vector<Expr>& operands) {
    if (op == ExprOp::kCast) return Expr::cast(dtype::kUInt8, operands[0]);
    return Expr::make(op, {operands.begin(), operands.begin() + arity(op)});
  };
  for (int outer = static_cast<int>(ExprOp::kAdd); outer <= static_cast<int>(ExprOp::kCast); ++outer) {
    for (int inner = static_cast<int>(ExprOp::kAdd); inner <= static_cast<int>(ExprOp::kCast); ++inner) {
      const Expr nested = made(static_cast<ExprOp>(inner), {n, -3, n});
      Launch launch{.kernel = "k"};
      launch.args = {ExprArg{made(static_cast<ExprOp>(outer), {nested, n, n})},
                     ExprArg{made(static_cast<ExprOp>(outer), {n, nested, nested})}};
      program.variants[0].body.steps = {launch};
      expect_identity(program, to_string(made(static_cast<ExprOp>(outer), {nested, nested, n})));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(TextRoundtripTest, RejectsDeeplyNestedText) {
  const auto refused = [](const std::string& line) {
    const Result<Program> read =
        from_text({"deep.kmux", "kernel k()\n" + line}, [](const std::string&) { return std::string(); });
    return !read.ok();
  };
  std::string parentheses(100'000, '('), sum = "1", blocks, chain = "  if 1\n    pass\n";
  for (int i = 0; i < 100'000; ++i) sum += " + 1";
  for (int i = 0; i < 3'000; ++i) blocks += std::string(static_cast<std::size_t>(2 * i + 2), ' ') + "if 1\n";
  for (int i = 0; i < 100'000; ++i) chain += "  else if 1\n    pass\n";
  EXPECT_TRUE(refused("  let a = " + parentheses));
  EXPECT_TRUE(refused("  let a = " + std::string(100'000, '-') + "n"));
  EXPECT_TRUE(refused("  let a = " + sum));
  std::string nots = "  let a = ";
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  EXPECT_TRUE(refused(nots + "1"));
  EXPECT_TRUE(refused(blocks));
  EXPECT_TRUE(refused(chain));
  EXPECT_TRUE(refused("  launch k" + std::string(100'000, '<')));
}

/// Returns `count` pieces, each with its number.
std::string numbered(int count, const std::function<std::string(const std::string& number)>& piece) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece(std::to_string(i));
  return text;
}

/// Returns the processor time of reading and formatting `text`, in seconds.
double cost_of(const std::string& text) {
  const std::clock_t begin = std::clock();
  const auto read = from_text({"huge.kmux", text}, [](const std::string&) { return std::string(); });
  EXPECT_EQ(format_text({"huge.kmux", text}).ok(), read.ok());
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// Returns texts with `n` of one construct each.
std::vector<std::string> huge_texts(int n) {
  const std::string head = "kernel k(x: f32[n])\n  sources \"k.cu\"\n", launch = "  launch k<<<n, 1>>>(x)\n";
  const std::string last = "w" + std::to_string(n - 1) + ", ";
  const auto same = [](const std::string& line) { return [=](const std::string&) { return line; }; };
  return {
      "kernel k(" + numbered(n, [](const std::string& i) { return "x" + i + ": f32[n" + i + "], "; }) + "y: f32)\n" +
          launch,
      "kernel k(x: f32[" + numbered(n, [](const std::string& i) { return "n" + i + ", "; }) + "1])\n" + launch,
      "kernel k(x: f32[" + numbered(n, same("n, ")) + "n])\n  map t: tiled f32 over x box [1]\n" + launch,
      head + numbered(n, same("  launch k<<<q, 1>>>(x)\n")),
      head + numbered(n, same("  lanch k()\n")),
      head + numbered(n, [](const std::string& i) { return "  workspace w" + i + ": n bytes\n"; }) + "  launch k(" +
          numbered(n, same(last)) + "x)\n",
      head + numbered(n, [](const std::string& i) { return "  let a" + i + " = n  # c\n  # d\n"; }) + launch,
  };
}

// Eight times the text must take eight times as long; a quadratic step would take 64 times. There is no limit in
// seconds, because it would depend on the machine and its sanitizer.
TEST(TextRoundtripTest, HugeTextTakesLinearTime) {
  constexpr int kSmall = 1'000, kFactor = 8;
  const std::vector<std::string> small = huge_texts(kSmall), large = huge_texts(kFactor * kSmall);
  for (std::size_t i = 0; i < small.size(); ++i) {
    const double once = std::min(cost_of(small[i]), cost_of(small[i]));
    EXPECT_LT(cost_of(large[i]), 3 * kFactor * std::max(once, 1e-3)) << large[i].substr(0, 100);
  }
}

}  // namespace
}  // namespace kmux
