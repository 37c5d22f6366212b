// Tensor maps: encoded maps, maps reused without encoding, and the maps passed to kernels.
#include "over_fake.h"

namespace kmux::nvidia {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kHead = "struct alignas(64) Map { char bytes[128]; };\n#define MAP const __grid_constant__ Map\n";
const std::string kOne = kHead + "extern \"C\" __global__ void one(MAP a, float* x) { x[0] = a.bytes[0]; }\n";
const std::string kThree =
    kHead +
    "extern \"C\" __global__ void three(MAP a, MAP b, MAP c) { if (a.bytes[0] + b.bytes[0] > c.bytes[0]) __trap(); }\n";

const Expr kMapN = Expr::symbol("n");

class MapSequencesTest : public OverFake {
 protected:
  // Records the first maps of every launch.
  void watch_maps(std::size_t count) {
    fake.on_launch([this, count](const fake_cuda::KernelRun& run) {
      for (std::size_t i = 0; i < count; ++i) maps.push_back(FakeCuda::read_map(run.args[i]));
    });
  }
  // Returns the calls about tensor maps.
  std::vector<std::string> map_calls_of(const Kernel& kernel, const std::vector<Arg>& args) {
    std::vector<std::string> lines = work_of(kernel, args);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("cuTensorMap"); });
    return lines;
  }
  static std::uintptr_t address(const Tensor& tensor) { return reinterpret_cast<std::uintptr_t>(tensor.data()); }
  static std::string base(const Tensor& tensor) {
    std::string text = written(tensor);
    return text.erase(2, text.find_first_not_of('0', 2) - 2);
  }
  std::vector<fake_cuda::TensorMapBytes> maps;
};
INSTANTIATE_TEST_SUITE_P(On, MapSequencesTest, testing::ValuesIn(plugins_over_fake()),
                         [](const auto& plugin) { return std::string(plugin.param); });

// Returns a map of rows of 64 floats over "x".
TensorMap rows_of(const std::string& memory) {
  TensorMap map;
  map.name = "rows_of_" + memory;
  map.base = {memory};
  map.dims = {64, floordiv(kMapN, 64)};
  map.strides_bytes = {256};
  map.mode = TiledMap{{32, 8}};
  map.swizzle = Swizzle::k128B;
  map.l2_promotion = L2Promotion::k128B;
  map.oob_fill = OobFill::kNan;
  return map;
}

ProgramBuilder mapped_program() {
  ProgramBuilder builder = program_of("one", kOne);
  builder.tensor_map(rows_of("x"));
  builder.launch("one").grid({1}).block({32}).args({"rows_of_x", "x"});
  return builder;
}

TEST_P(MapSequencesTest, EncodingMatchesProgram) {
  const Kernel kernel = warmed(mapped_program());
  const Tensor x = zeros(kernel, {640});
  watch_maps(1);
  EXPECT_THAT(map_calls_of(kernel, {x}),
              ElementsAre("cuTensorMapEncodeTiled dtype 7 rank 2 base " + base(x) +
                          " dims 64,10 strides 256 box 32,8 element_strides 1,1 interleave 0 swizzle 3 "
                          "l2_promotion 2 oob_fill 1"));
  fake.finish();
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(maps[0].base, address(x));
  EXPECT_EQ(maps[0].dims_less_one[1], 9U);
}

TEST_P(MapSequencesTest, MapIsReencodedOnlyWhenChanged) {
  const Kernel kernel = warmed(mapped_program());
  const Tensor x = zeros(kernel, {640});
  const Tensor y = zeros(kernel, {640});
  const Tensor longer = zeros(kernel, {1280});
  watch_maps(1);
  EXPECT_THAT(map_calls_of(kernel, {x}), ElementsAre(HasSubstr("cuTensorMapEncodeTiled")));
  EXPECT_THAT(map_calls_of(kernel, {x}), IsEmpty());
  EXPECT_THAT(map_calls_of(kernel, {y}), ElementsAre("cuTensorMapReplaceAddress base " + base(y)));
  EXPECT_THAT(map_calls_of(kernel, {longer}), ElementsAre(HasSubstr("dims 64,20 ")));
  EXPECT_THAT(map_calls_of(kernel, {x}), ElementsAre(HasSubstr("dims 64,10 ")));
  fake.finish();
  ASSERT_EQ(maps.size(), 5U);
  EXPECT_EQ(maps[1].base, address(x));
  EXPECT_EQ(maps[2].base, address(y));
  EXPECT_EQ(maps[3].base, address(longer));
}

TEST_P(MapSequencesTest, SameAddressWithOtherShapeIsReencoded) {
  const Kernel kernel = warmed(mapped_program());
  const Tensor x = zeros(kernel, {1280});
  const Tensor half = x.as_strided({640}, {1});
  EXPECT_THAT(map_calls_of(kernel, {x}), ElementsAre(HasSubstr("dims 64,20 ")));
  EXPECT_THAT(map_calls_of(kernel, {half}), ElementsAre(HasSubstr("dims 64,10 ")));
}

