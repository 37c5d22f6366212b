// The driver calls of programs in CuTe DSL, compiled by it, starting from an application's calls.
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "kmux/plugin/private_folder.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "over_fake.h"

namespace kmux::cutedsl {
namespace {

using nvidia::make_current;
using nvidia::OverFake;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const Expr kN = Expr::symbol("n");

constexpr const char* kKernels = R"(import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as tma


@cute.kernel
def scale(x: cute.Tensor, by: cutlass.Float32):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        x[i] = x[i] * by


@cute.kernel
def shift(x: cute.Tensor, n: cutlass.Int32):
    i = cute.arch.thread_idx()[0]
    if i < n:
        x[i] = x[i] + 1.0


@cute.kernel
def mapped(m: cutlass.GridConstant[tma.TensorMap], x: cute.Tensor):
    x[0] = 1.0
)";

class LaunchesTest : public OverFake {
 protected:
  // Returns a program with a vector "x" of n floats and a factor "by".
  static ProgramBuilder program(const std::string& name) {
    ProgramBuilder builder(name);
    builder.buffer("x", BufferParam{dtype::kFloat32, {builder.symbol("n")}});
    builder.scalar("by", dtype::kFloat32);
    builder.variant("cutedsl").source("kernels.py", kKernels);
    return builder;
  }
  std::vector<std::string> launches_of(const Kernel& kernel, const std::vector<Arg>& args) {
    work_of(kernel, args);
    return fake.calls("cuLaunchKernelEx");
  }
};
INSTANTIATE_TEST_SUITE_P(On, LaunchesTest, testing::Values("cutedsl"),
                         [](const auto& plugin) { return std::string(plugin.param); });

TEST_P(LaunchesTest, PassGeometryAttributesAndParameters) {
  ProgramBuilder builder = program("all");
  builder.launch("scale").grid({ceildiv(kN, 128)}).block({128}).args({"x", "by"});
  builder.launch("shift").grid({2}).block({64}).dynamic_smem_bytes(60000).programmatic_serialization().args({"x"}).arg(
      kN);
  builder.launch("shift").grid({4}).block({32}).cluster({2}).args({"x"}).arg(kN);
  builder.launch("shift").grid({3}).block({32}).cooperative().args({"x"}).arg(kN);
  builder.launch("scale").grid({5}).block({128}).args({"x", "by"});
  const Kernel kernel = compiled(builder);
  kernel.warm().value();
  make_current();
  EXPECT_THAT(fake.calls("cuKernelSetAttribute"), ElementsAre(HasSubstr("attribute 8 value 60000 device 0")));
  const Tensor x = zeros(kernel, {1000});
  struct Vector {
    void* data;
    std::int32_t extent;
  };
  std::vector<Vector> vectors;
  std::vector<float> factors;
  fake.on_launch([&](const fake_cuda::KernelRun& run) {
    vectors.push_back(*static_cast<const Vector*>(run.args[0]));
    if (run.kernel.find("scale") != std::string::npos) factors.push_back(*static_cast<const float*>(run.args[1]));
  });
  const auto calls = launches_of(kernel, {x, 1.5});
  ASSERT_THAT(calls, SizeIs(5));
  EXPECT_THAT(calls[0],
              AllOf(HasSubstr("scale"), HasSubstr("grid 8,1,1 block 128,1,1 smem 0"), HasSubstr("attributes []")));
  EXPECT_THAT(calls[1], AllOf(HasSubstr("shift"), HasSubstr("grid 2,1,1 block 64,1,1 smem 60000"),
                              HasSubstr("0x000003e8] attributes [programmatic")));
  EXPECT_THAT(calls[2], AllOf(HasSubstr("grid 4,1,1 block 32,1,1"), HasSubstr("attributes [cluster 2,1,1]")));
  EXPECT_THAT(calls[3], AllOf(HasSubstr("grid 3,1,1 block 32,1,1"), HasSubstr("attributes [cooperative")));
  EXPECT_THAT(calls[4], AllOf(HasSubstr("scale"), HasSubstr("grid 5,1,1 block 128,1,1")));
  ASSERT_THAT(vectors, SizeIs(5));
  for (const Vector& vector : vectors) {
    EXPECT_EQ(vector.data, x.data());
    EXPECT_EQ(vector.extent, 1000);
  }
  EXPECT_THAT(factors, ElementsAre(1.5F, 1.5F));
}

// The manifest takes the option from the environment.
TEST_P(LaunchesTest, BlockingVariableWaitsForCompletion) {
  use_variable("KMUX_LAUNCH_BLOCKING", "1");
  ProgramBuilder builder = program("blocking");
  builder.launch("scale").grid({1}).block({128}).args({"x", "by"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {4});
  fake.fail("cuStreamSynchronize", nvidia::CUDA_ERROR_LAUNCH_FAILED);
  const Status refused = kernel.launch({x, 1.5});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("_scale_"), HasSubstr("failed with 719 CUDA_ERROR_LAUNCH_FAILED")));
}

