#include "builder.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "captured_output.h"
#include "jobs.h"
#include "meta.h"
#include "simt/frontend/installation.h"
#include "workbench.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Returns the contents of "out" after kernel `k` of `builder`.
std::vector<int> result_of(const ProgramBuilder& builder, Options options = {}, const std::string& target = "auto") {
  Workbench bench;
  std::vector<int> out(4, -1);
  LoadedKernel kernel = bench.load(builder.build().value(), std::move(options), target).value();
  const Status status = kernel({slot(out.data())});
  EXPECT_TRUE(status.ok()) << status.error().explain();
  return out;
}

Error failure_of(const ProgramBuilder& builder, Options options = {}) {
  Workbench bench;
  return bench.failure(builder.build().value(), std::move(options));
}

Settings with_standard(std::string standard) {
  Settings settings;
  settings.standard = std::move(standard);
  return settings;
}

constexpr const char* kCount = "void k(int* out) { for (int i = 0; i < 4; ++i) out[i] = i; }";

// Runs with both engines, each in both tiers.
class EachEngineTest : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  static Options options(Options more = {}) {
    more.emplace("engine", std::get<0>(GetParam()));
    more.emplace("tier", std::get<1>(GetParam()));
    return more;
  }
};
INSTANTIATE_TEST_SUITE_P(Builder, EachEngineTest,
                         testing::Combine(testing::Values("clang", "host"), testing::Values("fast", "full")));

TEST_P(EachEngineTest, RunsCKernels) {
  EXPECT_THAT(result_of(one_kernel("k.c", kCount), options()), ElementsAre(0, 1, 2, 3));
}

TEST_P(EachEngineTest, RunsCppWithInitializers) {
  const auto program = one_kernel("src/k.cpp",
                                  "#include <vector>\nstatic std::vector<int> table(4, 7);\n"
                                  "extern \"C\" void k(int* out) { for (int i = 0; i < 4; ++i) out[i] = table[i]; }");
  EXPECT_THAT(result_of(program, options()), ElementsAre(7, 7, 7, 7));
}

TEST_P(EachEngineTest, AppliesSettings) {
  // Contraction is allowed; assumptions about infinities are not.
  auto program = one_kernel("k.c",
                            "#ifdef __FAST_MATH__\n#error fast\n#endif\n"
                            "void k(int* out) { out[0] = N; out[1] = M; out[2] = 1.0f / M > 0; out[3] = L; }");
  program.header("inc/prelude.h", "#include \"near.h\"\n").header("inc/near.h", "#define M 6\n");
  Settings settings;
  settings.defines = {"N=5", "L"};
  settings.preludes = {"inc/prelude.h"};
  settings.fast_math = true;
  program.settings(settings);
  EXPECT_THAT(result_of(program, options()), ElementsAre(5, 6, 1, 1));
}

TEST_P(EachEngineTest, AppliesStandardToMatchingLanguage) {
  auto program =
      one_kernel("k.c", "void l(int*);\nvoid k(int* out) { out[0] = __STDC_VERSION__ == 199901L; l(out + 1); }");
  program.source("l.cpp", "extern \"C\" void l(int* out) { out[0] = __cplusplus == 201703L; }");
  program.settings(with_standard("c99"));
  EXPECT_THAT(result_of(program, options()), ElementsAre(1, 1, -1, -1));
}

TEST_P(EachEngineTest, AppliesFlagsAndIncludeFolders) {
  const auto folder = std::filesystem::temp_directory_path() / "kmux-builder-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "five.h") << "#define FIVE 5\n";
  const auto program = one_kernel("k.c", "#include <five.h>\nvoid k(int* out) { out[0] = FIVE; out[1] = TWO; }");
  const Options given = options({{"compile_flags", "-DTWO=2\n-Wall"}, {"include_dirs", folder.string()}});
  EXPECT_THAT(result_of(program, given), ElementsAre(5, 2, -1, -1));
  std::filesystem::remove_all(folder);
}

