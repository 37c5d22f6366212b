#include "builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/json.h"

#include "cubin.h"
#include "dialect.h"
#include "entries.h"
#include "nvidia/cubin.h"
#include "nvidia/launch_check.h"
#include "nvidia/library/adapter.h"
#include "workbench.h"

namespace kmux::cutedsl {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// With the real CuTe DSL: each of these starts a Python.
class BuilderTest : public CuteDslTest {};

std::vector<std::size_t> sizes_in(const Artifact& artifact) {
  const auto cubin = fake_cuda::read_cubin(artifact.find(nvidia::kCodePart)->data());
  std::vector<std::size_t> sizes;
  for (const auto& [name, kernel] : cubin->kernels) {
    for (const auto& parameter : kernel.parameters) sizes.push_back(parameter.size);
  }
  return sizes;
}

const std::string kManyParameters = kImports + R"(import cutlass.experimental.cuda as tma

@cute.kernel
def many(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, d: cute.Tensor, w: cute.Pointer, p: cute.Pointer, h, q, f, e,
         m: cutlass.GridConstant[tma.TensorMap], n):
    i = cute.arch.thread_idx()[0]
    if f:
        a[i, 0] = cutlass.Float32(h) + cutlass.Float32(q) + cutlass.Float32(n) + cutlass.Float32(b[i, 0])
)";

// Returns a kernel with every kind of parameter, once each.
ProgramBuilder many_parameters() {
  ProgramBuilder builder("many");
  const Expr m = builder.symbol("m");
  const Expr n = builder.symbol("n");
  const Expr ld = builder.symbol("ld");
  builder.buffer("a", BufferParam{dtype::kFloat32, {m, n}});
  builder.buffer("b", BufferParam{dtype::kBFloat16, {4, 8}});
  builder.buffer("c", BufferParam{dtype::kInt8, {m, 8}, std::vector<Expr>{ld, 1}});
  builder.buffer("d", BufferParam{dtype::kFloat8E4M3FN, {}});
  builder.pointer("p").scalar("h", dtype::kFloat16);
  builder.scalar("q", dtype::kInt8);
  builder.scalar("f", dtype::kBool);
  builder.scalar("e", dtype::kFloat64);
  builder.variant("cutedsl").source("many.py", kManyParameters).workspace("w", 512);
  TensorMap map;
  map.name = "a_map";
  map.base = {"a"};
  map.dims = {n, m};
  map.strides_bytes = {n * 4};
  map.mode = TiledMap{{32, 32}};
  map.swizzle = Swizzle::k128B;
  builder.tensor_map(map);
  builder.launch("many")
      .grid({1})
      .block({32})
      .args({"a", "b", "c", "d", "w", "p", "h", "q", "f", "e", "a_map"})
      .arg(n, dtype::kInt64);
  return builder;
}

TEST_F(BuilderTest, KernelParametersMatchLaunches) {
  const Program program = many_parameters().build().value();
  const Artifact artifact = build(program).value();
  const Entries entries = make_entries(program, 0).value();
  std::vector<std::size_t> expected;
  for (const Parameter& parameter : entries.list[0].parameters) expected.push_back(size_of(parameter));
  EXPECT_EQ(sizes_in(artifact), expected);
  EXPECT_THAT(expected, ElementsAre(24, 8, 24, 8, 8, 8, 2, 1, 1, 8, 128, 8));
}

TEST_F(BuilderTest, BuildsCodeForEachEntry) {
  ProgramBuilder builder = vector_program(kScale);
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  builder.launch("scale").grid({1}).block({64}).args({"x"});
  builder.launch("scale").grid({1}).block({Expr::symbol("n")}).args({"x"});
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  const Artifact artifact = build(builder.build().value()).value();
  EXPECT_THAT(fake_cuda::read_cubin(artifact.find(nvidia::kCodePart)->data())->kernels, SizeIs(3));
  EXPECT_THAT(*artifact.find(nvidia::kMetaPart),
              AllOf(HasSubstr(R"json("kernels":["scale","scale (2)","scale (3)"])json"), HasSubstr("CuTe DSL 4."),
                    HasSubstr("cuda:sm_90a")));
}

const std::string kHostFunction = kScale + R"(

@cute.jit
def twice(x: cute.Tensor):
    scale(x).launch(grid=[1, 1, 1], block=[32, 1, 1])
)";

