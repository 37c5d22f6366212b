// `kmux new`: the program of a source, begun from the declarations that Clang reads in it.
#include "integration/cli_new_fixture.h"

namespace kmux::test {
namespace {

constexpr const char* kSaxpySource = R"(__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";
constexpr const char* kSaxpyText = R"(//! kmux
//! # begun by `kmux new`: correct what says guess
//! kernel saxpy(a: f32, x: f32[n: i32], inout y: f32[n])  # guess: shapes, and what is inout
//!   example n = 1048576, a = 1  # guess
//!   launch saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)  # guess: a thread an element
)";

TEST_F(CliNewTest, PrintsProgramAndMarksGuesses) {
  EXPECT_EQ(text_of("saxpy.cu", kSaxpySource), kSaxpyText);
  EXPECT_EQ(session_.run({"new", "saxpy.cu"}).standard_error, "");
}

TEST_F(CliNewTest, WritesRunnableProgram) {
  const ProcessResult run = run_of("saxpy.cu", kSaxpySource, {"--set", "n=8", "--in", "*=ones", "--out", "y=y.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_EQ(content_of("saxpy.cu"), std::string(kSaxpyText) + kSaxpySource);
  EXPECT_EQ(load_npy(session_.folder() / "y.npy")->data_as<float>()[7], 2);
  EXPECT_EQ(session_.run({"run", "saxpy.cu", "--backend", "cpu"}).exit_code, 0);
  const ProcessResult again = session_.run({"new", "saxpy.cu", "--write"});
  EXPECT_EQ(again.exit_code, kBadSource);
  EXPECT_THAT(again.standard_error, HasSubstr("\"saxpy.cu\" carries a program already"));
}

TEST_F(CliNewTest, KeepsByteOrderMarkAndLineEnding) {
  const auto with_carriage_returns = [](std::string text) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) text.insert(at, "\r");
    return text;
  };
  const std::string mark = "\xef\xbb\xbf", source = with_carriage_returns(kSaxpySource);
  const std::string text = with_carriage_returns(kSaxpyText);
  EXPECT_EQ(text_of("printed.cu", mark + source), text);
  EXPECT_EQ(run_of("saxpy.cu", mark + source, {"--set", "n=8"}).exit_code, 0);
  EXPECT_EQ(content_of("saxpy.cu"), mark + text + source);
  const std::string host = mark + "void fill(float* y, int n) {\r\n  for (int i = 0; i < n; ++i) y[i] = 1;\r\n}\r\n";
  EXPECT_EQ(run_of("fill.c", host).exit_code, 0);
}

// A thread without a guard takes an index below the threads of its block.
TEST_F(CliNewTest, GivesExamplesOfAtLeastOneBlock) {
  std::string source;
  for (const std::string name : {"a", "b", "c", "d"})
    source +=
        "__global__ void " + name + "(float* y" + name + ", int n" + name + ") { y" + name + "[threadIdx.x] = 1; }\n";
  const ProcessResult run = run_of("four.cu", source);
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
}

TEST_F(CliNewTest, WritesRunnableProgramsForEachKernelKind) {
  EXPECT_EQ(run_of("fill.cu", "__global__ void fill(float* y) { y[blockIdx.x * 256 + threadIdx.x] = 1; }\n").exit_code,
            0);
  EXPECT_EQ(run_of("transpose.cu",
                   "__global__ void transpose(const double* in, double* out, int rows, int cols) {\n"
                   "  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;\n"
                   "  if (x < cols && y < rows) out[x * rows + y] = in[y * cols + x];\n}\n")
                .exit_code,
            0);
  EXPECT_EQ(run_of("rows.cu",
                   "#include <cuda_fp16.h>\n__global__ void rows(const half* x, float4* y, size_t m, size_t n, "
                   "unsigned seed) {\n  for (size_t i = threadIdx.x; i < n; i += blockDim.x)\n"
                   "    y[blockIdx.x * n + i] = float4{float(x[blockIdx.x * n + i]), 0, 0, float(seed)};\n}\n")
                .exit_code,
            0);
  EXPECT_EQ(run_of("add.c",
                   "#include <stdint.h>\nstatic int one(void) { return 1; }\n"
                   "int add(const double* a, double* c, int64_t n) {\n"
                   "  for (int64_t i = 0; i < n; ++i) c[i] = a[i] + one();\n  return 0;\n}\n")
                .exit_code,
            0);
}

TEST_F(CliNewTest, GuessesSizesAndGridsFromNamesAndIndices) {
  EXPECT_THAT(
      text_of("t.cu", "__global__ void t(const int* in, long* out, int w, int h) { out[blockIdx.y] = in[w]; }"),
      AllOf(HasSubstr("t(in: i32[w: i32, h: i32], inout out: i64[w, h])"), HasSubstr("example h = 1024, w = 1024"),
            HasSubstr("<<<[ceildiv(w, 16), ceildiv(h, 16)], [16, 16]>>>(in, out, w, h)")));
  EXPECT_THAT(
      text_of("r.cu", "__global__ void r(float* x, unsigned rows, unsigned cols, int seed) { x[blockIdx.x] = 0; }"),
      AllOf(HasSubstr("r(inout x: f32[rows, cols], seed: i32)"),
            HasSubstr("r<<<rows, 256>>>(x, rows: u32, cols: u32, seed)  # guess: a block for each of rows")));
  EXPECT_THAT(text_of("e.cu", "__global__ void e(bool* x, int m, int n) { x[blockIdx.x * blockDim.x] = 0; }"),
              HasSubstr("e<<<ceildiv(m * n, 256), 256>>>"));
  EXPECT_THAT(text_of("s.cu", "__global__ void s(int value) { }"),
              AllOf(HasSubstr("kernel s(value: i32)\n"), HasSubstr("<<<1, 256>>>(value)  # guess: one block")));
  EXPECT_THAT(
      text_of("v.cu",
              "__global__ void v(void* p, const float* const* q, float* x, long total) { x[blockIdx.x * 8] = 0; }"),
      AllOf(HasSubstr("v(p: pointer, q: pointer, inout x: f32[total])"), HasSubstr("(p, q, x, total: i64)")));
}

TEST_F(CliNewTest, LaunchesKernelsInFileOrder) {
  session_.write("mine.h", "typedef float real;\n");
  const std::string text = text_of("two.cu",
                                   "#include \"mine.h\"\nnamespace my {\n"
                                   "__global__ void sums(const real* x, real* s, int n) { s[blockIdx.x] = x[0]; }\n"
                                   "__global__ void scale(const real* s, real* x, int n, int k0) { x[0] = s[0]; }\n"
                                   "}\n__device__ void helper(real* x) {}\n");
  EXPECT_THAT(text,
              AllOf(HasSubstr("program two(inout x: f32[n: i32], inout s: f32[n], k0: i32)"),
                    HasSubstr("headers \"mine.h\""), HasSubstr("launch my::sums<<<ceildiv(n, 256), 256>>>(x, s, n)"),
                    HasSubstr("launch my::scale<<<1, 256>>>(s, x, n, k0)"), Not(HasSubstr("helper"))));
}

constexpr const char* kTemplates = R"(namespace my {
template <typename T, int N> __global__ void scale(T* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= N;
}
template __global__ void scale<float, 4>(float* x, int n);
template __global__ void scale<double, 2>(double* x, int n);
}
__global__ void add(float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += x[i];
}
)";

