// Exported libraries called without kmux: from C, and from Python.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/host_compiler.h"
#include "kmux/plugin/process.h"

#include "export/exported_program.h"
#include "needs.h"

namespace kmux::test {
namespace {

using testing::HasSubstr;

const std::string kHere = std::string(KMUX_TEST_SOURCE_DIR) + "/tests/export/";

/// Runs `words` with an environment of only an empty PATH.
ProcessResult run_alone(std::vector<std::string> words) {
  words.insert(words.begin(), {"/usr/bin/env", "-i", "PATH=/nowhere"});
  return run({std::move(words)}).value();
}

TEST(ExportedCallerTest, CCallerNeedsOnlyHeader) {
  const ExportFolder folder;
  folder.exported(axpy());
  const Command compile = Command{{find_host_compiler("", "the test").value(), "-x", "c", "-std=gnu11", "-Wall",
                                   "-Wextra", "-Werror", "-I.", "-o", "caller", kHere + "caller.c", "-ldl"},
                                  folder.path("")};
  const ProcessResult compiled = run(compile).value();
  ASSERT_EQ(compiled.exit_code, 0) << compiled.standard_error;
  const ProcessResult result = run_alone({folder.path("caller"), folder.path("axpy.so")});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_EQ(result.standard_output,
            "0 12 24 36\n"
            "0 14 28 42\n"  // C3.12: in a stream
            "-1 kernel \"axpy\": parameter \"y\" has shape[0] = 2 (expected n, and n = 3 from shape[0] of "
            "\"x\"). Pass tensors that agree.\n");
}

TEST(ExportedCallerTest, LinksAgainstLibraryByName) {
  const ExportFolder folder;
  folder.exported(axpy());
  folder.write("linked.cpp",
               "#include \"axpy.h\"\n#include \"axpy.h\"\nint main() {\n"
               "  return axpy_call(&__tvm_ffi_axpy, 1, nullptr, nullptr) == -1 && axpy_last_error()[0] == 'k' &&\n"
               "         axpy_prepare(0) == 0 ? (axpy_close(), 0) : 1;\n}\n");
  const Command compile = Command{{find_host_compiler("", "the test").value(), "-std=c++17", "-Wall", "-Wextra",
                                   "-Werror", "-o", "linked", "linked.cpp", "axpy.so"},
                                  folder.path("")};
  const ProcessResult compiled = run(compile).value();
  ASSERT_EQ(compiled.exit_code, 0) << compiled.standard_error;
  const ProcessResult result =
      run({{"/usr/bin/env", "-i", "LD_LIBRARY_PATH=" + folder.path(""), folder.path("linked")}}).value();
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
}

/// Returns the path of a Python that has tvm_ffi, "" if missing.
std::string python() {
  const std::string path = std::string(KMUX_TEST_SOURCE_DIR) + "/.venv/bin/python";
  if (!std::filesystem::exists(path)) return "";
  return run({{path, "-c", "import tvm_ffi, numpy"}}).value().exit_code == 0 ? path : "";
}

TEST(ExportedCallerTest, PythonCallsThroughTvmFfi) {
  const std::string interpreter = python();
  if (interpreter.empty())
    GTEST_SKIP() << needs("TVM-FFI", "apache-tvm-ffi is not in .venv; ./kmux.sh test puts it there");
  const ExportFolder folder;
  folder.exported(axpy());
  folder.exported(thrower());
  const ProcessResult result =
      run_alone({interpreter, kHere + "caller.py", folder.path("axpy.so"), folder.path("thrower.so")});
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  EXPECT_THAT(result.standard_output, HasSubstr("all is well"));
}

}  // namespace
}  // namespace kmux::test
