#include <gmock/gmock.h>

#include "kmux/plugin/file_io.h"

#include "backend.h"
#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string resolved(const char* text) { return to_string(resolve_metal_target(text).value()); }

TEST(MetalTargetTest, ResolvesToMetal) {
  for (const char* text : {"", "auto", "metal", "METAL", "metal -max_num_threads=256 -keys=metal,gpu",
                           R"({"kind":"metal","thread_warp_size":32})"}) {
    EXPECT_EQ(resolved(text), "metal") << text;
  }
}

TEST(MetalTargetTest, RejectsOtherTargets) {
  for (const char* text : {"cuda", "metal:apple9", "metal,speed=high"}) {
    EXPECT_EQ(resolve_metal_target(text).error().code, ErrorCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(resolve_metal_target("metal:apple9").error().message, HasSubstr("apple9"));
}

std::vector<std::string> missing_of(const Program& program) {
  std::vector<std::string> names;
  for (const MissingFeature& missing : missing_support({program, 0, {"metal"}, {}})) names.push_back(missing.feature);
  return names;
}

TEST(MetalTargetTest, SupportsMslLaunches) { EXPECT_THAT(missing_of(one_kernel(kAddOne).build().value()), IsEmpty()); }

TEST(MetalTargetTest, ReportsUnsupportedFeatures) {
  Program program = one_kernel(kAddOne).build().value();
  Variant& variant = program.variants[0];
  auto& launch = std::get<Launch>(variant.body.steps[0]);
  launch.cluster = {2};
  launch.cooperative = true;
  launch.programmatic_serialization = true;
  launch.l2_windows = {{"x", 64}};
  variant.body.tensor_maps = {{.name = "m", .base = {"x"}, .dims = {16}, .mode = TiledMap{{16}}}};
  EXPECT_THAT(missing_of(program),
              ElementsAre("cluster", "cooperative", "l2_window", "programmatic_serialization", "tensor_map.tiled"));
  program = one_kernel(kAddOne).build().value();
  program.variants[0].dialect = "cuda";
  program.variants[0].requirements = {{"apple9"}, {"simdgroup_matrix"}};
  EXPECT_THAT(missing_of(program), ElementsAre("dialect", "arch", "simdgroup_matrix"));
}

}  // namespace
}  // namespace kmux::metal
