#include "builder.h"

#include <filesystem>
#include <map>

#include <gmock/gmock.h>

#include "../../nvidia/tests/spilling_kernel.h"
#include "meta.h"
#include "needs.h"
#include "nvidia/cubin.h"
#include "temp_folder.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class NvrtcBuilderTest : public NvrtcTest {
 protected:
  Meta meta_of(const Artifact& artifact) { return parse_meta(*artifact.find("meta.json")).value(); }
  Dependencies dependencies_of(const Artifact& artifact) {
    return dependencies_from_json(*artifact.find("deps")).value();
  }
  TempFolder folder;
};

TEST_F(NvrtcBuilderTest, CompilesCubinForTarget) {
  const Artifact artifact = build(one_kernel(kAddOne).build().value()).value();
  const std::string& code = *artifact.find("code");
  EXPECT_EQ(nvidia::cubin_kernels(code).value(), std::vector<std::string>{"k"});
  EXPECT_EQ(nvidia::cubin_arch(code).value(), (nvidia::Arch{90, 'a'}));
  EXPECT_THAT(*artifact.find("launcher"), HasSubstr("k"));
}

TEST_F(NvrtcBuilderTest, RecordsCompilationInMeta) {
  const Meta meta = meta_of(build(one_kernel(kAddOne).build().value(), {{"graph", "on"}}, "cuda:sm_80").value());
  EXPECT_EQ(meta.arch, "sm_80");
  EXPECT_EQ(meta.form, "cubin");
  EXPECT_THAT(meta.compiler, StartsWith("NVRTC "));
  EXPECT_TRUE(meta.graph);
  EXPECT_EQ(meta.symbols, (std::map<std::string, std::string>{{"k", "k"}}));
  EXPECT_THAT(meta.arguments, Contains("--gpu-architecture=sm_80"));
}

TEST_F(NvrtcBuilderTest, ErrorsReportUserFileAndLine) {
  const Error error =
      failure(one_kernel("extern \"C\" __global__ void k(float* x) {\n  x[0] = oops;\n}\n").build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, StartsWith("cannot compile \"k.cu\" (k.cu(2): error: identifier \"oops\" is undefined)"));
  EXPECT_THAT(std::string(error.note("log").value()), AllOf(StartsWith("k.cu(2): error"), Not(HasSubstr("<program>"))));
}

TEST_F(NvrtcBuilderTest, ErrorsInHeadersAndLaterSourcesReportFileAndLine) {
  ProgramBuilder in_header = one_kernel(std::string("#include \"part/h.h\"\n") + kAddOne);
  in_header.header("part/h.h", "\n\nint oops = missing;\n");
  EXPECT_THAT(failure(in_header.build().value()).message, HasSubstr("(part/h.h(3): error: "));
  ProgramBuilder in_second = one_kernel(kAddOne);
  in_second.source("second.cu", "\nint oops = missing;\n");
  EXPECT_THAT(failure(in_second.build().value()).message, HasSubstr("(second.cu(2): error: "));
}

TEST_F(NvrtcBuilderTest, ResolvesIncludesBetweenProgramFiles) {
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4})
      .variant("cuda")
      .source("src/k.cu",
              "#include \"near.h\"\n#include <root.h>\n#include \"../root.h\"\n"
              "extern \"C\" __global__ void k(float* x) { x[0] = NEAR + ROOT; }\n");
  builder.header("src/near.h", "#pragma once\n#define NEAR 1\n").header("near.h", "#error the wrong one\n");
  builder.header("root.h", "#pragma once\n#define ROOT 2\n");
  builder.launch("k").grid({1}).block({1}).args({"x"});
  EXPECT_TRUE(build(builder.build().value()).ok());
}

TEST_F(NvrtcBuilderTest, ProgramAndHostHeadersDoNotShadowEachOther) {
  folder.write("lib/lib.h", "#include \"config.h\"\n");
  folder.write("lib/config.h", "#define FROM_MACHINE 1\n");
  ProgramBuilder builder = one_kernel(
      "#include <lib/lib.h>\n#include \"config.h\"\n"
      "extern \"C\" __global__ void k(float* x) { x[0] = FROM_MACHINE + FROM_PROGRAM; }\n");
  builder.header("config.h", "#define FROM_PROGRAM 1\n");
  EXPECT_TRUE(build(builder.build().value(), {{"include_dirs", folder.path()}}).ok());
}

