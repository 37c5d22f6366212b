#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

#include "nvidia/target.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Returns a launch with every feature that some architecture lacks.
Program everything() {
  ProgramBuilder builder("everything");
  builder.input("x", dtype::kFloat32, {64, 64}).variant("cuda").source("k.cu", "");
  TensorMap tiled;
  tiled.name = "tiles";
  tiled.base = {"x"};
  tiled.dims = {64, 64};
  tiled.strides_bytes = {256};
  tiled.mode = TiledMap{{32, 32}};
  builder.tensor_map(tiled);
  builder.launch("k").grid({1}).block({1}).cluster({1}).cooperative().programmatic_serialization().l2_window("x", 256);
  builder.launch("k").grid({1}).block({1}).args({"tiles"});
  return builder.build().value();
}

std::vector<std::string> missing(const Program& program, const std::string& arch) {
  std::vector<std::string> names;
  for (const MissingFeature& feature : missing_on_arch({program, 0, {"cuda", arch, {}}, {}})) {
    names.push_back(feature.feature);
  }
  return names;
}

TEST(RequirementsTest, AreMetByFullyCapableArchitecture) { EXPECT_THAT(missing(everything(), "sm_90a"), IsEmpty()); }

TEST(RequirementsTest, ListFeaturesMissingFromArchitecture) {
  EXPECT_THAT(missing(everything(), "sm_80"), ElementsAre("cluster", "programmatic_serialization", "tensor_map.tiled"));
  EXPECT_THAT(missing(everything(), "sm_75"),
              ElementsAre("cluster", "l2_window", "programmatic_serialization", "tensor_map.tiled"));
  EXPECT_THAT(missing(everything(), "sm_52"), testing::Contains("cooperative"));
}

TEST(RequirementsTest, ReportPathAndMinimumArchitecture) {
  const Program program = everything();
  const auto lacking = missing_on_arch({program, 0, {"cuda", "sm_80", {}}, {}});
  EXPECT_EQ(lacking.at(0).path, "/variants/0/body/steps/0/launch/cluster");
  EXPECT_EQ(lacking.at(0).reason, "architecture \"sm_80\" does not have it (sm_90 and newer ones do)");
}

TEST(RequirementsTest, ReportMissingArchitecture) { EXPECT_THAT(missing(everything(), ""), ElementsAre("arch")); }

}  // namespace
}  // namespace kmux::nvidia
