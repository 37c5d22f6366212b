#include "unit/validate_cases.h"

namespace kmux {
namespace {

using testing::IsEmpty;

Expr symbol_named(const char* text) { return Expr::symbol(text); }

TEST(ValidateSignatureTest, ChecksNames) {
  expect_problems({
      {[](Program& p) { p.signature.params[6].name = "kmux_p"; }, "/signature/params/6/name",
       "\"kmux_p\" is not a name"},
      {[](Program& p) { p.signature.params[6].name = "bias"; }, "/signature/params/6/name",
       "\"bias\" is taken (a buffer at /signature/params/2/name has it)"},
      {[](Program& p) { p.signature.params.push_back({"error", ScalarParam{dtype::kInt32}}); },
       "/signature/params/7/name", "\"error\" is reserved"},
  });
}

TEST(ValidateSignatureTest, AcceptsReservedNameForPointer) {
  Program program = sample_program();
  program.signature.params[6].name = "error";
  EXPECT_THAT(validate(program), IsEmpty());
}

TEST(ValidateSignatureTest, ChecksBuffers) {
  expect_problems({
      {[](Program& p) { buffer_of(p, 2).dtype = {kDLOpaqueHandle, 64, 1}; }, "/signature/params/2/buffer/dtype",
       "a buffer cannot hold \"handle\""},
      {[](Program& p) { buffer_of(p, 2).dtype = {kDLInt, 7, 1}; }, "/signature/params/2/buffer/dtype",
       "a buffer cannot hold \"dtype_0_7\""},
      {[](Program& p) { buffer_of(p, 2).dtype.lanes = 0; }, "/signature/params/2/buffer/dtype", "0 lanes"},
      {[](Program& p) { buffer_of(p, 2).shape = std::vector<Expr>(33, 1); }, "/signature/params/2/buffer/shape",
       "rank 33 (the limit is 32)"},
      {[](Program& p) { buffer_of(p, 2).shape = {-1}; }, "/signature/params/2/buffer/shape/0", "extent is -1"},
      {[](Program& p) { buffer_of(p, 2).shape = {symbol_named("q")}; }, "/signature/params/2/buffer/shape/0",
       "no \"q\" in scope"},
      {[](Program& p) { buffer_of(p, 2).shape = {symbol_named("s")}; }, "/signature/params/2/buffer/shape/0",
       "\"s\" is a scalar of type float32"},
      {[](Program& p) { buffer_of(p, 2).shape = {symbol_named("A")}; }, "/signature/params/2/buffer/shape/0",
       "\"A\" is a buffer"},
      {[](Program& p) { buffer_of(p, 2).shape = {floordiv(1, 0)}; }, "/signature/params/2/buffer/shape/0",
       "division by zero"},
      {[](Program& p) { buffer_of(p, 2).strides = {{1, 1}}; }, "/signature/params/2/buffer/strides",
       "2 strides for 1 dimensions"},
      {[](Program& p) { buffer_of(p, 2).strides = {{-2}}; }, "/signature/params/2/buffer/strides/0", "stride is -2"},
      {[](Program& p) { buffer_of(p, 2).alignment_bytes = -16; }, "/signature/params/2/buffer/alignment_bytes",
       "not a power of two"},
  });
}

TEST(ValidateSignatureTest, ChecksScalars) {
  for (const DType type : {DType{kDLInt, 4, 1}, DType{kDLFloat, 32, 2}, DType{kDLComplex, 64, 1}}) {
    expect_problems({{[&](Program& p) { p.signature.params[4].kind = ScalarParam{type}; },
                      "/signature/params/4/scalar/dtype", "a scalar cannot be"}});
  }
}

TEST(ValidateSignatureTest, AcceptsIntegerButNotBoolScalarsInShapes) {
  Program program = sample_program();
  buffer_of(program, 2).shape = {symbol_named("splits") * 4};
  EXPECT_THAT(validate(program), IsEmpty());
  expect_problems({{[](Program& p) {
                      p.signature.params.push_back({"flag", ScalarParam{dtype::kBool}});
                      buffer_of(p, 2).shape = {symbol_named("flag")};
                    },
                    "/signature/params/2/buffer/shape/0", "\"flag\" is a scalar of type bool"}});
}

TEST(ValidateSignatureTest, ChecksOutputs) {
  expect_problems({
      {[](Program& p) { p.signature.outputs = {"D"}; }, "/signature/outputs/0",
       "no \"D\" in scope. Name a buffer parameter"},
      {[](Program& p) { p.signature.outputs = {"s"}; }, "/signature/outputs/0", "\"s\" is a scalar. Name a buffer"},
      {[](Program& p) { p.signature.outputs = {"C", "C"}; }, "/signature/outputs/1", "named twice"},
      {[](Program& p) { p.signature.outputs = {"C", "bias"}; }, "/signature/outputs/1", "\"bias\" is nullable"},
      {[](Program& p) { p.signature.outputs = {"C"}, buffer_of(p, 3).inout = true; }, "/signature/outputs/0",
       "\"C\" is inout"},
  });
}

TEST(ValidateSignatureTest, ChecksSymbols) {
  expect_problems({
      {[](Program& p) { p.signature.symbols[0].dtype = dtype::kUInt32; }, "/signature/symbols/0/dtype",
       "a symbol cannot be \"uint32\""},
      {[](Program& p) { p.signature.symbols.push_back({"extra"}); }, "/signature/symbols/3",
       "no shape or stride uses symbol \"extra\""},
      {[](Program& p) { std::swap(p.signature.symbols[0], p.signature.symbols[1]); }, "/signature/symbols",
       R"(Order them "m", "k", "n".)"},
      {[](Program& p) { p.signature.params.resize(300, {"x", PointerParam{}}); }, "/signature",
       "303 parameters and symbols (the limit is 256)"},
  });
}

TEST(ValidateSignatureTest, RequiresSolvableSymbols) {
  // Only an output, a null buffer, or a non-linear expression has m.
  expect_problems({
      {[](Program& p) { buffer_of(p, 0).shape[0] = 4, p.signature.symbols = {{"k"}, {"n"}, {"m"}}; },
       "/signature/symbols/2", "symbol \"m\" cannot be solved"},
      {[](Program& p) {
         buffer_of(p, 0).shape[0] = 4, buffer_of(p, 2).shape = {symbol_named("m")};
         p.signature.symbols = {{"k"}, {"n"}, {"m"}};
       },
       "/signature/symbols/2", "symbol \"m\" cannot be solved"},
      {[](Program& p) { buffer_of(p, 0).shape[0] = symbol_named("m") * symbol_named("m"); }, "/signature/symbols/0",
       "linear in it alone"},
  });
  Program linear = sample_program();
  buffer_of(linear, 0).shape[0] = symbol_named("m") * 4 + 1;
  EXPECT_THAT(validate(linear), IsEmpty());
  Program stride = sample_program();
  buffer_of(stride, 0) = {
      .dtype = dtype::kFloat16, .shape = {128, symbol_named("k")}, .strides = {{symbol_named("m"), 1}}};
  stride.signature.symbols = {{"k"}, {"n"}, {"m"}};
  EXPECT_THAT(validate(stride), IsEmpty());
}

}  // namespace
}  // namespace kmux