TEST_P(EachEngineTest, RecordsHeadersItReads) {
  const auto folder = std::filesystem::temp_directory_path() / "kmux-builder-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "five.h") << "#include <stdint.h>\n";
  Workbench bench;
  const auto program = one_kernel("k.c", "#include <five.h>\nvoid k(int* out) { out[0] = INT32_MAX; }").build().value();
  const auto kernel = bench.load(program, options({{"include_dirs", folder.string()}})).value();
  const std::string* part = kernel.artifact.find(kDependenciesPart);
  ASSERT_NE(part, nullptr);
  const Dependencies read = dependencies_from_json(*part).value();
  EXPECT_THAT(read.files, Contains((folder / "five.h").string()));
  EXPECT_THAT(read.files, Contains(testing::EndsWith("/include/stdint.h")));
  EXPECT_TRUE(read.complete);
  std::filesystem::remove_all(folder);
}

TEST_P(EachEngineTest, RecordsNoDependenciesWithoutIncludes) {
  Workbench bench;
  const auto kernel = bench.load(one_kernel("k.c", kCount).build().value(), options()).value();
  EXPECT_EQ(*kernel.artifact.find(kDependenciesPart), to_json(Dependencies{}));
}

TEST_P(EachEngineTest, IgnoresIncludePathsOfEnvironment) {
  const auto folder = std::filesystem::temp_directory_path() / "kmux-builder-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "hidden.h") << "#define N 1\n";
  setenv("CPATH", folder.c_str(), 1);
  setenv("C_INCLUDE_PATH", folder.c_str(), 1);
  const Error error = failure_of(one_kernel("k.c", "#include <hidden.h>\nvoid k(int* out) { out[0] = N; }"), options());
  unsetenv("CPATH");
  unsetenv("C_INCLUDE_PATH");
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("hidden.h"));
  std::filesystem::remove_all(folder);
}

TEST_P(EachEngineTest, ReportsErrorsAtUserLines) {
  const Error error = failure_of(one_kernel("lib/k.c", "void k(int* out) {\n  out[0] = absent;\n}\n"), options());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("lib/k.c:2:12: error:"));
  EXPECT_THAT(std::string(error.note("log").value_or("")), HasSubstr("out[0] = absent;"));
}

TEST_P(EachEngineTest, LogsWarnings) {
  Workbench bench;
  const auto program = one_kernel("k.c", "#warning \"take care\"\nvoid k(int* out) { out[0] = 1; }");
  EXPECT_EQ(captured_stderr([&] { EXPECT_TRUE(bench.load(program.build().value(), options()).ok()); }), "");
  EXPECT_THAT(bench.host.log, HasSubstr("k.c:1:2: warning:"));
}

TEST_P(EachEngineTest, ReportsMissingKernel) {
  const Error error = failure_of(one_kernel("k.c", "void other(int* out) { out[0] = 1; }"), options());
  EXPECT_THAT(error.explain(), HasSubstr("k"));
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);  // C2.16
}

// A C++ symbol encodes the pointees of its parameters.
TEST(BuilderTest, ComparesPointeeTypes) {
  const auto told = [](const std::string& dialect, const std::string& path, const std::string& kernel) {
    ProgramBuilder builder("sample");
    builder.buffer("x", BufferParam{dtype::kFloat32, {64}});
    builder.variant(dialect).source(
        path,
        "namespace ns { template <class T, int N> __global__ void tk(T* x) { x[0] = N; } }\n"
        "__global__ void k(double* x) { x[0] = 0; }\n");
    builder.launch(kernel).grid({1}).block({64}).args({"x"});
    return failure_of(builder).message;
  };
  for (const auto& [dialect, path] : {std::pair("cuda", "k.cu"), std::pair("hip", "k.hip")}) {
    EXPECT_EQ(told(dialect, path, "ns::tk<float, 3>"), "it worked");
    for (const char* kernel : {"ns::tk<double, 3>", "k"}) {
      EXPECT_THAT(told(dialect, path, kernel),
                  HasSubstr("pointer x to float32 as argument 1 (its code takes double*)"));
    }
  }
}

