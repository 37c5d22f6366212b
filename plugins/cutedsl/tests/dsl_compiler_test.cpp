#include "dsl_compiler.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "cubin_example.h"
#include "workbench.h"

namespace kmux::cutedsl {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Shell scripts in place of Python.
class DslCompilerTest : public testing::Test {
 protected:
  DslCompilerTest() { builder.launch("scale").grid({1}).block({128}).args({"x"}); }

  Result<DslCompiler::Output> compile(const std::string& script) {
    folder.write("python3", "#!/bin/sh\ncd \"$(dirname \"$3\")\"\n" + script + "\n").value();
    const std::string path = folder.path() + "/python3";
    fs::permissions(path, fs::perms::owner_all);
    const Program program = builder.build().value();
    const BuildRequest request{program, 0, Target{"cuda", "sm_90a", {}}, {}};
    return DslCompiler(host, {path, folder.path(), "4.8.1"})
        .compile(staging, request, options, make_entries(program, 0).value());
  }
  std::string in_own(const std::string& name) const { return read_file(staging.own() + "/" + name).value(); }

  FakeHost host;
  ProgramBuilder builder = vector_program(kScale);
  BuildOptions options;
  PrivateFolder folder = PrivateFolder::create("kmux-test").value();
  CompilationFolder staging = CompilationFolder::create("kmux-test").value();
};

constexpr const char* kWorks =
    R"(mkdir out && cp code.cubin out/ && echo '{"symbols": ["x_scale_0"], "imported": ["/a.py"],
  "dsl": "4.8.1", "python": "3.11"}' > out/meta.json && echo hello)";

TEST_F(DslCompilerTest, ReturnsCubinAndMetadata) {
  nvidia::CubinExample cubin;
  cubin.symbols = {{"x_scale_0"}};
  staging.write_own("code.cubin", cubin.bytes()).value();
  const auto output = compile(kWorks).value();
  EXPECT_EQ(output.cubin, cubin.bytes());
  EXPECT_THAT(output.symbols, ElementsAre("x_scale_0"));
  EXPECT_THAT(output.imported, ElementsAre("/a.py"));
  EXPECT_EQ(output.versions, "CuTe DSL 4.8.1, Python 3.11");
  EXPECT_EQ(output.log, "hello\n");
}

TEST_F(DslCompilerTest, RunsIsolatedPythonOnProgramFiles) {
  builder.header("parts/more.py", "A = 1\n");
  ASSERT_FALSE(compile("echo \"$@\" > arguments; exit 1"));
  EXPECT_EQ(in_own("arguments"), "-I -B " + staging.own() + "/kmux_compile.py\n");
  EXPECT_EQ(read_file(staging.program() + "/kernels.py").value(), kScale);
  EXPECT_EQ(read_file(staging.program() + "/parts/more.py").value(), "A = 1\n");
}

TEST_F(DslCompilerTest, HidesUnlistedEnvironmentVariables) {
  setenv("CUTE_DSL_COMPILER_OPT", "opt-level=0", /*overwrite=*/1);
  setenv("TILELANG_CACHE_DIR", "/somewhere", /*overwrite=*/1);
  ASSERT_FALSE(compile("/usr/bin/env > environment; exit 1"));
  unsetenv("CUTE_DSL_COMPILER_OPT");
  unsetenv("TILELANG_CACHE_DIR");
  EXPECT_THAT(in_own("environment"), AllOf(HasSubstr("TMPDIR=" + staging.scratch()), HasSubstr("PATH=")));
  EXPECT_THAT(in_own("environment"), AllOf(Not(HasSubstr("CUTE_DSL")), Not(HasSubstr("TILELANG"))));
}

TEST_F(DslCompilerTest, JobDescribesKernelArguments) {
  options.line_info = true;
  const Program program = builder.build().value();
  const BuildRequest request{program, 0, Target{"cuda", "sm_90a", {}}, {}};
  const std::string job = dump(job_of(request, options, make_entries(program, 0).value(), "/program"));
  EXPECT_THAT(job, AllOf(HasSubstr(R"("arch":"sm_90a")"), HasSubstr(R"("sources":["kernels.py"])"),
                         HasSubstr(R"("flags":["--opt-level=3","--generate-line-info"])"),
                         HasSubstr(R"("block":[128,1,1],"cluster":null,"kernel":"scale")"),
                         HasSubstr(R"({"align":4,"dtype":"Float32","kind":"tensor","shape":[null],"strides":[1]})")));
}

TEST_F(DslCompilerTest, ReportsPythonOutputAsNote) {
  const auto refused =
      compile("mkdir out; echo \"kernels.py:7: error: NameError: no\" > out/error.txt; echo more >&2; exit 1");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("cannot compile the kernels"), HasSubstr("kernels.py:7")));
  EXPECT_THAT(refused.error().explain(), AllOf(HasSubstr("more"), HasSubstr("python3 -I -B")));
}

TEST_F(DslCompilerTest, ReportsSignalAndLastOutput) {
  const auto error = compile("echo lowering >&2; echo 'in fill' >&2; kill -SEGV $$").error();
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("ended by signal 11, Segmentation fault; last output: in fill"));
  EXPECT_THAT(*error.note("log"), HasSubstr("lowering"));
  const auto silent = compile("kill -ABRT $$").error();
  EXPECT_THAT(silent.message, HasSubstr("ended by signal 6, Aborted; last output: nothing"));
  EXPECT_THAT(*silent.note("log"), HasSubstr("no output before signal 6"));
}

TEST_F(DslCompilerTest, ReportsMissingPackage) {
  builder.settings({.python_requires = {"tilelang==0.1.15"}});
  const auto refused =
      compile("mkdir out; echo \"k.py:1: error: ModuleNotFoundError: No module\" > out/error.txt; exit 1");
  EXPECT_THAT(refused.error().message, HasSubstr("The sources need tilelang==0.1.15."));
}

TEST_F(DslCompilerTest, FailedCuteDslImportIsUnavailable) {
  const auto refused = compile("mkdir out; echo Traceback > out/error.txt; exit 2");
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("cannot be imported"), HasSubstr("pip install")));
}

TEST_F(DslCompilerTest, TimeoutKillsPythonAndChildren) {
  options.timeout = std::chrono::seconds(1);
  const auto refused = compile("sleep 600 & sleep 600");
  EXPECT_EQ(refused.error().code, ErrorCode::kTimedOut);
  EXPECT_THAT(refused.error().message, HasSubstr("did not end within 1000 ms"));
}

TEST_F(DslCompilerTest, MissingOutputIsAnError) {
  EXPECT_THAT(compile("exit 0").error().message, HasSubstr("code.cubin"));
  EXPECT_THAT(compile("exit 1").error().message, Not(HasSubstr("code.cubin")));
}

}  // namespace
}  // namespace kmux::cutedsl
