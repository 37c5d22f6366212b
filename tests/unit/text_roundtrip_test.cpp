// JSON -> text -> JSON and text -> JSON -> text are identities, and no text crashes the parser.
#include <filesystem>
#include <random>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/file_io.h"
#include "kmux/program.h"
#include "kmux/text.h"
#include "kmux/validate.h"

#include "unit/random_program.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kPrograms = 500;  // bars_text takes 10,000

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

TEST(TextRoundtrip, OfRandomPrograms) {
  for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
    expect_identity(random_program(seed), "seed " + std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

// All programs of the tree, whatever wrote them.
TEST(TextRoundtrip, OfEveryProgramOfTheTree) {
  int count = 0;
  for (const char* folder : {"/tests/data", "/examples", "/integrations", "/bench"}) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(KMUX_TEST_SOURCE_DIR) + folder)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".kmux.json")) continue;
      const Result<Program> program = load_program(path);
      if (!program) continue;  // meant for a test of that
      expect_identity(*program, path);
      ++count;
    }
  }
  EXPECT_GT(count, 70);
}

// Two expressions that differ are printed differently, whatever the operators.
TEST(TextRoundtrip, OfEveryPairOfOperators) {
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

// Damages `text` as editing by hand does.
std::string damaged_text(std::string text, std::mt19937& random) {
  const std::vector<std::string> pieces{"(",        ")",        "[",
                                        "]",        ",",        ":",
                                        "\"",       "\n",       "  ",
                                        " ",        "<<<",      ">>>",
                                        "..",       "-",        "launch ",
                                        "if ",      "else ",    "for ",
                                        "let x = ", "out ",     "n",
                                        "7",        "1e9",      "#",
                                        "\\",       "\t",       std::string(1, '\0'),
                                        "\xff",     "\xc3\xa4", "999999999999999999999"};
  const auto somewhere = [&] { return random() % (text.size() + 1); };
  for (unsigned i = random() % 4 + 1; i > 0; --i) {
    const std::size_t at = somewhere();
    switch (random() % 4) {
      case 0:
        text.insert(at, pieces[random() % pieces.size()]);
        break;
      case 1:
        text.erase(at, random() % 20);
        break;
      case 2:
        text.insert(at, text.substr(somewhere(), random() % 80));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random());
    }
  }
  return text;
}

TEST(TextRoundtrip, OfDamagedTextEndsInAnErrorOrInAProgram) {
  std::mt19937 random(3);
  int good = 0;
  for (std::uint32_t i = 0; i < 4'000; ++i) {
    const Program program = random_program(i % 50);
    const std::string text = damaged_text(to_text(program), random);
    const Result<Program> read = read_text_of(text, program);
    if (!read) {
      ASSERT_NE(read.error().note("text"), std::nullopt) << text;
      continue;
    }
    ++good;
    ASSERT_EQ(validate(*read), std::vector<Problem>());
    const Result<Program> again = read_text_of(to_text(*read), program);
    ASSERT_TRUE(again.ok()) << text << to_text(*read) << again.error().explain();
    ASSERT_EQ(*again, *read) << text << to_text(*read);
  }
  EXPECT_GT(good, 40);
}

TEST(TextRoundtrip, OfDeepTextEndsInAnError) {
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

}  // namespace
}  // namespace kmux
