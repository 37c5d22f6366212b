#include "builder.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/builder.h"
#include "kmux/json.h"

#include "../../nvidia/tests/spilling_kernel.h"
#include "../../nvidia/tests/tilelang_programs.h"
#include "fake_host.h"
#include "needs.h"
#include "nvcc.h"
#include "nvidia/cubin.h"
#include "temp_folder.h"
#include "wrapper.h"

namespace kmux::cuda {
namespace {

using ::testing::Contains, ::testing::ElementsAre, ::testing::EndsWith, ::testing::HasSubstr;

constexpr const char* kScale = "template <class T, int N> __global__ void scale(T* x) { x[threadIdx.x] *= N; }\n";

// Returns a program of `kernel` of "k.cu" with a buffer.
ProgramBuilder program_of(const std::string& source, const std::string& kernel = "k") {
  ProgramBuilder builder("sample");
  builder.output("x", dtype::kFloat32, {32}).variant("cuda").source("k.cu", source);
  builder.launch(kernel).grid({1}).block({32}).args({"x"});
  return builder;
}

std::string kernel_that(const std::string& statement) {
  return "extern \"C\" __global__ void k(float* x) {\n  " + statement + "\n}\n";
}

class BuilderTest : public ::testing::Test {
 protected:
  // Uses the toolkit that the manifest's variables name at the time of the test.
  BuilderTest() {
    for (const char* variable : {"CUDA_HOME", "KMUX_CUDA_HOME"}) {
      const char* value = std::getenv(variable);
      if (value && *value) host.options["cuda.home"] = value;
    }
  }
  void SetUp() override {
    if (const auto nvcc = find_nvcc(host); !nvcc) GTEST_SKIP() << needs(compiler_of("cuda"), nvcc.error().message);
  }
  Result<Artifact> build(const Program& program, const Options& options = {}) {
    const BuildRequest request{program, 0, Target{"cuda", "sm_90a", {}}, options};
    KMUX_ASSIGN(const std::string launcher, CudaWrapper(host).wrap(request));
    return builder.build(request, launcher);
  }
  Error failure(const Program& program, const Options& options = {}) {
    auto artifact = build(program, options);
    return artifact ? make_error(ErrorCode::kOk, "it worked") : std::move(artifact).error();
  }
  FakeHost host;
  CudaBuilder builder{host};
};

TEST_F(BuilderTest, RecordsKernelResources) {
  const std::string source =
      "__constant__ float table[64];\n"
      "extern \"C\" __global__ void __launch_bounds__(256) k(float* x) {\n"
      "  __shared__ float s[100];\n  float a[40];\n"
      "  for (int i = 0; i < 40; ++i) a[i] = x[i] * table[i];\n"
      "  x[0] = a[static_cast<int>(x[threadIdx.x])];  // known at run time only: the array is memory\n"
      "  for (int i = 0; i < 40; ++i) s[(threadIdx.x + i) % 100] += a[i];\n  __syncthreads();\n"
      "  x[threadIdx.x] = s[(threadIdx.x + 1) % 100];\n}\n";
  for (const char* arch : {"sm_80", "sm_90a"}) {
    Program program = program_of(source).build().value();
    program.constants = {{"table", dtype::kFloat32, {64}}};
    const BuildRequest request{program, 0, Target{"cuda", arch, {}}, {{"compile_flags", "-Xptxas=-v"}}};
    host.log.clear();
    const Artifact artifact = builder.build(request, CudaWrapper(host).wrap(request).value()).value();
    EXPECT_THAT(constants_of(artifact, "cuda").value(), ElementsAre(ConstantSymbol{"table", "table", 256}));
    const Json kernels = parse_json(*artifact.find("kernels.json")).value();
    ASSERT_EQ(kernels.as_array()->size(), 1U);
    const Json& kernel = kernels.as_array()->front();
    const auto number = [&](const char* key) { return *kernel.find(key)->as_integer(); };
    EXPECT_EQ(*kernel.find("kernel")->as_string(), "k");
    // Compares with the assembler's output.
    EXPECT_THAT(host.log, HasSubstr("Used " + std::to_string(number("registers")) + " registers")) << arch;
    EXPECT_THAT(host.log, HasSubstr(std::to_string(number("local_bytes")) + " bytes cumulative stack size")) << arch;
    EXPECT_THAT(host.log, HasSubstr(std::to_string(number("shared_bytes")) + " bytes smem")) << arch;
    EXPECT_EQ(number("local_bytes"), 160) << arch;
    EXPECT_EQ(number("shared_bytes"), 400) << arch;
    EXPECT_EQ(number("constant_bytes"), 256) << arch;
    EXPECT_EQ(number("max_threads"), 256) << arch;
  }
}

TEST_F(BuilderTest, EmitsTerminatedPtxForNewerDevice) {
  const Program program = program_of(kScale, "scale<float, 3>").build().value();
  const BuildRequest request{program, 0, Target{"cuda", "sm_999a", {{"code", "compute_90"}}}, {}};
  const std::string launcher = CudaWrapper(host).wrap(request).value();
  for (int i = 0; i < 2; ++i) {
    const Artifact artifact = builder.build(request, launcher).value();
    const std::string& code = *artifact.find("code");
    EXPECT_EQ(to_string(nvidia::ptx_arch(code).value()), "sm_90");
    EXPECT_EQ(code.back(), '\0');
    EXPECT_THAT(*artifact.find("library"), HasSubstr(code));
  }
  EXPECT_THAT(host.log, HasSubstr("nvcc "));
  EXPECT_EQ(host.log.find("does not know sm_999a"), host.log.rfind("does not know sm_999a"));
}

TEST_F(BuilderTest, BuildsCodeAndLauncher) {
  const TempFolder temporary;
  setenv("TMPDIR", temporary.path().c_str(), /*overwrite=*/1);
  const auto artifact = build(program_of(kernel_that("x[threadIdx.x] = 1;")).build().value());
  unsetenv("TMPDIR");
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  EXPECT_THAT(nvidia::cubin_kernels(*artifact->find(nvidia::kCodePart)).value(), ElementsAre("k"));
  EXPECT_EQ(to_string(nvidia::cubin_arch(*artifact->find(nvidia::kCodePart)).value()), "sm_90a");
  EXPECT_NE(artifact->find(nvidia::kLibraryPart)->find(*artifact->find(nvidia::kCodePart)), std::string::npos);
  EXPECT_THAT(*artifact->find(nvidia::kLauncherPart), HasSubstr("kmux_launch_body"));
  EXPECT_THAT(*artifact->find(nvidia::kMetaPart), HasSubstr("\"-lineinfo\""));
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path())) << "something was left behind";
}

