#include "artifact/tier_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::HasSubstr;

Manifest with_tiers(std::vector<std::string> tiers) {
  Manifest manifest;
  manifest.name = "cpu";
  manifest.tiers = std::move(tiers);
  return manifest;
}

TierPlan plan(const Options& options, const Options& registered = {}, Purpose purpose = Purpose::kRun) {
  return plan_tiers(with_tiers({"fast", "full"}), options, registered, purpose).value();
}

TEST(TierPlanTest, GoesFromQuickestToBestTier) {
  EXPECT_EQ(plan({}), (TierPlan{"fast", "full"}));
  EXPECT_EQ(plan({{"tier", "tiered"}}), (TierPlan{"fast", "full"}));
  EXPECT_TRUE(plan({}).improves());
}

TEST(TierPlanTest, BuildDefaultsToBestTier) {
  EXPECT_EQ(plan({}, {}, Purpose::kBuild), (TierPlan{"full", "full"}));
  EXPECT_EQ(plan({{"tier", "fast"}}, {}, Purpose::kBuild), (TierPlan{"fast", "fast"}));
}

TEST(TierPlanTest, StaysInNamedTier) {
  EXPECT_EQ(plan({{"tier", "fast"}}), (TierPlan{"fast", "fast"}));
  EXPECT_EQ(plan({{"tier", "full"}}), (TierPlan{"full", "full"}));
  EXPECT_FALSE(plan({{"tier", "full"}}).improves());
}

TEST(TierPlanTest, FallsBackToRegisteredTier) {
  const Options registered = {{"cpu.tier", "full"}};
  EXPECT_EQ(plan({}, registered), (TierPlan{"full", "full"}));
  EXPECT_EQ(plan({{"tier", "fast"}}, registered), (TierPlan{"fast", "fast"}));
}

TEST(TierPlanTest, RejectsUnknownTier) {
  const auto refused = plan_tiers(with_tiers({"fast", "full"}), {{"tier", "fats"}}, {}, Purpose::kRun);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("\"fats\" (backend cpu has fast, full, tiered)"));
  EXPECT_THAT(refused.error().message, HasSubstr("Did you mean 'fast'?"));
}

TEST(TierPlanTest, IgnoresOptionForBackendWithoutTiers) {
  EXPECT_EQ(plan_tiers(with_tiers({}), {{"tier", "any"}}, {}, Purpose::kRun).value(), TierPlan{});
}

}  // namespace
}  // namespace kmux
