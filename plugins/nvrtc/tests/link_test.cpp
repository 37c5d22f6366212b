// Option lto: sources compiled one by one, and linked.
#include <gmock/gmock.h>

#include "kmux/plugin/meta_reader.h"

#include "compilation.h"
#include "meta.h"
#include "nvidia/cubin.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NvrtcLinkTest : public NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    if (IsSkipped()) return;
    if (const auto linker = JitLinkLibrary::find(find_library(host).value()); !linker)
      GTEST_SKIP() << needs("nvJitLink", linker.error().message);
  }
};

const Options kLto = {{"lto", "on"}};

// Returns two sources that are not valid as a single unit: each has its own `factor`.
ProgramBuilder two_sources(const std::string& kernel = "k") {
  ProgramBuilder builder("linked");
  const Expr n = builder.symbol("n");
  builder.input("x", dtype::kFloat32, {n}).variant("cuda");
  builder.source("scale.cu",
                 "#include \"names.h\"\nstatic __device__ float factor() { return 3; }\n"
                 "__device__ float scaled(float x) { return x * factor(); }\n");
  builder.source("k.cu",
                 "#include \"names.h\"\nstatic __device__ float factor() { return 2; }\n"
                 "__constant__ float shift[4];\n"
                 "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = scaled(x[threadIdx.x]) + factor(); }\n"
                 "template <int N> __global__ void add(float* x) { x[threadIdx.x] = scaled(x[N]) + shift[N]; }\n");
  builder.header("names.h", "__device__ float scaled(float x);\n");
  builder.launch(kernel).grid({ceildiv(n, 256)}).block({256}).args({"x"});
  return builder;
}

TEST_F(NvrtcLinkTest, LinksSourcesThatCallEachOther) {
  const Program program = two_sources().build().value();
  EXPECT_FALSE(build(program).ok()) << "one unit has two functions of a name";
  const auto built = build(program, kLto);
  ASSERT_TRUE(built.ok()) << built.error().explain();
  EXPECT_THAT(nvidia::cubin_kernels(*built->find("code")).value(), ElementsAre("k"));
  EXPECT_THAT(*built->find("kernels.json"), HasSubstr("\"registers\""));
  EXPECT_EQ(to_string(nvidia::cubin_arch(*built->find("code")).value()), "sm_90a");
  // The callee is inlined into the kernel: no function is left, and no stack.
  EXPECT_THAT(*built->find("kernels.json"), HasSubstr("\"local_bytes\":0"));
}

TEST_F(NvrtcLinkTest, InstantiatesKernelTemplatesAndFindsConstants) {
  Program program = two_sources("add<3>").build().value();
  program.constants = {{"shift", dtype::kFloat32, {4}}};
  const auto built = build(program, kLto);
  ASSERT_TRUE(built.ok()) << built.error().explain();
  EXPECT_EQ(parse_meta(*built->find("meta.json")).value().symbols.at("add<3>"), "_Z3addILi3EEvPf");
  EXPECT_THAT(constants_of(*built, "nvrtc").value(), ElementsAre(ConstantSymbol{"shift", "shift", 16}));
}

TEST_F(NvrtcLinkTest, ReportsUndefinedSymbols) {
  Program program = two_sources().build().value();
  program.variants[0].sources.erase(program.variants[0].sources.begin());
  const Error error = failure(program, kLto);
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.explain(), AllOf(HasSubstr("cannot link the sources with nvJitLink"), HasSubstr("scaled")));
}

TEST_F(NvrtcLinkTest, ChecksLaunchesAgainstLinkedCode) {
  Program program = two_sources().build().value();
  program.variants[0].sources[1].content =
      "extern \"C\" __global__ void __launch_bounds__(128) k(float* x) { x[0] = 1; }\n";
  EXPECT_THAT(failure(program, kLto).message, HasSubstr("compiled for at most 128"));
}

TEST_F(NvrtcLinkTest, RejectsLtoWhereUnsupported) {
  const Program program = two_sources().build().value();
  EXPECT_THAT(failure(program, {{"lto", "on"}, {"device_debug", "on"}}).message,
              HasSubstr("option lto cannot be on (code for a debugger is not optimized)"));
  EXPECT_THAT(failure(program, kLto, "cuda:compute_90").message, HasSubstr("the target is compute_90). Remove it."));
  const auto missing = JitLinkLibrary::find("/nowhere/lib/libnvrtc.so.13");
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, AllOf(HasSubstr("/nowhere/lib"), HasSubstr("nvidia-nvjitlink")));
}

TEST_F(NvrtcLinkTest, ForwardsCodeGenerationFlagsToLinker) {
  nvidia::BuildOptions options;
  options.max_registers = 64;
  options.compile_flags = {"-DA=1", "--fmad=false", "-ftz=true", "-Xptxas=-O1", "--maxrregcount=32"};
  EXPECT_THAT(linker_arguments(options, {}, {90, 'a'}),
              ElementsAre("-arch=sm_90a", "-lto", "-lineinfo", "-Xptxas=--warn-on-spills", "-fma=0", "-ftz=1",
                          "-Xptxas=-O1", "-maxrregcount=32"));
  const Options flags = {{"lto", "on"}, {"compile_flags", "--fmad=false\n--prec-div=true\n-maxrregcount=64"}};
  const auto built = build(two_sources().build().value(), flags);
  EXPECT_TRUE(built.ok()) << built.error().explain();
  const char* const tier = has_fast_tier() ? "fast" : "full";
  EXPECT_TRUE(build(two_sources().build().value(), {{"lto", "on"}, {"tier", tier}, {"fast_math", "on"}}).ok());
}

TEST_F(NvrtcLinkTest, ToolchainIdentityIncludesLinker) {
  const Target target{"cuda", "sm_90a", {}};
  EXPECT_THAT(backend.builder().toolchain(target, kLto).value(), HasSubstr("libnvJitLink"));
}

}  // namespace
}  // namespace kmux::nvrtc
