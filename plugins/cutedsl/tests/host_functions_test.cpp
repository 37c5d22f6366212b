// The driver calls of CuTe DSL's host functions, with the real compiler: the examples, and functions of each kind.
#include <cstring>

#include "kmux/export_library.h"
#include "kmux/program.h"

#include "exported.h"
#include "over_fake.h"

namespace kmux::cutedsl {
namespace {

using nvidia::Exported;
using nvidia::make_current;
using nvidia::OverFake;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const Expr kElements = Expr::symbol("n");

constexpr const char* kFunctions = R"(import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute


@cute.kernel
def scale(x: cute.Tensor, by: cutlass.Float32):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < x.shape[0]:
        x[i] = x[i] * by


@cute.jit
def twice(x: cute.Tensor, by: cutlass.Float32, stream: cuda.CUstream, threads: cutlass.Constexpr = 128):
    n = x.shape[0]
    scale(x, by).launch(grid=[(n + 127) // 128, 1, 1], block=[threads, 1, 1], stream=stream)
    scale(x, by).launch(grid=[2, 1, 1], block=[64, 1, 1], smem=100000, cluster=[2, 1, 1], use_pdl=True, stream=stream)


@cute.jit
def guarded(n: cutlass.Int32, x: cute.Tensor):
    if n > 10:
        scale(x, 3.0).launch(grid=[n, 1, 1], block=[32, 1, 1], cooperative=True)


@cute.kernel
def zero_end(x: cute.Pointer):
    cute.recast_ptr(x, dtype=cutlass.Float32)[0] = 0.0


@cute.jit
def on_pointer(x: cute.Pointer):
    zero_end(x).launch(grid=[1, 1, 1], block=[1, 1, 1])


@cute.jit
def largest(x: cute.Tensor):
    scale(x, 1.0).launch(grid=[1, 1, 1], block=[32, 1, 1], smem=300000)
)";

class HostFunctionsTest : public OverFake {
 protected:
  // Returns a program with a vector "x" of n floats and a factor "by".
  static ProgramBuilder program(const std::string& name, const char* source = kFunctions) {
    ProgramBuilder builder(name);
    builder.buffer("x", BufferParam{dtype::kFloat32, {builder.symbol("n")}});
    builder.scalar("by", dtype::kFloat32);
    builder.variant("cutedsl").source("functions.py", source);
    return builder;
  }
  Kernel example(const std::string& name) {
    const Program program = load_program(std::string(KMUX_CUTEDSL_EXAMPLES) + "/" + name + ".py").value();
    const Kernel kernel = compile(*runtime, program, {.target = "cuda:sm_90a", .execution_backend = "cutedsl"}).value();
    kernel.warm().value();
    make_current();
    return kernel;
  }
  std::string refusal(const ProgramBuilder& builder) {
    const auto kernel = try_compile(builder);
    return kernel ? "it worked" : kernel.error().explain();
  }
  // Returns the launches of a call; the first 8 bytes of each argument are stored in `words`.
  std::vector<std::string> launches_of(const Kernel& kernel, const std::vector<Arg>& args, void* stream = nullptr) {
    words.clear();
    fake.on_launch([&](const fake_cuda::KernelRun& run) {
      std::memcpy(&words.emplace_back(), run.args[0], sizeof(std::uint64_t));
    });
    work_of(kernel, args, stream);
    fake.on_launch({});
    return fake.calls("cuLaunchKernelEx");
  }
  std::vector<std::uint64_t> words;
};
INSTANTIATE_TEST_SUITE_P(On, HostFunctionsTest, testing::Values("cutedsl"),
                         [](const auto& plugin) { return std::string(plugin.param); });

std::uint64_t address_of(const Tensor& tensor) { return reinterpret_cast<std::uintptr_t>(tensor.data()); }

TEST_P(HostFunctionsTest, AddLaunchesOneTilePerBlock) {
  const Kernel add = example("add");
  const Tensor a = zeros(add, {100, 1000});
  const Tensor b = zeros(add, {100, 1000});
  const Tensor c = zeros(add, {100, 1000});
  const auto calls = launches_of(add, {a, b, c});
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(calls[0],
              AllOf(HasSubstr("add_tiles"), HasSubstr("grid 28,1,1 block 256,1,1"), HasSubstr("attributes []")));
  EXPECT_THAT(words, ElementsAre(address_of(a)));
}

TEST_P(HostFunctionsTest, SoftmaxSelectsBlockByColumns) {
  const Kernel softmax = example("softmax");
  const auto block_of = [&](std::int64_t rows, std::int64_t columns) {
    const auto calls = launches_of(softmax, {zeros(softmax, {rows, columns}), zeros(softmax, {rows, columns})});
    EXPECT_THAT(calls, SizeIs(1));
    return calls.at(0);
  };
  EXPECT_THAT(block_of(7, 1000), HasSubstr("grid 7,1,1 block 128,1,1"));
  EXPECT_THAT(block_of(5, 4000), HasSubstr("grid 5,1,1 block 512,1,1"));
}

TEST_P(HostFunctionsTest, GemmEncodesItsTensorMaps) {
  const Kernel gemm = example("gemm");
  const Tensor a = zeros(gemm, {300, 512}, dtype::kFloat16);
  const Tensor b = zeros(gemm, {200, 512}, dtype::kFloat16);
  const Tensor c = zeros(gemm, {300, 200}, dtype::kFloat16);
  const auto calls = launches_of(gemm, {a, b, c});
  ASSERT_THAT(calls, SizeIs(1));
  EXPECT_THAT(calls[0], HasSubstr("grid 3,2,1 block 256,1,1 smem 13"));
  EXPECT_THAT(words, ElementsAre(address_of(a)));  // a map begins with its address
  EXPECT_THAT(fake.calls("cuTensorMapEncodeTiled"), SizeIs(0));
}

TEST_P(HostFunctionsTest, UseCallStreamAndLaunchOptions) {
  ProgramBuilder builder = program("twice");
  builder.launch("twice").args({"x", "by"});
  const Kernel kernel = warmed(builder);
  const Stream stream = Stream::create(kernel.device()).value();
  const Tensor x = zeros(kernel, {1000});
  const auto calls = launches_of(kernel, {x, 1.5}, stream.handle());
  ASSERT_THAT(calls, SizeIs(2));
  const std::string in_stream = "stream " + nvidia::written(stream.handle());
  EXPECT_THAT(calls[0], AllOf(HasSubstr("grid 8,1,1 block 128,1,1 smem 0"), HasSubstr("attributes []")));
  EXPECT_THAT(calls[1], AllOf(HasSubstr("grid 2,1,1 block 64,1,1 smem 100000"), HasSubstr("cluster 2,1,1"),
                              HasSubstr("programmatic")));
  EXPECT_THAT(words, ElementsAre(address_of(x), address_of(x)));
}

TEST_P(HostFunctionsTest, RunInOrderWithKernels) {
  ProgramBuilder builder = program("several");
  builder.launch("scale").grid({ceildiv(kElements, 128)}).block({128}).args({"x", "by"});
  builder.launch("guarded").arg(kElements).args({"x"});
  builder.launch("twice").args({"x", "by"});
  builder.launch("scale").grid({5}).block({128}).args({"x", "by"});
  const Kernel kernel = warmed(builder);
  const auto calls = launches_of(kernel, {zeros(kernel, {500}), 1.5});
  ASSERT_THAT(calls, SizeIs(5));
  EXPECT_THAT(calls[0], HasSubstr("grid 4,1,1 block 128,1,1"));
  EXPECT_THAT(calls[1], AllOf(HasSubstr("grid 500,1,1 block 32,1,1"), HasSubstr("cooperative")));
  EXPECT_THAT(calls[2], HasSubstr("grid 4,1,1 block 128,1,1"));
  EXPECT_THAT(calls[3], HasSubstr("grid 2,1,1 block 64,1,1 smem 100000"));
  EXPECT_THAT(calls[4], HasSubstr("grid 5,1,1 block 128,1,1"));
  EXPECT_THAT(launches_of(kernel, {zeros(kernel, {10}), 1.5}), SizeIs(4)) << "a guard of the host function";
}

TEST_P(HostFunctionsTest, SkipLaunchOnEmptyGrid) {
  ProgramBuilder builder = program("empty");
  builder.launch("twice").args({"x", "by"});
  const Kernel kernel = warmed(builder);
  EXPECT_THAT(launches_of(kernel, {zeros(kernel, {0}), 1.5}), SizeIs(1));
}

TEST_P(HostFunctionsTest, AcceptPointersWithOffsets) {
  ProgramBuilder builder = program("pointer");
  builder.workspace("room", 2048, 1024);
  builder.launch("on_pointer").arg(WorkspaceArg{"room", 512});
  const Kernel kernel = warmed(builder);
  EXPECT_THAT(launches_of(kernel, {zeros(kernel, {10}), 1.5}), SizeIs(1));
  EXPECT_EQ(words.at(0) % 1024, 512u);
}

TEST_P(HostFunctionsTest, ReportFailedLaunch) {
  ProgramBuilder builder = program("failing");
  builder.launch("twice").args({"x", "by"});
  const Kernel kernel = warmed(builder);
  const Tensor x = zeros(kernel, {1000});
  fake.fail("cuLaunchKernelEx", nvidia::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 2);
  const Status failed = kernel.launch({x, 1.5});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(failed.error().message,
              AllOf(HasSubstr("cuLaunchKernelEx failed with 701"), HasSubstr("scale"), HasSubstr("block 64 x 1 x 1")));
  EXPECT_THAT(launches_of(kernel, {x, 1.5}), SizeIs(2)) << "the next call is a whole one";
}

TEST_P(HostFunctionsTest, ReportExcessiveSharedMemory) {
  ProgramBuilder builder = program("large");
  builder.launch("largest").args({"x"});
  const Kernel kernel = warmed(builder);
  const Status failed = kernel.launch({zeros(kernel, {10}), 1.5});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("requests 300000 bytes of dynamic shared memory"));
}

TEST_P(HostFunctionsTest, WorkInExportedLibraries) {
  ProgramBuilder builder("outside");
  builder.buffer("x", BufferParam{dtype::kFloat32, {builder.symbol("n")}});
  builder.variant("cutedsl").source("functions.py", kFunctions);
  builder.launch("guarded").arg(kElements).args({"x"});
  const Kernel kernel = warmed(builder);
  const nvidia::ExportFolder folder;
  ExportOptions options{.library = folder.path / "outside.so"};
  options.compile.execution_backend = "cutedsl";
  export_library(*runtime, builder.build().value(), options).value();
  const Exported outside(options.library, "outside");
  const Tensor x = zeros(kernel, {1000});
  EXPECT_EQ(outside.prepare(0), 0) << outside.last_error();
  fake.clear_calls();
  EXPECT_EQ(outside({x.dl()}), "");
  EXPECT_THAT(fake.calls("cuLaunchKernelEx"), ElementsAre(HasSubstr("grid 1000,1,1 block 32,1,1")));
  outside.close();
}

TEST_P(HostFunctionsTest, AreDistinguishedFromKernels) {
  ProgramBuilder with_grid = program("with_grid");
  with_grid.launch("twice").grid({1}).block({128}).args({"x", "by"});
  EXPECT_THAT(refusal(with_grid),
              HasSubstr("twice is a host function, @cute.jit, and is launched with grid and block"));
  ProgramBuilder without = program("without");
  without.launch("scale").args({"x", "by"});
  EXPECT_THAT(refusal(without), HasSubstr("scale is a kernel, @cute.kernel, and is launched without grid and block"));
  ProgramBuilder unknown = program("unknown");
  unknown.launch("gone").args({"x"});
  EXPECT_THAT(refusal(unknown), HasSubstr("no source defines the host function gone"));
}

TEST_P(HostFunctionsTest, RejectMismatchedLaunches) {
  ProgramBuilder few = program("few");
  few.launch("twice").args({"x"});
  EXPECT_THAT(refusal(few), HasSubstr("twice takes (x, by, threads) and is launched with 1 arguments"));
  ProgramBuilder clustered = program("clustered");
  clustered.launch("twice").cluster({2}).args({"x", "by"});
  EXPECT_THAT(refusal(clustered), HasSubstr("\"twice\" is launched with a cluster and without grid and block"));
}

}  // namespace
}  // namespace kmux::cutedsl
