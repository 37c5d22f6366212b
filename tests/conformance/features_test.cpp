// Features: a launch that uses a feature returns the same result if the backend supports the feature. Otherwise the
// backend must refuse the launch and name the feature.

#include "kmux/plugin/features.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../needs.h"
#include "programs.h"
#include "subject.h"

namespace kmux::conformance {
namespace {

using ::testing::HasSubstr;

struct Feature {
  const char* name;  // a name in `known_features`
  std::function<void(LaunchBuilder&)> use;
};

void PrintTo(const Feature& feature, std::ostream* out) { *out << "feature " << feature.name; }

bool is_shared(const Feature& feature) { return feature.name == std::string_view("dynamic_smem"); }

bool is_grid(const Feature& feature) { return feature.name == std::string_view("grid"); }

bool is_struct(const Feature& feature) { return feature.name == std::string_view("struct_argument"); }

bool is_map(const Feature& feature) { return std::string_view(feature.name).starts_with("tensor_map"); }

/// Returns a map of x, float32[8, 8, 64].
TensorMap map_of(const Feature& feature) {
  TensorMap map{
      .name = "map", .base = {"x"}, .dims = {64, 8, 8}, .strides_bytes = {256, 2048}, .mode = TiledMap{{32, 8, 1}}};
  if (feature.name == std::string_view("tensor_map.im2col")) map.mode = Im2colMap{{0}, {0}, 8, 32};
  return map;
}

/// Returns the kernel's source. A tensor map is 128 bytes, passed by value. A backend without tensor maps or structures
/// never compiles the kernel. The structures are one in registers of two kinds, one in memory, and an aligned one.
std::string kernel_with(const Feature& feature) {
  if (is_shared(feature))
    return "KERNEL void store(long long* out, long long value, SHARED long long* shared) {\n"
           "  shared[0] = value; out[0] = shared[0];\n}\n";
  if (is_grid(feature))
    return "KERNEL void store(long long* out, long long value, POSITIONS) {\n"
           "  out[((BLOCK_Y * 3 + BLOCK_X) * 4 + THREAD_Y) * 2 + THREAD_X] = value;\n}\n";
  if (is_struct(feature))
    return "struct View { long long* out; int first; };\n"
           "struct Sizes { int size[9]; };\n"
           "struct alignas(16) Four { float x, y, z, w; };\n"
           "KERNEL void store(View view, Sizes sizes, Four four, long long value) {\n"
           "  view.out[view.first] = value + sizes.size[8] - (long long)four.w;\n}\n";
  return (is_map(feature) ? "struct __align__(64) Map { char bytes[128]; };\n"
                            "KERNEL void store(const __grid_constant__ Map map, long long* out, long long value) {"
                          : "KERNEL void store(long long* out, long long value) {") +
         std::string("\n  out[0] = value;\n}\n");
}

constexpr std::int64_t kElements = 128;  // more than any launch here writes

/// Returns the number of elements set to 7. A grid of 3 * 2 blocks of 2 * 4 threads sets one per thread.
std::int64_t written_by(const Feature& feature) { return is_grid(feature) ? 48 : 1; }

/// Returns a program that sets out[0] = 7 by a launch that uses the feature. With feature grid, each thread writes its
/// own element.
Program program_with(const Feature& feature) {
  ProgramBuilder builder("feature");
  builder.input("x", dtype::kFloat32, {8, 8, 64}).buffer("out", BufferParam{dtype::kInt64, {kElements}});
  if (is_struct(feature)) builder.scalar("scale", dtype::kFloat32);
  add_device_variants(builder, kernel_with(feature), [&](const OneThread& host) {
    if (is_map(feature)) host.builder().tensor_map(map_of(feature));
    LaunchBuilder launch = host.launch("store");
    if (is_struct(feature)) {
      const LaunchArg three = ExprArg{3}, scale = ScalarArg{"scale"};
      launch.arg(StructArg{{TensorArg{"out"}, ExprArg{0}}}).arg(StructArg{std::vector<LaunchArg>(9, three)});
      launch.arg(StructArg{{scale, scale, scale, scale}, 16});
    }
    if (is_map(feature)) launch.args({"map"});
    if (!is_struct(feature)) launch.args({"out"});
    launch.arg(7, dtype::kInt64);
    feature.use(launch);
  });
  return builder.build().value();
}

class Features : public testing::TestWithParam<Feature> {};

TEST_P(Features, WorkOrAreRefusedByName) {
  auto& subject = Subject::current();
  if (is_shared(GetParam()) && !can_use_shared())
    GTEST_SKIP() << needs(
        "a line \"shared\" below the dialect in conformance.txt",
        "no kernel of the suite uses dynamic shared memory in the dialects of this plugin without it");
  if (is_grid(GetParam()) && !can_use_positions())
    GTEST_SKIP() << needs("lines \"block\" and \"thread\" below the dialect in conformance.txt",
                          "nothing would show that there are blocks and threads without them");
  const Program program = program_with(GetParam());
  if (const std::string why = subject.why_without_kernel(program); !why.empty())
    GTEST_SKIP() << needs(kDeviceDialect, why);
  const Result<Kernel> kernel = subject.compile(program);
  RecordProperty("answer", kernel ? "works" : "refused");
  if (!kernel) {
    EXPECT_EQ(kernel.error().code, ErrorCode::kUnsupported) << kernel.error().explain();
    EXPECT_THAT(kernel.error().explain(), HasSubstr(GetParam().name));
    return;
  }
  const Tensor out = subject.zeros({kElements}, dtype::kInt64);
  const Tensor x = subject.zeros({8, 8, 64}, dtype::kFloat32);
  std::vector<Arg> arguments = {x, out};
  if (is_struct(GetParam())) arguments.emplace_back(3.0F);
  const Status launched = kernel->launch(arguments);
  ASSERT_TRUE(launched.ok()) << launched.error().explain();
  std::vector<std::int64_t> expected(kElements);
  std::fill_n(expected.begin(), written_by(GetParam()), 7);
  EXPECT_EQ(subject.download<std::int64_t>(out), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Features, Features,
    testing::Values(Feature{"grid", [](LaunchBuilder& launch) { launch.grid({3, 2}).block({2, 4}); }},
                    Feature{"dynamic_smem", [](LaunchBuilder& launch) { launch.dynamic_smem_bytes(1024); }},
                    Feature{"cluster", [](LaunchBuilder& launch) { launch.grid({4}).cluster({2}); }},
                    Feature{"cooperative", [](LaunchBuilder& launch) { launch.grid({2}).cooperative(); }},
                    Feature{"programmatic_serialization",
                            [](LaunchBuilder& launch) { launch.programmatic_serialization(); }},
                    Feature{"l2_window", [](LaunchBuilder& launch) { launch.l2_window("x", 4096); }},
                    Feature{"struct_argument", [](LaunchBuilder&) {}},
                    Feature{"tensor_map.tiled", [](LaunchBuilder&) {}},
                    Feature{"tensor_map.im2col", [](LaunchBuilder&) {}}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '.', '_');
      return name;
    });

}  // namespace
}  // namespace kmux::conformance