TEST_P(MapSequencesTest, EqualMapsAreEncodedOnce) {
  ProgramBuilder builder = program_of("three", kThree);
  TensorMap other = rows_of("x");
  other.name = "other";
  other.swizzle = Swizzle::kNone;
  TensorMap same = rows_of("x");
  same.name = "same";
  builder.tensor_map(rows_of("x")).tensor_map(other).tensor_map(same);
  builder.launch("three").grid({1}).block({32}).args({"rows_of_x", "other", "same"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {640});
  watch_maps(3);
  EXPECT_THAT(map_calls_of(kernel, {x}), ElementsAre(HasSubstr("swizzle 3"), HasSubstr("swizzle 0")));
  fake.finish();
  ASSERT_EQ(maps.size(), 3U);
  EXPECT_EQ(maps[0].swizzle, maps[2].swizzle);
}

TEST_P(MapSequencesTest, MapsHaveOneToFiveDimensions) {
  ProgramBuilder builder("ranks");
  builder.input("x", dtype::kFloat16, {65536});
  std::string parameters;
  for (int rank = 1; rank <= 5; ++rank) parameters += (rank == 1 ? "MAP m" : ", MAP m") + std::to_string(rank);
  builder.variant("cuda").source("ranks.cu", kHead + "extern \"C\" __global__ void ranks(" + parameters + ") {}\n");
  std::int64_t stride = 32;
  for (int rank = 1; rank <= 5; ++rank) {
    TensorMap map;
    map.name = "m" + std::to_string(rank);
    map.dtype = TensorMapDType::kFloat16;
    map.base = {"x"};
    map.dims = {16};
    map.element_strides = {1};
    std::vector<std::int64_t> box = {8};
    for (int i = 1; i < rank; ++i, stride *= 2) {
      map.dims.emplace_back(2), map.strides_bytes.emplace_back(stride);
      map.element_strides.push_back(i), box.push_back(i);
    }
    stride = 32;
    map.mode = TiledMap{box};
    builder.tensor_map(map);
  }
  builder.launch("ranks").grid({1}).block({32}).args({"m1", "m2", "m3", "m4", "m5"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {65536}, dtype::kFloat16);
  EXPECT_THAT(
      map_calls_of(kernel, {x}),
      ElementsAre(HasSubstr(" dims 16 strides  box 8 element_strides 1 "),
                  HasSubstr(" dims 16,2 strides 32 box 8,1 element_strides 1,1 "),
                  HasSubstr(" dims 16,2,2 strides 32,64 box 8,1,2 element_strides 1,1,2 "),
                  HasSubstr(" dims 16,2,2,2 strides 32,64,128 box 8,1,2,3 element_strides 1,1,2,3 "),
                  HasSubstr(" dims 16,2,2,2,2 strides 32,64,128,256 box 8,1,2,3,4 element_strides 1,1,2,3,4 ")));
}

TEST_P(MapSequencesTest, Im2colCornersAreEncoded) {
  ProgramBuilder builder("image");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat16, {n, 16, 16, 64});
  builder.variant("cuda").source("one.cu", kOne);
  TensorMap map;
  map.name = "pixels";
  map.dtype = TensorMapDType::kFloat16;
  map.base = {"x"};
  map.dims = {64, 16, 16, n};
  map.strides_bytes = {128, 2048, 32768};
  map.mode = Im2colMap{{-1, -2}, {1, 2}, 64, 128};
  map.swizzle = Swizzle::k128B;
  builder.tensor_map(map);
  builder.launch("one").grid({1}).block({32}).args({"pixels", "x"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {2, 16, 16, 64}, dtype::kFloat16);
  EXPECT_THAT(map_calls_of(kernel, {x}),
              ElementsAre("cuTensorMapEncodeIm2col dtype 6 rank 4 base " + base(x) +
                          " dims 64,16,16,2 strides 128,2048,32768 lower -1,-2 upper 1,2 channels 64 pixels 128 "
                          "element_strides 1,1,1,1 interleave 0 swizzle 3 l2_promotion 0 oob_fill 0"));
  EXPECT_THAT(map_calls_of(kernel, {x}), IsEmpty());
}

TEST_P(MapSequencesTest, MapsCanReferToWorkspaces) {
  ProgramBuilder builder = program_of("one", kOne);
  builder.workspace("w", kMapN * 4);
  builder.tensor_map(rows_of("w"));
  builder.launch("one").grid({1}).block({32}).args({"rows_of_w", "w"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {640});
  const auto lines = work_of(kernel, {x});
  ASSERT_EQ(lines.size(), 4U);
  const std::string w = lines[0].substr(lines[0].find("-> ") + 3);
  EXPECT_THAT(lines, ElementsAre(HasSubstr("cuMemAllocFromPoolAsync bytes 2560 "),
                                 HasSubstr("cuTensorMapEncodeTiled dtype 7 rank 2 base " + w + " "),
                                 HasSubstr("cuLaunchKernelEx one "), "cuMemFreeAsync " + w + " stream 0x0"));
}

TEST_P(MapSequencesTest, EveryProblemIsReportedBeforeDriverCall) {
  ProgramBuilder builder("one");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n});
  const Expr stride = builder.scalar("stride", dtype::kInt64);
  builder.variant("cuda").source("one.cu", kOne);
  TensorMap map = rows_of("x");
  map.dims = {64, n};
  map.strides_bytes = {stride};
  builder.tensor_map(map);
  builder.launch("one").grid({1}).block({32}).args({"rows_of_x", "x"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {640});
  const Tensor odd = Tensor::borrow(x.data_as<char>() + 4, {639}, dtype::kFloat32, kernel.device());
  const Status refused = kernel.launch({odd, 24});
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("tensor map \"rows_of_x\" cannot be encoded: the base is 0x"),
                    HasSubstr(" (not a multiple of 16 bytes); stride 0 is 24 (not a multiple of 16).")));
  EXPECT_THAT(work(), IsEmpty());
  EXPECT_TRUE(kernel.launch({x, 256}).ok());
}

}  // namespace
}  // namespace kmux::nvidia