TEST_F(BuilderTest, InstantiatesNameExpressions) {
  const Program program = program_of(kScale, "scale<float, 4>").build().value();
  const auto artifact = build(program);
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  EXPECT_THAT(*artifact->find(nvidia::kMetaPart), HasSubstr("\"symbols\":[\"_Z5scaleIfLi4EEvPT_\"]"));
  EXPECT_THAT(*artifact->find(nvidia::kLibraryPart), HasSubstr(std::string("_Z5scaleIfLi4EEvPT_\0", 20)));
}

TEST_F(BuilderTest, ReportsMissingKernel) {
  const Error error = failure(program_of(kernel_that(""), "other").build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("kernel \"other\" is not in the compiled code (the code has k)"));
}

// C3.3: detected without a driver call.
TEST_F(BuilderTest, ChecksArgumentsAgainstKernel) {
  const auto told = [&](const std::string& parameters) {
    return failure(program_of("extern \"C\" __global__ void k(" + parameters + ") {}").build().value());
  };
  EXPECT_EQ(told("float* x, int n").code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(told("float* x, int n").message,
              HasSubstr("with 1 argument of 8 bytes: pointer x (its code takes 2 arguments of 8, 4 bytes)"));
  EXPECT_THAT(told("int x").message, HasSubstr("its code takes 1 argument of 4 bytes"));
  EXPECT_THAT(told("").message, HasSubstr("its code takes 0 arguments"));
  EXPECT_EQ(told("float* x").message, "it worked");
}

TEST_F(BuilderTest, RejectsInvalidExtents) {
  const auto told = [&](int grid, int block) {
    ProgramBuilder far("far");
    far.output("x", dtype::kFloat32, {32}).variant("cuda").source("k.cu", kernel_that("x[0] = 1;"));
    far.launch("k").grid({grid}).block({block}).args({"x"});
    return failure(far.build().value()).message;
  };
  EXPECT_THAT(told(0, 32), HasSubstr("kernel \"k\" is launched on a grid whose extent x is 0"));
  EXPECT_THAT(told(1, 2048), HasSubstr("with blocks of 2048 threads (the device has at most 1024)"));
}

TEST_F(BuilderTest, ChecksBlockAgainstLaunchBounds) {
  const std::string bounded = "extern \"C\" __global__ void __launch_bounds__(16) k(float* x) { x[0] = 1; }";
  EXPECT_THAT(failure(program_of(bounded).build().value()).message,
              HasSubstr("blocks of 32 threads (its code is compiled for at most 16)"));
}

TEST_F(BuilderTest, ReportsErrorsInSourceLines) {
  const Error error = failure(program_of(kernel_that("x[0] = wrong;")).build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("cannot compile \"k.cu\" with nvcc (k.cu(2): error: identifier \"wrong\""));
  EXPECT_THAT(std::string(error.note("log").value_or("")), HasSubstr("k.cu(2): error"));
  EXPECT_THAT(std::string(error.note("command").value_or("")), HasSubstr("nvcc -cubin -arch=sm_90a"));
}

TEST_F(BuilderTest, HintsAtMissingHeaders) {
  Settings settings;
  settings.include_hints = {"tilelang"};
  ProgramBuilder program = program_of("#include <tl_templates/cuda/gemm.h>\n");
  program.settings(settings);
  const Error error = failure(program.build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("The sources need the headers of tilelang: give their folder in include_dirs."));
}

TEST_F(BuilderTest, FindsProgramAndExternalHeaders) {
  const TempFolder folder;
  folder.write("far.h", "#define FAR 3\n");
  ProgramBuilder program =
      program_of("#include \"sub/near.h\"\n#include <far.h>\n" + kernel_that("x[0] = NEAR + FAR;"));
  program.header("sub/near.h", "#include \"other.h\"\n").header("sub/other.h", "#define NEAR 4\n");
  const auto artifact = build(program.build().value(), {{"include_dirs", folder.path()}});
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  const Dependencies found = dependencies_from_json(*artifact->find(kDependenciesPart)).value();
  EXPECT_THAT(found.files, Contains((folder.path() / "far.h").string()));
  EXPECT_THAT(found.files, Contains(EndsWith("/cuda_runtime.h")));
  EXPECT_THAT(found.files, Contains("/usr/include/stdlib.h")) << "the C library's, which nvcc includes";
}

TEST_F(BuilderTest, IgnoresEnvironmentFlags) {
  const Program program =
      program_of("#ifndef FOO\n#define FOO 1\n#endif\n" + kernel_that("x[0] = FOO;")).build().value();
  const auto code = [&] { return *build(program, {{"line_info", "off"}}).value().find(nvidia::kCodePart); };
  const auto key = [&] { return builder.toolchain(Target{"cuda", "sm_90a", {}}, {}).value(); };
  const std::string code_before = code();
  const std::string key_before = key();
  setenv("NVCC_APPEND_FLAGS", "-DFOO=2", /*overwrite=*/1);
  setenv("NVCC_PREPEND_FLAGS", "-DFOO=3", /*overwrite=*/1);
  const std::string code_after = code();
  const std::string key_after = key();
  unsetenv("NVCC_APPEND_FLAGS");
  unsetenv("NVCC_PREPEND_FLAGS");
  EXPECT_EQ(code_after, code_before);
  EXPECT_EQ(key_after, key_before);
  EXPECT_NE(*build(program, {{"line_info", "off"}, {"compile_flags", "-DFOO=2"}}).value().find(nvidia::kCodePart),
            code_before);
}

TEST_F(BuilderTest, WarnsOnceAboutEnvironmentFlags) {
  host.options["cuda.nvcc_append_flags"] = "-DFOO=2";
  const Program program = program_of(kernel_that("x[0] = 1;")).build().value();
  ASSERT_TRUE(build(program).ok());
  ASSERT_TRUE(build(program).ok());
  EXPECT_EQ(host.log.find("NVCC_APPEND_FLAGS"), host.log.rfind("NVCC_APPEND_FLAGS"));
  EXPECT_NE(host.log.find("NVCC_APPEND_FLAGS"), std::string::npos);
}

TEST_F(BuilderTest, KeepsProgramFileNames) {
  ProgramBuilder program("sample");
  program.output("x", dtype::kFloat32, {32}).variant("cuda");
  program.source("dir/unit.cu", "#include \"unit.h\"\n" + kernel_that("x[0] = VALUE;"));
  program.header("dir/unit.h", "#define VALUE 1\n");
  program.launch("k").grid({1}).block({32}).args({"x"});
  const auto artifact = build(program.build().value());
  EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
}

// nvcc.profile prepends a folder and a colon, which would add the working directory of its child processes.
TEST_F(BuilderTest, LeavesNoEmptyLibraryFolder) {
  const Program program = program_of("#error shown\n").build().value();
  const auto failed = build(program);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(std::string(failed.error().note("command").value_or("")),
              testing::ContainsRegex("LD_LIBRARY_PATH=[^ ]*/"));
}

TEST_F(BuilderTest, CompilesSeveralSourcesTogether) {
  ProgramBuilder program = program_of("__device__ float twice(float x) { return 2 * x; }\n");
  program.source("b.cu", "\n" + kernel_that("x[0] = twice(wrong);"));
  EXPECT_THAT(failure(program.build().value()).message, HasSubstr("(b.cu(3): error: identifier \"wrong\""));
}

TEST_F(BuilderTest, WarnsOnlyAboutProgramSources) {
  const TempFolder folder;
  folder.write("far.h", "static __device__ int unused_far() { int unused; return 1; }\n");
  const Options options = {{"include_dirs", folder.path()}};
  ASSERT_TRUE(build(program_of("#include <far.h>\n" + kernel_that("x[0] = 1;")).build().value(), options).ok());
  EXPECT_THAT(host.log, HasSubstr("far.h(1): warning"));
  EXPECT_EQ(host.highest_level, 0) << "a header of the machine is none of the user's";
  ASSERT_TRUE(build(program_of(kernel_that("int unused; x[0] = 1;")).build().value(), options).ok());
  EXPECT_EQ(host.highest_level, 2);
  EXPECT_THAT(host.log, HasSubstr("k.cu(2): warning"));
}

TEST_F(BuilderTest, AppliesPreludesAndDefines) {
  Settings settings;
  settings.preludes = {"first.h"};
  settings.defines = {"SCALE=2", "ON"};
  ProgramBuilder program =
      program_of("#ifndef ON\n#error off\n#endif\n" + kernel_that("static_assert(SCALE == 2 && FIRST == 1);"));
  program.header("first.h", "#define FIRST 1\n").settings(settings);
  const auto artifact = build(program.build().value());
  EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
}

TEST_F(BuilderTest, QuotesDefinesForShell) {
  const TempFolder folder;
  const std::string touch = "touch " + (folder.path() / "here").string();
  Settings settings;
  settings.defines = {"A=`" + touch + "`", "B=$(" + touch + ")"};
  ProgramBuilder program = program_of(kernel_that("x[0] = SUM;"));
  program.settings(settings);
  const auto artifact =
      build(program.build().value(), {{"compile_flags", "'-DC=\"; " + touch + "; \"'\n'-DSUM=(1 + 2)'"}});
  EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "a define was run";
}

TEST_F(BuilderTest, RejectsShellMetacharacters) {
  const Program program = program_of(kernel_that("")).build().value();
  for (const Options& options :
       {Options{{"include_dirs", "/tmp/$(touch x)"}}, Options{{"include_dirs", "/tmp/a,b"}},
        Options{{"compile_flags", "'-I/tmp/`touch x`'"}}, Options{{"compile_flags", "'--include-path=/a;b'"}}}) {
    const Error error = failure(program, options);
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.message, HasSubstr("has a character that nvcc or the shell that it uses would take for its own"));
  }
  const TempFolder folder;
  folder.write("two words/far.h", "#define FAR 3\n");
  const auto artifact = build(program_of("#include <far.h>\n" + kernel_that("x[0] = FAR;")).build().value(),
                              {{"include_dirs", folder.path() / "two words"}});
  EXPECT_TRUE(artifact.ok()) << artifact.error().explain();
}

