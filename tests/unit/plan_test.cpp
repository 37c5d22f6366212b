#include "kmux/plugin/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

namespace kmux {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// A cuda program over buffer A of n floats, integer scalar `s` and pointer `p`, with symbols n and unused m.
class Sample {
 public:
  Sample() : builder("sample"), n(builder.symbol("n")), m(builder.symbol("m")) {
    builder.input("A", dtype::kFloat32, {n, m});
    s = builder.scalar("s", dtype::kInt32);
    builder.pointer("p");
    builder.variant("cuda").source("sample.cu", "");
  }
  LaunchBuilder launch(const std::string& kernel) { return builder.launch(kernel).grid({1}).block({32}); }
  Plan plan() const { return lower(builder.build().value(), 0).value(); }

  ProgramBuilder builder;
  Expr n;
  Expr m;
  Expr s;
};

const PlanLaunch& launch_at(const Plan& plan, std::size_t index) { return std::get<PlanLaunch>(plan.steps[index]); }

TEST(PlanTest, ResolvesArgumentNames) {
  Sample sample;
  sample.builder.workspace("w", sample.n * 4, 128);
  sample.launch("k").args({"A", "p", "s", "w"}).arg(TensorArg{"A", 16});
  const Plan plan = sample.plan();
  using Source = PlanAddress::Source;
  EXPECT_THAT(launch_at(plan, 0).args,
              ElementsAre(PlanArg(PlanAddress{Source::kSlot, 0, 0}), PlanArg(PlanAddress{Source::kSlot, 2, 0}),
                          PlanArg(PlanScalar{1, dtype::kInt32}), PlanArg(PlanAddress{Source::kWorkspace, 0, 0}),
                          PlanArg(PlanAddress{Source::kSlot, 0, 16})));
  EXPECT_EQ(plan.workspaces[0].alignment_bytes, 128);
}

TEST(PlanTest, BindsOnlyUsedNames) {
  Sample sample;
  sample.launch("k").args({"A"}).arg(sample.m + sample.s);
  const Plan plan = sample.plan();
  EXPECT_THAT(plan.bindings, ElementsAre(PlanBinding{"s", 1, dtype::kInt32}, PlanBinding{"m", 4, dtype::kInt64}));
  EXPECT_EQ(plan.slots[3].name, "n");
}

TEST(PlanTest, FoldsConstantLetsIntoTheirUses) {
  Sample sample;
  const Expr tile = sample.builder.let("tile", Expr(2) * 64);
  const Expr count = sample.builder.let("count", ceildiv(sample.n, tile));
  sample.builder.launch("k").grid({count}).block({tile}).args({"A"});
  const Plan plan = sample.plan();
  EXPECT_THAT(plan.lets, ElementsAre(Let{"count", ceildiv(sample.n, 128)}));
  EXPECT_EQ(launch_at(plan, 0).block[0], Expr(128));
  EXPECT_EQ(launch_at(plan, 0).grid[0], Expr::symbol("count"));
}

TEST(PlanTest, DropsOnlyTrueAsserts) {
  Sample sample;
  sample.builder.check(Expr(3) < 4, "never").check(sample.n > 0, "sometimes").check(Expr(3) > 4, "always");
  sample.launch("k").args({"A"});
  EXPECT_THAT(sample.plan().asserts, ElementsAre(PlanAssert{sample.n > 0, "assertion failed: sometimes"},
                                                 PlanAssert{0, "assertion failed: always"}));
}

TEST(PlanTest, OmitsCheckForProvablyBoundedFills) {
  Sample sample;
  sample.builder.workspace("w", ceildiv(sample.n, 8) * 4).workspace("v", 64);
  sample.builder.body().fill("A", sample.n * sample.m * 4).fill("A", Expr(4) * (sample.m * sample.n));
  sample.builder.body().fill("w", Expr(4) * ceildiv(sample.n, 8)).fill("v", 64).fill("v", 0);
  sample.builder.body().fill("A", sample.n * sample.m).fill("w", ceildiv(sample.n, 8) * 3);
  sample.launch("k").args({"A"});
  EXPECT_THAT(sample.plan().asserts, testing::IsEmpty());
}

TEST(PlanTest, ChecksUnconditionalFillsBeforeFirstStep) {
  Sample sample;
  sample.launch("k").args({"A"});
  sample.builder.check(sample.s > 0, "s > 0").body().fill("A", sample.n * 4);
  const Plan plan = sample.plan();
  ASSERT_THAT(plan.asserts, SizeIs(2));
  const Expr size = sample.n * sample.m * 4;
  EXPECT_EQ(plan.asserts[0].message, "assertion failed: s > 0");
  EXPECT_EQ(plan.asserts[1].condition, logical_and(sample.n * 4 <= size, sample.n * 4 >= 0));
  EXPECT_EQ(plan.asserts[1].message, "fill of \"A\" writes ");
  EXPECT_THAT(plan.asserts[1].numbers, ElementsAre(PlanAssert::Number{sample.n * 4, " bytes (the buffer has "},
                                                   PlanAssert::Number{size, "). Fill at most the buffer."}));
  EXPECT_EQ(std::get<PlanFill>(plan.steps[1]).bounds, std::nullopt);
  EXPECT_THAT(plan.bindings, SizeIs(3));
}

TEST(PlanTest, ChecksFillsInGuardsAndLoopsAtTheirStep) {
  Sample sample;
  sample.launch("k").args({"A"});
  sample.builder.body()
      .when(sample.s > 0, [&](BodyBuilder& then) { then.fill("A", sample.s); })
      .when(Expr(1), [&](BodyBuilder& then) { then.fill("A", sample.s); })
      .loop("i", 0, 4, [&](BodyBuilder& body, const Expr& i) { body.fill("A", i, 0); });
  const Plan plan = sample.plan();
  EXPECT_THAT(plan.asserts, SizeIs(1)) << "of the guard that is always true";
  EXPECT_TRUE(std::get<PlanFill>(std::get<PlanIf>(plan.steps[1]).then_steps[0]).bounds);
  EXPECT_FALSE(std::get<PlanFill>(plan.steps[2]).bounds);
  const auto& inner = std::get<PlanFill>(std::get<PlanFor>(plan.steps[3]).steps[0]);
  ASSERT_TRUE(inner.bounds);
  EXPECT_THAT(symbols_of(inner.bounds->condition), ElementsAre("i", "m", "n"));
}

TEST(PlanTest, ChecksPointerFillsOnlyForNegativeSize) {
  Sample sample;
  sample.launch("k").args({"A"});
  sample.builder.body().fill("p", sample.s).fill("p", 1 << 30);
  const Plan plan = sample.plan();
  ASSERT_THAT(plan.asserts, SizeIs(1));
  EXPECT_EQ(plan.asserts[0].condition, sample.s >= 0);
  EXPECT_THAT(plan.asserts[0].numbers,
              ElementsAre(PlanAssert::Number{sample.s,
                                             " bytes (sizes and offsets cannot be negative). Pass other arguments."}));
}

TEST(PlanTest, FoldsConstantBranchesAndDropsEmptyLoops) {
  Sample sample;
  sample.builder.body()
      .when(
          Expr(1) > 2, [](BodyBuilder& then) { then.launch("no").grid({1}).block({1}); },
          [](BodyBuilder& otherwise) { otherwise.launch("yes").grid({1}).block({1}); })
      .loop("i", 4, 4, [](BodyBuilder& body, const Expr&) { body.launch("never").grid({1}).block({1}); });
  const Plan plan = sample.plan();
  EXPECT_THAT(plan.steps, SizeIs(1));
  EXPECT_THAT(plan.kernels, ElementsAre("yes"));
}

TEST(PlanTest, ListsKernelsOnceByFirstLaunch) {
  Sample sample;
  for (const char* kernel : {"b", "a", "b"}) sample.launch(kernel).args({"A"});
  const Plan plan = sample.plan();
  EXPECT_THAT(plan.kernels, ElementsAre("b", "a"));
  EXPECT_EQ(launch_at(plan, 2).kernel, 0u);
}

TensorMap map_over(const std::string& name, const Expr& rows, std::int64_t box = 8) {
  TensorMap map;
  map.name = name;
  map.base.name = "A";
  map.dims = {64, rows};
  map.strides_bytes = {256};
  map.mode = TiledMap{{32, box}};
  return map;
}

TEST(PlanTest, MergesEqualTensorMaps) {
  Sample sample;
  sample.builder.tensor_map(map_over("a", sample.n)).tensor_map(map_over("b", sample.n * 1));
  sample.builder.tensor_map(map_over("c", sample.n, 16));
  sample.launch("k").args({"a", "b", "c"});
  const Plan plan = sample.plan();
  EXPECT_THAT(plan.maps, SizeIs(2));
  EXPECT_EQ(plan.maps[0].map.name, "a");
  EXPECT_THAT(launch_at(plan, 0).args,
              ElementsAre(PlanArg(PlanMapArg{0}), PlanArg(PlanMapArg{0}), PlanArg(PlanMapArg{1})));
}

TEST(PlanTest, CastsValuesThatMayOverflow) {
  Sample sample;
  sample.launch("k").arg(sample.n).arg(sample.s).arg(sample.n, dtype::kInt64).arg(7);
  const auto value = [&](Expr expr, DType type) { return PlanArg(PlanValue{std::move(expr), type}); };
  EXPECT_THAT(launch_at(sample.plan(), 0).args,
              ElementsAre(value(Expr::cast(dtype::kInt32, sample.n), dtype::kInt32), value(sample.s, dtype::kInt32),
                          value(sample.n, dtype::kInt64), value(7, dtype::kInt32)));
}

TEST(PlanTest, LaysOutStructsLikeC) {
  Sample sample;
  const StructArg inner{{ScalarArg{"s"}, ExprArg{1, dtype::kInt8}}};
  sample.launch("k").arg(StructArg{{inner, ExprArg{2, dtype::kInt8}, TensorArg{"A", 16}}, 32});
  const Plan plan = sample.plan();
  const auto& record = std::get<PlanStruct>(launch_at(plan, 0).args[0]);
  using Source = PlanAddress::Source;
  EXPECT_THAT(
      record.members,
      ElementsAre(PlanMember{PlanScalar{1, dtype::kInt32}, 0}, PlanMember{PlanValue{1, dtype::kInt8}, 4},
                  PlanMember{PlanValue{2, dtype::kInt8}, 8}, PlanMember{PlanAddress{Source::kSlot, 0, 16}, 16}));
  EXPECT_EQ(record.bytes, 32U);
  EXPECT_EQ(record.alignment_bytes, 32U);
  EXPECT_EQ(to_string(launch_at(plan, 0).args[0], plan), "{s, int8 1, int8 2, A + 16 bytes}");
}

// Since CUDA 13 CUtensorMap is declared with 128 bytes.
TEST(PlanTest, LaysOutTensorMapsInStructs) {
  Sample sample;
  sample.builder.tensor_map(
      {.name = "map", .base = {"A"}, .dims = {32, 8}, .strides_bytes = {128}, .mode = TiledMap{{32, 8}}});
  const StructArg inner{{TensorMapArg{"map"}}, 128};
  sample.launch("k").arg(StructArg{{ExprArg{1}, TensorMapArg{"map"}, ExprArg{2}, inner}});
  const Plan plan = sample.plan();
  const auto& record = std::get<PlanStruct>(launch_at(plan, 0).args[0]);
  EXPECT_THAT(record.members,
              ElementsAre(PlanMember{PlanValue{1, dtype::kInt32}, 0}, PlanMember{PlanMapArg{0}, 64},
                          PlanMember{PlanValue{2, dtype::kInt32}, 192}, PlanMember{PlanMapArg{0}, 256}));
  EXPECT_EQ(record.bytes, 384U);
  EXPECT_EQ(record.alignment_bytes, 128U);
  EXPECT_EQ(to_string(launch_at(plan, 0).args[0], plan), "{int32 1, map, int32 2, map}");
}

TEST(PlanTest, PadsExtentsWithOnes) {
  Sample sample;
  sample.builder.launch("k").grid({sample.n, 2}).block({32}).cluster({2});
  const Plan plan = sample.plan();
  EXPECT_THAT(launch_at(plan, 0).grid, ElementsAre(sample.n, Expr(2), Expr(1)));
  EXPECT_THAT(*launch_at(plan, 0).cluster, ElementsAre(Expr(2), Expr(1), Expr(1)));
}

TEST(PlanTest, ComparesNestedSteps) {
  const PlanStep launch = PlanLaunch{};
  EXPECT_EQ((PlanIf{1, {launch}, {}}), (PlanIf{1, {launch}, {}}));
  EXPECT_FALSE((PlanIf{1, {launch}, {}}) == (PlanIf{1, {}, {launch}}));
  EXPECT_FALSE((PlanFor{"i", 0, 1, {launch}}) == (PlanFor{"j", 0, 1, {launch}}));
}

TEST(PlanTest, RejectsMissingVariant) {
  Sample sample;
  sample.launch("k");
  const auto plan = lower(sample.builder.build().value(), 1);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(plan.error().message, HasSubstr("\"sample\" has no variant 1"));
}

TEST(PlanTest, RejectsInvalidProgram) {
  Sample sample;
  sample.launch("k");
  Program program = sample.builder.build().value();
  program.variants[0].body.lets.push_back({"x", Expr::symbol("nobody")});
  const auto plan = lower(program, 0);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(plan.error().explain(), HasSubstr("nobody"));
}

TEST(PlanTest, VisitsLaunchesInTextOrder) {
  const auto launch_of = [](std::size_t kernel) {
    PlanLaunch launch;
    launch.kernel = kernel;
    return launch;
  };
  const std::vector<PlanStep> steps = {launch_of(0), PlanFor{"i", 0, 2, {launch_of(1), PlanFill{}}},
                                       PlanIf{1, {launch_of(2)}, {PlanFor{"j", 0, 1, {launch_of(3)}}}}, launch_of(4)};
  std::vector<std::size_t> visited;
  for_each_launch(steps, [&](const PlanLaunch& launch) { visited.push_back(launch.kernel); });
  EXPECT_THAT(visited, ElementsAre(0, 1, 2, 3, 4));
}

}  // namespace
}  // namespace kmux
