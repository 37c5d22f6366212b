#include "kmux/plugin/features.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Program with_body(Body body) {
  Program program{.name = "p"};
  program.variants = {Variant{.dialect = "c"}, Variant{.dialect = "cuda", .body = std::move(body)}};
  return program;
}

std::vector<std::string> names(const Program& program) {
  std::vector<std::string> result;
  for (const UsedFeature& used : features_used(program, 1)) result.push_back(used.name);
  return result;
}

TEST(FeaturesTest, AreEmptyForSingleLaunch) {
  EXPECT_THAT(names(with_body({.steps = {Launch{.kernel = "k"}}})), IsEmpty());
}

TEST(FeaturesTest, CoverWholeProgram) {
  const Launch launch{.kernel = "k",
                      .args = {StructArg{{ExprArg{1}}}},
                      .grid = {1},
                      .cluster = {2},
                      .dynamic_smem_bytes = 1,
                      .cooperative = true,
                      .programmatic_serialization = true,
                      .l2_windows = {{"A", 1}},
                      .packed_values = true};
  Body body{.workspaces = {{"w", 4}},
            .tensor_maps = {{.name = "t", .mode = TiledMap{}}, {.name = "i", .mode = Im2colMap{}}},
            .steps = {If{1, {For{"i", 0, 2, {launch}}}, {Fill{{"w"}, 4}, launch}}}};
  std::vector<std::string> all(known_features().begin(), known_features().end());
  Program program = with_body(body);
  program.constants = {{"weights"}};
  EXPECT_EQ(names(program), all);
}

TEST(FeaturesTest, AreSortedByName) { EXPECT_TRUE(std::ranges::is_sorted(known_features())); }

TEST(FeaturesTest, ReportFirstUse) {
  const Program program =
      with_body({.steps = {Launch{.kernel = "k"}, If{1, {}, {Launch{.kernel = "k", .block = {4}}, Fill{{"w"}, 4}}}}});
  EXPECT_THAT(features_used(program, 1),
              ElementsAre(UsedFeature{"fill", "/variants/1/body/steps/1/if/else/1/fill"},
                          UsedFeature{"grid", "/variants/1/body/steps/1/if/else/0/launch/block"},
                          UsedFeature{"guard", "/variants/1/body/steps/1/if"},
                          UsedFeature{"several_launches", "/variants/1/body/steps/1/if/else/0/launch"}));
}

TEST(FeaturesTest, ConstantsAreReportedAtProgramLevel) {
  Program program = with_body({.steps = {Launch{.kernel = "k"}}});
  program.constants = {{"weights"}, {"scale"}};
  EXPECT_THAT(features_used(program, 1), ElementsAre(UsedFeature{"constants", "/constants/0"}));
}

TEST(FeaturesTest, ReportFeaturesMissingInBackend) {
  const Program program = with_body({.steps = {Launch{.kernel = "k", .grid = {4}}, Fill{{"w"}, 4}}});
  EXPECT_THAT(missing_features(program, 1, {"grid"}, "tiny"),
              ElementsAre(MissingFeature{"fill", "/variants/1/body/steps/1/fill", "backend \"tiny\" has no fill"}));
  EXPECT_THAT(missing_features(program, 1, {"fill", "grid"}, "tiny"), IsEmpty());
}

}  // namespace
}  // namespace kmux