TEST_F(BuilderTest, PassesOptionsToNvcc) {
  const Program program = program_of(kernel_that("x[0] = X;")).build().value();
  const auto artifact = build(program, {{"max_registers", "32"},
                                        {"fast_math", "on"},
                                        {"line_info", "off"},
                                        {"tier", "fast"},
                                        {"compile_flags", "-DX=3\n-fmad=false"}});
  ASSERT_TRUE(artifact.ok()) << artifact.error().explain();
  EXPECT_THAT(
      *artifact->find(nvidia::kMetaPart),
      HasSubstr(
          R"(["-cubin","-arch=sm_90a","-I../program","--expt-relaxed-constexpr","--use_fast_math","-maxrregcount=32",)"
          R"("-fmad=false"])"));
}

TEST_F(BuilderTest, BuildsDebuggableCode) {
  const Program program = program_of(kernel_that("x[0] = 1;")).build().value();
  const Artifact artifact = build(program, {{"device_debug", "on"}}).value();
  EXPECT_THAT(*artifact.find(nvidia::kCodePart), HasSubstr(".debug_info"));
  EXPECT_THAT(*artifact.find(nvidia::kMetaPart), HasSubstr(R"("--expt-relaxed-constexpr","-G"])"));
  EXPECT_EQ(host.log, "");
}

