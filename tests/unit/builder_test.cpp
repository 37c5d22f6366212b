#include "kmux/builder.h"

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns a program of one buffer whose variant is begun.
ProgramBuilder begun() {
  ProgramBuilder builder("p");
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n});
  builder.variant("cuda").source("k.cu", "");
  return builder;
}

std::vector<Step> steps_of(const ProgramBuilder& builder) { return builder.build().value().variants[0].body.steps; }

TEST(BuilderTest, BuildsASignature) {
  ProgramBuilder builder("p");
  const Expr n = builder.symbol("n"), m = builder.symbol("m", dtype::kInt32);
  builder.input("A", dtype::kFloat16, {m, n}).output("C", dtype::kFloat32, {m}).pointer("q");
  const Expr s = builder.scalar("s", dtype::kInt32);
  builder.buffer("D", {.dtype = dtype::kInt8, .shape = {s}, .nullable = true});
  builder.variant("c").source("k.c", "").launch("k").args({"A", "C"});
  const Signature signature = builder.build().value().signature;
  EXPECT_EQ(signature.params.size(), 5U);
  EXPECT_EQ(signature.params[1], (Param{"C", BufferParam{.dtype = dtype::kFloat32, .shape = {m}}}));
  EXPECT_EQ(signature.params[3], (Param{"s", ScalarParam{dtype::kInt32}}));
  EXPECT_THAT(signature.outputs, ElementsAre("C"));
  EXPECT_THAT(signature.symbols, ElementsAre(Symbol{"m", dtype::kInt32}, Symbol{"n"}));  // in slot order
}

TEST(BuilderTest, DefinesMacrosForNewestVariant) {
  ProgramBuilder builder = begun();
  builder.define("N", 64).launch("k").args({"A"});
  builder.variant("c").source("k.c", "").define("M", -1).launch("k").args({"A"});
  const Program program = builder.build().value();
  EXPECT_THAT(program.variants[0].settings.defines, ElementsAre("N=64"));
  EXPECT_THAT(program.variants[1].settings.defines, ElementsAre("M=-1"));
}

TEST(BuilderTest, BuildsALaunch) {
  ProgramBuilder builder = begun();
  const Expr n = Expr::symbol("n");
  builder.launch("k")
      .grid({ceildiv(n, 128)})
      .block({128})
      .cluster({2})
      .dynamic_smem_bytes(n * 4)
      .cooperative()
      .programmatic_serialization()
      .l2_window("A", n * 4, 0.5)
      .args({"A"})
      .arg(n + 1)
      .arg(n, dtype::kInt64)
      .arg(TensorArg{"A", 16})
      .struct_arg({"A", "n"}, 32);
  const StructArg record{{TensorArg{"A"}, ExprArg{n, dtype::kInt64}}, 32};
  const Launch expected{.kernel = "k",
                        .args = {TensorArg{"A"}, ExprArg{n + 1}, ExprArg{n, dtype::kInt64}, TensorArg{"A", 16}, record},
                        .grid = {ceildiv(n, 128)},
                        .block = {128},
                        .cluster = {2},
                        .dynamic_smem_bytes = n * 4,
                        .cooperative = true,
                        .programmatic_serialization = true,
                        .l2_windows = {{"A", n * 4, 0.5}}};
  EXPECT_THAT(steps_of(builder), ElementsAre(Step(expected)));
}

TEST(BuilderTest, SetsPackedValuesOfLaunch) {
  ProgramBuilder builder = begun();
  builder.launch("k");
  builder.variant("msl").source("k.metal", "").launch("k").args({"A", "n"}).packed_values();
  const Program program = builder.build().value();
  EXPECT_TRUE(std::get<Launch>(program.variants[1].body.steps[0]).packed_values);
  EXPECT_FALSE(std::get<Launch>(program.variants[0].body.steps[0]).packed_values);
}

TEST(BuilderTest, ResolvesArgumentNames) {
  ProgramBuilder builder = begun();
  builder.scalar("s", dtype::kFloat16);
  builder.pointer("p");
  const Expr tiles = builder.let("tiles", Expr::symbol("n") + 1);
  builder.workspace("w", tiles * 4);
  builder.tensor_map({.name = "map", .base = {"A"}, .dims = {Expr::symbol("n")}, .mode = TiledMap{{32}}});
  builder.launch("k").args({"A", "s", "p", "n", "tiles", "w", "map"});
  const auto launch = std::get<Launch>(steps_of(builder)[0]);
  EXPECT_EQ(launch.args, (std::vector<LaunchArg>{
                             TensorArg{"A"}, ScalarArg{"s"}, TensorArg{"p"}, ExprArg{Expr::symbol("n"), dtype::kInt64},
                             ExprArg{tiles, dtype::kInt64}, WorkspaceArg{"w"}, TensorMapArg{"map"}}));
}

TEST(BuilderTest, BuildsGuardsAndLoops) {
  ProgramBuilder builder = begun();
  const Expr n = Expr::symbol("n");
  builder.body()
      .fill("A", n * 4, 7)
      .when(
          n > 1, [](BodyBuilder& body) { body.launch("even"); }, [](BodyBuilder& body) { body.launch("odd"); })
      .loop("i", 0, n, [](BodyBuilder& body, const Expr& i) {
        body.when(i, [&](BodyBuilder& inner) { inner.launch("k").arg(i); });
      });
  const Expr i = Expr::symbol("i");
  EXPECT_THAT(
      steps_of(builder),
      ElementsAre(Step(Fill{{"A"}, n * 4, 7}), Step(If{n > 1, {Launch{.kernel = "even"}}, {Launch{.kernel = "odd"}}}),
                  Step(For{"i", 0, n, {If{i, {Launch{.kernel = "k", .args = {ExprArg{i}}}}, {}}}})));
}

TEST(BuilderTest, BuildsVariants) {
  ProgramBuilder builder = begun();
  builder.header("a.h", "x")
      .settings({.fast_math = true})
      .requires_arch("sm_90a")
      .check(Expr::symbol("n") > 0, "n > 0");
  builder.launch("k");
  builder.variant("c").source("k.c", "c").launch("k").returns_int32();
  builder.metadata({.description = "two"});
  const Program program = builder.build().value();
  ASSERT_EQ(program.variants.size(), 2U);
  EXPECT_THAT(program.variants[0].headers, ElementsAre(File{"a.h", "x"}));
  EXPECT_THAT(program.variants[0].requirements.arch, ElementsAre("sm_90a"));
  EXPECT_TRUE(program.variants[0].settings.fast_math);
  EXPECT_THAT(program.variants[0].body.asserts, ElementsAre(Assert{Expr::symbol("n") > 0, "n > 0"}));
  EXPECT_THAT(program.variants[1].sources, ElementsAre(File{"k.c", "c"}));
  EXPECT_EQ(program.metadata.description, "two");
}

TEST(BuilderTest, ReportsErrorsOnlyInBuild) {
  ProgramBuilder builder("p");
  builder.source("k.c", "").launch("k").args({"nothing"});
  const Result<Program> program = builder.build();
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(program.error().explain(), HasSubstr("/variants/0/dialect: unknown dialect \"\""));
  EXPECT_THAT(program.error().explain(), HasSubstr("no \"nothing\" in scope"));
}

TEST(BuilderTest, BuildsRepeatedly) {
  ProgramBuilder builder = begun();
  EXPECT_THAT(builder.build().error().message, HasSubstr("launches nothing"));
  builder.launch("k");
  EXPECT_EQ(builder.build().value(), builder.build().value());
}

}  // namespace
}  // namespace kmux
