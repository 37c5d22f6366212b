#include "kmux/jit_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const DType kBuilderF32 = dtype::kFloat32;

Tensor zeros(std::vector<std::int64_t> shape, DType dtype = kBuilderF32) {
  return Tensor::zeros(std::move(shape), dtype).value();
}

/// Returns a tensor of read-only memory without an owner.
Tensor read_only() {
  static float value = 0;
  static std::int64_t extent = 1;
  static DLManagedTensorVersioned managed{};
  managed.version = {1, 1};
  managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  managed.dl_tensor = {&value, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &extent, nullptr, 0};
  return Tensor::from_dlpack(&managed).value();
}

/// Adds a launch with all of `names` as arguments.
void launch(JitBuilder& builder, std::initializer_list<std::string> names) {
  builder.variant("c").source("k.c", "void k() {}");
  builder.launch("k").args(names);
}

/// Returns the first problem of a function without outputs that takes `tensors`.
template <class Describe>
std::string problem(const std::vector<Tensor>& tensors, const Describe& describe) {
  JitBuilder builder("f", tensors);
  const JitOutputs outputs = describe(builder);
  launch(builder, {});
  const Result<Program> program = builder.build(outputs);
  if (program) return "no problem";
  EXPECT_EQ(program.error().code, ErrorCode::kInvalidArgument);
  constexpr std::string_view kHead = "jit function \"f\": ";
  EXPECT_TRUE(program.error().message.starts_with(kHead)) << program.error().message;
  return program.error().message.substr(kHead.size());
}

TEST(JitBuilderTest, ReadsConstantsFromShapes) {
  const std::vector<Tensor> tensors{zeros({2, 3}), zeros({3, 4})};
  JitBuilder builder("f", tensors);
  const auto [m, k, n] = builder.constants("m", "k", "n");
  const JitBuffer a = builder.input("a", {m, k});
  EXPECT_EQ(m.value(), 2);
  EXPECT_EQ(k.value(), 3);
  builder.input("b", {k, n});
  const JitBuffer c = builder.empty("c", a.dtype(), {m, n * 2});
  launch(builder, {"a", "b", "c"});
  const Program program = builder.build({c}).value();
  EXPECT_EQ(program.name, "f");
  EXPECT_EQ(program.signature.params, (std::vector<Param>{{"a", BufferParam{kBuilderF32, {2, 3}}},
                                                          {"b", BufferParam{kBuilderF32, {3, 4}}},
                                                          {"c", BufferParam{kBuilderF32, {2, 8}}}}));
  EXPECT_THAT(program.signature.outputs, ElementsAre("c"));
  EXPECT_TRUE(program.signature.symbols.empty());
}

TEST(JitBuilderTest, KeepsSymbolsDynamic) {
  const std::vector<Tensor> tensors{zeros({2, 3})};
  JitBuilder builder("f", tensors);
  const Expr m = builder.symbol("m");
  const JitConstant k = builder.constant("k");
  builder.input("a", {m, k});
  launch(builder, {"a", "m"});
  const Program program = builder.build({}).value();
  EXPECT_EQ(program.signature.params[0], (Param{"a", BufferParam{kBuilderF32, {m, 3}}}));
  EXPECT_THAT(program.signature.symbols, ElementsAre(Symbol{"m"}));
}

TEST(JitBuilderTest, SolvesConstantsInLinearExtents) {
  const std::vector<Tensor> tensors{zeros({12, 3}), zeros({7})};
  JitBuilder builder("f", tensors);
  const auto [m, n, p] = builder.constants("m", "n", "p");
  builder.input("a", {m * n, n});  // n is solved before m
  builder.input("b", {p * 2 + 1});
  EXPECT_EQ(m.value(), 4);
  EXPECT_EQ(p.value(), 3);
}

TEST(JitBuilderTest, ReadsConstantsFromStrides) {
  const std::vector<Tensor> tensors{zeros({24}).as_strided({2, 3}, {8, 1})};
  JitBuilder builder("f", tensors);
  const JitConstant row = builder.constant("row");
  builder.buffer("a", {.dtype = kBuilderF32, .shape = {2, 3}, .strides = std::vector<Expr>{row, 1}});
  EXPECT_EQ(row.value(), 8);
}