// The message has one line, whatever the dialect.
TEST(BuilderTest, ReportsMismatchedKernelArguments) {
  const auto told = [](const std::string& dialect, const std::string& path, const std::string& parameters) {
    ProgramBuilder builder("sample");
    builder.output("y", dtype::kFloat32, {64}).scalar("a", dtype::kFloat32);
    builder.scalar("n", dtype::kInt64);
    builder.variant(dialect).source(
        path, (dialect == "c" ? "void k(" : "extern \"C\" __global__ void k(") + parameters + ") {}");
    LaunchBuilder launch = builder.launch("k");
    if (dialect != "c") launch.grid({1}).block({64});
    launch.args({"y", "a", "n"});
    const Error error = failure_of(builder);
    EXPECT_TRUE(error.code == ErrorCode::kOk || error.code == ErrorCode::kInvalidArgument) << error.explain();
    return error.message;
  };
  const std::string passed =
      "kernel \"k\" is launched with 3 arguments of 8, 4, 8 bytes: pointer y, float32 a, int64 n ";
  for (const auto& [dialect, path] : {std::pair("c", "k.c"), std::pair("cuda", "k.cu"), std::pair("hip", "k.hip")}) {
    EXPECT_EQ(told(dialect, path, "float* y, float a, long n"), "it worked") << dialect;
    EXPECT_EQ(
        told(dialect, path, "float* y, float a"),
        passed + "(its code takes 2 arguments of 8, 4 bytes: pointer, float32). Correct the launch or the kernel.");
    EXPECT_EQ(told(dialect, path, "float* y, int a, long n"),
              passed +
                  "(its code takes 3 arguments of 8, 4, 8 bytes: pointer, int32, int64; argument 2 differs). "
                  "Correct the launch or the kernel.");
    EXPECT_THAT(told(dialect, path, "float* y, float a, float* n"), HasSubstr("float32, pointer; argument 3 differs"));
    EXPECT_THAT(told(dialect, path, "long y, float a, long n"), HasSubstr("int64, float32, int64; argument 1 differs"));
    EXPECT_THAT(told(dialect, path, "float* y, float a, int n"),
                HasSubstr("of 8, 4, 4 bytes: pointer, float32, int32"));
  }
  EXPECT_THAT(told("cuda", "k.cu", ""), HasSubstr("its code takes 0 arguments)"));
}

TEST(BuilderTest, PassesSingleMemberStructs) {
  const std::string types =
      "struct P { int* p; };\nstruct N { long n; };\nstruct I { int n; };\nstruct B { signed char n; };\n"
      "struct F { float n; };\nstruct H { _Float16 n; };\n";
  const std::string kernel =
      "void k(P p, N n, I i, B b, F f, H h) { int* v = p.p; v[0] = n.n, v[1] = i.n, v[2] = b.n, v[3] = f.n + h.n; }";
  for (const bool is_cuda : {false, true}) {
    ProgramBuilder builder("sample");
    builder.output("out", dtype::kInt32, {4}).scalar("f", dtype::kFloat32);
    builder.scalar("h", dtype::kFloat16);
    builder.variant(is_cuda ? "cuda" : "c");
    builder.source(is_cuda ? "k.cu" : "k.cpp", types + "extern \"C\" " + (is_cuda ? "__global__ " : "") + kernel);
    LaunchBuilder launch = builder.launch("k");
    if (is_cuda) launch.grid({1}).block({1});
    launch.args({"out"}).arg(Expr(7), dtype::kInt64).arg(Expr(-8), dtype::kInt32).arg(Expr(-9), dtype::kInt8);
    launch.args({"f", "h"});
    Workbench bench;
    std::vector<int> out(4, -1);
    LoadedKernel loaded = bench.load(builder.build().value(), {}, "auto").value();
    EXPECT_TRUE(loaded({slot(out.data()), bits(0x41000000), bits(0x4000)}).ok());  // 8, 2
    EXPECT_THAT(out, ElementsAre(7, -8, -9, 10)) << is_cuda;
  }
}

