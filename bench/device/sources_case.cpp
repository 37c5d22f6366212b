// The sources of programs: templates, their own headers and headers of folders, preludes, compiled code.
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>

#include "suite.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(Sources);

constexpr std::int64_t kCount = 100;

// Declares x in, y out, both of `kCount` floats.
ProgramBuilder vectors(const char* name, const char* dialect = "cuda") {
  ProgramBuilder builder(name);
  builder.input("x", dtype::kFloat32, {kCount}).output("y", dtype::kFloat32, {kCount}).variant(dialect);
  return builder;
}

Numbers scaled(const Numbers& numbers, double by) {
  Numbers out;
  for (const double number : numbers) out.push_back(number * by);
  return out;
}

// Returns the result of a kernel of `vectors` for `numbers`.
Tensor result_of(const Kernel& kernel, const Numbers& numbers) {
  const Tensor y = poisoned(kernel, {kCount}, dtype::kFloat32);
  kernel.launch({uploaded(kernel, {kCount}, dtype::kFloat32, numbers), y}).value();
  kernel.device().synchronize().value();
  return y;
}

TEST_P(Sources, InstantiationsOfTemplates) {
  ProgramBuilder builder = vectors("templates");
  builder.source("templates.cu", R"(
namespace shapes {
template <class T, int kBy> __global__ void scale(const T* x, T* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] * kBy;
}
}
)");
  builder.launch("shapes::scale<float, 3>").grid({1}).block({128}).args({"x", "y"}).arg(kCount);
  builder.launch("shapes::scale<float, 2>").grid({1}).block({128}).args({"y", "y"}).arg(kCount);
  const Numbers numbers = random_numbers(kCount);
  expect_numbers(result_of(compiled(builder), numbers), scaled(numbers, 6));
}

TEST_P(Sources, SeveralFilesAndHeaders) {
  const auto folder = std::filesystem::temp_directory_path() / ("kmux-suite-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "machine.h") << "#define FROM_MACHINE 5\n";
  ProgramBuilder builder = vectors("files");
  builder.settings({.defines = {"FROM_DEFINE=7"}, .preludes = {"prelude.h"}});
  builder.header("prelude.h", "#define FROM_PRELUDE 2\n").header("include/own.h", "#define FROM_PROGRAM 3\n");
  builder.source("first.cu",
                 "#include \"include/own.h\"\n__device__ float by() { return FROM_PROGRAM * FROM_DEFINE; }\n");
  builder.source("second.cu", R"(#include <machine.h>
extern "C" __global__ void scale(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] * by() * FROM_MACHINE * FROM_PRELUDE;
})");
  builder.launch("scale").grid({1}).block({kCount}).args({"x", "y"});
  const Kernel kernel = compiled(builder, {.include_dirs = {folder}});
  const Numbers numbers = random_numbers(kCount);
  expect_numbers(result_of(kernel, numbers), scaled(numbers, 210));
  std::filesystem::remove_all(folder);
}

TEST_P(Sources, ErrorsHaveTheUsersLines) {
  ProgramBuilder builder = vectors("broken");
  builder.source("broken.cu",
                 "extern \"C\" __global__ void scale(const float* x, float* y) {\n  y[0] = nonsense;\n}\n");
  builder.launch("scale").grid({1}).block({1}).args({"x", "y"});
  const auto refused = try_compile(builder.build().value());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(refused.error().explain(),
              ::testing::AllOf(::testing::HasSubstr("broken.cu(2)"), ::testing::HasSubstr("nonsense")));
}

constexpr const char* kDouble = R"(
extern "C" __global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
)";

TEST_P(Sources, ReadyCubin) {
  ProgramBuilder text = vectors("text");
  text.source("twice.cu", kDouble);
  text.launch("twice").grid({1}).block({kCount}).args({"x", "y"});
  std::string code;
  for (const File& file : compiled(text).files()) {
    if (file.path == "artifact/code") code = file.content;
  }
  ProgramBuilder ready = vectors("ready", "cubin");
  ready.source("twice.cubin", code).launch("twice").grid({1}).block({kCount}).args({"x", "y"});
  const Numbers numbers = random_numbers(kCount);
  expect_numbers(result_of(compiled(ready), numbers), scaled(numbers, 2));
}

TEST_P(Sources, ReadyPtx) {
  ProgramBuilder builder = vectors("ready_ptx", "ptx");
  builder.source("twice.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(.param .u64 x, .param .u64 y) {
  .reg .b32 %i;
  .reg .b64 %at, %from, %to;
  .reg .f32 %value;
  mov.u32 %i, %tid.x;
  mul.wide.u32 %at, %i, 4;
  ld.param.u64 %from, [x];
  ld.param.u64 %to, [y];
  cvta.to.global.u64 %from, %from;
  cvta.to.global.u64 %to, %to;
  add.s64 %from, %from, %at;
  add.s64 %to, %to, %at;
  ld.global.f32 %value, [%from];
  add.f32 %value, %value, %value;
  st.global.f32 [%to], %value;
  ret;
}
)");
  builder.launch("twice").grid({1}).block({kCount}).args({"x", "y"});
  const Numbers numbers = random_numbers(kCount);
  expect_numbers(result_of(compiled(builder), numbers), scaled(numbers, 2));
}

}  // namespace
}  // namespace kmux::suite
