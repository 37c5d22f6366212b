#include "parameter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::cutedsl {
namespace {

using testing::ElementsAre;

const Expr kN = Expr::symbol("n");
const Expr kM = Expr::symbol("m");

TEST(LayoutTest, ContiguousStridesAreComputed) {
  const Layout layout = layout_of(BufferParam{dtype::kFloat32, {kM, kN, 8}});
  EXPECT_THAT(layout.shape, ElementsAre(kM, kN, Expr(8)));
  EXPECT_EQ(to_string(layout.strides[0]), "8 * n");
  EXPECT_THAT(layout.strides[1], Expr(8));
  EXPECT_THAT(layout.strides[2], Expr(1));
}

TEST(LayoutTest, ExplicitStridesAreKept) {
  const Layout layout = layout_of(BufferParam{dtype::kFloat32, {kM, 4}, std::vector<Expr>{kN, 1}});
  EXPECT_THAT(layout.strides, ElementsAre(kN, Expr(1)));
}

TEST(LayoutTest, ScalarBufferHasNoStrides) { EXPECT_TRUE(layout_of(BufferParam{dtype::kFloat32, {}}).strides.empty()); }

// The sizes are those of CuTe DSL 4.8.1; builder_test compares them with its code.
TEST(ParameterTest, TensorSizeCountsDynamicValues) {
  using Values = std::vector<std::optional<std::int64_t>>;
  const auto size = [](Values shape, Values strides) {
    return size_of(TensorParameter{dtype::kFloat32, std::move(shape), std::move(strides), 4});
  };
  EXPECT_EQ(size({}, {}), 8u);
  EXPECT_EQ(size({4, 8}, {8, 1}), 8u);
  EXPECT_EQ(size({std::nullopt}, {1}), 16u);
  EXPECT_EQ(size({std::nullopt, std::nullopt}, {64, 1}), 16u);
  EXPECT_EQ(size({std::nullopt, std::nullopt, std::nullopt}, {64, 8, 1}), 24u);
  EXPECT_EQ(size({4, 8}, {std::nullopt, 1}), 16u);
  EXPECT_EQ(size({std::nullopt, 8}, {std::nullopt, 1}), 24u);
  EXPECT_EQ(size({std::nullopt, std::nullopt}, {std::nullopt, std::nullopt}), 32u);
}

TEST(ParameterTest, OtherParametersHaveFixedSizes) {
  EXPECT_EQ(size_of(PointerParameter{}), 8u);
  EXPECT_EQ(size_of(ValueParameter{dtype::kFloat16}), 2u);
  EXPECT_EQ(size_of(ValueParameter{dtype::kBool}), 1u);
  EXPECT_EQ(size_of(MapParameter{}), 128u);
}

}  // namespace
}  // namespace kmux::cutedsl