TEST_F(NvrtcBuilderTest, IgnoresWorkingDirectory) {
  folder.write("here.h", "#define HERE 1\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const Error error = failure(one_kernel(std::string("#include \"here.h\"\n") + kAddOne).build().value());
  std::filesystem::current_path(before);
  EXPECT_THAT(error.message, HasSubstr("cannot open source file \"here.h\""));
}

TEST_F(NvrtcBuilderTest, MissingHeaderErrorNamesPackage) {
  ProgramBuilder builder = one_kernel(std::string("#include <tl_templates/none.h>\n") + kAddOne);
  Settings settings;
  settings.include_hints = {"tilelang"};
  builder.settings(settings);
  EXPECT_THAT(failure(builder.build().value()).message,
              HasSubstr("The sources need the headers of tilelang: give their folder in include_dirs."));
}

TEST_F(NvrtcBuilderTest, MissingToolkitHeaderErrorSuggestsInstallation) {
  ProgramBuilder builder = one_kernel(std::string("#include <crt/none.h>\n") + kAddOne);
  Settings settings;
  settings.include_hints = {"tilelang"};
  builder.settings(settings);
  const std::string message = failure(builder.build().value()).message;
  EXPECT_THAT(message, HasSubstr("\"crt/none.h\""));
  EXPECT_THAT(message, HasSubstr("Install the CUDA toolkit or `pip install nvidia-cuda-nvrtc"));
  EXPECT_THAT(message, testing::Not(HasSubstr("tilelang")));
}

TEST_F(NvrtcBuilderTest, PreludesPrecedeSourceAndKeepLineNumbers) {
  folder.write("outer.h", "#define OUTER 1\n");
  ProgramBuilder builder = one_kernel("extern \"C\" __global__ void k(float* x) { x[0] = OUTER + INNER + oops; }\n");
  builder.header("inner.h", "#define INNER OUTER\n");
  Settings settings;
  settings.preludes = {"outer.h", "inner.h"};
  builder.settings(settings);
  const Error error = failure(builder.build().value(), {{"include_dirs", folder.path()}});
  EXPECT_THAT(std::string(error.note("log").value()),
              AllOf(HasSubstr("k.cu(1): error: identifier \"oops\""), HasSubstr("1 error detected")));
}

TEST_F(NvrtcBuilderTest, PassesSettingsAndOptionsToCompiler) {
  ProgramBuilder builder = one_kernel(
      "static_assert(__cplusplus == 201703L && WIDTH == 3 && FLAG == 1 && __CUDA_ARCH__ == 900);\n"
      "#ifndef __CUDACC_RTC__\n#error\n#endif\n#if !__USE_FAST_MATH__\n#error no fast math\n#endif\n"
      "extern \"C\" __global__ void k(float* x) { x[0] = 1; }\n");
  Settings settings;
  settings.standard = "c++17";
  settings.defines = {"WIDTH=3"};
  settings.fast_math = true;
  builder.settings(settings);
  const Artifact artifact =
      build(builder.build().value(), {{"compile_flags", "-DFLAG"}, {"max_registers", "32"}}).value();
  EXPECT_THAT(meta_of(artifact).arguments, Contains("--maxrregcount=32"));
}

TEST_F(NvrtcBuilderTest, DefaultsToCpp20AndAcceptsStandardFlag) {
  const Program program = one_kernel(std::string("static_assert(__cplusplus == 202002L);\n") + kAddOne).build().value();
  EXPECT_TRUE(build(program).ok());
  EXPECT_THAT(failure(program, {{"compile_flags", "-std=c++17"}}).message, HasSubstr("static assertion failed"));
}

TEST_F(NvrtcBuilderTest, TreatsUnmarkedFunctionsAsDeviceFunctions) {
  EXPECT_TRUE(build(one_kernel("float twice(float v) { return 2 * v; }\n"
                               "extern \"C\" __global__ void k(float* x) { x[0] = twice(x[0]); }\n")
                        .build()
                        .value())
                  .ok());
}

TEST_F(NvrtcBuilderTest, KeepsLineInfoUnlessDisabled) {
  const Program program = one_kernel(kAddOne).build().value();
  EXPECT_THAT(*build(program).value().find("code"), HasSubstr(".debug_line"));
  EXPECT_THAT(*build(program, {{"line_info", "off"}}).value().find("code"), Not(HasSubstr(".debug_line")));
}

TEST_F(NvrtcBuilderTest, EmitsDebugInfoOnRequest) {
  const Program program = one_kernel(kAddOne).build().value();
  EXPECT_THAT(*build(program).value().find("code"), Not(HasSubstr(".debug_info")));
  EXPECT_THAT(*build(program, {{"device_debug", "on"}}).value().find("code"), HasSubstr(".debug_info"));
  EXPECT_EQ(host.log, "");
}

TEST_F(NvrtcBuilderTest, MissingKernelErrorListsAvailableKernels) {
  const Error error = failure(one_kernel(kAddOne, "other").build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("kernel \"other\" is not in the compiled code (the code has k)"));
}

TEST_F(NvrtcBuilderTest, RejectsBlocksBeyondDeviceLimit) {
  ProgramBuilder builder = one_kernel(kAddOne);
  builder.launch("k").grid({1}).block({2048}).args({"x"});
  EXPECT_THAT(failure(builder.build().value()).message,
              HasSubstr("with blocks of 2048 threads (the device has at most 1024)"));
}

TEST_F(NvrtcBuilderTest, InstantiatesNameExpressionsAndRecordsSymbols) {
  const std::string text =
      "namespace ns { template <class T, int N> __global__ void scale(T* x) { x[0] *= N; } }\n"
      "extern \"C\" __global__ void plain(float* x) { x[0] = 0; }\n";
  ProgramBuilder builder = one_kernel(text, "ns::scale<float, 3>");
  builder.launch("plain").grid({1}).block({1}).args({"x"});
  const Meta meta = meta_of(build(builder.build().value()).value());
  EXPECT_EQ(meta.symbols.at("plain"), "plain");
  EXPECT_THAT(meta.symbols.at("ns::scale<float, 3>"), StartsWith("_ZN2ns5scaleIfLi3E"));
}

TEST_F(NvrtcBuilderTest, FindsKernelWithCppLinkageByName) {
  const Artifact artifact = build(one_kernel("__global__ void k(float* x) { x[0] = 1; }\n").build().value()).value();
  EXPECT_EQ(meta_of(artifact).symbols.at("k"), "_Z1kPf");
}

TEST_F(NvrtcBuilderTest, InvalidNameExpressionIsCompileError) {
  const Error error = failure(one_kernel(kAddOne, "none<float>").build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(std::string(error.note("log").value()), HasSubstr("none"));
}

TEST_F(NvrtcBuilderTest, ListsIncludedHeadersAsDependencies) {
  folder.write("first/a.h", "#include \"b.h\"\n");
  folder.write("first/b.h", "\n");
  const Artifact artifact =
      build(one_kernel(std::string("#include <a.h>\n") + kAddOne).build().value(),
            {{"include_dirs", (folder.path() / "empty").string() + "\n" + (folder.path() / "first").string()}})
          .value();
  const Dependencies dependencies = dependencies_of(artifact);
  EXPECT_THAT(dependencies.files,
              ElementsAre((folder.path() / "first/a.h").string(), (folder.path() / "first/b.h").string()));
  EXPECT_THAT(dependencies.absent, Contains((folder.path() / "empty").string()));
  EXPECT_TRUE(dependencies.complete);
}

TEST_F(NvrtcBuilderTest, ListsNoDependenciesWithoutIncludes) {
  EXPECT_EQ(*build(one_kernel(kAddOne).build().value()).value().find("deps"), to_json(Dependencies{}));
}

TEST_F(NvrtcBuilderTest, FindsToolkitHeadersAutomatically) {
  const Artifact artifact =
      build(one_kernel("#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n"
                       "extern \"C\" __global__ void k(float* x) {\n"
                       "  cooperative_groups::this_grid().sync(); x[0] = __half2float(__float2half(x[1])); }\n")
                .build()
                .value())
          .value();
  EXPECT_THAT(dependencies_of(artifact).files, Contains(testing::EndsWith("/cuda_fp16.h")));
}

TEST_F(NvrtcBuilderTest, LogsWarningsAboutProgram) {
  ASSERT_TRUE(
      build(one_kernel("extern \"C\" __global__ void k(float* x) {\n  int unused;\n  x[0] = 1;\n}\n").build().value())
          .ok());
  EXPECT_THAT(host.log, HasSubstr("k.cu(2): warning"));
}

TEST_F(NvrtcBuilderTest, WarnsAboutRegisterSpills) {
  const Program program = one_kernel(nvidia::kSpilling).build().value();
  EXPECT_EQ(build(program, {{"max_registers", "24"}, {"tier", "fast"}}).ok(), has_fast_tier());
  EXPECT_EQ(host.log, "") << "code that comes soon may spill";
  ASSERT_TRUE(build(program, {{"max_registers", "24"}}).ok());
  EXPECT_EQ(nvidia::spill_warnings(host.log), 1) << host.log;
  EXPECT_EQ(host.highest_level, static_cast<std::int32_t>(Host::Level::kWarning));
}

TEST_F(NvrtcBuilderTest, RejectsUnsupportedArchitecture) {
  const Error error = failure(one_kernel(kAddOne).build().value(), {}, "cuda:sm_35");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, AllOf(HasSubstr("does not take an option"), HasSubstr("--gpu-architecture")));
}

TEST_F(NvrtcBuilderTest, ToolchainIdentityTracksCompilerNotOptions) {
  const Target target{"cuda", "sm_90a", {}};
  const std::string identity = backend.builder().toolchain(target, {}).value();
  EXPECT_THAT(identity, AllOf(HasSubstr("libnvrtc"), HasSubstr("mtime_ns"), HasSubstr("\"headers\"")));
  EXPECT_EQ(backend.builder().toolchain(target, {{"fast_math", "on"}}).value(), identity) << "keys have the options";
}

TEST_F(NvrtcBuilderTest, AcceptsItsOwnCubinAsPrebuiltCode) {
  Program program = one_kernel(kAddOne).build().value();
  const std::string code = *build(program).value().find("code");
  program.variants[0].dialect = "cubin";
  program.variants[0].sources = {{"k.cubin", code}};
  EXPECT_EQ(*build(program).value().find("code"), code);
  EXPECT_THAT(failure(program, {}, "cuda:sm_100a").message, HasSubstr("is for sm_90a (the target is sm_100a)"));
  host.options["nvrtc.library"] = "/nowhere/libnvrtc.so.13";
  EXPECT_EQ(*build(program).value().find("code"), code) << "no NVRTC is needed";
}

TEST_F(NvrtcBuilderTest, RejectsUnknownOptions) {
  EXPECT_THAT(failure(one_kernel(kAddOne).build().value(), {{"fastmath", "on"}}).message,
              HasSubstr("Did you mean 'fast_math'?"));
}

TEST_F(NvrtcBuilderTest, FastTierProducesCubin) {
  if (!has_fast_tier()) GTEST_SKIP() << needs("NVRTC 12.5", "it is older");
  const Artifact artifact = build(one_kernel(kAddOne).build().value(), {{"tier", "fast"}}).value();
  EXPECT_EQ(nvidia::cubin_kernels(*artifact.find("code")).value(), std::vector<std::string>{"k"});
}

TEST_F(NvrtcBuilderTest, MissingNvrtcErrorReportsPath) {
  host.options["nvrtc.library"] = "/nowhere/libnvrtc.so.13";
  const Error error = failure(one_kernel(kAddOne).build().value());
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("\"/nowhere/libnvrtc.so.13\" cannot be read"));
}