TEST_F(BuilderTest, AcceptsPrebuiltCubinsAndPtx) {
  const auto compiled = build(program_of(kernel_that("x[threadIdx.x] = 1;")).build().value());
  ASSERT_TRUE(compiled.ok()) << compiled.error().explain();
  const std::string ptx = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 x) { ret; }
)";
  for (const auto& [dialect, code] : {std::pair("cubin", *compiled->find(nvidia::kCodePart)), std::pair("ptx", ptx)}) {
    ProgramBuilder program("ready");
    program.output("x", dtype::kFloat32, {32}).variant(dialect).source(std::string("k.") + dialect, code);
    program.launch("k").grid({1}).block({32}).args({"x"});
    const auto artifact = build(program.build().value());
    ASSERT_TRUE(artifact.ok()) << dialect << artifact.error().explain();
    EXPECT_THAT(nvidia::cubin_kernels(*artifact->find(nvidia::kCodePart)).value(), ElementsAre("k"));
    EXPECT_EQ(*artifact->find(kDependenciesPart), to_json(Dependencies{}));
  }
}

TEST_F(BuilderTest, ReportsAssemblerMessages) {
  ProgramBuilder program("bad");
  program.output("x", dtype::kFloat32, {32})
      .variant("ptx")
      .source("k.ptx", ".version 8.0\n.target sm_90a\n.visible .entry k(.param .u64 x) { nonsense; }\n");
  program.launch("k").grid({1}).block({32}).args({"x"});
  const Error error = failure(program.build().value());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("cannot compile \"k.ptx\" with nvcc (ptxas "));
  ASSERT_TRUE(build(program_of(nvidia::kSpilling).build().value(), {{"max_registers", "24"}}).ok());
  EXPECT_EQ(nvidia::spill_warnings(host.log), 1) << host.log;
  EXPECT_EQ(host.highest_level, static_cast<std::int32_t>(Host::Level::kWarning));
}

