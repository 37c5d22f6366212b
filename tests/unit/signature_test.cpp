#include "kmux/signature.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Expr name(const char* text) { return Expr::symbol(text); }
Param buffer(const char* text, std::vector<Expr> shape) {
  return {text, BufferParam{.dtype = dtype::kFloat32, .shape = std::move(shape)}};
}

TEST(SignatureTest, OrdersSymbolsByFirstAppearanceInShapes) {
  const Signature signature{.params = {buffer("A", {name("m"), name("k")}), buffer("B", {name("k"), name("n") * 4})}};
  EXPECT_THAT(symbol_order(signature), ElementsAre("m", "k", "n"));
}

TEST(SignatureTest, OrdersStrideOnlySymbolsLast) {
  Param strided = buffer("A", {name("m"), 8});
  std::get<BufferParam>(strided.kind).strides = {{name("lda"), name("m")}};
  const Signature signature{.params = {strided, buffer("B", {name("n")})}};
  EXPECT_THAT(symbol_order(signature), ElementsAre("m", "n", "lda"));
}

TEST(SignatureTest, ExcludesScalarNamesFromSymbols) {
  const Signature signature{.params = {{"n", ScalarParam{dtype::kInt32}}, buffer("A", {name("n"), name("m")})}};
  EXPECT_THAT(symbol_order(signature), ElementsAre("m"));
}

TEST(SignatureTest, HasNoSymbolsWithConstantShapes) {
  EXPECT_THAT(symbol_order({.params = {buffer("A", {4, 8})}}), IsEmpty());
}

TEST(SignatureTest, OrdersSlotsByParametersThenSymbols) {
  const Signature signature{
      .params = {buffer("A", {name("n")}), {"s", ScalarParam{dtype::kFloat16}}, {"p", PointerParam{}}},
      .symbols = {{"n", dtype::kInt32}},
  };
  EXPECT_THAT(
      slots_of(signature),
      ElementsAre(SlotInfo{SlotKind::kTensor, "A", dtype::kFloat32}, SlotInfo{SlotKind::kScalar, "s", dtype::kFloat16},
                  SlotInfo{SlotKind::kPointer, "p", dtype::kUInt64}, SlotInfo{SlotKind::kSymbol, "n", dtype::kInt32}));
}

TEST(SignatureTest, FindsParametersByName) {
  const Signature signature{.params = {buffer("A", {}), {"p", PointerParam{}}}, .outputs = {"A"}};
  EXPECT_EQ(find_param(signature, "p"), &signature.params[1]);
  EXPECT_EQ(find_param(signature, "q"), nullptr);
  EXPECT_TRUE(is_output(signature, "A"));
  EXPECT_FALSE(is_output(signature, "p"));
}

}  // namespace
}  // namespace kmux
