#include "ir/arg_layout.h"
#include "unit/validate_cases.h"

namespace kmux {
namespace {

const std::string kDevice = "/variants/0/body/steps/1/for/steps/0/launch/";
const std::string kHost = "/variants/1/body/steps/0/launch/";

TEST(ValidateLaunchTest, ChecksKernelNames) {
  expect_problems({
      {[](Program& p) { launch_of(p, 0).kernel = "a;b"; }, kDevice + "kernel", "an instantiation such as"},
      {[](Program& p) { launch_of(p, 1).kernel = "a<int>"; }, kHost + "kernel", "an identifier or a mangled name."},
      {[](Program& p) { launch_of(p, 1).kernel = ""; }, kHost + "kernel", "\"\" is not a kernel name"},
  });
}

TEST(ValidateLaunchTest, AcceptsKernelsNamedLikeVariables) {
  for (const char* const name : {"m", "A", "partial"}) {
    Program program = sample_program();
    launch_of(program, 1).kernel = name;
    EXPECT_TRUE(validate(program).empty()) << name;
  }
}

TEST(ValidateLaunchTest, ChecksArguments) {
  const auto arg = [](LaunchArg bad) { return [bad](Program& p) { launch_of(p, 0).args[0] = bad; }; };
  const std::string at = kDevice + "args/0/";
  expect_problems({
      {arg(TensorArg{"D"}), at + "tensor", "no \"D\" in scope"},
      {arg(TensorArg{"partial"}), at + "tensor", "\"partial\" is a workspace. Name a buffer or pointer"},
      {arg(TensorArg{"bias", 4}), at + "tensor", "nullable"},
      {arg(TensorArg{"A", -2}), at + "offset_bytes", "an offset is -2"},
      {arg(ScalarArg{"m"}), at + "scalar", "\"m\" is a symbol. Name a scalar"},
      {arg(ExprArg{Expr::symbol("A")}), at + "expr", "\"A\" is a buffer"},
      {arg(ExprArg{1, dtype::kFloat32}), at + "expr", "cannot cast to \"float32\""},
      {arg(ExprArg{300, dtype::kInt8}), at + "expr", "cannot evaluate"},
      {arg(TensorMapArg{"A_des"}), at + "tensor_map", "Did you mean 'A_desc'?"},
      {arg(TensorMapArg{"A"}), at + "tensor_map", "\"A\" is a buffer. Name a tensor map"},
      {arg(WorkspaceArg{"A"}), at + "workspace", "\"A\" is a buffer. Name a workspace"},
      {arg(WorkspaceArg{"partial", -1}), at + "offset_bytes", "an offset is -1"},
  });
}

StructArg nested_structs(int depth) {
  StructArg record{{ExprArg{1}}};
  for (int i = 1; i < depth; ++i) record = StructArg{{record}};
  return record;
}

TEST(ValidateLaunchTest, ChecksStructures) {
  const auto arg = [](LaunchArg bad) { return [bad](Program& p) { launch_of(p, 0).args[0] = bad; }; };
  const std::string at = kDevice + "args/0/";
  const std::vector<LaunchArg> ints(1025, ExprArg{1});
  std::string deepest = at;
  for (int i = 0; i < kMaxStructDepth; ++i) deepest += "struct/0/";
  expect_problems({
      {arg(StructArg{}), at + "struct", "a structure without members. Give it one"},
      {arg(StructArg{{ExprArg{1}, StructArg{}}}), at + "struct/1/struct", "a structure without members"},
      {arg(StructArg{{ExprArg{1}}, 24}), at + "align",
       "the alignment of a structure is 24. Use a power of two up to 128."},
      {arg(StructArg{{ExprArg{1}}, 256}), at + "align", "is 256. Use a power of two"},
      {arg(StructArg{{ExprArg{1}}, -8}), at + "align", "is -8. Use a power of two"},
      {arg(StructArg{{TensorMapArg{"a"}}}), at + "struct/0/tensor_map", "Name a tensor map"},
      {arg(StructArg{{ExprArg{1}, TensorArg{"D"}}}), at + "struct/1/tensor", "no \"D\" in scope"},
      {arg(StructArg{{ScalarArg{"m"}}}), at + "struct/0/scalar", "\"m\" is a symbol. Name a scalar"},
      {arg(StructArg{ints}), at + "struct",
       "a structure of 4100 bytes (a kernel takes at most 4096). Pass its large members as tensors."},
      {arg(nested_structs(kMaxStructDepth + 1)), deepest + "struct", "structures are nested deeper than 8 levels"},
      {arg(nested_structs(1000)), deepest + "struct", "structures are nested deeper than 8 levels"},
  });
  Program largest = sample_program();
  launch_of(largest, 0).args[0] = StructArg{{ints.begin() + 1, ints.end()}};
  launch_of(largest, 0).args[1] = nested_structs(kMaxStructDepth);
  EXPECT_TRUE(check_valid(largest).ok());
}

TEST(ValidateLaunchTest, ChecksGeometry) {
  expect_problems({
      {[](Program& p) { launch_of(p, 0).grid = {1, 1, 1, 1}; }, kDevice + "grid", "4 extents. Give up to three"},
      {[](Program& p) { launch_of(p, 0).grid[1] = -1; }, kDevice + "grid/1", "a grid extent is -1 (the least is 0)"},
      {[](Program& p) { launch_of(p, 0).block[0] = 0; }, kDevice + "block/0", "a block extent is 0 (the least is 1)"},
      {[](Program& p) { launch_of(p, 0).cluster[0] = 0; }, kDevice + "cluster/0", "a cluster extent is 0"},
      {[](Program& p) { launch_of(p, 0).dynamic_smem_bytes = -1; }, kDevice + "dynamic_smem_bytes", "is -1"},
  });
}

TEST(ValidateLaunchTest, ChecksL2Windows) {
  const std::string at = kDevice + "l2_windows/0/";
  expect_problems({
      {[](Program& p) { launch_of(p, 0).l2_windows[0].buffer = "p"; }, at + "buffer", "\"p\" is a pointer"},
      {[](Program& p) { launch_of(p, 0).l2_windows[0].buffer = "bias"; }, at + "buffer", "nullable"},
      {[](Program& p) { launch_of(p, 0).l2_windows[0].bytes = -1; }, at + "bytes", "is -1"},
      {[](Program& p) { launch_of(p, 0).l2_windows[0].hit_ratio = 1.5; }, at + "hit_ratio", "not in 0 to 1"},
      {[](Program& p) { launch_of(p, 0).l2_windows[0].hit_ratio = 0.0 / 0.0; }, at + "hit_ratio", "not in 0 to 1"},
  });
}

TEST(ValidateLaunchTest, RejectsDeviceFeaturesInHostDialects) {
  expect_problems({
      {[](Program& p) { launch_of(p, 1).grid = {1}; }, kHost + "grid", "dialect \"c\" has no grid"},
      {[](Program& p) { launch_of(p, 1).block = {1}; }, kHost + "block", "has no block"},
      {[](Program& p) { launch_of(p, 1).cluster = {1}; }, kHost + "cluster", "has no cluster"},
      {[](Program& p) { launch_of(p, 1).dynamic_smem_bytes = 1; }, kHost + "dynamic_smem_bytes", "no shared memory"},
      {[](Program& p) { launch_of(p, 1).cooperative = true; }, kHost + "cooperative", "no cooperative launch"},
      {[](Program& p) { launch_of(p, 1).programmatic_serialization = true; }, kHost + "programmatic_serialization", ""},
      {[](Program& p) { launch_of(p, 1).l2_windows = {{"A", 1}}; }, kHost + "l2_windows", "no L2 window"},
      {[](Program& p) { launch_of(p, 0).returns = CallResult::kInt32; }, kDevice + "returns", "returns nothing"},
      {[](Program& p) { launch_of(p, 0).packed_values = true; }, kDevice + "packed_values", "takes each value alone"},
      {[](Program& p) { launch_of(p, 1).packed_values = true; }, kHost + "packed_values", "dialect \"c\" takes each"},
  });
}

}  // namespace
}  // namespace kmux