// Many headers, so that precompiling them pays off.
class NvrtcBuilderHeavyTest : public NvrtcBuilderTest {
 protected:
  void SetUp() override {
    NvrtcBuilderTest::SetUp();
    std::string all;
    for (int i = 0; i < 40; ++i) {
      const std::string name = "h" + std::to_string(i) + ".h";
      folder.write(name, "#pragma once\n");
      all += "#include \"" + name + "\"\n";
    }
    folder.write("all.h", all);
    write_value(1);
  }
  void write_value(int value) { folder.write("h0.h", "#pragma once\n#define VALUE " + std::to_string(value) + "\n"); }
  // Compiles a kernel that is only valid if VALUE is `value`; `salt` makes its text unique.
  Status compile(int value, int salt) {
    const Program program = one_kernel("#include <all.h>\nstatic_assert(VALUE == " + std::to_string(value) +
                                       ");\nconstexpr int kSalt = " + std::to_string(salt) + ";\n" + kAddOne)
                                .build()
                                .value();
    KMUX_TRY(build(program, {{"include_dirs", folder.path()}}));
    return Ok{};
  }
};

TEST_F(NvrtcBuilderHeavyTest, UsesPrecompiledHeadersAndDetectsChanges) {
  for (int salt = 0; salt < 4; ++salt) EXPECT_TRUE(compile(1, salt).ok()) << salt;
  write_value(22);
  for (int salt = 0; salt < 4; ++salt) EXPECT_TRUE(compile(22, salt).ok()) << salt;
}

