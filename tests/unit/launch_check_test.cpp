#include "kmux/plugin/launch_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

constexpr LaunchLimits kFewLimits{{1000, 100, 10}, {512, 64, 8}, 512};

class LaunchCheckTest : public testing::Test {
 protected:
  Plan plan(const Extents& grid, const Extents& block) {
    ProgramBuilder builder{"checked"};
    static_cast<void>(builder.scalar("n", dtype::kInt32));
    builder.variant("cuda").source("k.cu", "");
    builder.launch("k").grid(grid).block(block);
    return lower(builder.build().value(), 0).value();
  }
  std::string extents(const Extents& grid, const Extents& block) {
    const Status status = check_extents(plan(grid, block), kFewLimits);
    if (status.ok()) return "";
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    return status.error().message;
  }
  std::string kernel(const std::vector<KernelArgument>& passed, const KernelForm& form) {
    const Plan made = plan({1}, {16, 16});
    const Status status = check_kernel("k", std::get<PlanLaunch>(made.steps[0]), passed, form);
    return status.ok() ? "" : status.error().message;
  }

  Expr n = Expr::symbol("n");
};

// C3.3: each message names the kernel and the problem.
TEST_F(LaunchCheckTest, RejectsEmptyGrid) {
  EXPECT_EQ(extents({1, 0}, {32}),
            "kernel \"k\" is launched on a grid whose extent y is 0 (it would never run). "
            "Give it a block, or remove the launch.");
}

TEST_F(LaunchCheckTest, RejectsGridAboveDeviceLimit) {
  EXPECT_THAT(extents({1000, 101}, {32}),
              HasSubstr("a grid whose extent y is 101 (the device has at most 100). Use a smaller grid."));
}

TEST_F(LaunchCheckTest, RejectsBlockAboveDeviceLimit) {
  EXPECT_THAT(extents({1}, {64, 64}), HasSubstr("blocks of 4096 threads (the device has at most 512)."));
  EXPECT_THAT(extents({1}, {1, 65}), HasSubstr("blocks whose extent y is 65 (the device has at most 64)."));
  EXPECT_THAT(extents({1}, {2147483647, 2147483647, 2147483647}), HasSubstr("(the device has at most 512)"));
}

TEST_F(LaunchCheckTest, AcceptsFittingAndDynamicExtents) {
  EXPECT_EQ(extents({1000, 100, 10}, {512}), "");
  EXPECT_EQ(extents({n}, {n, 64}), "");
}

TEST_F(LaunchCheckTest, ComparesArgumentsIfCodeDeclaresThem) {
  EXPECT_EQ(kernel({{8}, {4}}, KernelForm{{{{8}, {4}}}, 256}), "");
  EXPECT_EQ(kernel({{8}, {4}}, KernelForm{}), "");
  EXPECT_EQ(kernel({{8}}, KernelForm{std::vector<KernelArgument>(), 0}),
            "kernel \"k\" is launched with 1 argument of 8 bytes (its code takes 0 arguments). "
            "Correct the launch or the kernel.");
}

TEST_F(LaunchCheckTest, RejectsBlockAboveLaunchBounds) {
  EXPECT_THAT(kernel({}, KernelForm{std::nullopt, 128}),
              HasSubstr("blocks of 256 threads (its code is compiled for at most 128). Use "
                        "smaller blocks, or raise __launch_bounds__."));
}

constexpr auto kUnknown = ArgumentKind::kUnknown;
constexpr auto kPointer = ArgumentKind::kPointer;
constexpr auto kTensorMap = ArgumentKind::kTensorMap;
constexpr auto kInteger = ArgumentKind::kInteger;
constexpr auto kFloat = ArgumentKind::kFloat;

