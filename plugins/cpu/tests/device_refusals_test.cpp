// GPU-only constructs are refused with name, file and line; failures in a kernel end the launch and name the thread.
#include <gmock/gmock.h>

#include "device_call.h"

namespace kmux::cpu::device_refusals {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string kernel_of(const std::string& statement, const std::string& before = "") {
  return before + "__global__ void k(const float* x, float* y, int n) {\n  " + statement + "\n}\n";
}

void expect_refused(const std::string& source, const std::string& construct, int line) {
  const Error error = device_failure({source});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain() << source;
  EXPECT_THAT(error.message, AllOf(StartsWith("k.cu:" + std::to_string(line) + ": "), HasSubstr(construct),
                                   HasSubstr("not for this processor")))
      << source;
}

// They would be reduced as unsigned integers; PTX has no such types.
TEST(DeviceRefusalsTest, BulkReductionsOfShortIntegersAreRejected) {
  const std::string statement =
      R"(asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s16 [%0], [%1], 16;" :: "l"(y), "r"(n));)";
  const Error error = device_failure({kernel_of(statement)});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, AllOf(HasSubstr("min.s16"), HasSubstr("this type is not supported"), HasSubstr("k.cu:2")));
}

TEST(DeviceRefusalsTest, GpuHardwareFunctionsAreRejected) {
  for (const auto& [statement, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"y[0] = clock64();", "\"clock64\""},
           {"y[0] = clock();", "\"clock\""},
           {"y[0] = __globaltimer();", "\"__globaltimer\""},
           {"y[0] = tex2D<float>(cudaTextureObject_t(n), 0.5f, 0.5f);", "\"tex2D\""},
           {"surf2Dwrite(1.0f, cudaSurfaceObject_t(n), 4, 5);", "\"surf2Dwrite\""},
           {"float v;  tex2D(&v, cudaTextureObject_t(n), 0.5f, 0.5f);", "\"tex2D\""},
           {"float v;  surf1DLayeredread(&v, cudaSurfaceObject_t(n), 0, 0);", "\"surf1DLayeredread\""},
           {"y[0] = surfCubemapread<float>(cudaSurfaceObject_t(n), 0, 0, 0, cudaBoundaryModeTrap);",
            "\"surfCubemapread\""},
           {"y[0] = __isGlobal(y);", "\"__isGlobal\""},
           {"y[0] = erfcinvf(x[0]);", "\"erfcinvf\""}}) {
    expect_refused(kernel_of(statement), name, 2);
  }
  expect_refused(kernel_of("long long (*f)() = n > 3 ? clock64 : nullptr;  y[0] = f();"), "\"clock64\"", 2);
  expect_refused(kernel_of("y[0] = tex1D(t, 0.5f);", "texture<float, cudaTextureType1D, cudaReadModeElementType> t;\n"),
                 "\"tex1D\"", 3);
  const std::string groups = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n";
  expect_refused(kernel_of("auto tile = cg::tiled_partition<64>(cg::this_thread_block());", groups), "tiled_partition",
                 4);
  expect_refused(kernel_of("cg::this_multi_grid().sync();", groups), "\"this_multi_grid\"", 4);
}

TEST(DeviceRefusalsTest, UnusedCopiesByTensorMapsAreAllowed) {
  const std::string unused =
      "#include <cuda.h>\n#include <cudaTypedefs.h>\n"
      "__device__ void f(const CUtensorMap* map, CUtensorMap other) { asm volatile(\"cp.async.bulk;\"); }\n";
  EXPECT_EQ(elements<float>({unused + kernel_of("y[threadIdx.x] = 1;")}, std::vector<float>(64)),
            std::vector<float>(64, 1));
}

TEST(DeviceRefusalsTest, GpuHardwareHeadersAreRejected) {
  expect_refused("\n#include <cuda_fp6.h>\n" + kernel_of(""), "<cuda_fp6.h>", 2);
  expect_refused("#include <cuda/semaphore>\n" + kernel_of(""), "<cuda/semaphore>", 1);
  expect_refused("#include <cuda_awbarrier.h>\n" + kernel_of(""), "<cuda_awbarrier.h>", 1);
  const std::string types =
      "#include <cuda_awbarrier_primitives.h>\n#include <texture_types.h>\n#include <surface_types.h>\n"
      "#include <channel_descriptor.h>\n";
  expect_refused(kernel_of("__shared__ __mbarrier_t b;  __mbarrier_init(&b, __isGlobal(y));", types), "\"__isGlobal\"",
                 6);
}

TEST(DeviceRefusalsTest, AsmGotoIsRejected) {
  const Error error = device_failure({kernel_of("asm goto(\"\" : : : : L); y[0] = 1; L: y[1] = 2;")});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain();
  EXPECT_THAT(error.message, HasSubstr("k.cu:2: inline assembly that jumps (asm goto) is not for kernels"));
}