TEST(JitBuilderTest, PassesConstantsToKernels) {
  const std::vector<Tensor> tensors{zeros({5})};
  JitBuilder builder("f", tensors);
  const JitConstant n = builder.constant("n");
  builder.input("a", {n});
  builder.variant("c").define("N", n.value()).source("k.c", "");
  builder.launch("k").args({"a"}).arg(n).arg(Expr(n) + 1, dtype::kInt64);
  const Variant variant = builder.build({}).value().variants[0];
  EXPECT_THAT(variant.settings.defines, ElementsAre("N=5"));
  EXPECT_EQ(std::get<Launch>(variant.body.steps[0]).args,
            (std::vector<LaunchArg>{TensorArg{"a"}, ExprArg{5}, ExprArg{Expr(5) + 1, dtype::kInt64}}));
}

TEST(JitBuilderTest, InfersDTypeFromTensor) {
  const std::vector<Tensor> tensors{zeros({1}, dtype::kInt8), zeros({1}, dtype::kUInt8)};
  JitBuilder builder("f", tensors);
  EXPECT_EQ(builder.input("a", {1}).dtype(), dtype::kInt8);
  EXPECT_EQ(builder.input("b", dtype::kBool, {1}).dtype(), dtype::kBool);  // a bool may be stored in a byte
}

TEST(JitBuilderTest, ReturnsOutputsInGivenOrder) {
  JitBuilder builder("f", {});
  const JitBuffer a = builder.empty("a", kBuilderF32, {1}), b = builder.empty("b", kBuilderF32, {2});
  launch(builder, {"a", "b"});
  EXPECT_THAT(builder.build({b, a}).value().signature.outputs, ElementsAre("b", "a"));
}

TEST(JitBuilderTest, SizesOutputsFromLaterTensors) {
  const std::vector<Tensor> tensors{zeros({5})};
  JitBuilder builder("f", tensors);
  const JitConstant n = builder.constant("n");
  const JitBuffer c = builder.empty("c", kBuilderF32, {Expr(n) * 2});
  builder.input("a", {n});
  launch(builder, {"a", "c"});
  EXPECT_EQ(builder.build(c).value().signature.params[0], (Param{"c", BufferParam{kBuilderF32, {10}}}));
}

TEST(JitBuilderTest, AcceptsNullTensorForNullableBuffer) {
  const std::vector<Tensor> tensors{Tensor(), zeros({3})};
  JitBuilder builder("f", tensors);
  const JitConstant n = builder.constant("n");
  builder.buffer("bias", {.dtype = kBuilderF32, .shape = {n}, .nullable = true});
  builder.input("a", {n});
  launch(builder, {"a"});
  const Program program = builder.build({}).value();
  EXPECT_EQ(program.signature.params[0],
            (Param{"bias", BufferParam{.dtype = kBuilderF32, .shape = {3}, .nullable = true}}));
}

TEST(JitBuilderTest, RejectsMismatchedTensors) {
  const auto describe = [](JitBuilder& b) -> JitOutputs {
    const auto [m, n] = b.constants("m", "n");
    b.input("a", {m, n});
    b.input("b", {n, 7});
    return {};
  };
  EXPECT_EQ(
      problem({zeros({2, 3}), zeros({4, 7})}, describe),
      "dimension 0 of parameter \"b\" is 4, not 3 (m = 2 from \"a\", n = 3 from \"a\"). Give tensors whose shapes "
      "agree.");
  EXPECT_THAT(problem({zeros({2, 3}), zeros({3, 8})}, describe),
              HasSubstr("dimension 1 of parameter \"b\" is 8, not 7"));
  EXPECT_THAT(problem({zeros({2, 3}), zeros({3})}, describe),
              AllOf(HasSubstr("parameter \"b\" has shape [3, 7] (the tensor of the call is float32[3])"),
                    HasSubstr("Give a tensor of as many dimensions.")));
  EXPECT_THAT(problem({zeros({2, 3})}, describe), HasSubstr("parameter \"b\" has no tensor (the call gives 1)"));
  EXPECT_THAT(problem({zeros({2, 3}), zeros({3, 7}), zeros({1})}, describe),
              HasSubstr("the call gives 3 tensors (the function takes 2)"));
  EXPECT_THAT(problem({zeros({2, 3}), Tensor()}, describe),
              HasSubstr("parameter \"b\" is given a null tensor (it is not nullable)"));
}

TEST(JitBuilderTest, RejectsUnsolvableShapes) {
  const auto shaped = [](auto shape) {
    return [shape](JitBuilder& b) -> JitOutputs {
      const auto [m, n] = b.constants("m", "n");
      b.input("a", shape(m, n));
      return {};
    };
  };
  const auto product = shaped([](Expr m, Expr n) { return std::vector<Expr>{m * n}; });
  EXPECT_THAT(problem({zeros({6})}, product),
              HasSubstr("dimension 0 of parameter \"a\" is m * n (no constant follows from that)"));
  const auto even = shaped([](Expr m, Expr n) { return std::vector<Expr>{m * 2, n}; });
  EXPECT_THAT(problem({zeros({5, 1})}, even), HasSubstr("dimension 0 of parameter \"a\" is 5, not m * 2"));
}