TEST_P(LaunchesTest, ReencodeTensorMapOnShapeChange) {
  ProgramBuilder builder = program("mapped");
  TensorMap map;
  map.name = "rows";
  map.base = {"x"};
  map.dims = {64, floordiv(kN, 64)};
  map.strides_bytes = {256};
  map.mode = TiledMap{{32, 8}};
  map.swizzle = Swizzle::k128B;
  builder.tensor_map(map);
  builder.launch("mapped").grid({1}).block({32}).args({"rows", "x"});
  const Kernel kernel = warmed(builder);
  const Tensor large = zeros(kernel, {6400});
  std::vector<fake_cuda::TensorMapBytes> maps;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { maps.push_back(FakeCuda::read_map(run.args[0])); });
  const auto of_length = [&](std::int64_t length) {
    return Tensor::borrow(large.data(), {length}, dtype::kFloat32, kernel.device());
  };
  work_of(kernel, {of_length(640), 1.0});
  work_of(kernel, {of_length(1280), 1.0});
  work_of(kernel, {of_length(640), 1.0});
  ASSERT_THAT(maps, SizeIs(3));
  EXPECT_EQ(maps[0].dims_less_one[1], 9u);
  EXPECT_EQ(maps[1].dims_less_one[1], 19u);
  EXPECT_EQ(maps[2].dims_less_one[1], 9u);
  EXPECT_EQ(maps[0].base, reinterpret_cast<std::uintptr_t>(large.data()));
}

TEST_P(LaunchesTest, CachedKernelNeedsNoPython) {
  const PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  ProgramBuilder builder = program("cached");
  builder.launch("scale").grid({1}).block({128}).args({"x", "by"});
  const Program scaled = builder.build().value();
  Environment environment = Environment::from_process();
  environment.disable_cache = false;
  environment.cache_dir = folder.path() + "/cache";
  RegistryOptions registry;
  registry.variables = environment.variables;
  const CompileOptions options{.target = "cuda:sm_90a", .execution_backend = "cutedsl"};
  {
    const auto first = Runtime::create(environment, registry).value();
    compile(*first, scaled, options).value();
  }
  // Neither the compiling Python nor any other exists now.
  registry.variables["KMUX_CUTEDSL_PYTHON"] = folder.path() + "/none/python3";
  const auto second = Runtime::create(environment, registry).value();
  const Kernel kernel = compile(*second, scaled, options).value();
  kernel.warm().value();
  make_current();
  EXPECT_THAT(launches_of(kernel, {zeros(kernel, {100}), 2.0}), SizeIs(1));

  builder.launch("scale").grid({2}).block({128}).args({"x", "by"});
  const auto other = compile(*second, builder.build().value(), options);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(other.error().explain(), HasSubstr("pip install 'nvidia-cutlass-dsl>=4.7.0'"));
}

}  // namespace
}  // namespace kmux::cutedsl