TEST(BuilderTest, ReportsStructSizeInMismatch) {
  ProgramBuilder builder("sample");
  builder.output("out", dtype::kInt32, {4})
      .variant("c")
      .source("k.c", "struct P { int v[9]; };\nvoid k(int* out, struct P p) { out[0] = p.v[0]; }");
  builder.launch("k").args({"out"}).arg(Expr(7), dtype::kInt64);
  EXPECT_THAT(
      failure_of(builder).message,
      HasSubstr("8, 8 bytes: pointer out, int64 7 (its code takes 2 arguments of 8, 36 bytes: pointer, struct; "));
}

TEST_P(EachEngineTest, ReportsOriginOfMissingHeaders) {
  auto program = one_kernel("k.c", "#include <tl_templates/cpp/common.h>\nvoid k(int* out) { out[0] = 1; }");
  Settings settings;
  settings.include_hints = {"tilelang"};
  program.settings(settings);
  EXPECT_THAT(failure_of(program, options()).message,
              HasSubstr("need the headers of tilelang: give their folder in include_dirs"));
}

TEST_P(EachEngineTest, RejectsForbiddenFlags) {
  const Error error = failure_of(one_kernel("k.c", kCount), options({{"compile_flags", "-o/tmp/x"}}));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("\"-o/tmp/x\""));
}

TEST_P(EachEngineTest, AcceptsPrebuiltObjects) {
  Compiler compiler;
  CompileJob job;
  job.launcher = "extern \"C\" void k(int* out) { out[0] = 11; out[1] = 12; }";
  job.entry = "k";
  job.cpu = kOtherCpu;
  ProgramBuilder builder("ready");
  builder.output("out", dtype::kInt32, {4}).variant("object").source("k.o", compiler.compile(job).value().object);
  builder.launch("k").args({"out"});
  EXPECT_THAT(result_of(builder, options()), ElementsAre(11, 12, -1, -1));
}

TEST(BuilderTest, RejectsNonElfObject) {
  ProgramBuilder builder("ready");
  builder.output("out", dtype::kInt32, {4}).variant("object").source("k.o", std::string(100, 'x'));
  builder.launch("k").args({"out"});
  const Error error = failure_of(builder);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("\"k.o\" is not an object file for this machine (it is not ELF)"));
}

TEST(BuilderTest, ReportsKernelMissingFromPrebuiltObject) {
  Compiler compiler;
  CompileJob job;
  job.launcher = "extern \"C\" void other(int* out) { out[0] = 1; }";
  job.entry = "other";
  job.cpu = kOtherCpu;
  ProgramBuilder builder("ready");
  builder.output("out", dtype::kInt32, {4}).variant("object").source("k.o", compiler.compile(job).value().object);
  builder.launch("k").args({"out"});
  const Error error = failure_of(builder);
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("\"k\""));
}

TEST(BuilderTest, RejectsUnsupportedLanguages) {
  const Error error = failure_of(one_kernel("k.cu", kCount));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("source \"k.cu\" is neither C nor C++"));
}

TEST(BuilderTest, RejectsUnknownProcessors) {
  const Error error = failure_of(one_kernel("k.c", kCount), {{"march", "x86-64-v99"}});
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("\"march\" cannot be \"x86-64-v99\""));
}

Meta meta_with(Options options, const std::string& target = "auto") {
  Workbench bench;
  const auto kernel = bench.load(one_kernel("k.c", kCount).build().value(), std::move(options), target);
  return parse_meta(*kernel.value().artifact.find(kMetaPart)).value();
}