TEST(JitBuilderTest, RejectsMismatchedDType) {
  EXPECT_EQ(problem({zeros({1})},
                    [](JitBuilder& b) -> JitOutputs {
                      b.input("a", dtype::kFloat16, {1});
                      return {};
                    }),
            "parameter \"a\" is float16 (the tensor of the call is float32[1]). Give a tensor of that dtype.");
}

TEST(JitBuilderTest, RejectsReadOnlyTensorForInout) {
  EXPECT_THAT(problem({read_only()},
                      [](JitBuilder& b) -> JitOutputs {
                        b.inout("a", {1});
                        return {};
                      }),
              HasSubstr("parameter \"a\" is written (the tensor of the call is read-only). Give it a copy."));
}

TEST(JitBuilderTest, KeepsInoutInSignature) {
  const std::vector<Tensor> tensors{zeros({2}), zeros({2})};
  JitBuilder builder("f", tensors);
  const JitBuffer y = builder.inout("y", {2});
  builder.input("x", {2});
  launch(builder, {"y", "x"});
  const Program program = builder.build({}).value();
  EXPECT_TRUE(std::get<BufferParam>(program.signature.params[0].kind).inout);
  EXPECT_FALSE(std::get<BufferParam>(program.signature.params[1].kind).inout);
  EXPECT_EQ(y.dtype(), kBuilderF32);
}

TEST(JitBuilderTest, RejectsReadOnlyTensorForInoutBuffer) {
  EXPECT_THAT(problem({read_only()},
                      [](JitBuilder& b) -> JitOutputs {
                        b.buffer("a", {.dtype = kBuilderF32, .shape = {1}, .inout = true});
                        return {};
                      }),
              HasSubstr("parameter \"a\" is written (the tensor of the call is read-only). Give it a copy."));
}

TEST(JitBuilderTest, RejectsConstantsWithoutValue) {
  EXPECT_THAT(problem({},
                      [](JitBuilder& b) -> JitOutputs {
                        b.constant("n");
                        return {};
                      }),
              HasSubstr("constant \"n\" has no value (no tensor has it in its shape)"));
  EXPECT_THAT(problem({zeros({1})},
                      [](JitBuilder& b) -> JitOutputs {
                        const JitConstant n = b.constant("n");
                        EXPECT_EQ(n.value(), 0);
                        b.input("a", {n});
                        return {};
                      }),
              HasSubstr("constant \"n\" is read before a tensor gives it. Declare the inputs first."));
  EXPECT_THAT(problem({zeros({1})},
                      [](JitBuilder& b) -> JitOutputs {
                        b.input("a", {b.constant("n")});
                        b.constant("n");
                        return {};
                      }),
              HasSubstr("constant \"n\" is declared twice"));
}

TEST(JitBuilderTest, RequiresReturningExactlyAllocatedTensors) {
  EXPECT_THAT(problem({zeros({1})}, [](JitBuilder& b) -> JitOutputs { return b.input("a", {1}); }),
              HasSubstr("\"a\" cannot be returned (it is a tensor of the caller, who has it)"));
  EXPECT_THAT(problem({},
                      [](JitBuilder& b) -> JitOutputs {
                        b.empty("c", kBuilderF32, {1});
                        return {};
                      }),
              HasSubstr("\"c\" is not returned (it could not be read). Return it, or use workspace()."));
  EXPECT_THAT(problem({},
                      [](JitBuilder& b) -> JitOutputs {
                        const JitBuffer c = b.empty("c", kBuilderF32, {1});
                        return {c, c};
                      }),
              HasSubstr("\"c\" is returned twice"));
}

TEST(JitBuilderTest, ListsAllProblems) {
  JitBuilder builder("f", {});
  builder.input("a", {1});
  builder.constant("n");
  const Error error = builder.build({}).error();
  EXPECT_EQ(error.notes.size(), 1U) << "beside the one in the message: " << error.explain();
}

TEST(JitBuilderTest, ReportsProgramErrors) {
  const std::vector<Tensor> tensors{zeros({1})};
  JitBuilder builder("f", tensors);
  builder.input("a", {1});
  EXPECT_THAT(builder.build({}).error().message, HasSubstr("program \"f\""));  // it has no variant
}

}  // namespace
}  // namespace kmux
