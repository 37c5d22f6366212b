// SPDX-License-Identifier: Apache-2.0
// `kmux new`: kinds of parameters and kernels, and what it says of a source that does not compile.
#include "integration/cli_new_fixture.h"

namespace kmux::test {
namespace {

using CliNewKindsTest = CliNewTest;

// Names that programs reserve, and words of C++ as the name of a file with several kernels.
TEST_F(CliNewKindsTest, RenamesWhatProgramsReserve) {
  const std::string source =
      "__global__ void fill(float* x, int env) { x[threadIdx.x] = env; }\n"
      "__global__ void twice(float* x, int linux) { x[threadIdx.x] *= 2 * linux; }\n";
  for (const char* const name : {"double.cu", "kmux_two.cu", "\u00e9.cu"}) {
    const ProcessResult run = run_of(name, source);
    EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  }
  EXPECT_THAT(content_of("double.cu"), AllOf(HasSubstr("program kernel_double("), HasSubstr("[env_: i32]")));
}

TEST_F(CliNewKindsTest, RenamesInvalidParameterNames) {
  const std::string source =
      "__global__ void k(float* __x, float* x, float $y, int __n, float kmux_z, float env, float env_) {\n"
      "  if (threadIdx.x < __n) x[threadIdx.x] = __x[threadIdx.x] + $y;\n}\n"
      "__global__ void __k(float* x) { if (threadIdx.x == 3) x[3] += 1; }\n"
      "__global__ void $k(float* x) { x[threadIdx.x] += 1; }\n";
  session_.write("k.cu", source);
  const ProcessResult result = session_.run({"new", "k.cu"});
  EXPECT_THAT(result.standard_error, HasSubstr("\"$k\" has a name that programs do not accept"));
  EXPECT_THAT(
      result.standard_output,
      AllOf(HasSubstr("k(inout x_: f32[n: i32], inout x: f32[n], _y: f32, p_kmux_z: f32, env__: f32, env_: f32"),
            HasSubstr("launch ::__k<<<1, 256>>>(x)")));
  const ProcessResult run =
      run_of("k.cu", source, {"--set", "n=4", "--set", "_y=2", "--in", "*=ones", "--out", "x=x.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_EQ(load_npy(session_.folder() / "x.npy")->data_as<float>()[3], 1 + 2 + 1);
  const std::string host = "void fill(float* new, int class) { for (int i = 0; i < class; ++i) new[i] = 1; }\n";
  EXPECT_THAT(text_of("fill.c", host), HasSubstr("kernel fill(inout new_: f32[class_: i32])"));
  EXPECT_EQ(run_of("fill.c", host).exit_code, 0);
}

// A scalar, a symbol and a symbol without elements.
TEST_F(CliNewKindsTest, RunsKernelsNamedLikeTheirParameters) {
  const std::string source =
      "__global__ void scale(float* x, float scale, int n) { if (threadIdx.x < n) x[threadIdx.x] *= scale; }\n"
      "__global__ void g(float* x, int g) { if (threadIdx.x < g) x[threadIdx.x] += 1; }\n"
      "__global__ void n(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] += n; }\n";
  const std::vector<std::string> more = {"--set", "n=4", "--set", "scale=3", "--in", "*=ones", "--out", "x=x.npy"};
  const ProcessResult run = run_of("three.cu", source, more);
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  EXPECT_EQ(load_npy(session_.folder() / "x.npy")->data_as<float>()[3], 3 + 4);
  EXPECT_EQ(run_of("g.c", "void g(float* x, int g) { for (int i = 0; i < g; ++i) x[i] = g; }\n").exit_code, 0);
}

TEST_F(CliNewKindsTest, ComposesVectorsAndStructures) {
  const std::string source = R"(
struct MatrixDim { int rows, cols, stride; };
struct View { const float* data; int sizes[2]; struct { bool is_on; } flags; };
__global__ void shifted(float* x, MatrixDim dim, uint2 origin, float4 by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < dim.rows * dim.cols) x[i] += origin.x + by.w;
}
__global__ void viewed(View view, float* y, dim3 place) {
  if (threadIdx.x == 0 && view.flags.is_on) y[0] = view.data[0] + view.sizes[1] + place.z;
}
)";
  const std::string text = text_of("shifted.cu", source);
  for (const char* const part :
       {"inout x: f32[dim_rows: i32, dim_cols: i32]", "dim_stride: i32", "origin_x: u32", "by_x: f32",
        "view_data: f32[n]", "view_flags_is_on: bool", "(x, {dim_rows, dim_cols, dim_stride},",
        "{origin_x, origin_y} align 8, {by_x, by_y, by_z, by_w} align 16)",
        "{view_data, view_sizes_0, view_sizes_1, {view_flags_is_on}}"})
    EXPECT_THAT(text, HasSubstr(part));
  const ProcessResult run = run_of("shifted.cu", source, {"--set", "dim_rows=4", "--set", "dim_cols=8"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
}

TEST_F(CliNewKindsTest, TakesComplexNumbers) {
  const std::string source = R"(
#include <cuComplex.h>
struct Pair { cuDoubleComplex z; int by; };
__global__ void scaled(cuFloatComplex* x, const cuDoubleComplex* y, cuComplex a, Pair p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = cuCaddf(a, make_cuComplex(p.z.y, p.by));
}
)";
  EXPECT_THAT(text_of("scaled.cu", source),
              AllOf(HasSubstr("x: complex64[n: i32]"), HasSubstr("y: complex128[n]"), HasSubstr("a_re: f32"),
                    HasSubstr("(x, y, {a_re, a_im} align 8, {{p_z_re, p_z_im} align 16, p_by}, n)")));
  const ProcessResult run =
      run_of("scaled.cu", source,
             {"--set", "n=4", "--set", "a=1+2j", "--set", "p_z=-2.5i", "--in", "*=ones", "--out", "x=x.npy"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  const Tensor x = load_npy(session_.folder() / "x.npy").value();
  const auto* const parts = static_cast<const float*>(x.dl()->data);
  EXPECT_EQ(parts[6], 1 - 2.5);
  EXPECT_EQ(parts[7], 2 + 1);
  const std::string host =
      "#include <complex>\nextern \"C\" void turn(std::complex<double>* x, std::complex<float> by, int n) {\n"
      "  for (int i = 0; i < n; ++i) x[i] *= std::complex<double>(by);\n}\n";
  EXPECT_THAT(text_of("turn.cpp", host), AllOf(HasSubstr("inout x: complex128[n: i32], by_re: f32, by_im: f32)"),
                                               HasSubstr("launch turn(x, {by_re, by_im}, n)")));
  EXPECT_EQ(run_of("turn.cpp", host).exit_code, 0);
}

TEST_F(CliNewKindsTest, TakesEnumerationsAsIntegers) {
  const std::string source =
      "enum class Mode : unsigned char { kAdd, kSet };\nenum class Kind { kOne };\n"
      "__global__ void k(float* x, Mode mode, Kind kind, int n) {\n"
      "  if (threadIdx.x < n) x[threadIdx.x] = mode == Mode::kSet && kind == Kind::kOne ? 7 : 8;\n}\n";
  EXPECT_THAT(text_of("k.cu", source), HasSubstr("k(inout x: f32[n: i32], mode: u8, kind: i32)"));
  EXPECT_EQ(run_of("k.cu", source, {"--set", "mode=1", "--set", "kind=0", "--out", "x=x.npy"}).exit_code, 0);
  EXPECT_EQ(load_npy(session_.folder() / "x.npy")->data_as<float>()[3], 7);
}

TEST_F(CliNewKindsTest, ReportsUnsupportedStructures) {
  const auto reason_of = [&](const std::string& type) {
    return refusal_of("one.cu", "#pragma pack(1)\n" + type + "\n__global__ void k(P p, float* x) { }\n");
  };
  EXPECT_THAT(reason_of("union P { int a; float b; };"),
              HasSubstr("by value, which a launch cannot give (it is or has a union): "
                        "write a kernel that takes its members and makes it"));
  EXPECT_THAT(reason_of("struct P { int a; union { int b; float c; }; };"), HasSubstr("(it is or has a union)"));
  EXPECT_THAT(reason_of("struct P { int a : 3; };"), HasSubstr("(it has bit-fields)"));
  EXPECT_THAT(reason_of("struct P { float* list[110]; };"), HasSubstr("(\"list\" has 110 elements)"));
  EXPECT_THAT(reason_of("struct P { int a[30], b[3]; };"), HasSubstr("(it has 33 members)"));
  EXPECT_THAT(reason_of("struct P { };"), HasSubstr("(it has no members)"));
  EXPECT_THAT(reason_of("struct P { char a; int b; };"), HasSubstr("(it is not laid out as C does)"));
  EXPECT_THAT(reason_of("struct P { P(const P&); int b; };"),
              HasSubstr("(its copies are made by functions of its own)"));
  EXPECT_THAT(reason_of("struct P { virtual void f(); int b; };"), HasSubstr("cannot give (it"));
  EXPECT_THAT(reason_of("struct P { int& b; };"), HasSubstr("(its \"b\" is of type \"int &\")"));
}

// What `kmux run` refuses, `kmux new --write` does not report as runnable.
TEST_F(CliNewKindsTest, ReportsWhatDoesNotCompile) {
  const std::string child = "__global__ void one(float* x) { x[threadIdx.x] = 1; }\n";
  const auto report_of = [&](const std::string& source) {
    session_.write("k.cu", source);
    const ProcessResult result = session_.run({"new", "k.cu", "--write"});
    EXPECT_EQ(result.exit_code, session_.run({"run", "k.cu"}).exit_code) << source << result.standard_error;
    EXPECT_EQ(result.exit_code == 0, result.standard_error.find("kmux: error: k.cu: ") == std::string::npos) << source;
    return result.standard_output;
  };
  EXPECT_EQ(report_of(child), "k.cu: written; backend cpu compiles it. Next: `kmux run k.cu`\n");
  EXPECT_EQ(report_of("#include \"common.h\"\n" + child),
            "k.cu: written; backend cpu cannot compile it (the error has the reason). Correct it, then `kmux run "
            "k.cu`.\n");
  for (const char* const other :
       {"__global__ void all(float* x) { one<<<1, 8>>>(x); }\n", "__global__ void no(int* x) { asm(\"no_such;\"); }\n",
        "#include <torch/extension.h>\n__global__ void no(float* x) { x[0] = torch::kernels::value(x); }\n",
        "__global__ void no(float* x, cudaTextureObject_t from) { x[0] = tex2D<float>(from, 0, 0); }\n"})
    EXPECT_THAT(report_of(child + other), HasSubstr("compile it (the error has the reason)"));
}

TEST_F(CliNewKindsTest, CompilesWithIncludeFolders) {
  std::filesystem::create_directory(session_.folder() / "include");
  session_.write("include/real.h", "typedef float real;\n");
  session_.write("k.cu", "#include <real.h>\n__global__ void k(real* x) { x[threadIdx.x] = 1; }\n");
  const ProcessResult result = session_.run({"new", "k.cu", "--write", "-I", "include"});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(result.standard_output, "k.cu: written; backend cpu compiles it. Next: `kmux run k.cu -I include`\n");
  EXPECT_EQ(session_.run({"run", "k.cu", "-I", "include"}).exit_code, 0);
}

TEST_F(CliNewKindsTest, GuessesDynamicSharedMemory) {
  const std::string source =
      "__global__ void turned(float* x, int n) {\n  extern __shared__ float shared[];\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  shared[threadIdx.x] = x[i];\n  __syncthreads();\n"
      "  x[i] = shared[blockDim.x - 1 - threadIdx.x];\n}\n"
      "__global__ void one(float* x, int n) {\n  x[threadIdx.x] = 1;\n}\n";
  EXPECT_THAT(text_of("turned.cu", source),
              AllOf(HasSubstr("turned<<<ceildiv(n, 256), 256, 16384>>>(x, n)  "
                              "# guess: a thread an element; 16384 bytes of shared memory, 64 a thread"),
                    HasSubstr("one<<<1, 256>>>(x, n)  # guess: one block\n")));
  const ProcessResult run = run_of("turned.cu", source, {"--set", "n=512"});
  EXPECT_EQ(run.exit_code, 0) << run.standard_error;
  session_.write("memory.h",
                 "template <class T> struct Memory {\n  __device__ static T* of() {\n"
                 "    extern __shared__ __align__(16) unsigned char bytes[];\n"
                 "    return reinterpret_cast<T*>(bytes);\n  }\n};\n");
  const std::string indirect =
      "#include \"memory.h\"\n__global__ void k(double* x) {\n  double* const shared = Memory<double>::of();\n"
      "  shared[threadIdx.x] = 1;\n  x[threadIdx.x] = shared[threadIdx.x];\n}\n";
  EXPECT_THAT(text_of("k.cu", indirect), HasSubstr("k<<<1, 256, 16384>>>(x)"));
  EXPECT_EQ(run_of("k.cu", indirect).exit_code, 0);
}

}  // namespace
}  // namespace kmux::test