TEST_F(LaunchCheckTest, ComparesKindsIfBothAreKnown) {
  const auto told = [&](const KernelArgument& passed, const KernelArgument& taken) {
    return kernel({passed}, KernelForm{{{taken}}, 0});
  };
  EXPECT_EQ(told({8, kPointer}, {8, kPointer}), "");
  EXPECT_EQ(told({8, kPointer}, {8, kUnknown}), "");
  EXPECT_EQ(told({8, kUnknown}, {8, kPointer}), "");
  EXPECT_THAT(told({8, kUnknown}, {4, kPointer}), HasSubstr("argument 1 differs"));
  EXPECT_EQ(
      told({8, kInteger, "int64 n"}, {8, kPointer, "float*"}),
      "kernel \"k\" is launched with 1 argument of 8 bytes: int64 n (its code takes 1 argument of 8 bytes: float*; "
      "argument 1 differs). Correct the launch or the kernel.");
  EXPECT_NE(told({8, kPointer}, {8, kFloat}), "");
  EXPECT_NE(told({4, kInteger}, {4, kFloat}), "");
}

// A pointer to the elements of `tensor`, passed to a parameter of C++ type `type`.
TEST_F(LaunchCheckTest, RejectsPointersToOtherNumericTypes) {
  const auto told = [&](DType tensor, const std::string& type) {
    std::vector<KernelArgument> taken{{8}};
    add_types(taken, {type});
    return kernel({{8, kPointer, "pointer x", tensor}}, KernelForm{{taken}, 0});
  };
  EXPECT_EQ(
      told(dtype::kFloat32, "double*"),
      "kernel \"k\" is launched with pointer x to float32 as argument 1 (its code takes double*). Declare the tensor "
      "with the dtype that the kernel reads, pass an address by a parameter of type pointer, or correct the kernel.");
  for (const auto& [tensor, type] : {std::pair(dtype::kFloat64, "float const*"),
                                     {dtype::kFloat16, "float*"},
                                     {dtype::kBFloat16, "__half const*"},
                                     {dtype::kFloat16, "__nv_bfloat16 const volatile*"},
                                     {dtype::kInt64, "int*"},
                                     {dtype::kInt32, "long long const*"},
                                     {dtype::kUInt32, "unsigned long*"},
                                     {dtype::kComplex128, "float2 const*"},
                                     {dtype::kComplex64, "double2*"},
                                     {dtype::kComplex64, "double*"},
                                     {dtype::kComplex64, "thrust::complex<double>*"},
                                     {dtype::kComplex128, "float _Complex*"},
                                     {dtype::kFloat64, "std::complex<float> const*"},
                                     {DType{kDLFloat, 64, 2}, "float2*"},
                                     {DType{kDLBfloat, 16, 2}, "__half2 const*"},
                                     {DType{kDLFloat, 16, 4}, "float4*"},
                                     {dtype::kFloat8E5M2, "__nv_fp8_e4m3 const*"},
                                     {dtype::kFloat8E4M3FN, "__nv_fp8_e5m2*"}}) {
    EXPECT_NE(told(tensor, type), "") << type;
  }
}

TEST_F(LaunchCheckTest, AcceptsReinterpretablePointers) {
  const auto passes = [&](DType tensor, const std::string& type) {
    std::vector<KernelArgument> taken{{8}};
    add_types(taken, {type});
    return kernel({{8, kPointer, "pointer x", tensor}}, KernelForm{{taken}, 0}).empty();
  };
  for (const auto& [tensor, type] : {std::pair(dtype::kFloat32, "float*"),
                                     {dtype::kInt32, "unsigned int const*"},
                                     {dtype::kInt64, "long long*"},
                                     {dtype::kFloat32, "int*"},
                                     {dtype::kFloat32, "float4 const*"},
                                     {dtype::kFloat32, "void*"},
                                     {dtype::kFloat32, "float**"},
                                     {dtype::kUInt8, "unsigned int*"},
                                     {dtype::kFloat16, "unsigned int const*"},
                                     {dtype::kFloat8E4M3FN, "float*"},
                                     {DType{kDLFloat, 32, 2}, "float*"},
                                     {dtype::kComplex64, "float*"},
                                     {dtype::kComplex64, "float2*"},
                                     {dtype::kComplex64, "float4 const*"},
                                     {dtype::kComplex128, "double2*"},
                                     {dtype::kFloat64, "std::complex<double>*"},
                                     {dtype::kFloat16, "float4 const*"},
                                     {DType{kDLFloat, 16, 8}, "float4 const*"},
                                     {DType{kDLFloat, 32, 4}, "double2*"},
                                     {DType{kDLBfloat, 16, 2}, "__nv_bfloat162*"},
                                     {dtype::kFloat8E4M3FNUZ, "__nv_fp8_e4m3*"},
                                     {dtype::kFloat8E5M2, "__nv_fp8_e5m2*"},
                                     {dtype::kUInt8, "__nv_fp8_e5m2*"}}) {
    EXPECT_TRUE(passes(tensor, type)) << type;
  }
}