// NVRTC's remarks about its own file would appear as a warning about the program.
TEST_F(NvrtcBuilderHeavyTest, DoesNotLogPrecompiledHeaders) {
  for (int salt = 0; salt < 4; ++salt) EXPECT_TRUE(compile(1, salt).ok()) << salt;
  EXPECT_THAT(host.log, Not(HasSubstr("precompiled header")));
}

TEST_F(NvrtcBuilderHeavyTest, ReportsSameErrorsWithPrecompiledHeaders) {
  const Error plain = compile(2, 0).error();
  for (int salt = 0; salt < 3; ++salt) ASSERT_TRUE(compile(1, salt).ok());
  EXPECT_EQ(compile(2, 0).error().message, plain.message);
}

// NVRTC is not used.
TEST_F(NvrtcBuilderTest, KeepsPrebuiltPtxWithoutNvrtc) {
  const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) { ret; }\n";
  FakeHost host;
  host.options["nvrtc.library"] = "/nowhere";
  NvrtcBackend backend(host);
  ProgramBuilder builder("sample");
  builder.input("x", dtype::kFloat32, {4}).variant("ptx").source("k.ptx", ptx);
  builder.launch("k").grid({1}).block({1}).args({"x"});
  const Program program = builder.build().value();
  const Artifact artifact = backend.builder().build({program, 0, {"cuda", "sm_90a", {}}, {}}, "plan").value();
  EXPECT_EQ(*artifact.find("code"), ptx);
  EXPECT_EQ(parse_meta(*artifact.find("meta.json")).value().form, "ptx");
}

