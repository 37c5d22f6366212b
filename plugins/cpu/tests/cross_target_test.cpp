// Code for AArch64, compiled on x86-64 and on AArch64: both have the same instructions, and on AArch64 the code runs.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"
#include "kmux/plugin/private_folder.h"
#include "kmux/plugin/process.h"

#include "jobs.h"
#include "meta.h"
#include "needs.h"
#include "simt/loader/loader.h"
#include "workbench.h"

namespace kmux::cpu::cross_target {
namespace {

using testing::HasSubstr;

constexpr const char* kObjdump = "/usr/lib/llvm-19/bin/llvm-objdump";
constexpr const char* kExpected = KMUX_TEST_SOURCE_DIR "/plugins/cpu/tests/data/neoverse_vectors.txt";

constexpr const char* kKernels =
    "void k(int n, const int* at, const float* x, float* y) {\n"
    "  for (int i = 0; i < n; ++i) y[i] += 2 * x[at[i]];\n"
    "}\n"
    "void add(int n, const float* x, float* y) { for (int i = 0; i < n; ++i) y[i] += 2 * x[i]; }\n"
    "void keep(int n, const float* x, float* y) { for (int i = 0; i < n; ++i) if (x[i] > 0) y[i] = x[i]; }\n"
    "void halves(int n, const _Float16* x, _Float16* y) { for (int i = 0; i < n; ++i) y[i] += 2 * x[i]; }\n";

constexpr const char* kLauncher =
    "struct Arguments { int n; const int* at; const float* x; float* y; };\n"
    "extern \"C\" void k(int, const int*, const float*, float*), add(int, const float*, float*),\n"
    "                keep(int, const float*, float*), halves(int, const void*, void*);\n"
    "extern \"C\" int entry(Arguments* a) {\n"
    "  k(a->n, a->at, a->x, a->y), add(a->n, a->x, a->y), keep(a->n, a->x, a->y);\n"
    "  if (a->n < 0) halves(a->n, a->x, a->y);\n"
    "  return a->n;\n"
    "}\n";

std::string object_for(const std::string& cpu) {
  CompileJob job;
  job.files = {{"k.c", kKernels}};
  job.units = {{"k.c", Language::kC, {"-std=c11"}}};
  job.launcher = kLauncher;
  job.entry = "entry";
  job.kernels = {"k", "add", "keep", "halves"};
  job.cpu = cpu;
  return Compiler().compile(job).value().object;
}

std::string disassembled(const std::string& object) {
  const PrivateFolder folder = PrivateFolder::create("kmux-cross").value();
  folder.write("k.o", object).value();
  const ProcessResult result =
      run({.argv = {kObjdump, "-d", "--no-addresses", "--no-show-raw-insn", folder.path() + "/k.o"}}).value();
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  return result.standard_output;
}

// Returns the vector instructions of each function, registers without their numbers, each once.
std::string vectors_in(const std::string& listing) {
  static const std::regex number(R"(\b([zvpqdshxw])[0-9]+\b)"), vector(R"(\b(z\.|z\b|v\.|q\b|p/|p\.|p\b))");
  std::istringstream lines(listing);
  std::string text, line;
  std::set<std::string> found;
  const auto flush = [&] {
    for (const std::string& one : found) text += "  " + one + "\n";
    found.clear();
  };
  while (std::getline(lines, line)) {
    if (line.starts_with('<')) {
      flush();
      text += line + "\n";
    }
    std::ranges::replace(line, '\t', ' ');
    const std::string without = std::regex_replace(line, number, "$1");
    if (line.starts_with(' ') && std::regex_search(without, vector))
      found.insert(without.substr(without.find_first_not_of(' ')));
  }
  flush();
  return text;
}

TEST(CrossTargetTest, NeoverseVectorCodeMatchesGolden) {
  if (access(kObjdump, X_OK) != 0) GTEST_SKIP() << needs("llvm-objdump", kObjdump);
  std::string text;
  for (const char* cpu : {"neoverse-v2", "neoverse-v1", "neoverse-n1"})
    text += std::string(cpu) + "\n" + vectors_in(disassembled(object_for(cpu)));
  const char* const update = std::getenv("KMUX_UPDATE_GOLDENS");
  if (update != nullptr && std::string_view(update) == "1") std::ofstream(kExpected) << text;
  EXPECT_EQ(read_file(kExpected).value(), text) << "KMUX_UPDATE_GOLDENS=1 rewrites it";
}

// Loads the code as a process on such a machine does.
TEST(CrossTargetTest, NeoverseV2CodeRunsOnMatchingMachine) {
  if (!host_triple().starts_with("aarch64")) GTEST_SKIP() << needs("AArch64", "another machine");
  for (const std::string& feature : find_cpu("neoverse-v2")->features) {
    if (!host_cpu().features.contains(feature)) GTEST_SKIP() << needs(feature, "a feature of Neoverse V2");
  }
  constexpr int kCount = 1001;
  std::vector<int> at(kCount);
  std::vector<float> x(kCount), y(kCount, 1);
  for (int i = 0; i < kCount; ++i) {
    at[i] = (i * 7) % kCount;
    x[i] = static_cast<float>(i % 13 - 6);
  }
  struct {
    int n;
    const int* at;
    const float* x;
    float* y;
  } arguments{kCount, at.data(), x.data(), y.data()};
  const std::vector<std::string> objects = {object_for("neoverse-v2")};
  const auto code = load_objects(objects, "entry").value();
  EXPECT_EQ(reinterpret_cast<int (*)(void*)>(code->entry())(&arguments), kCount);
  for (int i = 0; i < kCount; ++i) {
    const float sum = 1 + 2 * x[at[i]] + 2 * x[i];
    ASSERT_EQ(y[i], x[i] > 0 ? x[i] : sum) << i;
  }
}

constexpr const char* kCuda =
    "__global__ void scale(const float* x, float* y) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (x[i] > 0) y[i] = 3 * expf(x[i]);\n}\n";

Program cuda_program() {
  ProgramBuilder builder("scale");
  builder.input("x", dtype::kFloat32, {256}).output("y", dtype::kFloat32, {256});
  builder.variant("cuda").source("scale.cu", kCuda).launch("scale").grid({2}).block({128}).args({"x", "y"});
  return builder.build().value();
}

TEST(CrossTargetTest, ArtifactsRecordTheirMachine) {
  for (const Program& program :
       {cuda_program(), one_kernel("k.c", "void k(int* out) { out[0] = 1; }").build().value()}) {
    FakeHost host;
    CpuBackend backend{host};
    const BuildRequest request{program, 0, backend.resolve_target("cpu:neoverse-v2", 0).value(), {}};
    const std::string launcher = backend.wrapper().wrap(request).value();
    const Artifact artifact = backend.builder().build(request, launcher).value();
    const Meta meta = parse_meta(*artifact.find(kMetaPart)).value();
    EXPECT_EQ(meta.triple, "aarch64-unknown-linux-gnu");
    EXPECT_EQ(meta.cpu, "neoverse-v2");
    EXPECT_THAT(meta.features, testing::IsSupersetOf({"neon", "sve2"}));
    if (host_triple() == meta.triple) continue;
    const auto loaded = backend.load(artifact, 0);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(loaded.error().message,
                HasSubstr("the artifact is for \"aarch64-unknown-linux-gnu\" (this machine is"));
    const auto exported = backend.standalone(request, artifact);
    ASSERT_FALSE(exported.ok());
    EXPECT_THAT(exported.error().message, HasSubstr("cannot export for \"aarch64-unknown-linux-gnu\""));
  }
}

TEST(CrossTargetTest, LauncherAndKernelsRequireSameMachine) {
  if (host_triple().starts_with("aarch64"))
    GTEST_SKIP() << needs("x86-64", "on AArch64 code is made for AArch64 alone");
  Workbench bench;
  const Program program = one_kernel("k.c", "void k(int* out) { out[0] = 1; }").build().value();
  EXPECT_THAT(bench.failure(program, {{"target_host", "cpu:x86-64-v2"}}, "cpu:neoverse-v2").message,
              HasSubstr("target_host \"cpu:x86-64-v2\" is not of the machine of \"cpu:neoverse-v2\""));
  EXPECT_THAT(bench.failure(program, {{"engine", "host"}}, "cpu:neoverse-v2").message,
              HasSubstr("option \"engine\" cannot be \"host\" for processor \"neoverse-v2\""));
}

}  // namespace
}  // namespace kmux::cpu::cross_target
