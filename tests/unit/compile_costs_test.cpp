#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "pool/compile_pool.h"
#include "temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

TEST(CompileCostsTest, IsEmptyInitially) { EXPECT_EQ(CompileCosts().of("cpu"), std::nullopt); }

TEST(CompileCostsTest, RaisesPeakAtOnceAndLowersItSlowly) {
  CompileCosts costs;
  costs.learn("cpu", {800, 10});
  costs.learn("cpu", {1600, 10});
  EXPECT_EQ(costs.of("cpu")->peak_bytes, 1600U);
  costs.learn("cpu", {0, 10});
  EXPECT_EQ(costs.of("cpu")->peak_bytes, 1400U);
}

TEST(CompileCostsTest, SmoothsTimes) {
  CompileCosts costs;
  costs.learn("cpu", {0, 10});
  costs.learn("cpu", {0, 90});
  EXPECT_DOUBLE_EQ(costs.of("cpu")->milliseconds, 20);
}

TEST(CompileCostsTest, PersistsLearnedCosts) {
  const TempFolder folder;
  CompileCosts first(folder.path() / "costs.json");
  first.learn("cpu", {1 << 20, 12.5});
  ASSERT_TRUE(first.save().ok());
  CompileCosts second(folder.path() / "costs.json");
  EXPECT_EQ(second.of("cpu"), (CompileCost{1 << 20, 12.5}));
}

TEST(CompileCostsTest, PreservesCostsWrittenByOthers) {
  const TempFolder folder;
  CompileCosts first(folder.path() / "costs.json"), second(folder.path() / "costs.json");
  first.learn("cpu", {1, 1});
  second.learn("other", {2, 2});
  ASSERT_TRUE(first.save().ok());
  ASSERT_TRUE(second.save().ok());
  EXPECT_EQ(CompileCosts(folder.path() / "costs.json").of("cpu"), (CompileCost{1, 1}));
}

TEST(CompileCostsTest, TreatsDamagedFileAsMissing) {
  const TempFolder folder;
  for (const char* text : {"", "{", "[]", "{\"version\":2,\"costs\":{}}", "{\"version\":1,\"costs\":[]}", "\xff"}) {
    CompileCosts costs(folder.write("costs.json", text));
    EXPECT_EQ(costs.of("cpu"), std::nullopt) << text;
    costs.learn("cpu", {1, 1});
    EXPECT_TRUE(costs.save().ok());
    EXPECT_EQ(CompileCosts(folder.path() / "costs.json").of("cpu"), (CompileCost{1, 1}));
  }
}

TEST(CompileCostsTest, IgnoresImplausibleEntries) {
  const auto costs = costs_from_json(R"({"version": 1, "costs": {
    "good": {"peak_bytes": 5, "milliseconds": 1}, "negative": {"peak_bytes": -5, "milliseconds": 1},
    "huge": {"peak_bytes": 9000000000000000000, "milliseconds": 1}, "text": {"peak_bytes": "5", "milliseconds": 1},
    "slow": {"peak_bytes": 5, "milliseconds": 1e300}, "half": {"peak_bytes": 5}, "none": 5}})");
  EXPECT_EQ(costs, (std::map<std::string, CompileCost>{{"good", {5, 1}}}));
  EXPECT_EQ(costs_from_json(costs_to_json(costs)), costs);
}

TEST(CompileCostsTest, IgnoresSymbolicLinks) {
  const TempFolder folder;
  folder.write("elsewhere.json", costs_to_json({{"cpu", {7, 7}}}));
  std::filesystem::create_symlink(folder.path() / "elsewhere.json", folder.path() / "costs.json");
  EXPECT_EQ(CompileCosts(folder.path() / "costs.json").of("cpu"), std::nullopt);
}

TEST(CompileCostsTest, ReportsWhySaveFailed) {
  CompileCosts costs("/nowhere/costs.json");
  EXPECT_TRUE(costs.save().ok());  // no costs to save yet
  costs.learn("cpu", {1, 1});
  EXPECT_THAT(costs.save().error().message, HasSubstr("/nowhere/costs.json"));
}

}  // namespace
}  // namespace kmux