TEST(DeviceRefusalsTest, InlineAssemblyIsRejected) {
  const Error barrier = device_failure({"\n\n" + kernel_of("asm volatile(\"exit;\");")});
  EXPECT_EQ(barrier.code, ErrorCode::kUnsupported) << barrier.explain();
  EXPECT_THAT(
      barrier.message,
      AllOf(HasSubstr(
                "whose instruction \"exit\" is not for this processor (it needs the end of a thread within a text)"),
            HasSubstr("(k.cu:4)")));
  const Error reads =
      device_failure({"__device__ int f() {\n  int w;\n  asm(\"mov.u32 %0, %%smid;\" : \"=r\"(w));\n  return w;\n}\n" +
                      kernel_of("y[0] = f();")});
  EXPECT_EQ(reads.code, ErrorCode::kUnsupported) << reads.explain();
  EXPECT_THAT(reads.message, AllOf(HasSubstr("(register \"%smid\" has no value here)"), HasSubstr("(k.cu:3)")));
  expect_refused(
      "#define RESULT \"=h\"\n__device__ short f() {\n  short w;\n  asm(\"f %0;\" : RESULT(w));\n  return w;\n}\n" +
          kernel_of("y[0] = f();"),
      "inline assembly", 4);
}

// Returns the error message for `source`, which has inline assembly.
std::string told_assembly(const std::string& source) {
  const Error error = device_failure({source});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain();
  return error.message;
}

TEST(DeviceRefusalsTest, InlineAssemblyIsQuotedInError) {
  EXPECT_THAT(told_assembly("template <class T> __device__ T f(T v) {\n  T r;\n"
                            "  asm(\"brx.s32 %0, %1;\" : \"=r\"(r) : \"r\"(v));\n  return r;\n}\n" +
                            kernel_of("y[0] = f(n);")),
              StartsWith("\"f<int>\" has the inline assembly \"brx.s32 %0, %1;\", whose instruction \"brx.s32\" is not "
                         "for this processor (it needs tables of labels). Write it in C++ (k.cu:3)."));
  EXPECT_THAT(told_assembly(kernel_of("int r; asm(\"mov.u32 %0, %%smid;\" : \"=r\"(r)); y[0] = r;")),
              HasSubstr("\"mov.u32 %0, %%smid;\""));
  EXPECT_THAT(told_assembly("__device__ float f(float v) {\n  float w;\n"
                            "  asm(\"redux.sync.max.f32 %0, %1, -1;\" : \"=f\"(w) : \"f\"(v));\n  return w;\n}\n" +
                            kernel_of("y[0] = f(x[0]);")),
              AllOf(HasSubstr("\"redux.sync.max.f32 %0, %1, -1;\""), HasSubstr("(k.cu:3)")));
  EXPECT_THAT(told_assembly(kernel_of("int r; asm(\"movl $5, %k0\" : \"=r\"(r)); y[0] = r;")),
              HasSubstr("\"movl $5, %k0\""));
  EXPECT_THAT(told_assembly(kernel_of("asm(\"mov.u32 %r1, %smid;\");")), HasSubstr("\"mov.u32 %r1, %smid;\""));
  EXPECT_THAT(told_assembly(kernel_of("asm volatile(\"tcgen05.fence::before_thread_sync;\\n\" ::: \"memory\");")),
              HasSubstr("\"tcgen05.fence::before_thread_sync;\", whose"));
  EXPECT_THAT(told_assembly(kernel_of("asm volatile(\"{\\n\\t.reg .pred p;\\n\\texit;\\n\\t}\" ::: \"memory\");")),
              HasSubstr("\".reg .pred p; ...\", whose instruction \"exit\""));
  EXPECT_THAT(told_assembly(kernel_of("asm volatile(\"{ mma.sync {%0, %1}; }\" : \"+r\"(n) : \"r\"(n));")),
              HasSubstr("\"{ mma.sync {%0, %1}; }\""));
}

// An error inside one of our headers is reported at the program's line that uses it.
TEST(DeviceRefusalsTest, HeaderErrorsReportProgramLine) {
  const Error error = device_failure({"__device__ float u;\n" + kernel_of("atomicAnd(&u, 3.f);")});
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed) << error.explain();
  EXPECT_THAT(error.message,
              StartsWith("cannot compile \"k.cu\" (k.cu:3:3: error: address argument to atomic operation"));
  EXPECT_THAT(error.message, HasSubstr(", in 'atomicAnd<float>')"));
}

