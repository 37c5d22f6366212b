// The device programs of tests/data/tilelang as data. They load, are valid and canonical, use the features that their
// kernels were written for, and match the host program.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "kmux/dispatch_json.h"
#include "kmux/plugin/features.h"
#include "kmux/program.h"
#include "kmux/validate.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

const fs::path kDeviceData = fs::path(KMUX_TEST_DATA_DIR) / "tilelang";

fs::path program_path(const std::string& name) { return kDeviceData / name / (name + ".kmux.json"); }

Program program_of(const std::string& name) { return load_program(program_path(name)).value(); }

const Body& body_of(const Program& program) { return program.variants.at(0).body; }

const Launch& launch_of(const Program& program, std::size_t step = 0) {
  return std::get<Launch>(body_of(program).steps.at(step));
}

std::string text_at(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct DeviceFacts {
  std::string name;
  std::string dialects;
  std::vector<std::string> features;  // of the first variant for a device
};

const std::vector<DeviceFacts> kDeviceFacts = {
    {"add_tiles", "cuda cutedsl", {"grid"}},
    {"affine_tiles", "cuda cutedsl", {"grid"}},
    {"widen_bytes", "cuda cutedsl", {"grid"}},
    {"add_anywhere", "c cuda hip msl cutedsl", {"grid"}},
    {"gemm_f16", "cuda cutedsl", {"dynamic_smem", "grid", "tensor_map.tiled"}},
    {"gemm_f16_dynamic", "cuda cutedsl", {"dynamic_smem", "grid", "tensor_map.tiled"}},
    {"gemm_f16_cluster", "cuda", {"cluster", "dynamic_smem", "grid", "tensor_map.tiled"}},
    {"gemm_f16_split", "cuda cutedsl", {"dynamic_smem", "grid", "several_launches", "tensor_map.tiled", "workspace"}},
    {"flash_attention", "cuda cutedsl", {"dynamic_smem", "grid", "tensor_map.tiled"}},
    {"conv2d", "cuda cutedsl", {"dynamic_smem", "grid", "tensor_map.im2col", "tensor_map.tiled"}},
    {"look_up", "cuda cutedsl", {"grid", "l2_window"}},
    {"overlap", "cuda cutedsl", {"grid", "programmatic_serialization", "several_launches"}},
    {"grid_barrier", "cuda cutedsl", {"cooperative", "grid"}},
    {"column_sums", "cuda cutedsl", {"fill", "grid"}},
    {"relax", "cuda cutedsl", {"grid", "guard", "loop", "several_launches", "workspace"}},
    {"gemm_simdgroup", "msl", {"grid"}},
    {"reverse_blocks", "msl", {"grid", "packed_values"}},
    {"softmax_shared", "msl", {"grid", "packed_values"}},
};

std::string dialects_of(const Program& program) {
  std::string text;
  for (const Variant& variant : program.variants) text += (text.empty() ? "" : " ") + variant.dialect;
  return text;
}

class TileLangDevicesTest : public testing::TestWithParam<DeviceFacts> {};

TEST_P(TileLangDevicesTest, AreCanonicalAndValid) {
  const Result<Program> program = load_program(program_path(GetParam().name));
  ASSERT_TRUE(program.ok()) << program.error().explain();
  EXPECT_THAT(validate(*program), IsEmpty());
  EXPECT_EQ(to_json(*program) + "\n", text_at(program_path(GetParam().name)));
}

TEST_P(TileLangDevicesTest, UseExpectedDialectsAndFeatures) {
  const Program program = program_of(GetParam().name);
  EXPECT_EQ(dialects_of(program), GetParam().dialects);
  std::vector<std::string> used;
  for (const UsedFeature& feature : features_used(program, program.variants.size() == 1 ? 0 : 1))
    used.push_back(feature.name);
  EXPECT_EQ(used, GetParam().features);
}

TEST_P(TileLangDevicesTest, HaveRequirementsAndMetadata) {
  const Program program = program_of(GetParam().name);
  for (const Variant& variant : program.variants) {
    if (variant.dialect != "cuda") continue;
    EXPECT_EQ(variant.requirements.arch, std::vector<std::string>{"sm_90a"});
    EXPECT_EQ(variant.settings.standard, "c++20");
    EXPECT_THAT(variant.settings.include_hints, ElementsAre("tilelang", "cutlass"));
    EXPECT_EQ(variant.settings.preludes.at(0), "tl_templates/cuda/nvrtc_std.h");
    EXPECT_THAT(variant.headers, IsEmpty());
  }
  EXPECT_FALSE(program.metadata.reference.empty());
  EXPECT_TRUE(program.metadata.bytes.has_value());
  EXPECT_EQ(program.metadata.symbols.size(), program.signature.symbols.size());
}

INSTANTIATE_TEST_SUITE_P(Programs, TileLangDevicesTest, testing::ValuesIn(kDeviceFacts),
                         [](const auto& param) { return param.param.name; });

// A new program of the folder must also be added to the table.
TEST(TileLangDevicesFolderTest, ContainsOnlyListedPrograms) {
  std::vector<std::string> found, expected;
  for (const auto& entry : fs::directory_iterator(kDeviceData)) {
    const std::string name = entry.path().filename();
    const std::string dialects = dialects_of(program_of(name));
    if (dialects != "c" && dialects != "c hip") found.push_back(name);
  }
  for (const DeviceFacts& facts : kDeviceFacts) expected.push_back(facts.name);
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(expected));
}