TEST(BuilderTest, RecordsProcessorFeaturesAndEngine) {
#if defined(__aarch64__)
  const std::string cpu = "cortex-a57", has = "crc", lacks = "sve";
#else
  const std::string cpu = "x86-64-v2", has = "sse4.2", lacks = "avx";
#endif
  EXPECT_EQ(meta_with({}).cpu, host_cpu().name);
  EXPECT_THAT(meta_with({}, "cpu:" + cpu).features, Contains(has));
  EXPECT_THAT(meta_with({}, "cpu:" + cpu).features, Not(Contains(lacks)));
  EXPECT_EQ(meta_with({{"march", cpu}}).cpu, cpu);
  EXPECT_EQ(meta_with({{"engine", "host"}}).engine, "host");
}

#if defined(__x86_64__)

// Returns the code of an adding kernel of dialect cuda, compiled for `cpu`.
std::string additions_for(const std::string& cpu) {
  ProgramBuilder program("sample");
  program.buffer("x", {dtype::kFloat32, {Expr(64)}}).variant("cuda").source("k.cu", R"(
    __global__ void k(float* x) { x[threadIdx.x] += 2.5f; })");
  program.launch("k").grid({Expr(1)}).block({Expr(64)}).args({"x"});
  Workbench bench;
  const Program built = program.build().value();
  const BuildRequest request{built, 0, bench.backend.resolve_target("auto", 0).value(), {{"march", cpu}}};
  const std::string launcher = bench.backend.wrapper().wrap(request).value();
  return std::string(*bench.backend.builder().build(request, launcher).value().find(kCodePart));
}

// Returns true if `code` has a vaddps on 512-bit registers. Source: Intel's manual, volume 2, EVEX prefix and ADDPS.
bool adds_512_bits(const std::string& code) {
  for (std::size_t at = code.find("\x62\xf1"); at != code.npos; at = code.find("\x62\xf1", at + 1)) {
    constexpr char kAll512 = 0x48, kAdd = 0x58;
    if (code.substr(at + 3, 2) == std::string{kAll512, kAdd}) return true;
  }
  return false;
}

TEST(BuilderTest, CudaKernelsUseFullVectorWidth) {
  for (const char* cpu : {"skylake-avx512", "sapphirerapids", "x86-64-v4", "znver5"})
    EXPECT_TRUE(adds_512_bits(additions_for(cpu))) << cpu;
  EXPECT_FALSE(adds_512_bits(additions_for("x86-64-v3")));
}

#endif

TEST(BuilderTest, ReadsOptionsFromHost) {
  Workbench bench;
  bench.host.options = {{"cpu.engine", "host"}};
  const auto kernel = bench.load(one_kernel("k.c", kCount).build().value());
  EXPECT_EQ(parse_meta(*kernel.value().artifact.find(kMetaPart)).value().engine, "host");
}

// The threads of OpenMP outlive the kernel, so OpenMP must stay loaded.
TEST(BuilderTest, HostEngineLinksOpenMp) {
  Workbench bench;
  const char* const source = R"(#include <omp.h>
void k(int* out) {
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 4; ++i) out[i] = omp_get_num_threads();
})";
  for (int round = 0; round < 3; ++round) {
    auto kernel =
        bench.load(one_kernel("k.c", source).build().value(), {{"engine", "host"}, {"compile_flags", "-fopenmp"}});
    ASSERT_TRUE(kernel.ok()) << kernel.error().explain();
    std::vector<std::int32_t> out(4);
    EXPECT_TRUE((*kernel)({slot(out.data())}).ok());
    EXPECT_THAT(out, Each(4));
  }
}

TEST(BuilderTest, OptimizationLevelChangesCode) {
  Workbench bench;
  const auto size = [&](const char* level) {
    const auto kernel = bench.load(one_kernel("k.c", kCount).build().value(), {{"opt_level", level}});
    return kernel.value().artifact.find(kCodePart)->size();
  };
  EXPECT_NE(size("0"), size("3"));
}

}  // namespace
}  // namespace kmux::cpu
