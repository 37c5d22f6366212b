#include "kmux/plugin/device_part.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temp_folder.h"

namespace kmux {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Variant variant_of(const std::string& text) { return {.dialect = "cuda", .sources = {{"k.cu", text}}}; }

DevicePart part_of(const std::string& text, const std::vector<std::string>& names = {}) {
  return device_part(variant_of(text), names, {});
}

// Returns the device part of `text`.
std::string left_of(const std::string& text, const std::vector<std::string>& names = {}) {
  return part_of(text, names).variant.sources.front().content;
}

constexpr const char* kKernel = "__global__ void k(float* x) { x[0] = 1; }\n";

TEST(DevicePartTest, KeepsProgramWithoutHostCode) {
  const std::string text =
      "#include <cuda_fp16.h>\nstruct Unused { int a; };\nfloat twice(float x) { return 2 * x; }\n"
      "extern \"C\" __global__ void k(float* x) { x[0] = 1; }\n";
  const DevicePart part = part_of(text);
  EXPECT_FALSE(part.is_cut);
  EXPECT_EQ(part.variant, variant_of(text));
}

TEST(DevicePartTest, RemovesMainAndItsHeadersInPlace) {
  const std::string text = std::string("#include <vector>\n#include <cstdio>\n") + kKernel +
                           "int main() {\n  std::vector<float> v(3);\n  k<<<1, 2>>>(v.data());\n}\n" + kKernel;
  const std::string left = left_of(text);
  EXPECT_THAT(left, AllOf(HasSubstr(kKernel), HasSubstr("#include <cstdio>"), Not(HasSubstr("vector")),
                          Not(HasSubstr("main"))));
  EXPECT_EQ(left.size(), text.size());
  EXPECT_EQ(std::ranges::count(left, '\n'), std::ranges::count(text, '\n'));
  EXPECT_EQ(left.rfind("__global__"), text.rfind("__global__"));
}

TEST(DevicePartTest, KeepsDeclarationsUsedByKernels) {
  const std::string left = left_of(
      "static const int kWidth = 4, kUnused = 5;\nenum Mode { kFast, kSlow };\nconstexpr int square(int a) { return a "
      "* a; }\n"
      "float helper(float x) { return x * square(kWidth); }\ntypedef float Number;\nusing Other = double;\n"
      "template <class T> struct Box { T value; };\n"
      "__global__ void k(float* x, Box<Number> b) { x[0] = helper(b.value) + kFast; }\n"
      "int ceil_div(int a, int b) { return (a + b - 1) / b; }\nint main() { k<<<ceil_div(9, 3), 1>>>(0, {}); }\n");
  EXPECT_THAT(left, AllOf(HasSubstr("kWidth = 4"), HasSubstr("enum Mode"), HasSubstr("int square"),
                          HasSubstr("float helper"), HasSubstr("typedef float Number"), HasSubstr("struct Box")));
  EXPECT_THAT(left, AllOf(Not(HasSubstr("ceil_div")), Not(HasSubstr("Other"))));
}

TEST(DevicePartTest, KeepsTypesUsedInKernelNames) {
  const std::string text =
      "struct Plus { int a; };\nstruct Minus { int a; };\ntemplate <class T> __global__ void k(T* x) {}\nint main() "
      "{}\n";
  EXPECT_THAT(left_of(text, {"k<Plus>"}), AllOf(HasSubstr("struct Plus"), Not(HasSubstr("struct Minus"))));
}

TEST(DevicePartTest, RecognizesQualifiersBehindMacros) {
  const std::string left = left_of(
      "#define DEVICE __device__ __forceinline__\n#define BOTH __host__ DEVICE\n#define KERNEL(name) __global__ void "
      "name(float* x)\n"
      "#define MAKE(T) __global__ void make_##T(T* x) { x[0] = 0; }\n"
      "DEVICE float a() { return 1; }\nBOTH float b() { return 1; }\nKERNEL(k) { x[0] = 1; }\nMAKE(int)\nvoid host() { "
      "k<<<1, 1>>>(0); }\n"
      "MAKE(float)\n__host__ float c() { return 1; }\n");
  EXPECT_THAT(left, AllOf(HasSubstr("float a()"), HasSubstr("float b()"), HasSubstr("KERNEL(k) {"),
                          HasSubstr("MAKE(int)"), HasSubstr("MAKE(float)")));
  EXPECT_THAT(left, AllOf(Not(HasSubstr("host()")), Not(HasSubstr("float c()"))));
}

TEST(DevicePartTest, RemovesCodeUsedOnlyByHostMacro) {
  const std::string left = left_of(
      "#define CHECK(x) check((x), __LINE__)\nvoid check(int error, int line) { report(error, line); }\n"
      "__global__ void k(float* x) { x[0] = 1; }\nint main() { CHECK(3); k<<<1, 1>>>(0); }\n");
  EXPECT_THAT(left, AllOf(HasSubstr("#define CHECK"), Not(HasSubstr("void check"))));
}

TEST(DevicePartTest, KeepsDirectivesInRemovedCode) {
  const std::string left =
      left_of(std::string(kKernel) +
              "void run() {\n#define WIDTH 4\n#ifdef BIG\n  k<<<2, 1>>>(0);\n#else\n  k<<<1, 1>>>(0);\n#endif\n}\n");
  EXPECT_THAT(left, AllOf(HasSubstr("#define WIDTH 4\n#ifdef BIG\n"), HasSubstr("#else\n"), HasSubstr("#endif\n"),
                          Not(HasSubstr("<<<"))));
}

TEST(DevicePartTest, BalancesBracesAcrossConditionalBranches) {
  const std::string left = left_of(
      "#ifdef A\nvoid run(int a) {\n#else\nvoid run() {\n#endif\n  k<<<1, 1>>>(0);\n}\n__global__ void k(float* x) { "
      "x[0] = 1; }\n");
  EXPECT_THAT(left, AllOf(HasSubstr("__global__"), Not(HasSubstr("run")), Not(HasSubstr("<<<"))));
}

TEST(DevicePartTest, RemovesHostMembersOfUsedTypes) {
  const std::string left = left_of(
      "struct Grid {\n  float* data;\n  Grid() { cudaMalloc(&data, 4); }\n  void fill() { k<<<1, 1>>>(*this); }\n"
      "  __device__ float at(int i) const { return data[i]; }\n  __host__ void show();\n};\n"
      "__global__ void k(Grid g) { g.data[0] = g.at(1); }\nint main() {}\n");
  EXPECT_THAT(left, AllOf(HasSubstr("float* data"), HasSubstr("float at(int i)"), Not(HasSubstr("cudaMalloc")),
                          Not(HasSubstr("<<<")), Not(HasSubstr("show"))));
}

TEST(DevicePartTest, KeepsVirtualMembers) {
  const std::string left = left_of(
      "struct Shape { float area; virtual void show() { cudaDeviceSynchronize(); } };\n"
      "__global__ void k(Shape* s) { s->area = 1; }\nint main() {}\n");
  EXPECT_THAT(left, HasSubstr("virtual void show()"));
}

TEST(DevicePartTest, RemovesHostIncludesWithoutCuttingCode) {
  const DevicePart part = part_of(std::string("#include <vector>\n") + kKernel);
  EXPECT_FALSE(part.is_cut);
  EXPECT_THAT(part.variant.sources.front().content, Not(HasSubstr("vector")));
}

TEST(DevicePartTest, RemovesHostTypesVariablesAndOperators) {
  const std::string left = left_of(
      "#include <iostream>\n#include <vector>\nstruct Point { float x; };\nstruct Timer { cudaEvent_t a; Timer() { "
      "cudaEventCreate(&a); } };\n"
      "std::vector<std::vector<float>> cache{{1}};\nstatic float *d_a, *d_b[2];\nvoid launch(float* x, cudaStream_t s "
      "= 0);\n"
      "std::ostream& operator<<(std::ostream& out, const Point& p) { return out << p.x; }\n"
      "Point operator+(Point a, Point b) { return {a.x + b.x}; }\n__global__ void k(Point* x) { x[0] = x[0] + x[1]; }\n"
      "PYBIND11_MODULE(NAME, m) { m.def(\"k\", 0); }\ntemplate void run<float>(float*);\nstatic_assert(sizeof(Timer) > "
      "1);\n"
      "using namespace std::chrono;\nusing namespace std;\n");
  EXPECT_THAT(left, AllOf(HasSubstr("operator+"), HasSubstr("using namespace std;"), Not(HasSubstr("operator<<")),
                          Not(HasSubstr("Timer")), Not(HasSubstr("cache"))));
  EXPECT_THAT(left, AllOf(Not(HasSubstr("d_a")), Not(HasSubstr("launch")), Not(HasSubstr("PYBIND")),
                          Not(HasSubstr("run<")), Not(HasSubstr("chrono"))));
}

// Kernels may call a function of the same name of a library.
TEST(DevicePartTest, RemovesInstantiationsOfHostTemplates) {
  const std::string left = left_of(
      "template <class T> __global__ void k(T* x) { x[0] = cg::reduce(x[0]); }\n"
      "template <class T> void reduce(T* x) { k<T><<<1, 1>>>(x); }\ntemplate void reduce<int>(int* x);\n"
      "template <class T> T scan(T x) { return x; }\ntemplate int scan<int>(int x);\n"
      "__global__ void s(int* x) { x[0] = scan(x[0]); }\ntemplate __global__ void k<float>(float* x);\n");
  EXPECT_THAT(left, AllOf(Not(HasSubstr("void reduce")), HasSubstr("template int scan<int>(int x);"),
                          HasSubstr("template __global__ void k<float>(float* x);")));
}

TEST(DevicePartTest, ToleratesTextThatLooksLikeCode) {
  const std::string left = left_of(
      "#if 0\nit isn't code {{\n#endif\n// int main() { don't\nint main() { puts(R\"x( } \" )x\"); char c = '{'; int n "
      "= 1'000; }\n"
      "extern \"C\" {\n__global__ void k(float* x) { x[0] = '}'; }\n}\nnamespace a::b { void run() { k<<<1, 1>>>(0); } "
      "}\n");
  EXPECT_THAT(left,
              AllOf(HasSubstr("isn't code"), HasSubstr("x[0] = '}'"), Not(HasSubstr("int n")), Not(HasSubstr("<<<"))));
}

TEST(DevicePartTest, KeepsFileWithUnbalancedBrackets) {
  const std::string text = std::string("int main() { k<<<1, 1>>>(0);\n") + kKernel;
  EXPECT_FALSE(part_of(text).is_cut);
}

TEST(DevicePartTest, ProcessesAllFilesOfProgram) {
  Variant variant =
      variant_of("#include \"ops.h\"\n#include \"vector\"\n__global__ void k(float* x) { x[0] = op(); }\n");
  variant.headers = {
      {"ops.h", "#include <map>\ninline float op() { return 1; }\ninline void other() { cudaMalloc(0, 1); }\n"},
      {"vector", "#define MINE 1\n"}};
  const Variant part = device_part(variant, {}, {}).variant;
  EXPECT_THAT(part.sources.front().content, HasSubstr("#include \"vector\"")) << "the program has it";
  EXPECT_THAT(part.headers.front().content,
              AllOf(HasSubstr("float op()"), Not(HasSubstr("map")), Not(HasSubstr("other"))));
}

TEST(DevicePartTest, KeepsHeadersFoundInFolders) {
  const TempFolder folder;
  folder.write("helper_cuda.h", "#define SIZE 4\n");
  const Variant variant = variant_of(std::string("#include <helper_cuda.h>\n#include <helper_timer.h>\n") + kKernel);
  const std::string left = device_part(variant, {}, {{folder.path()}, {}, {}}).variant.sources.front().content;
  EXPECT_THAT(left, AllOf(HasSubstr("helper_cuda.h"), Not(HasSubstr("helper_timer.h"))));
}

TEST(DevicePartTest, RemovesLibrariesUnusedByDevice) {
  EXPECT_THAT(left_of(std::string("#include <thrust/sort.h>\n#include <tuple>\n") + kKernel),
              AllOf(Not(HasSubstr("thrust")), Not(HasSubstr("tuple"))));
  EXPECT_THAT(left_of("#include <tuple>\n__device__ std::tuple<int> t;\nint main() {}\n"),
              HasSubstr("#include <tuple>"));
  EXPECT_THAT(left_of(std::string("#include \"mine.h\"\n#include <vector>\n") + kKernel), HasSubstr("mine.h"));
}

TEST(DevicePartTest, ReplacesHostHeadersWithNeededDeviceHeaders) {
  const std::string begin = "#include <cublas_v2.h>  // of the host\n#include <cufft.h>\n";
  const auto left = [&](const std::string& type) { return left_of(begin + "__global__ void k(" + type + "* x) {}\n"); };
  EXPECT_THAT(left("__nv_bfloat16"),
              AllOf(HasSubstr("#include <cuda_bf16.h>"), Not(HasSubstr("cublas")), Not(HasSubstr("cufft"))));
  EXPECT_THAT(left("half2"), HasSubstr("#include <cuda_fp16.h>"));
  EXPECT_THAT(left_of("#include <torch/extension.h>\n__global__ void k(half* x) {}\n"),
              HasSubstr("#include <cuda_fp16.h>"));
  EXPECT_THAT(left("cuDoubleComplex"), HasSubstr("#include <cuComplex.h>"));
  EXPECT_THAT(left("float"), Not(HasSubstr("#include")));
  EXPECT_EQ(std::ranges::count(left("half"), '\n'), 3);
}

TEST(DevicePartTest, ReportsFirstLaunchInKernel) {
  const DevicePart part =
      part_of("__global__ void child() {}\n__global__ void parent() {\n  child<<<1, 1>>>();\n}\nint main() {}\n");
  EXPECT_EQ(part.launch_in_kernel, "k.cu:3");
  EXPECT_EQ(part_of("__global__ void k() {}\nvoid f() { k<<<1, 1>>>(); }\n").launch_in_kernel, "");
}

TEST(DevicePartTest, CollectsDeviceNames) {
  Settings settings;
  settings.defines = {"T=Plus<int>", "FAST"};
  EXPECT_THAT(device_names({"k<A>"}, {{.name = "table"}}, settings, {"-DOP=Minus", "-O3"}),
              testing::ElementsAre("k<A>", "table", "Plus<int>", "Minus"));
}

TEST(MissingHeaderTest, OfStandardLibraryHasAdvice) {
  for (const char* const name : {"vector", "unistd.h", "sys/wait.h", "immintrin.h", "tgmath.h", "gnu/stubs.h"}) {
    EXPECT_THAT(advice_for_missing_header(name), HasSubstr("docs/cpu-backend.md")) << name;
  }
  EXPECT_EQ(advice_for_missing_header("my/own.h"), "");
}

}  // namespace
}  // namespace kmux
