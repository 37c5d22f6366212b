#include "backend.h"

#include "kmux/plugin/file_io.h"

#include "workbench.h"

namespace kmux::hip {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class HipBackendTest : public testing::Test {
 protected:
  std::vector<MissingFeature> missing(const ProgramBuilder& builder, const std::string& arch = "gfx90a") {
    const Program program = builder.build().value();
    return backend.supports({program, 0, Target{"hip", arch, {}}, {}}).value();
  }
  FakeHost host;
  HipBackend backend{host};
};

auto lacks(const std::string& feature) { return Contains(Field(&MissingFeature::feature, feature)); }

TEST_F(HipBackendTest, SupportsHipFeatures) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.workspace("w", 64);
  builder.body().fill("w", 64);
  builder.launch("k").grid({1}).block({64}).dynamic_smem_bytes(64).cooperative().args({"w"}).arg(1);
  EXPECT_THAT(missing(builder), IsEmpty());
}

TEST_F(HipBackendTest, RejectsNvidiaFeaturesByName) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.launch("k")
      .grid({2})
      .block({64})
      .cluster({2})
      .programmatic_serialization()
      .l2_window("x", 64)
      .args({"x"})
      .arg(1);
  TensorMap map;
  map.name = "map";
  map.base = {"x"};
  map.dims = {Expr(64)};
  map.mode = TiledMap{{32}};
  builder.tensor_map(map);
  builder.launch("k").grid({1}).block({64}).args({"map"}).arg(1);
  const auto found = missing(builder);
  for (const char* feature : {"cluster", "programmatic_serialization", "l2_window", "tensor_map.tiled"}) {
    EXPECT_THAT(found, lacks(feature));
  }
  EXPECT_THAT(found.front().reason, HasSubstr("hip"));
}

TEST_F(HipBackendTest, RejectsOtherDialectsAndArchitectures) {
  ProgramBuilder builder("other");
  builder.variant("c").source("k.c", "void k(void) {}");
  builder.launch("k");
  EXPECT_THAT(missing(builder), lacks("dialect"));
  ProgramBuilder for_mi300 = one_kernel(kAddOne);
  for_mi300.requires_arch("gfx942");
  EXPECT_THAT(missing(for_mi300), lacks("arch"));
  EXPECT_THAT(missing(for_mi300, "gfx942"), IsEmpty());
}

TEST_F(HipBackendTest, AcceptsCudaAsForeignDialect) {
  EXPECT_THAT(missing(one_kernel(kAddOne, "k", "cuda")), IsEmpty());
  const Json manifest =
      parse_json(read_file(KMUX_TEST_BUILD_DIR "/plugins/hip/kmux_hip.plugin.json.in").value()).value();
  EXPECT_EQ(*manifest.find("foreign_dialects")->as_array(), Json::Array{"cuda"});
  EXPECT_EQ(*manifest.find("ready_dialects")->as_array(), Json::Array{"hsaco"});
}

TEST_F(HipBackendTest, ProbeExplainsMissingToolchain) {
  host.options = {{"hip.library", "/nowhere/libamdhip64.so"}, {"hip.clang", "/nowhere/clang++"}};
  const Availability can_build = backend.probe().value().can_build;
  EXPECT_EQ(can_build.code, "no_toolchain");
  EXPECT_THAT(can_build.reason, AllOf(HasSubstr("Install ROCm"), HasSubstr("Install clang-19 and lld-19")));
}

}  // namespace
}  // namespace kmux::hip