// A function that is compiled more than once yields as many kernels, and kernels of host functions keep their symbols.
TEST_F(BuilderTest, RecordsKernelResources) {
  ProgramBuilder builder = vector_program(kHostFunction + R"(

@cute.kernel
def zero(x: cute.Tensor):
    x[cute.arch.thread_idx()[0]] = 0.0
)");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  builder.launch("scale").grid({1}).block({64}).args({"x"});
  builder.launch("zero").grid({1}).block({Expr::symbol("n")}).args({"x"});
  builder.launch("twice").args({"x"});
  const Artifact artifact = build(builder.build().value()).value();
  ASSERT_NE(artifact.find("kernels.json"), nullptr);
  const Json list = parse_json(*artifact.find("kernels.json")).value();
  std::vector<std::string> names;
  std::vector<std::int64_t> threads;
  for (const Json& kernel : *list.as_array()) {
    names.push_back(*kernel.find("kernel")->as_string());
    threads.push_back(*kernel.find("max_threads")->as_integer());
    EXPECT_GE(*kernel.find("registers")->as_integer(), 4) << names.back();
    for (const char* key : {"local_bytes", "shared_bytes", "constant_bytes"}) {
      EXPECT_EQ(*kernel.find(key)->as_integer(), 0) << names.back() << " " << key;
    }
    EXPECT_EQ(*kernel.find("multiprocessor")->find("registers")->as_integer(), 65536);
  }
  EXPECT_THAT(names, ElementsAre("scale (1)", "scale (2)", "zero", testing::StartsWith("kernel_cutlass_scale")));
  EXPECT_THAT(threads, ElementsAre(128, 64, 1024, 32)) << "the blocks that they are compiled for";
}

TEST_F(BuilderTest, ReportsErrorsInSourceLines) {
  ProgramBuilder builder =
      vector_program(kImports + "@cute.kernel\ndef scale(x: cute.Tensor):\n    x[0] = nonsense(x)\n");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  const Error error = failure(builder.build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, AllOf(HasSubstr("kernels.py:7"), HasSubstr("NameError"), HasSubstr("nonsense")));
  EXPECT_THAT(error.explain(), AllOf(HasSubstr("in scale: x[0] = nonsense(x)"), HasSubstr("kmux_compile.py")));
}

TEST_F(BuilderTest, ReportsSyntaxErrorLine) {
  ProgramBuilder builder = vector_program("import cutlass\ndef scale(:\n");
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  EXPECT_THAT(failure(builder.build().value()).message, AllOf(HasSubstr("kernels.py:2"), HasSubstr("SyntaxError")));
}

// C2.16: the error code shared by all backends.
TEST_F(BuilderTest, ReportsMissingKernel) {
  ProgramBuilder builder = vector_program(kScale);
  builder.launch("scales").grid({1}).block({128}).args({"x"});
  const Error error = failure(builder.build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("no source defines the kernel scales"));
}

// C3.3
TEST_F(BuilderTest, RejectsInvalidExtents) {
  ProgramBuilder builder = vector_program(kScale);
  builder.launch("scale").grid({1}).block({2048}).args({"x"});
  EXPECT_THAT(failure(builder.build().value()).message,
              HasSubstr("with blocks of 2048 threads (the device has at most 1024)"));
}

// C3.3: CuTe DSL declares the arguments that launches pass, so only foreign code differs.
TEST_F(BuilderTest, ChecksLaunchesAgainstCode) {
  ProgramBuilder builder = vector_program(kScale);
  builder.launch("scale").grid({1}).block({128}).args({"x"});
  const Artifact artifact = build(builder.build().value()).value();
  const std::string& cubin = *artifact.find(nvidia::kCodePart);
  ProgramBuilder other = vector_program(kScale);
  other.launch("scale").grid({1}).block({128}).args({"x"}).arg(1, dtype::kInt32);
  const Entries entries = make_entries(other.build().value(), 0).value();
  const Status differs =
      nvidia::check_launches(entries.plan, nvidia::cubin_kernels(cubin).value(), cubin, argument_sizes(entries));
  ASSERT_FALSE(differs.ok());
  EXPECT_THAT(differs.error().message,
              HasSubstr("with 2 arguments of 16, 4 bytes: pointer x, int32 1 (its code takes 1 argument of 16 bytes)"));
}

}  // namespace
}  // namespace kmux::cutedsl