TEST(TileLangDeviceTest, GridUsesSymbols) {
  const Program affine = program_of("affine_tiles");
  const Launch& launch = launch_of(affine);
  const Expr n = Expr::symbol("n");
  EXPECT_EQ(launch.grid, Extents{floordiv(n + 1023, 1024)});
  EXPECT_EQ(launch.block, Extents{256});
  EXPECT_THAT(launch.args,
              ElementsAre(TensorArg{"x"}, TensorArg{"y"}, ExprArg{n}, ScalarArg{"offset"}, ScalarArg{"slope"}));
}

TEST(TileLangDeviceTest, DynamicGemmTensorMapUsesSymbols) {
  const Program gemm = program_of("gemm_f16_dynamic");
  const Expr m = Expr::symbol("m"), n = Expr::symbol("n"), k = Expr::symbol("k");
  const TensorMap& a = body_of(gemm).tensor_maps.at(0);
  EXPECT_EQ(a, (TensorMap{.name = "A_desc",
                          .dtype = TensorMapDType::kFloat16,
                          .base = {"A"},
                          .dims = {k, m},
                          .strides_bytes = {k * 2},
                          .mode = TiledMap{{64, 128}},
                          .swizzle = Swizzle::k128B,
                          .l2_promotion = L2Promotion::k128B}));
  EXPECT_EQ(launch_of(gemm).grid, (Extents{floordiv(n + 127, 128), floordiv(m + 127, 128)}));
  EXPECT_EQ(launch_of(gemm).dynamic_smem_bytes, Expr(98304));
}

TEST(TileLangDeviceTest, ConvolutionUsesIm2colMap) {
  const Program conv2d = program_of("conv2d");
  EXPECT_EQ(body_of(conv2d).tensor_maps.at(0).mode,
            (std::variant<TiledMap, Im2colMap>(Im2colMap{{-1, -1}, {-1, -1}, 64, 128})));
  EXPECT_EQ(body_of(conv2d).tensor_maps.at(0).base, MemoryRef{"image"});
}

TEST(TileLangDeviceTest, SplitGemmUsesWorkspace) {
  const Program split = program_of("gemm_f16_split");
  EXPECT_THAT(body_of(split).workspaces, ElementsAre(Workspace{"partial", Expr::symbol("m") * 4096}));
  EXPECT_EQ(launch_of(split, 0).args.at(2), LaunchArg(WorkspaceArg{"partial"}));
  EXPECT_EQ(launch_of(split, 1).args.at(1), LaunchArg(WorkspaceArg{"partial"}));
}

TEST(TileLangDeviceTest, FillPrecedesLaunch) {
  const Program sums = program_of("column_sums");
  EXPECT_EQ(std::get<Fill>(body_of(sums).steps.at(0)), (Fill{{"total"}, 1024}));
  EXPECT_EQ(launch_of(sums, 1).kernel, "column_sums_kernel");
}

TEST(TileLangDeviceTest, HostBodyHasLoopAndGuard) {
  const Program relax = program_of("relax");
  const auto& loop = std::get<For>(body_of(relax).steps.at(0));
  EXPECT_EQ(loop.begin, Expr(0));
  EXPECT_EQ(loop.end, Expr::symbol("steps"));
  EXPECT_EQ(loop.steps.size(), 2U);
  const auto& guard = std::get<If>(body_of(relax).steps.at(1));
  EXPECT_EQ(guard.condition, Expr::symbol("flip"));
  EXPECT_EQ(std::get<Launch>(guard.then_steps.at(0)).kernel, "relax_kernel_2");
  EXPECT_EQ(body_of(relax).asserts.at(0).message, "Assume: n % 128 == 0");
}

TEST(TileLangDeviceTest, LaunchesHaveExpectedAttributes) {
  EXPECT_EQ(launch_of(program_of("gemm_f16_cluster")).cluster, Extents{2});
  EXPECT_TRUE(launch_of(program_of("grid_barrier")).cooperative);
  EXPECT_THAT(launch_of(program_of("look_up")).l2_windows, ElementsAre(L2Window{"table", 4194304, 0.75}));
  const Program overlap = program_of("overlap");
  EXPECT_FALSE(launch_of(overlap, 0).programmatic_serialization);
  EXPECT_TRUE(launch_of(overlap, 1).programmatic_serialization);
  EXPECT_THAT(overlap.variants[0].settings.preludes, ElementsAre(testing::_, "cuda_device_runtime_api.h"));
}

TEST(TileLangDeviceTest, EachTargetHasOwnBodyAndSettings) {
  const Program add = program_of("add_anywhere");
  EXPECT_EQ(std::get<Launch>(add.variants.at(0).body.steps.at(0)).returns, CallResult::kInt32);
  EXPECT_EQ(add.variants.at(2).requirements.arch, std::vector<std::string>{"gfx942"});
  EXPECT_TRUE(std::get<Launch>(add.variants.at(3).body.steps.at(0)).packed_values);
  EXPECT_THAT(add.variants.at(4).settings.python_requires,
              ElementsAre("nvidia-cutlass-dsl>=4.7.0", "tilelang==0.1.15"));
}

}  // namespace
}  // namespace kmux
