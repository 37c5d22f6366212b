#include "kmux/plugin/check_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Expr kListedM = Expr::symbol("m");
const Expr kListedN = Expr::symbol("n");

Param buffer(std::string name, std::vector<Expr> shape, DType type = dtype::kFloat32) {
  return {std::move(name), BufferParam{type, std::move(shape)}};
}

Signature signature(std::vector<Param> params, std::vector<std::string> outputs = {}) {
  Signature made{std::move(params), std::move(outputs), {}};
  for (const std::string& name : symbol_order(made)) made.symbols.push_back({name});
  return made;
}

std::vector<CheckKind> kinds(const CheckList& list) {
  std::vector<CheckKind> out;
  for (const Check& check : list.checks) out.push_back(check.kind);
  return out;
}

TEST(CheckListTest, ChecksTensorsBeforeSymbols) {
  const auto list = compile_checks(signature({buffer("A", {kListedM, 64}), buffer("B", {kListedM})})).value();
  EXPECT_THAT(kinds(list), ElementsAre(CheckKind::kTensor, CheckKind::kExtent, CheckKind::kContiguous,
                                       CheckKind::kTensor, CheckKind::kContiguous, CheckKind::kSymbol));
  EXPECT_EQ(list.checks[0].count, 2u);
  EXPECT_EQ(list.checks[1].dim, 1);
  EXPECT_EQ(list.checks[1].value, 64);
  EXPECT_EQ(list.checks[5].count, 2u);
  EXPECT_THAT(list.value_names, ElementsAre("m"));
}

TEST(CheckListTest, SolvesLinearExpressionsAndEvaluatesOthers) {
  const auto list =
      compile_checks(signature({buffer("A", {kListedN * Expr(4) + Expr(2)}), buffer("B", {ceildiv(kListedN, 128)})}))
          .value();
  ASSERT_EQ(list.carriers.size(), 1u);
  EXPECT_EQ(list.carriers[0].coefficient, 4);
  EXPECT_EQ(list.carriers[0].offset, 2);
  ASSERT_EQ(list.checks.back().kind, CheckKind::kComputedExtent);
  EXPECT_EQ(list.expressions[list.checks.back().index], ceildiv(kListedN, 128));
}

TEST(CheckListTest, PrefersExtentsToStrides) {
  Param strided{"A", BufferParam{dtype::kFloat32, {4, 8}, std::vector<Expr>{kListedN, 1}}};
  const auto list = compile_checks(signature({strided, buffer("B", {kListedN})})).value();
  ASSERT_EQ(list.carriers.size(), 2u);
  EXPECT_EQ(list.carriers[0].source, Carrier::Source::kExtent);
  EXPECT_EQ(list.carriers[1].source, Carrier::Source::kStride);
}

TEST(CheckListTest, UsesIntegerScalarsAsValues) {
  const auto list =
      compile_checks(signature({{"n", ScalarParam{dtype::kInt32}}, buffer("A", {kListedN}), buffer("B", {kListedM})}))
          .value();
  EXPECT_THAT(list.value_names, ElementsAre("m", "n"));
  EXPECT_THAT(kinds(list),
              ElementsAre(CheckKind::kScalar, CheckKind::kScalarValue, CheckKind::kTensor, CheckKind::kContiguous,
                          CheckKind::kTensor, CheckKind::kContiguous, CheckKind::kSymbol, CheckKind::kComputedExtent));
  EXPECT_EQ(list.checks[1].index, 1u);
}

TEST(CheckListTest, OmitsOutputsInInputScope) {
  const Signature gemm = signature({buffer("A", {kListedM}), buffer("C", {kListedM, kListedN})}, {"C"});
  const auto list = compile_checks(gemm, CheckScope::kInputs).value();
  EXPECT_THAT(kinds(list),
              ElementsAre(CheckKind::kTensor, CheckKind::kContiguous, CheckKind::kSymbol, CheckKind::kSymbol));
  EXPECT_EQ(list.checks[3].count, 0u);  // no input carries n, so the call fails
}

TEST(CheckListTest, RejectsUndeterminedSymbol) {
  const auto list = compile_checks(signature({buffer("A", {kListedM * kListedN}), buffer("B", {kListedM})}));
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(list.error().message, HasSubstr("symbol \"n\" cannot be determined"));
}

TEST(CheckListTest, RejectsNonIntegerScalarInShape) {
  const auto list = compile_checks(signature({{"s", ScalarParam{dtype::kFloat32}}, buffer("A", {Expr::symbol("s")})}));
  ASSERT_FALSE(list.ok());
  EXPECT_THAT(list.error().message, HasSubstr("\"s\" has no value"));
}

TEST(CheckListTest, RejectsStridesOfWrongRank) {
  const auto list = compile_checks({{{"A", BufferParam{dtype::kFloat32, {4, 8}, std::vector<Expr>{1}}}}});
  ASSERT_FALSE(list.ok());
  EXPECT_THAT(list.error().message, HasSubstr("1 strides for 2 dimensions"));
}

TEST(CheckListTest, UsesNaturalAlignment) {
  EXPECT_EQ(required_alignment({dtype::kFloat16}), 2);
  EXPECT_EQ(required_alignment({dtype::kBool}), 1);
  EXPECT_EQ(required_alignment({DType{kDLFloat, 32, 4}}), 16);
  EXPECT_EQ(required_alignment({DType{kDLFloat, 64, 4}}), 16);
  EXPECT_EQ(required_alignment({DType{kDLFloat, 32, 3}}), 4);
  EXPECT_EQ(required_alignment({DType{kDLInt, 4, 1}}), 1);
  EXPECT_EQ(required_alignment({dtype::kFloat16, {}, {}, 128}), 128);
}

TEST(CheckListTest, RejectsNonPowerOfTwoAlignment) {
  const auto list = compile_checks({{{"A", BufferParam{dtype::kFloat32, {4}, {}, 24}}}});
  ASSERT_FALSE(list.ok());
  EXPECT_THAT(list.error().message, HasSubstr("\"A\" is aligned to 24 bytes"));
}

TEST(CheckListTest, KnowsStorageOfSubByteTypes) {
  const DType int4{kDLInt, 4, 1};
  const DType float4{kDLFloat4_e2m1fn, 4, 1};
  EXPECT_EQ(packing_of(int4), 2);
  EXPECT_EQ(packing_of({kDLUInt, 1, 1}), 8);
  EXPECT_EQ(packing_of({kDLFloat6_e2m3fn, 6, 1}), 1);
  EXPECT_EQ(packing_of(dtype::kInt8), 1);
  EXPECT_TRUE(is_storage_of(int4, dtype::kInt8));
  EXPECT_TRUE(is_storage_of(int4, dtype::kUInt8));
  EXPECT_TRUE(is_storage_of(float4, {kDLFloat4_e2m1fn, 4, 2}));
  EXPECT_FALSE(is_storage_of(int4, dtype::kBool));
  EXPECT_FALSE(is_storage_of(int4, dtype::kInt16));
  EXPECT_FALSE(is_storage_of(dtype::kInt8, dtype::kUInt8));
}

}  // namespace
}  // namespace kmux
