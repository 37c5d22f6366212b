#include "unit/validate_cases.h"

namespace kmux {
namespace {

using testing::IsEmpty;

Expr symbol(const char* text) { return Expr::symbol(text); }
Body& body(Program& program) { return program.variants[0].body; }
const Step kEmptyFill = Fill{{"partial"}, 0};

TEST(ValidateBodyTest, ChecksLets) {
  expect_problems({
      {[](Program& p) { body(p).lets[1].name = "a-b"; }, "/variants/0/body/lets/1/name", "\"a-b\" is not a name"},
      {[](Program& p) { body(p).lets[1].name = "C"; }, "/variants/0/body/lets/1/name", "taken (a buffer at /signature"},
      {[](Program& p) { body(p).lets[1].name = "slots"; }, "/variants/0/body/lets/1/name", "reserved"},
      {[](Program& p) { body(p).lets[1].value = symbol("tile"); }, "/variants/0/body/lets/1/value",
       "no \"tile\" in scope. Did you mean 'tiles'?"},
      {[](Program& p) { body(p).lets[1].value = symbol("ceildiv"); }, "/variants/0/body/lets/1/value",
       "\"ceildiv\" is an operator, but stands where a value does. Write [\"ceildiv\", ...] in brackets"},  // C3.12
      {[](Program& p) { body(p).lets[1].value = symbol("rows"); }, "/variants/0/body/lets/1/value",
       "no \"rows\" in scope"},
      {[](Program& p) { body(p).lets[1].value = symbol("s"); }, "/variants/0/body/lets/1/value",
       "a scalar of type float32 (an expression cannot use it)"},
      {[](Program& p) { body(p).lets[1].value = Expr::cast(dtype::kFloat32, 1); }, "/variants/0/body/lets/1/value",
       "cannot cast"},
  });
}

TEST(ValidateBodyTest, ChecksExpressions) {
  Expr deep = symbol("m");
  for (int i = 0; i < 128; ++i) deep = logical_not(deep);
  expect_problems({
      {[&](Program& p) { body(p).lets[1].value = deep; }, "/variants/0/body/lets/1/value", "deeper than 128 levels"},
      {[](Program& p) { body(p).lets[1].value = Expr::cast(dtype::kFloat32, symbol("m")); },
       "/variants/0/body/lets/1/value", "cannot cast to \"float32\""},
      {[](Program& p) { body(p).lets[1].value = Expr(INT64_MAX) + 1; }, "/variants/0/body/lets/1/value",
       "does not fit into 64 bits"},
  });
}

TEST(ValidateBodyTest, ChecksAsserts) {
  expect_problems({
      {[](Program& p) { body(p).asserts[0].condition = symbol("i"); }, "/variants/0/body/asserts/0/condition",
       "no \"i\" in scope"},
      {[](Program& p) { body(p).asserts[0].message = ""; }, "/variants/0/body/asserts/0/message", "has no message"},
      {[](Program& p) { body(p).asserts[0].message = "\xff"; }, "/variants/0/body/asserts/0/message", "not UTF-8"},
  });
}

TEST(ValidateBodyTest, ChecksWorkspaces) {
  expect_problems({
      {[](Program& p) { body(p).workspaces[0].bytes = -4; }, "/variants/0/body/workspaces/0/bytes",
       "the size of a workspace is -4 (the least is 0)"},
      {[](Program& p) { body(p).workspaces[0].bytes = symbol("i"); }, "/variants/0/body/workspaces/0/bytes",
       "no \"i\""},
      {[](Program& p) { body(p).workspaces[0].alignment_bytes = 24; }, "/variants/0/body/workspaces/0/alignment_bytes",
       "not a power of two"},
      {[](Program& p) { body(p).workspaces.push_back({"tiles", 4}); }, "/variants/0/body/workspaces/1/name",
       "taken (a let at /variants/0/body/lets/0/name has it)"},
  });
}

TEST(ValidateBodyTest, ChecksFills) {
  const std::string at = "/variants/0/body/steps/0/fill/";
  expect_problems({
      {[](Program& p) { std::get<Fill>(body(p).steps[0]).target.name = "partal"; }, at + "target/name",
       "no \"partal\" in scope. Did you mean 'partial'?"},
      {[](Program& p) { std::get<Fill>(body(p).steps[0]).target.name = "m"; }, at + "target/name", "\"m\" is a symbol"},
      {[](Program& p) { std::get<Fill>(body(p).steps[0]).target.name = "bias"; }, at + "target/name",
       "buffer \"bias\" is nullable"},
      {[](Program& p) { std::get<Fill>(body(p).steps[0]).target.offset_bytes = -1; }, at + "target/offset_bytes",
       "an offset is -1"},
      {[](Program& p) { std::get<Fill>(body(p).steps[0]).bytes = -1; }, at + "bytes", "the size of a fill is -1"},
  });
}

/// Returns "" or the error for a fill of `bytes` bytes of `buffer` at `offset`.
std::string filled(BufferParam buffer, std::int64_t bytes, std::int64_t offset = 0) {
  Program program{.name = "filled"};
  program.signature.params = {{"y", std::move(buffer)}};
  program.variants = {{.dialect = "c", .sources = {{"k.c", "void k(void) {}"}}}};
  program.variants[0].body.steps = {Fill{{"y", offset}, bytes}, Launch{.kernel = "k"}};
  std::string text;
  for (const Problem& problem : validate(program)) text += problem.path + ": " + problem.message;
  return text;
}

TEST(ValidateBodyTest, RejectsConstantFillsBeyondBuffer) {
  const std::string at = "/variants/0/body/steps/0/fill/bytes: fill of \"y\" writes ";
  const BufferParam dense{.dtype = dtype::kFloat32, .shape = {4, 256}};
  EXPECT_EQ(filled(dense, 4096), "");
  EXPECT_EQ(filled(dense, 4160), at + "4160 bytes (the buffer has 4096). Fill at most the buffer.");
  EXPECT_EQ(filled(dense, std::int64_t{1} << 60),
            at + "1152921504606846976 bytes (the buffer has 4096). Fill at most the buffer.");
  EXPECT_EQ(filled(dense, 4032, 64), "");
  EXPECT_EQ(filled(dense, 4096, 64), at + "4096 bytes at offset 64 (the buffer has 4096). Fill at most the buffer.");
  EXPECT_EQ(filled(dense, INT64_MAX, INT64_MAX).substr(0, at.size()), at);
  EXPECT_EQ(filled({.dtype = dtype::kFloat32}, 4), "");
  EXPECT_EQ(filled({.dtype = dtype::kFloat32}, 5).substr(0, at.size()), at);
}

TEST(ValidateBodyTest, CountsBytesCoveredByBuffer) {
  const auto has = [](BufferParam buffer, std::int64_t bytes) {
    EXPECT_EQ(filled(buffer, bytes), "") << bytes;
    const std::string end = " bytes (the buffer has " + std::to_string(bytes) + "). Fill at most the buffer.";
    EXPECT_THAT(filled(std::move(buffer), bytes + 1), testing::HasSubstr(end));
  };
  has({.dtype = dtype::kFloat32, .shape = {4, 8}, .strides = {{16, 1}}}, (3 * 16 + 7 + 1) * 4);
  has({.dtype = dtype::kFloat32, .shape = {4, 8}, .strides = {{0, 1}}}, 8 * 4);
  has({.dtype = dtype::kFloat32, .shape = {1, 8}, .strides = {{1000, 1}}}, 8 * 4);
  has({.dtype = dtype::kFloat32, .shape = {4, 0}, .strides = {{16, 1}}}, 0);
  has({.dtype = dtype::kFloat32, .shape = {4, 0}}, 0);
  has({.dtype = DType{kDLInt, 4, 1}, .shape = {3}}, 2);
  has({.dtype = DType{kDLFloat, 16, 4}, .shape = {3}}, 24);
  has({.dtype = dtype::kBool, .shape = {7}}, 7);
}

TEST(ValidateBodyTest, RejectsConstantFillsBeyondWorkspace) {
  expect_problems({{[](Program& p) {
                      body(p).workspaces[0].bytes = 64;
                      std::get<Fill>(body(p).steps[0]).bytes = 65;
                    },
                    "/variants/0/body/steps/0/fill/bytes",
                    "fill of \"partial\" writes 65 bytes (the workspace has 64). Fill at most the workspace."}});
}

TEST(ValidateBodyTest, ScopesLoopVariablesToTheirLoop) {
  expect_problems({
      {[](Program& p) { body(p).steps.push_back(If{symbol("i"), {kEmptyFill}, {}}); },
       "/variants/0/body/steps/3/if/condition", "no \"i\" in scope"},
      {[](Program& p) { std::get<For>(body(p).steps[1]).end = symbol("i"); }, "/variants/0/body/steps/1/for/end",
       "no \"i\" in scope"},
      {[](Program& p) { body(p).steps.push_back(For{"m", 0, 1, {kEmptyFill}}); },
       "/variants/0/body/steps/3/for/variable", "\"m\" is taken (a symbol"},
      {[](Program& p) { body(p).steps.push_back(For{"j", 0, 1, {For{"j", 0, 1, {kEmptyFill}}}}); },
       "/variants/0/body/steps/3/for/steps/0/for/variable", "\"j\" is taken (a loop variable"},
  });
  Program siblings = sample_program();
  body(siblings).steps.push_back(For{"i", 0, 1, {Fill{{"partial"}, symbol("i")}}});
  EXPECT_THAT(validate(siblings), IsEmpty());
}

TEST(ValidateBodyTest, ChecksStepTree) {
  Step deep = kEmptyFill;
  for (int i = 0; i < 16; ++i) deep = If{1, {deep}, {}};
  expect_problems({
      {[&](Program& p) { body(p).steps.push_back(deep); },
       "/variants/0/body/steps/3/if/then/0/if/then/0/if/then/0/if/then/0/if/then/0/if/then/0/if/then/0/if/then/0/if/"
       "then/0/if/then/0/if/then/0/if/then/0/if/then/0/if/then/0/if/then/0/if/then",
       "nested deeper than 16 levels"},
      {[](Program& p) { body(p).steps = {Fill{{"partial"}, 4}}; }, "/variants/0/body/steps", "launches nothing"},
      {[](Program& p) { p.variants[1].body.tensor_maps = {body(p).tensor_maps[0]}; }, "/variants/1/body/tensor_maps",
       "dialect \"c\" has no tensor maps"},
  });
}

}  // namespace
}  // namespace kmux