TEST_F(LaunchCheckTest, ShowsUnnamedArgumentsBySize) {
  EXPECT_THAT(
      kernel({{8, kPointer, "pointer x"}, {4}}, KernelForm{{{{8}, {8}, {1}}}, 0}),
      HasSubstr("with 2 arguments of 8, 4 bytes: pointer x, 4 bytes (its code takes 3 arguments of 8, 8, 1 bytes)"));
}

// A backend gets both sides of `check_kernel` from here, whatever its source for the code's parameters (C3.11).
TEST_F(LaunchCheckTest, PassedArgumentsMatchProgram) {
  ProgramBuilder builder{"passed"};
  builder.output("out", dtype::kFloat32, {64});
  const Expr x = builder.scalar("x", dtype::kInt8);
  builder.scalar("h", dtype::kFloat16);
  builder.scalar("a", dtype::kFloat32);
  builder.scalar("b", dtype::kBool);
  builder.variant("cuda").source("k.cu", "").workspace("w", 512);
  TensorMap map;
  map.name = "tiles";
  map.base = {"out"};
  map.dims = {64};
  map.mode = TiledMap{{32}};
  builder.tensor_map(map);
  builder.launch("k")
      .grid({1})
      .block({1})
      .args({"out", "w", "tiles", "x", "h", "a", "b"})
      .arg(x + Expr(1), dtype::kInt32)
      .arg(StructArg{{TensorArg{"out"}, ScalarArg{"x"}}});
  const Plan made = lower(builder.build().value(), 0).value();
  const auto& launch = std::get<PlanLaunch>(made.steps[0]);
  const std::vector<KernelArgument> passed = passed_arguments(made, launch);
  EXPECT_THAT(passed,
              testing::ElementsAre(
                  KernelArgument{8, kPointer, "pointer out", dtype::kFloat32}, KernelArgument{8, kPointer, "pointer w"},
                  KernelArgument{128, kTensorMap, "tensor map tiles"}, KernelArgument{1, kInteger, "int8 x"},
                  KernelArgument{2, kUnknown, "float16 h"}, KernelArgument{4, kFloat, "float32 a"},
                  KernelArgument{1, kInteger, "bool b"}, KernelArgument{4, kInteger, "int32(x + 1)"},
                  KernelArgument{16, ArgumentKind::kStruct, "struct {out, x}"}));
  EXPECT_THAT(passed_bytes(launch), testing::ElementsAre(8, 8, 128, 1, 2, 4, 1, 4, 16));
}

TEST_F(LaunchCheckTest, ClassifiesParametersByCppType) {
  const auto typed = [](std::vector<KernelArgument> parameters, const std::vector<std::string>& types) {
    add_types(parameters, types);
    return parameters;
  };
  EXPECT_THAT(typed({{8}, {4}, {8}, {16}, {1}}, {"float const*", "float", "unsigned long", "ns::Pair", "bool"}),
              testing::ElementsAre(KernelArgument{8, kPointer, "float const*", dtype::kFloat32},
                                   KernelArgument{4, kFloat, "float"}, KernelArgument{8, kInteger, "unsigned long"},
                                   KernelArgument{16, kUnknown, "ns::Pair"}, KernelArgument{1, kInteger, "bool"}));
  EXPECT_THAT(typed({{8}, {4}}, {"float*"}), testing::ElementsAre(KernelArgument{8}, KernelArgument{4}));
  EXPECT_THAT(typed({{8}, {4}}, {"float*", "double"}), testing::ElementsAre(KernelArgument{8}, KernelArgument{4}));
  EXPECT_EQ(typed({{64}}, {std::string(1000, 'T')})[0].text, std::string(60, 'T') + "...");
}

}  // namespace
}  // namespace kmux