// The file cannot be written: the build continues without it.
TEST_F(NvrtcBuilderHeavyTest, CompilesWithoutWritableTempFolder) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  setenv("TMPDIR", "/nowhere", 1);
  for (int salt = 0; salt < 3; ++salt) EXPECT_TRUE(compile(1, salt).ok());
  if (before) {
    setenv("TMPDIR", kept.c_str(), 1);
  } else {
    unsetenv("TMPDIR");
  }
}

TEST_F(NvrtcBuilderHeavyTest, FailedCompilationDoesNotAffectLaterOnes) {
  ASSERT_TRUE(compile(1, 0).ok());
  EXPECT_EQ(compile(2, 0).error().code, ErrorCode::kCompileFailed);  // the second one, which creates the file
  for (int salt = 1; salt < 4; ++salt) EXPECT_TRUE(compile(1, salt).ok());
}

constexpr const char* kConstants = R"(
__constant__ float weights[4];
static __constant__ float hidden;
namespace filters { __device__ float bias; namespace { __constant__ float scale = 2; } }
extern "C" __global__ void k(float* x) { *x = weights[threadIdx.x] * filters::scale + filters::bias + hidden; }
)";

TEST_F(NvrtcBuilderTest, FindsConstantsInEveryScope) {
  Program program = one_kernel(kConstants).build().value();
  program.constants = {{"weights", dtype::kFloat32, {4}}, {"filters::bias"}, {"hidden"}, {"filters::scale"}};
  const auto artifact = build(program);
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  const auto constants = constants_of(*artifact, "nvrtc").value();
  ASSERT_EQ(constants.size(), 4U);
  for (const ConstantSymbol& constant : constants) EXPECT_EQ(constant.bytes, constant.name == "weights" ? 16U : 4U);
  EXPECT_EQ(symbol_of(constants, "weights").value()->symbol, "weights");
  EXPECT_EQ(symbol_of(constants, "filters::bias").value()->symbol, "_ZN7filters4biasE");
  program.constants = {{"weights", dtype::kFloat32, {8}}};
  EXPECT_EQ(build(program).error().message,
            "constant \"weights\" has 16 bytes in the code (the program declares float32[8], which has 32). Declare it "
            "as the "
            "source does.");
}

}  // namespace
}  // namespace kmux::nvrtc