TEST_F(BuilderTest, RejectsInvalidCubin) {
  ProgramBuilder program("bad");
  program.output("x", dtype::kFloat32, {32}).variant("cubin").source("k.cubin", "text");
  program.launch("k").grid({1}).block({32}).args({"x"});
  const Error error = failure(program.build().value());
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("the code is not a cubin"));
}

TEST_F(BuilderTest, RejectsPrebuiltCodeForOtherArchitecture) {
  ProgramBuilder program("other");
  program.output("x", dtype::kFloat32, {32}).variant("ptx");
  program.source("k.ptx", ".version 8.6\n.target sm_100a\n.visible .entry k() { ret; }\n");
  program.launch("k").grid({1}).block({32}).args({"x"});
  const Error error = failure(program.build().value());
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("source \"k.ptx\" is for sm_100a (the target is sm_90a)"));
}

// The device suite compiles all of them.
TEST_F(BuilderTest, CompilesTileLangExports) {
  const std::string headers = KMUX_TEST_TILELANG_HEADERS;
  if (!std::filesystem::is_directory(headers + "/tl_templates")) {
    GTEST_SKIP() << needs("TileLang's headers", headers + "; ./kmux.sh test fetches them");
  }
  for (const Program& program : nvidia::tilelang_programs()) {
    if (program.name != "gemm_f16" && program.name != "grid_barrier") continue;
    const auto artifact = build(program, {{"include_dirs", headers + "\n" + headers + "/cutlass"}});
    ASSERT_TRUE(artifact.ok()) << program.name << ": " << artifact.error().explain();
    EXPECT_TRUE(dependencies_from_json(*artifact->find(kDependenciesPart)).value().complete) << program.name;
  }
}

TEST_F(BuilderTest, IdentifiesToolchain) {
  const Target target{"cuda", "sm_90a", {}};
  const std::string identity = builder.toolchain(target, {}).value();
  EXPECT_THAT(identity, HasSubstr("bin/nvcc"));
  EXPECT_THAT(identity, HasSubstr("\"host_compiler\":{\"as\":{\"mtime_ns\""));
  EXPECT_EQ(builder.toolchain(target, {{"fast_math", "on"}}).value(), identity) << "keys have the options";
  const auto missing = builder.toolchain(target, {{"host_compiler", "no-such-c++"}});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("looked for \"no-such-c++\"; backend cuda needs one"));
}

}  // namespace
}  // namespace kmux::cuda
