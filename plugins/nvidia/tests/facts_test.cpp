#include "nvidia/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

namespace kmux::nvidia {
namespace {

// Programs with a buffer "x" and a symbol n, and additions to the body.
class FactsTest : public testing::Test {
 protected:
  FactsTest() { builder.input("x", dtype::kFloat32, {n}).variant("cuda").source("k.cu", ""); }
  LaunchBuilder launch(const std::string& kernel = "k") { return launch_in(builder.body(), kernel); }
  static LaunchBuilder launch_in(BodyBuilder body, const std::string& kernel = "k") {
    LaunchBuilder made = body.launch(kernel);
    made.grid({1}).block({1}).args({"x"});
    return made;
  }
  Plan plan() { return lower(builder.build().value(), 0).value(); }
  Facts facts(LaunchChoices choices = {}) {
    const Plan made = plan();
    return {made, made.kernels, choices};
  }

  ProgramBuilder builder{"sample"};
  Expr n = builder.symbol("n");
};

TEST_F(FactsTest, DeduplicatesArgumentPacks) {
  builder.scalar("h", dtype::kFloat16);
  launch("a").args({"h"}).arg(n, dtype::kInt64);
  launch("a").args({"h"}).arg(n, dtype::kInt64);
  launch("a").arg(1);
  launch("b");
  const Facts all = facts();
  ASSERT_EQ(all.view().pack_count, 3u);
  const PackFacts* packs = all.view().packs;
  EXPECT_THAT(std::vector<unsigned>(packs[0].sizes, packs[0].sizes + packs[0].count), testing::ElementsAre(8, 2, 8));
  EXPECT_THAT(std::vector<unsigned>(packs[1].sizes, packs[1].sizes + packs[1].count), testing::ElementsAre(8, 4));
  EXPECT_EQ(packs[2].kernel, 1u);
  EXPECT_FALSE(packs[2].spare);
}

TEST_F(FactsTest, ListsSymbolsByKernelIndex) {
  launch("a");
  launch("b");
  launch("a");
  const Plan made = plan();
  const Facts facts(made, {"_Z1a", "_Z1b"}, {});
  ASSERT_EQ(facts.view().kernel_count, 2u);
  EXPECT_STREQ(facts.view().kernels[0].name, "_Z1a");
  EXPECT_STREQ(facts.view().kernels[1].name, "_Z1b");
  EXPECT_EQ(facts.view().step_count, 3u);
  EXPECT_STREQ(facts.view().name, "sample");
}

TEST_F(FactsTest, ReportsLargestConstantDynamicSharedMemory) {
  launch().dynamic_smem_bytes(1000);
  launch().dynamic_smem_bytes(3000);
  launch().dynamic_smem_bytes(n * 4);
  launch("other");
  const Facts made = facts();
  EXPECT_EQ(made.view().kernels[0].dynamic_smem_bytes, 3000u);
  EXPECT_EQ(made.view().kernels[1].dynamic_smem_bytes, 0u);
}

TEST_F(FactsTest, IncludesLaunchesInGuardsAndLoops) {
  builder.body().when(
      n > 1, [](BodyBuilder& then) { launch_in(then).dynamic_smem_bytes(100); },
      [](BodyBuilder& otherwise) { launch_in(otherwise).dynamic_smem_bytes(200); });
  builder.body().loop("i", 0, 3, [](BodyBuilder& steps, const Expr&) { launch_in(steps).dynamic_smem_bytes(300); });
  EXPECT_EQ(facts().view().kernels[0].dynamic_smem_bytes, 300u);
}

TEST_F(FactsTest, DetectsLargeClusters) {
  launch("none");
  launch("eight").cluster({2, 4});
  launch("sixteen").cluster({4, 4});
  launch("symbolic").cluster({n});
  const Facts made = facts();
  EXPECT_FALSE(made.view().kernels[0].large_cluster);
  EXPECT_FALSE(made.view().kernels[1].large_cluster);
  EXPECT_TRUE(made.view().kernels[2].large_cluster);
  EXPECT_TRUE(made.view().kernels[3].large_cluster);
}

TEST_F(FactsTest, ReportsLargestConstantWindow) {
  launch();
  EXPECT_EQ(facts().view().window_bytes, 0u);
  launch().l2_window("x", 4096);
  launch().l2_window("x", 8192);
  EXPECT_EQ(facts().view().window_bytes, 8192u);
  launch().l2_window("x", n * 4);
  EXPECT_EQ(facts().view().window_bytes, 1u);
}

TEST_F(FactsTest, RemainsValidWhenMoved) {
  launch();
  Facts first = facts();
  const Facts second = std::move(first);
  EXPECT_STREQ(second.view().kernels[0].name, "k");
  EXPECT_STREQ(second.view().name, "sample");
}

TEST_F(FactsTest, ReplayAndRangesAreOptIn) {
  launch();
  launch();
  EXPECT_FALSE(facts().view().replay);
  EXPECT_TRUE(facts({.graph = true}).view().replay);
  EXPECT_FALSE(facts().view().ranges);
  EXPECT_TRUE(facts({.ranges = true}).view().ranges);
}

TEST_F(FactsTest, SingleLaunchIsNotReplayed) {
  launch();
  builder.body().fill("x", 4);
  EXPECT_FALSE(can_replay(plan()));
}

TEST_F(FactsTest, FillsAndClustersAreReplayed) {
  launch().cluster({2});
  builder.body().fill("x", 4);
  launch();
  EXPECT_TRUE(can_replay(plan()));
}

TEST_F(FactsTest, GuardedStepNeedsTwoLaunchesForReplay) {
  builder.body().when(n > 1, [](BodyBuilder& then) { launch_in(then); });
  launch();
  EXPECT_FALSE(can_replay(plan()));
  launch();
  EXPECT_TRUE(can_replay(plan()));
}

TEST_F(FactsTest, LoopsAreNotReplayed) {
  launch();
  launch();
  EXPECT_TRUE(can_replay(plan()));
  builder.body().loop("i", 0, n, [](BodyBuilder& steps, const Expr&) { steps.fill("x", 4); });
  EXPECT_FALSE(can_replay(plan()));
}

TEST_F(FactsTest, LoopsWithinGuardsAreNotReplayed) {
  launch();
  launch();
  builder.body().when(n > 1, [&](BodyBuilder& then) {
    then.loop("i", 0, n, [](BodyBuilder& steps, const Expr& i) {
      steps.when(i > 1, [](BodyBuilder& inner) { launch_in(inner); });
    });
  });
  EXPECT_FALSE(can_replay(plan()));
}

TEST_F(FactsTest, UnsupportedGuardedLaunchIsNotReplayed) {
  launch();
  launch();
  builder.body().when(n > 1, [](BodyBuilder& then) { launch_in(then).cooperative(); });
  EXPECT_FALSE(can_replay(plan()));
}

TEST_F(FactsTest, UnsupportedLaunchIsNotReplayed) {
  const auto with = [](void (*change)(LaunchBuilder&)) {
    ProgramBuilder made("sample");
    made.input("x", dtype::kFloat32, {1024}).variant("cuda").source("k.cu", "");
    launch_in(made.body());
    LaunchBuilder second = launch_in(made.body());
    change(second);
    return can_replay(lower(made.build().value(), 0).value());
  };
  EXPECT_TRUE(with([](LaunchBuilder&) {}));
  EXPECT_FALSE(with([](LaunchBuilder& launch) { launch.l2_window("x", 64); }));
  EXPECT_FALSE(with([](LaunchBuilder& launch) { launch.programmatic_serialization(); }));
  EXPECT_FALSE(with([](LaunchBuilder& launch) { launch.cooperative(); }));
}

}  // namespace
}  // namespace kmux::nvidia
