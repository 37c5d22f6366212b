#include "builder.h"

#include <filesystem>
#include <fstream>

#include "kmux/plugin/dependencies.h"
#include "kmux/plugin/meta_reader.h"
#include "kmux/plugin/plan.h"
#include "kmux/plugin/process.h"

#include "hiprtc_library.h"
#include "meta.h"
#include "needs.h"
#include "temp_folder.h"
#include "workbench.h"

namespace kmux::hip {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class HipBuildTest : public WithClang {
 protected:
  Meta meta_of(const Program& program, const std::string& target = "hip:gfx90a") {
    return parse_meta(*build(program, {}, target).value().find(kMetaPart)).value();
  }
};

TEST_F(HipBuildTest, CompilesForEveryArchitecture) {
  const Program program = one_kernel(kAddOne).build().value();
  for (const char* target : {"hip:gfx90a", "hip:gfx942", "hip:gfx1100", "hip:gfx1201"}) {
    const Artifact artifact = build(program, {}, target).value();
    EXPECT_EQ(artifact.find(kCodePart)->substr(0, 4), "\177ELF") << target;
    EXPECT_EQ(read_plan(*artifact.find(kPlanPart)).value(), lower(program, 0).value());
    const Meta meta = meta_of(program, target);
    EXPECT_EQ(meta.kernels.at("k"), (KernelMeta{"k", 0, 1024, meta.arch.size() == 6 ? 64U : 32U})) << target;
  }
}

TEST_F(HipBuildTest, SupportsCommonDeviceFunctions) {
  const char* const source =
      "#include <hip/hip_runtime.h>\n#include <math.h>\n#include \"own.h\"\n"
      "template <class T> __global__ void k(T* x, int n) {\n"
      "  extern __shared__ float s[];\n"
      "  s[threadIdx.x] = expf(x[0]) + __shfl_xor(x[1], 1) + max(n, FOUR);\n  __syncthreads();\n"
      "  atomicAdd(x, s[n] + atomicCAS((unsigned*)x, 1u, 2u) + __popc(n) + (float)sqrt(2.0 * x[2]));\n"
      "  float4 v = make_float4(1, 2, 3, 4);\n  half h = x[3];\n  x[4] = v.w + (float)h + __any(n);\n}\n";
  ProgramBuilder builder = one_kernel(source, "k<float>");
  builder.header("own.h", "#define FOUR 4\n");
  const Meta meta = meta_of(builder.build().value());
  EXPECT_EQ(meta.kernels.at("k<float>").symbol, "_Z1kIfEvPT_i");
}

TEST_F(HipBuildTest, LinksMathDeviceLibrary) {
  if (find_clang(host).value().device_library.empty()) GTEST_SKIP() << needs("rocm-device-libs", "it is not installed");
  const Program program = one_kernel(
                              "extern \"C\" __global__ void k(float* x, int n) {\n"
                              "  x[0] = sinf(x[1]) + tanhf(x[2]) + powf(x[3], x[4]) + erf(double(x[n]));\n}\n")
                              .build()
                              .value();
  for (const char* target : {"hip:gfx90a", "hip:gfx942", "hip:gfx1100"}) {
    EXPECT_TRUE(build(program, {}, target).ok()) << target;
    EXPECT_TRUE(build(program, {{"fast_math", "on"}}, target).ok()) << target;
  }
}

Program with_constants(const std::string& source, std::vector<Constant> constants) {
  ProgramBuilder builder = one_kernel(source);
  for (Constant& constant : constants) builder.constant(std::move(constant));
  return builder.build().value();
}

TEST_F(HipBuildTest, FindsConstantsInCode) {
  const std::string source =
      "__constant__ float weights[4];\nnamespace filters { __device__ int shift; }\nstatic __constant__ float own[2];\n"
      "extern \"C\" __global__ void k(float* x, int n) { x[n] = weights[n & 3] + filters::shift + own[n & 1]; }\n";
  const Constant weights{"weights", dtype::kFloat32, {4}}, shift{"filters::shift", dtype::kInt32};
  for (const char* target : {"hip:gfx90a", "hip:gfx1100"}) {
    const Artifact artifact = build(with_constants(source, {weights, shift}), {}, target).value();
    EXPECT_THAT(constants_of(artifact, "hip").value(),
                UnorderedElementsAre(ConstantSymbol{"weights", "weights", 16},
                                     ConstantSymbol{"filters::shift", "_ZN7filters5shiftE", 4}))
        << target;
  }
  const Error absent = failure(with_constants(source, {{"weight", dtype::kFloat32, {4}}}));
  EXPECT_EQ(absent.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(absent.message, HasSubstr("\"weight\""));
  const Error small = failure(with_constants(source, {{"weights", dtype::kFloat32, {3}}}));
  EXPECT_EQ(small.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(small.message, AllOf(HasSubstr("16 bytes"), HasSubstr("12")));
  EXPECT_EQ(failure(with_constants(source, {{"own", dtype::kFloat32, {2}}})).code, ErrorCode::kCompileFailed)
      << "HIP does not find it";
}

TEST_F(HipBuildTest, AcceptsPlainCuda) {
  const Program program = one_kernel("#include <cuda_runtime.h>\n" + std::string(kAddOne), "k", "cuda").build().value();
  EXPECT_EQ(meta_of(program).kernels.at("k").symbol, "k");
  const Error error = failure(one_kernel("\n__global__ void k() { asm(\"\"); }", "k", "cuda").build().value());
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("\"asm\" in k.hip:2"));
}

TEST_F(HipBuildTest, RejectsDevicePrintfAtCall) {
  for (const char* const call : {"printf(\"%d\\n\", n);", "if (n > 3) std::printf(\"none\");", "tell(n);"}) {
    const std::string source =
        "#include <cstdio>\n__host__ __device__ inline void tell(int n) { printf(\"%d\", n); }\n"
        "extern \"C\" __global__ void k(float* x, int n) {\n  x[n] = 1;\n  " +
        std::string(call) + "\n}\n";
    for (const char* const dialect : {"hip", "cuda"}) {
      const Error error = failure(one_kernel(source, "k", dialect).build().value());
      EXPECT_EQ(error.code, ErrorCode::kCompileFailed) << call;
      EXPECT_THAT(error.message, AllOf(HasSubstr("has no printf for AMD's devices"), HasSubstr("engine=hiprtc")));
      EXPECT_THAT(error.message, HasSubstr(std::string(call) == "tell(n);" ? "k.hip:2:" : "k.hip:5:"));
    }
  }
  const char* const without = "extern \"C\" __global__ void k(float* x, int n) { x[n] = 1; printf(\"%d\", n); }";
  EXPECT_THAT(failure(one_kernel(without).build().value()).message, HasSubstr("has no printf"));
}

TEST_F(HipBuildTest, AllowsHostPrintf) {
  const std::string source =
      "#include <cstdio>\n#include <stdio.h>\n__host__ __device__ inline void tell(int n) { printf(\"%d\", n); }\n"
      "inline void both() { printf(\"x\"); std::printf(\"%d\", 1); }\n" +
      std::string(kAddOne);
  EXPECT_TRUE(build(one_kernel(source).build().value()).ok());
}

TEST_F(HipBuildTest, ReportsErrorsInSourceLines) {
  const Error error =
      failure(one_kernel("\nextern \"C\" __global__ void k(float* x, int n) { y = 1; }\n").build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(std::string(error.note("log").value_or("")), HasSubstr("k.hip:2:"));
  EXPECT_THAT(std::string(error.note("command").value_or("")), HasSubstr("--offload-arch=gfx90a"));
}

TEST_F(HipBuildTest, ChecksLaunchesAgainstKernels) {
  const auto told = [&](const std::string& kernel) { return failure(one_kernel(kernel).build().value()); };
  const Error fewer = told("extern \"C\" __global__ void k(float* x) {}");
  EXPECT_EQ(fewer.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(fewer.message, HasSubstr("\"k\" is launched with 2 arguments of 8, 4 bytes: pointer x, int32(n) (its "
                                       "code takes 1 argument of 8 bytes: pointer)"));
  EXPECT_THAT(told("extern \"C\" __global__ void k(float* x, long n) {}").message,
              HasSubstr("takes 2 arguments of 8, 8"));
  EXPECT_THAT(told("extern \"C\" __global__ void __launch_bounds__(128) k(float* x, int n) {}").message,
              HasSubstr("blocks of 256 threads (its code is compiled for at most 128)"));
  EXPECT_THAT(told("extern \"C\" __global__ void other(float* x, int n) {}").message,
              HasSubstr("kernel \"k\" is not in the compiled code (the code has other)"));
}

// The metadata identify buffer parameters; number types come from the symbol of a C++ function.
TEST_F(HipBuildTest, ChecksArgumentTypes) {
  const auto told = [&](const std::string& text, const std::string& kernel = "k") {
    ProgramBuilder builder("sample");
    builder.buffer("x", BufferParam{dtype::kFloat32, {64}}).scalar("n", dtype::kInt64);
    builder.variant("hip").source("k.hip", text);
    builder.launch(kernel).grid({1}).block({64}).args({"x", "n"});
    return failure(builder.build().value()).message;
  };
  EXPECT_EQ(
      told("extern \"C\" __global__ void k(float* x, float* n) {}"),
      "kernel \"k\" is launched with 2 arguments of 8, 8 bytes: pointer x, int64 n (its code takes 2 arguments of 8, "
      "8 bytes: pointer, pointer; argument 2 differs). Correct the launch or the kernel.");
  EXPECT_THAT(told("template <class T> __global__ void k(T* x, T n) {}\n", "k<double>"),
              HasSubstr("8, 8 bytes: double*, double; argument 2 differs"));
  EXPECT_THAT(told("template <class T, int N> __global__ void k(T* x, long n) {}\n", "k<double, 3>"),
              HasSubstr("pointer x to float32 as argument 1 (its code takes double*)"));
  EXPECT_EQ(told("template <class T> __global__ void k(T* x, T n) {}\n", "k<long>"), "it worked");
  EXPECT_EQ(told("struct P { float* x; };\nextern \"C\" __global__ void k(P p, unsigned long n) {}"), "it worked");
}

// C3.3: device-independent errors are reported without a device.
TEST_F(HipBuildTest, RejectsInvalidConstantExtents) {
  const auto told = [&](const Expr& grid, const Expr& block) {
    ProgramBuilder builder("far");
    builder.buffer("x", BufferParam{dtype::kFloat32, {64}});
    builder.variant("hip").source("k.hip", "extern \"C\" __global__ void k(float* x) {}");
    builder.launch("k").grid({grid}).block({block}).args({"x"});
    return failure(builder.build().value()).message;
  };
  EXPECT_THAT(told(0, 32), HasSubstr("kernel \"k\" is launched on a grid whose extent x is 0"));
  EXPECT_THAT(told(1, 2048), HasSubstr("blocks of 2048 threads (the device has at most 1024)"));
}

TEST_F(HipBuildTest, AcceptsPrebuiltCode) {
  const std::string code = *build(one_kernel(kAddOne).build().value()).value().find(kCodePart);
  const Program program = one_kernel(code, "k", "hsaco").build().value();
  EXPECT_EQ(meta_of(program).kernels.at("k").symbol, "k");
  const Error other = failure(program, {}, "hip:gfx942");
  EXPECT_EQ(other.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(other.message, HasSubstr("the code is for gfx90a (the target is gfx942)"));
  EXPECT_THAT(failure(one_kernel("text", "k", "hsaco").build().value()).message, HasSubstr("not a 64-bit ELF file"));
  host.options = {{"hip.library", "/nowhere/libamdhip64.so"}, {"hip.clang", "/nowhere/clang++"}};
  EXPECT_EQ(meta_of(program).kernels.at("k").symbol, "k") << "no compiler is needed";
}

TEST_F(HipBuildTest, RecordsExternalHeaderDependencies) {
  const TempFolder folder;
  std::ofstream(folder.path() / "theirs.h") << "#define ONE 1\n";
  const Program program = one_kernel("#include <theirs.h>\n" + std::string(kAddOne)).build().value();
  const Artifact artifact = build(program, {{"include_dirs", folder.path().string()}}).value();
  EXPECT_THAT(*artifact.find(kDependenciesPart), HasSubstr("theirs.h"));
}

TEST_F(HipBuildTest, HiprtcBuildsSameProgram) {
  if (const auto library = HiprtcLibrary::open(host); !library)
    GTEST_SKIP() << needs("hiprtc", library.error().message);
  const Program program =
      one_kernel("template <class T> __global__ void k(T* x, int n) { x[n] = 1; }", "k<float>").build().value();
  const Artifact artifact = build(program, {{"engine", "hiprtc"}}).value();
  const Meta meta = parse_meta(*artifact.find(kMetaPart)).value();
  EXPECT_THAT(meta.compiler, HasSubstr("hiprtc of HIP "));
  EXPECT_EQ(meta.kernels.at("k<float>").symbol, "_Z1kIfEvPT_i");
  const Error error = failure(one_kernel("\n\nint y = z;").build().value(), {{"engine", "hiprtc"}});
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(std::string(error.note("log").value_or("")), HasSubstr("k.hip:3:"));
}

// The system's hiprtc, without a folder of ROCm's.
TEST_F(HipBuildTest, HiprtcHasBuiltInHeaders) {
  if (const auto library = HiprtcLibrary::open(host); !library)
    GTEST_SKIP() << needs("hiprtc", library.error().message);
  const std::string halves =
      "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include \"nothing.h\"\n"
      "extern \"C\" __global__ void k(float* x, int n) { x[n] = __half2float(__float2half(x[0])); }\n";
  ProgramBuilder builder = one_kernel(halves);
  builder.header("nothing.h", "");
  for (const Program& program :
       {builder.build().value(),
        one_kernel("#include <cuda_runtime.h>\n" + std::string(kAddOne), "k", "cuda").build().value()}) {
    const auto artifact = build(program, {{"engine", "hiprtc"}});
    EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
  }
}

// Its printf needs an argument that launches do not pass.
TEST_F(HipBuildTest, HiprtcSupportsPrintf) {
  if (const auto library = HiprtcLibrary::open(host); !library)
    GTEST_SKIP() << needs("hiprtc", library.error().message);
  const std::string source = "extern \"C\" __global__ void k(float* x, int n) { printf(\"%d %f\\n\", n, x[n]); }\n";
  const auto artifact = build(one_kernel(source).build().value(), {{"engine", "hiprtc"}});
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  EXPECT_THAT(*artifact.value().find(kCodePart), HasSubstr("hidden_hostcall_buffer"));
}

// A counter of one type and a number of another, as in histograms.
TEST_F(HipBuildTest, ConvertsAtomicOperands) {
  const char* const source =
      "extern \"C\" __global__ void k(float* x, int n) {\n"
      "  unsigned* u = (unsigned*)x;\n  unsigned long long* l = (unsigned long long*)x;\n"
      "  atomicAdd(&u[0], 1);\n  atomicSub(&u[1], 1);\n  atomicMin(&u[2], n);\n  atomicMax(&u[3], n);\n"
      "  atomicExch(&u[4], 0);\n  atomicOr(&u[5], 1);\n  atomicAnd(&u[6], 1);\n  atomicXor(&u[7], 1);\n"
      "  atomicCAS(&u[8], 0, 1);\n  atomicAdd(&l[5], 1);\n  atomicAdd(&x[12], 1);\n  atomicAdd(&x[13], 1.0);\n}\n";
  for (const char* engine : {"clang", "hiprtc"}) {
    if (engine == std::string("hiprtc") && !HiprtcLibrary::open(host)) continue;
    const auto artifact = build(one_kernel(source).build().value(), {{"engine", engine}});
    EXPECT_TRUE(artifact.ok()) << engine << ": " << artifact.error().explain();
  }
}

// As in hiprtc; TileLang's sources rely on it.
TEST_F(HipBuildTest, FixedWidthIntegersNeedNoHeader) {
  for (const char* header : {"", "#include <cstdint>\n#include <stddef.h>\n"}) {
    const auto artifact =
        build(one_kernel(header + std::string("extern \"C\" __global__ void k(float* x, int32_t n) {\n"
                                              "  x[(int64_t)n] = (uint8_t)n + sizeof(uint64_t) + (size_t)n;\n}\n"))
                  .build()
                  .value());
    EXPECT_TRUE(artifact.ok()) << header << artifact.error().explain();
  }
}

// As in ROCm 7; the functions of HIP take these types, of which int64_t differs from the host's.
TEST_F(HipBuildTest, FixedWidthIntegersCoexistWithHiprtc7) {
  EXPECT_EQ(integers_for_hiprtc(502), "");
  EXPECT_EQ(integers_for_hiprtc(604), "");
  const std::string theirs =
      "namespace __hip_internal {\ntypedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
      "typedef long long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"
      "typedef unsigned uint32_t; typedef unsigned long long uint64_t;\n}\n";
  const std::string own = "void f(int32_t a, std::uint64_t b, int64_t c, ::uint8_t d);\n";
  const auto compiles = [&](const std::string& text) {
    const Command command{.argv = {find_clang(host).value().program, "-x", "c++", "-fsyntax-only", "-nostdinc", "-"},
                          .standard_input = text};
    const ProcessResult result = run(command).value();
    EXPECT_EQ(result.exit_code == 0, result.standard_error.empty());
    return result.exit_code == 0;
  };
  EXPECT_FALSE(compiles(theirs + own));
  EXPECT_TRUE(compiles(theirs + integers_for_hiprtc(700) + own));
  // A library that does not report its release has a macro that does; types that it declares itself are left alone.
  EXPECT_TRUE(compiles("#define HIP_VERSION_MAJOR 7\n" + theirs + integers_for_hiprtc(0) + own));
  EXPECT_TRUE(compiles("#define HIP_VERSION_MAJOR 6\n" + integers_for_hiprtc(0)));
  EXPECT_TRUE(
      compiles(theirs + "using namespace __hip_internal;\ntypedef long long int64_t;\n" + integers_for_hiprtc(701)));
}

// With Clang; hiprtc has the atomics of its HIP.
TEST_F(HipBuildTest, SupportsAtomicsOfAllIntegers) {
  std::string source =
      "template <class T> __device__ void all(void* at, int n) {\n"
      "  T* p = (T*)at + 64;\n"
      "  atomicAdd(p, n); atomicSub(p, n); atomicMin(p, n); atomicMax(p, n); atomicAnd(p, n); atomicOr(p, n);\n"
      "  atomicXor(p, n); atomicExch(p, n); atomicCAS(p, n, 1); atomicAdd_system(p, 1); atomicMax_block(p, n);\n}\n"
      "extern \"C\" __global__ void k(float* x, int n) {\n"
      "  atomicInc((unsigned*)x, 3u); atomicDec((unsigned*)x, 3u); atomicMin(x, 1.0f); atomicMax((double*)x, 1);\n";
  for (const char* type : {"signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
                           "unsigned long", "long long", "unsigned long long"}) {
    source += "  all<" + std::string(type) + ">(x, n);\n";
  }
  for (const char* target : {"hip:gfx90a", "hip:gfx942", "hip:gfx1100"}) {
    const auto artifact = build(one_kernel(source + "}\n").build().value(), {}, target);
    EXPECT_TRUE(artifact.ok()) << target << ": " << artifact.error().explain();
  }
}

TEST_F(HipBuildTest, SupportsHalfFunctions) {
  const char* const source =
      "#include <hip/hip_fp16.h>\n"
      "extern \"C\" __global__ void k(float* x, int n) {\n"
      "  half a = __float2half(x[0]), b = __int2half_rn(n);\n"
      "  half2 v = __hfma2(__floats2half2_rn(x[1], x[2]), __half2half2(a), __hadd2(__half2half2(b), "
      "__half2half2(a)));\n"
      "  x[3] = __half2float(__hfma(a, b, hexp(a))) + __low2float(v) + __half22float2(v).y + (__hlt(a, b) ? 1 : 0) +\n"
      "         __half2float(hsqrt(__hmul(a, b))) + __half2float(__hneg(hfloor(b))) + __half2int_rn(a) + __hisnan(a);\n"
      "}\n";
  for (const char* engine : {"clang", "hiprtc"}) {
    if (engine == std::string("hiprtc") && !HiprtcLibrary::open(host)) continue;
    const auto artifact = build(one_kernel(source).build().value(), {{"engine", engine}});
    EXPECT_TRUE(artifact.ok()) << engine << ": " << artifact.error().explain();
  }
}

TEST_F(HipBuildTest, AcceptsGenericArchitectures) {
  const Program program = one_kernel(kAddOne).build().value();
  const Meta meta = meta_of(program, "hip:gfx11-generic");
  EXPECT_EQ(meta.arch, "gfx11-generic");
  EXPECT_EQ(meta.kernels.at("k").wavefront_size, 32U);
  const std::string code = *build(program, {}, "hip:gfx11-generic").value().find(kCodePart);
  const Program ready = one_kernel(code, "k", "hsaco").build().value();
  EXPECT_TRUE(build(ready, {}, "hip:gfx1100").ok());
  EXPECT_THAT(failure(ready, {}, "hip:gfx90a").message, HasSubstr("the code is for gfx11-generic"));
}

// The device library gets the flag, too.
TEST_F(HipBuildTest, FlagSelectsWavefront64) {
  const Program program = one_kernel(
                              "extern \"C\" __global__ void k(float* x, int n) {\n"
                              "  x[n] = warpSize + sinf(x[0]) + (float)__ballot(n);\n}\n")
                              .build()
                              .value();
  if (find_clang(host).value().device_library.empty()) GTEST_SKIP() << needs("rocm-device-libs", "it is not installed");
  const Artifact wide = build(program, {{"compile_flags", "-mwavefrontsize64"}}, "hip:gfx1100").value();
  const Meta meta = parse_meta(*wide.find(kMetaPart)).value();
  EXPECT_EQ(meta.kernels.at("k").wavefront_size, 64U);
  EXPECT_THAT(meta.arguments, Contains(HasSubstr("oclc_wavefrontsize64_on.bc")));
  EXPECT_EQ(meta_of(program, "hip:gfx1100").kernels.at("k").wavefront_size, 32U);
}

// A fake installation.
TEST(HipClangTest, PrefersRocmClangAndLibrary) {
  const TempFolder rocm;
  FakeHost host;
  host.options["hip.rocm_path"] = rocm.path().string();
  const auto at = [&](const char* name) { return (rocm.path() / name).string(); };
  for (const char* name : {"llvm/bin/clang++", "llvm/bin/ld.lld", "elsewhere/clang++", "elsewhere/ld.lld"}) {
    std::filesystem::permissions(rocm.write(name, "#!/bin/sh\n"), std::filesystem::perms::owner_all);
  }
  rocm.write("lib/llvm/lib/clang/20/lib/amdgcn/bitcode/ocml.bc", "");
  const ClangToolchain found = find_clang(host).value();
  EXPECT_EQ(found.program, at("llvm/bin/clang++"));
  EXPECT_EQ(found.linker, at("llvm/bin/ld.lld"));
  EXPECT_EQ(found.device_library, at("lib/llvm/lib/clang/20/lib/amdgcn/bitcode"));
  rocm.write("amdgcn/bitcode/ocml.bc", "");
  EXPECT_EQ(find_clang(host).value().device_library, at("amdgcn/bitcode"));
  std::filesystem::remove(at("llvm/bin/clang++"));
  host.options["hip.clang"] = at("elsewhere/clang++");
  EXPECT_EQ(find_clang(host).value().program, at("elsewhere/clang++"));
}

TEST_F(HipBuildTest, ReportsTriedCompilers) {
  host.options = {{"hip.library", "/nowhere/libamdhip64.so"}, {"hip.clang", "/nowhere/clang++"}};
  const Error error = failure(one_kernel(kAddOne).build().value());
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("hiprtc is not there (tried /nowhere/libamdhip64.so, /nowhere/libhiprtc.so"));
  EXPECT_THAT(error.message, HasSubstr("clang++ is not there (tried /nowhere/clang++)"));
  EXPECT_THAT(error.message, HasSubstr("Install clang-19 and lld-19"));
}

TEST_F(HipBuildTest, ToolchainIdentityFollowsEnvironment) {
  const Target target{"hip", "gfx90a", {}};
  const std::string plain = backend.builder().toolchain(target, {}).value();
  EXPECT_THAT(plain, HasSubstr("clang++-19"));
  EXPECT_EQ(plain, backend.builder().toolchain(target, {{"fast_math", "on"}}).value()) << "keys have the options";
  host.options["hip.hiprtc_compile_options"] = "-ffast-math";  // hiprtc reads it from the environment itself
  EXPECT_NE(plain, backend.builder().toolchain(target, {}).value());
}

}  // namespace
}  // namespace kmux::hip