TEST(DeviceRefusalsTest, EmptyAssemblyPreservesOperands) {
  const std::string source = kernel_of(R"(const int t = threadIdx.x;
  int i = t;
  float v = x[i];
  long a = i, b = 2;
  asm volatile("" : "+r"(i));
  asm("" : "+r"(a), "+r"(b) : "r"(n));
#ifdef __x86_64__  // whose compiler knows these letters
  double d = v;
  asm volatile("" : "+f"(v), "+d"(d) :: "memory");
  asm("" : "+l"(a));
#endif
  asm volatile("" : "+m"(v));
  y[t] = v + i + a * b;)");
  std::vector<float> expected(64);
  for (int i = 0; i < 64; ++i) expected[static_cast<std::size_t>(i)] = static_cast<float>(3 * i + 4);
  EXPECT_EQ(elements<float>({source}, std::vector<float>(64, 4)), expected);
  EXPECT_THAT(told_assembly(kernel_of("int r; asm(\"\" : \"=r\"(r)); y[0] = r;")), HasSubstr("inline assembly \"\""));
}

TEST(DeviceRefusalsTest, LaneRegisterAssemblyIsAccepted) {
  const std::string source = kernel_of(R"(unsigned lane, below, self, above;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile ("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(self));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(above));
  asm volatile("" ::: "memory");
  const unsigned t = threadIdx.x & 31;
  y[threadIdx.x] = (lane == t) + 2 * (below == (1u << t) - 1) + 4 * (self == 1u << t) + 8 * (above == ~((1u << t) - 1));)");
  EXPECT_EQ(elements<float>({source}, std::vector<float>(64)), std::vector<float>(64, 15));
}

TEST(DeviceRefusalsTest, ComputedGotoIsRejected) {
  const Error error = device_failure(
      {kernel_of("void* const labels[] = {&&a, &&b};  goto *labels[threadIdx.x & 1];\na: y[0] = 1;\nb: y[1] = 2;")});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain();
  EXPECT_EQ(error.message,
            "k.cu:1: a goto to the address of a label is not for kernels (CUDA has none). Use a switch.");
}

TEST(DeviceRefusalsTest, ComputedStaticInitializersAreRejected) {
  const Error error = device_failure({kernel_of("\n  static int first = n;  y[0] = first;")});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported) << error.explain();
  EXPECT_THAT(error.message, StartsWith("k.cu:3: a static variable that begins with what is computed"));
  const std::string constant =
      kernel_of("static const int first[] = {3, 4};  y[threadIdx.x] = first[threadIdx.x & 1];");
  EXPECT_EQ(elements<float>({constant}, std::vector<float>(64))[1], 4);
}

TEST(DeviceRefusalsTest, UnusedUnsupportedFunctionsAreIgnored) {
  const std::string source = kernel_of(
      "y[threadIdx.x] = 1;",
      "template <class T> __device__ T g(T v) { asm volatile(\"tcgen05.fence::before_thread_sync;\"); return v; }\n"
      "__device__ void h() { asm volatile(\"exit;\"); }\n"
      "__device__ long long tick() { return clock64(); }\n");
  EXPECT_EQ(elements<float>({source}, std::vector<float>(64)), std::vector<float>(64, 1));
}

TEST(DeviceFailuresTest, FailedAssertionEndsLaunch) {
  const std::string source = "#include <cassert>\n" + kernel_of(
                                                          "const int i = blockIdx.x * 32 + threadIdx.x;\n"
                                                          "  assert(x[i] == 1 && \"all are one\");\n"
                                                          "  assert(i < 37);\n  y[i] = 2;");
  const Error error = device_failure({source, 32});
  EXPECT_EQ(error.code, ErrorCode::kLaunchFailed) << error.explain();
  EXPECT_THAT(error.message, StartsWith("assertion \"i < 37\" failed (k.cu:5, block (1, 0, 0), thread (5, 0, 0))"));
  EXPECT_EQ(elements<float>({"#define NDEBUG\n" + source, 32}, std::vector<float>(64, 3)), std::vector<float>(64, 2));
}

TEST(DeviceFailuresTest, TrapEndsLaunchUnlikePassingAssertion) {
  const std::string fine = kernel_of(
      "const int i = threadIdx.x;\n  assert(i < 64), assert((i >= 0));\n  if (n < 0) __trap();\n  y[i] = x[i];");
  EXPECT_EQ(elements<float>({fine}, std::vector<float>(64, 3)), std::vector<float>(64, 3));
  const Error error = device_failure({kernel_of("if (threadIdx.x == 9) __trap();")});
  EXPECT_EQ(error.code, ErrorCode::kLaunchFailed) << error.explain();
  EXPECT_THAT(error.message, StartsWith("__trap() ended the kernel (block (0, 0, 0), thread (9, 0, 0))"));
}

TEST(DeviceFailuresTest, AreReportedAcrossBarriers) {
  const Error error =
      device_failure({kernel_of("__shared__ int s[64];\n  s[threadIdx.x] = threadIdx.x;\n  __syncthreads();\n"
                                "  for (int i = 0; i < 64; ++i) { assert(s[i] != 40); __syncthreads(); }")});
  EXPECT_EQ(error.code, ErrorCode::kLaunchFailed) << error.explain();
  EXPECT_THAT(error.message, HasSubstr("k.cu:5, block (0, 0, 0), thread (0, 0, 0)"));
}

}  // namespace
}  // namespace kmux::cpu::device_refusals
