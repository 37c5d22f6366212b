#include "compilation.h"

#include <thread>

#include <gmock/gmock.h>

#include "kmux/json.h"

#include "meta.h"
#include "nvidia/cubin.h"
#include "workbench.h"

namespace kmux::nvrtc {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class CompilationTest : public NvrtcTest {
 protected:
  Result<Compiled> compile_text(const std::string& text, std::vector<std::string> names = {},
                                std::vector<std::string> options = {"--gpu-architecture=sm_90a"}) {
    const SourceUnit unit{"<program>/k.cu", text};
    return compile(*NvrtcLibrary::open(find_library(host).value()).value(),
                   {unit, std::move(options), std::move(names)});
  }
};

TEST_F(CompilationTest, ReturnsCodeWithEmptyLogForCleanSource) {
  const Compiled compiled = compile_text(kAddOne).value();
  EXPECT_EQ(nvidia::cubin_kernels(compiled.code).value(), std::vector<std::string>{"k"});
  EXPECT_EQ(compiled.log, "");
  EXPECT_FALSE(compiled.is_about_program);
}

TEST_F(CompilationTest, ReturnsWarningsWithUserFileNames) {
  const Compiled compiled =
      compile_text("extern \"C\" __global__ void k(float* x) { int unused; x[0] = 1; }\n").value();
  EXPECT_THAT(compiled.log, StartsWith("k.cu(1): warning"));
  EXPECT_TRUE(compiled.is_about_program);
}

TEST_F(CompilationTest, ReturnsSymbolsInOrderOfNames) {
  const std::string text = "template <class T> __global__ void k(T* x) { x[0] = 1; }\n";
  EXPECT_THAT(compile_text(text, {"k<int>", "k<float>"}).value().symbols,
              ElementsAre(StartsWith("_Z1kIi"), StartsWith("_Z1kIf")));
}

TEST_F(CompilationTest, UnknownOptionIsInvalidArgument) {
  const Error error = compile_text(kAddOne, {}, {"--gpu-architecture=sm_90a", "--no-such-option"}).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("no-such-option"));
  EXPECT_TRUE(error.note("log").has_value());
}

TEST_F(CompilationTest, CompilesConcurrently) {
  std::vector<std::thread> threads;
  std::vector<int> succeeded(4);
  for (int& result : succeeded) {
    threads.emplace_back([this, &result] { result = compile_text(kAddOne).ok() ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(succeeded, testing::Each(1));
}

class NvrtcCodeTest : public NvrtcTest {
 protected:
  Meta meta_of(const Artifact& artifact) { return parse_meta(*artifact.find("meta.json")).value(); }
};

TEST_F(NvrtcCodeTest, RecordsKernelResourceUsage) {
  const Artifact artifact = build(one_kernel(kAddOne).build().value(), {{"max_registers", "32"}}).value();
  const Json kernels = parse_json(*artifact.find("kernels.json")).value();
  const Json& kernel = kernels.as_array()->at(0);
  EXPECT_EQ(*kernel.find("kernel")->as_string(), "k");
  EXPECT_GE(*kernel.find("registers")->as_integer(), 4);
  EXPECT_LE(*kernel.find("registers")->as_integer(), 32);
  for (const char* key : {"local_bytes", "shared_bytes", "constant_bytes"}) {
    EXPECT_EQ(*kernel.find(key)->as_integer(), 0) << key;
  }
  EXPECT_EQ(*kernel.find("max_threads")->as_integer(), 1024);
  ASSERT_NE(kernel.find("multiprocessor"), nullptr);
  EXPECT_EQ(*kernel.find("multiprocessor")->find("registers")->as_integer(), 65536);
}

TEST_F(NvrtcCodeTest, ProducesPtxForVirtualArchitecture) {
  const std::string source = "template <class T> __global__ void k(T* x) { x[threadIdx.x] += 1; }\n";
  const Artifact artifact = build(one_kernel(source, "k<float>").build().value(), {}, "cuda:compute_90").value();
  const std::string& code = *artifact.find("code");
  EXPECT_EQ(to_string(nvidia::ptx_arch(code).value()), "sm_90");
  EXPECT_EQ(code.back(), '\0');  // the driver needs the terminator
  EXPECT_EQ(meta_of(artifact).form, "ptx");
  EXPECT_EQ(artifact.find("kernels.json"), nullptr);  // the driver reports them
  EXPECT_EQ(nvidia::ptx_kernels(code), std::vector<std::string>{meta_of(artifact).symbols.at("k<float>")});
  EXPECT_EQ(host.log, "");
}

TEST_F(NvrtcCodeTest, FallsBackToPtxForUnknownDeviceAndWarnsOnce) {
  const Program program = one_kernel(kAddOne).build().value();
  for (int i = 0; i < 2; ++i) {
    const Artifact artifact = build(program, {}, "cuda:sm_999a,code=compute_90").value();
    EXPECT_EQ(to_string(nvidia::ptx_arch(*artifact.find("code")).value()), "sm_90");
    EXPECT_EQ(meta_of(artifact).arch, "sm_999a");
  }
  EXPECT_THAT(host.log, AllOf(StartsWith("NVRTC "), HasSubstr(" does not know sm_999a: sources are compiled to PTX for "
                                                              "compute_90, which the driver compiles")));
  EXPECT_EQ(host.log.find("does not know"), host.log.rfind("does not know"));
  EXPECT_EQ(host.highest_level, static_cast<int>(Host::Level::kWarning));
}

TEST_F(NvrtcCodeTest, PrebuiltPtxNeedsNoCompilerSupportForDevice) {
  ProgramBuilder builder = one_kernel(kAddOne);
  Program program = builder.build().value();
  program.variants[0].dialect = "ptx";
  program.variants[0].sources = {
      {"k.ptx", ".version 8.6\n.target sm_100\n.visible .entry k(.param .u64 x) { ret; }\n"}};
  const Artifact artifact = build(program, {}, "cuda:sm_100a,code=compute_90").value();
  EXPECT_EQ(meta_of(artifact).form, "ptx");
  EXPECT_EQ(host.log, "");
}

}  // namespace
}  // namespace kmux::nvrtc