TEST_F(CliNewTest, LaunchesTemplateInstantiations) {
  const std::string text = text_of("blas.cu", kTemplates);
  EXPECT_THAT(text, AllOf(HasSubstr("program blas(inout x: f32[n: i32], inout scale_x: f64[n], inout y: f32[n])"),
                          HasSubstr("launch my::scale<float, 4><<<ceildiv(n, 256), 256>>>(x, n)"),
                          HasSubstr("launch my::scale<double, 2><<<ceildiv(n, 256), 256>>>(scale_x, n)"),
                          HasSubstr("launch add<<<ceildiv(n, 256), 256>>>(x, y, n)"), Not(HasSubstr("left out"))));
  const ProcessResult run = run_of("blas.cu", kTemplates, {"--set", "n=8", "--in", "*=ones", "--out", "y=y.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_EQ(load_npy(session_.folder() / "y.npy")->data_as<float>()[7], 5);
}

TEST_F(CliNewTest, LaunchesTemplatesByDefaultArguments) {
  const std::string source =
      "constexpr int kFour = 4;\n"
      "template <typename T = double, unsigned N = kFour, bool kAdds = true>\n"
      "__global__ void scale(T* x, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) x[i] = x[i] * N + (kAdds ? 1 : 0);\n}\n"
      "template <typename T, int N = 2> __global__ void other(T* x) {}\n";
  const std::string text = text_of("scale.cu", source);
  EXPECT_THAT(text, AllOf(HasSubstr("scale<double, 4U, true><<<"), HasSubstr("inout x: f64[n: i32]"),
                          HasSubstr("left out: \"other\" is a template (T, N)")));
  const ProcessResult run = run_of("scale.cu", source, {"--set", "n=8", "--in", "*=ones", "--out", "x=x.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_EQ(load_npy(session_.folder() / "x.npy")->data_as<double>()[7], 5);
}

TEST_F(CliNewTest, LaunchesInstantiationsOfHeaderTemplates) {
  session_.write("scale.h",
                 "template <class T>\n__global__ void scale(T* x, int n) {\n"
                 "  const int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) x[i] *= 2;\n}\n"
                 "template <class T> __global__ void other(T* x) { }\n");
  const std::string source = "#include \"scale.h\"\ntemplate __global__ void scale<float>(float*, int);\n";
  EXPECT_THAT(text_of("use.cu", source),
              AllOf(HasSubstr("launch scale<float><<<ceildiv(n, 256), 256>>>(x, n)"), Not(HasSubstr("other"))));
  EXPECT_EQ(run_of("use.cu", source).exit_code, 0);
}

TEST_F(CliNewTest, LaunchesOnlyNamedKernels) {
  session_.write("blas.cu", kTemplates);
  const auto launched = [&](const std::vector<std::string>& names) {
    std::vector<std::string> words = {"new", "blas.cu"};
    for (const std::string& name : names) words.insert(words.end(), {"--kernel", name});
    const ProcessResult result = session_.run(words);
    EXPECT_EQ(result.exit_code, 0) << result.standard_error;
    std::string kernels;
    const std::string& text = result.standard_output;
    for (std::size_t at = text.find("launch "); at != std::string::npos; at = text.find("launch ", at + 1)) {
      kernels += text.substr(at + 7, text.find("<<<", at) - at - 7) + ";";
    }
    return kernels;
  };
  EXPECT_EQ(launched({"add"}), "add;");
  EXPECT_EQ(launched({"scale"}), "my::scale<float, 4>;my::scale<double, 2>;");
  EXPECT_EQ(launched({"my::scale<double,2>"}), "my::scale<double, 2>;");
  EXPECT_EQ(launched({"add", "scale<float, 4>"}), "my::scale<float, 4>;add;");
  EXPECT_THAT(session_.run({"new", "blas.cu", "-k", "scale<float, 4>"}).standard_output, HasSubstr("kernel scale("));
  const ProcessResult unknown = session_.run({"new", "blas.cu", "--kernel", "scael", "--write"});
  EXPECT_EQ(unknown.exit_code, kBadSource);
  EXPECT_THAT(unknown.standard_error,
              HasSubstr("--kernel names \"scael\", which \"blas.cu\" does not define. Did you mean 'scale'? It has: "
                        "my::scale<float, 4>, my::scale<double, 2>, add."));
  EXPECT_EQ(content_of("blas.cu"), kTemplates);
}

TEST_F(CliNewTest, SeparatesSizeAndScalarOfSameName) {
  const std::string text = text_of("tree.cu", R"(
__global__ void first(float* x, int per_node) { x[threadIdx.x] = per_node; }
__global__ void second(float* x, int n, int per_node) { if (threadIdx.x < n) x[threadIdx.x] += per_node; }
)");
  EXPECT_NE(text.find("second_per_node: i32"), std::string::npos) << text;
  EXPECT_EQ(run_of("tree.cu", content_of("tree.cu")).exit_code, 0);
}

TEST_F(CliNewTest, LaunchesOverloadsBySignature) {
  session_.write("overloads.cu",
                 "__global__ void twice(float* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (i < n) x[i] *= 2;\n}\n"
                 "namespace my {\ntypedef double real;\n}\nusing my::real;\n"
                 "__global__ void twice(real* x, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "  if (i < n) x[i] *= 2;\n}\n"
                 "__global__ void twice(void (*f)(), float* x, int n) { }\n");
  const ProcessResult result = session_.run({"new", "overloads.cu", "--write"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(content_of("overloads.cu"),
              AllOf(HasSubstr("launch \"twice(float *, int)\"<<<ceildiv(n, 256), 256>>>(x, n)"),
                    HasSubstr("launch \"twice(double *, int)\"<<<ceildiv(n, 256), 256>>>(twice_x, n)"),
                    HasSubstr("left out: ")));
  const ProcessResult run = session_.run({"run", "overloads.cu", "--backend", "cpu", "--set", "n=64"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
}

TEST_F(CliNewTest, ReportsOmittedKernels) {
  session_.write("some.cu",
                 "union P { int a, b; };\ntemplate <class T, int N> __global__ void scale(T* x) { }\n"
                 "__global__ void by_value(P p, float* x) { }\n__global__ void good(float* x) { }\n");
  const ProcessResult result = session_.run({"new", "some.cu"});
  EXPECT_EQ(result.exit_code, 0);
  const char* const kTemplate =
      "\"scale\" is a template (T, N) that nothing instantiates: add \"template __global__ void scale<...>(...);\" "
      "below it, with values for T, N";
  const char* const kStructure = "\"by_value\" takes \"p\" of type \"P\" by value, which a launch cannot give";
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr(kTemplate), HasSubstr(kStructure)));
  EXPECT_THAT(result.standard_output,
              AllOf(HasSubstr(std::string("//! # left out: ") + kTemplate),
                    HasSubstr(std::string("//! # left out: ") + kStructure), HasSubstr("launch good")));
}

TEST_F(CliNewTest, IgnoresHostCode) {
  const std::string source =
      "#include <chrono>\n#include <vector>\n" + std::string(kSaxpySource) +
      "int main() {\n  std::vector<float> x(8);\n  saxpy<<<1, 8>>>(1, x.data(), x.data(), 8);\n}\n";
  const ProcessResult run = run_of("host.cu", source, {"--set", "n=8", "--in", "*=ones"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
}

TEST_F(CliNewTest, ReadsKernelsDespiteMissingHeaders) {
  session_.write("k.cu", "#include <no_such>\n#include <mma.h>\nusing namespace nvcuda;\n" + std::string(kSaxpySource) +
                             "__global__ void g(unknown_t x, float* y) { wmma::fragment<unknown_t> a; }\n"
                             "int main() { CHECK(saxpy<<<1, 2>>>(1, nullptr, nullptr, 0)); }\n");
  const ProcessResult result = session_.run({"new", "k.cu", "--write"});
  EXPECT_EQ(result.exit_code, kDoesNotCompile);
  EXPECT_THAT(result.standard_output, HasSubstr("k.cu: written; backend cpu cannot compile it"));
  EXPECT_THAT(content_of("k.cu"), HasSubstr("launch saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)"));
  EXPECT_THAT(result.standard_error, AllOf(HasSubstr("k.cu:1:10: error: 'no_such' file not found"),
                                           HasSubstr("\"g\" takes \"x\" of a type that is not declared")));
  EXPECT_EQ(session_.run({"run", "k.cu", "--backend", "cpu"}).exit_code, kDoesNotCompile);
}

TEST_F(CliNewTest, MissingHeaderAdviceSuitsGpuSources) {
  EXPECT_THAT(refusal_of("k.cu", "#include <no_such>\nint nothing;\n", kDoesNotCompile),
              testing::AllOf(testing::HasSubstr("give the program a header of that name"),
                             testing::Not(testing::HasSubstr("apt-get"))));
}

TEST_F(CliNewTest, RejectsUnsupportedSources) {
  EXPECT_THAT(refusal_of("only.cu", "template <class T> __global__ void f(T* x) { }\n"),
              HasSubstr("no kernel of \"only.cu\" can be launched as it is (\"f\" is a template (T) that nothing"));
  const char* const kHost = "is a template or stands in a namespace, and a launch of C++ names neither: add a function";
  EXPECT_THAT(refusal_of("only.cpp", "template <class T> void f(T* x) { }\ntemplate void f<int>(int*);\n"),
              HasSubstr(kHost));
  EXPECT_THAT(refusal_of("space.cpp", "namespace my {\nvoid f(int* x, int n) { }\n}\n"), HasSubstr(kHost));
  EXPECT_THAT(refusal_of("empty.cu", ""), HasSubstr("\"empty.cu\" defines no __global__ function"));
  EXPECT_THAT(refusal_of("none.c", "static void f(void) { }\nint main(void) { return 0; }\n"),
              HasSubstr("\"none.c\" defines no function that returns void or int"));
  EXPECT_THAT(refusal_of("bad.cu", "__global__ void f(float* x { }\n", kDoesNotCompile),
              HasSubstr("bad.cu:1:28: error: expected ')'"));
  EXPECT_THAT(refusal_of("kernel.txt", kSaxpySource), HasSubstr("\"kernel.txt\" is not a source that kmux new reads"));
  const ProcessResult missing = session_.run({"new", "nowhere.cu"});
  EXPECT_EQ(missing.exit_code, kBadSource);
  EXPECT_THAT(missing.standard_error, HasSubstr("cannot read 'nowhere.cu'"));
}

}  // namespace
}  // namespace kmux::test
