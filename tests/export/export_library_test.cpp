#include "kmux/export_library.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/environment.h"
#include "kmux/plugin/process.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "export/exported_program.h"
#include "export/opened_library.h"
#include "needs.h"

namespace kmux::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CompileOptions on_cpu() {
  CompileOptions options;
  options.execution_backend = "cpu";
  return options;
}

/// Returns the error message of a call of the runtime's kernel, "" if it succeeds.
std::string said_by(const Kernel& kernel, const std::vector<CallValue>& values) {
  std::vector<Arg> args;
  for (const CallValue& value : values) args.push_back(value.arg());
  const Status status = kernel.launch(args);
  return status ? "" : status.error().message;
}

TEST(ExportLibraryTest, ReportsSameErrorsAsRuntime) {
  const ExportFolder folder;
  const ExportedLibrary exported = folder.exported(everything());
  const OpenedLibrary library(exported.library, "everything");
  const Kernel kernel = compile(everything(), on_cpu()).value();
  CallTable table;
  for (const NamedCall& call : table.calls()) {
    const std::string expected = in_no_language(said_by(kernel, call.args));  // C2.17
    EXPECT_EQ(library(call.args), expected) << call.name;
    EXPECT_EQ(expected.empty(), call.is_good) << call.name << ": " << expected;
  }
}

#ifdef __GLIBC__
// A leak of libstdc++'s 72 KB for exceptions would be 21 MB. A compiler in the background may take some at the same time.
TEST(ExportLibraryTest, LeavesNoMemoryWhenUnloaded) {
  const ExportFolder folder;
  const std::string path = folder.exported(thrower()).library;
  const auto open_and_close = [&] {
    const OpenedLibrary library(path, "thrower");
    EXPECT_THAT(library({nullptr}), HasSubstr("too warm"));
    library.close();
  };
  open_and_close();
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 300; ++i) open_and_close();
  EXPECT_LT(::mallinfo2().uordblks, before + (10 << 20));
}
#endif

TEST(ExportLibraryTest, ComputesAxpy) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(axpy()).library, "axpy");
  CallTable tensors;
  std::vector<float> x = {1, 2, 3}, y = {10, 20, 30};
  DLTensor* const a = tensors.tensor(dtype::kFloat32, {3});
  DLTensor* const b = tensors.tensor(dtype::kFloat32, {3});
  a->data = x.data(), b->data = y.data();
  EXPECT_EQ(library({2.0, a, b}), "");
  EXPECT_THAT(y, ElementsAre(12, 24, 36));
  EXPECT_EQ(library({1, a, b}), "") << "an integer that float32 can hold";
  EXPECT_THAT(y, ElementsAre(13, 26, 39));
  EXPECT_STREQ(library.last_error(), "");
}

TEST(ExportLibraryTest, RunsGridKernelsLikeRuntime) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(block_sums()).library, "block_sums");
  const Kernel kernel = compile(block_sums(), on_cpu()).value();
  constexpr std::int64_t kBlocks = 20000;  // enough for every thread of the pool
  std::vector<float> x(64 * kBlocks), y(kBlocks, 1.0F);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
  CallTable tensors;
  DLTensor* const a = tensors.tensor(dtype::kFloat32, {64 * kBlocks});
  DLTensor* const b = tensors.tensor(dtype::kFloat32, {kBlocks});
  a->data = x.data(), b->data = y.data();
  EXPECT_EQ(library.prepare(0), "");
  EXPECT_EQ(library({64, 2.0, a, b}), "");
  std::vector<float> expected(kBlocks, 1.0F);
  for (std::size_t i = 0; i < x.size(); ++i) expected[i / 64] += 2 * x[i];
  EXPECT_EQ(y, expected);
  EXPECT_EQ(said_by(kernel, {64, 2.0, a, b}), "");
  library.close();
  EXPECT_EQ(library({64, 2.0, a, b}), "");
  for (std::size_t i = 0; i < x.size(); ++i) expected[i / 64] += 4 * x[i];
  EXPECT_EQ(y, expected);
  const std::string refused = library({1025, 2.0, a, b});
  EXPECT_THAT(refused, HasSubstr("a block of 1025 threads (there are 1 to 1024)"));
  EXPECT_EQ(refused, said_by(kernel, {1025, 2.0, a, b}));
}

TEST(ExportLibraryTest, AlignsWorkspacesAsDeclared) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(aligned()).library, "aligned");
  CallTable tensors;
  std::vector<std::int64_t> out(4, -1);
  DLTensor* const tensor = tensors.tensor(dtype::kInt64, {4});
  tensor->data = out.data();
  EXPECT_EQ(library({tensor}), "");
  EXPECT_THAT(out, ElementsAre(0, 0, 0, 0));
}

TEST(ExportLibraryTest, RejectsOutOfRangeFillLikeRuntime) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(filled()).library, "filled");
  const Kernel kernel = compile(filled(), on_cpu()).value();
  CallTable tensors;
  std::vector<std::int8_t> memory(8192, -1);
  DLTensor* const y = tensors.tensor(dtype::kInt8, {4096});
  y->data = memory.data();
  for (const std::int64_t extra : {std::int64_t{64}, std::int64_t{1} << 60, std::int64_t{-5000}}) {
    const std::string refused = library({y, extra});
    EXPECT_THAT(refused, HasSubstr("fill of \"y\" writes " + std::to_string(4096 + extra) +
                                   " bytes (the buffer has 4096). Fill at most the buffer."));
    EXPECT_EQ(refused, said_by(kernel, {y, extra}));
    EXPECT_THAT(memory, Each(-1));
  }
  EXPECT_EQ(library({y, 0}), "");
  EXPECT_EQ(memory[4095], 7);
  EXPECT_EQ(memory[4096], -1);
}

TEST(ExportLibraryTest, ReportsBodyFailuresLikeRuntime) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(everything()).library, "everything");
  const Kernel kernel = compile(everything(), on_cpu()).value();
  CallTable table;
  std::vector<CallValue> failing = table.calls().front().args;
  failing[8] = 13;
  EXPECT_THAT(library(failing),
              HasSubstr("kernel \"everything\": kernel \"everything\" returned 13 (0 means success)"));
  EXPECT_EQ(library(failing), said_by(kernel, failing));
  std::vector<CallValue> five = table.calls().front().args;
  five[0] = table.tensor(dtype::kFloat32, {5, 16});
  five[1] = table.tensor(dtype::kFloat16, {5, 5}, {8, 1});
  five[3] = table.tensor(dtype::kFloat32, {10});
  five[4] = table.tensor(DType{kDLInt, 4, 1}, {5, 8});
  five[6] = nullptr;
  EXPECT_THAT(library(five), HasSubstr("five rows are too many"));
  EXPECT_EQ(library(five), said_by(kernel, five));
}

TEST(ExportLibraryTest, ExportsOnlyFiveFunctions) {
  const ExportFolder folder;
  const ExportedLibrary exported = folder.exported(axpy());
  EXPECT_THAT(exported.symbols,
              ElementsAre("__tvm_ffi_axpy", "axpy_close", "axpy_last_error", "axpy_on_stream", "axpy_prepare"));
  EXPECT_EQ(exported.backend, "cpu");
  EXPECT_EQ(exported.bytes, folder.read("axpy.so").size());
  const OpenedLibrary library(exported.library, "axpy");
  for (const char* hidden : {"kmux_cpu_launch", "kmux_standalone_launch", "axpy"}) {
    EXPECT_FALSE(library.has(hidden)) << hidden;
  }
  EXPECT_THAT(folder.files(), ElementsAre("axpy.h", "axpy.so"));
}

TEST(ExportLibraryTest, PreparesOnlyDeviceZeroAndSurvivesClose) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(axpy()).library, "axpy");
  EXPECT_EQ(library.prepare(0), "");
  EXPECT_THAT(library.prepare(3), HasSubstr("kernel \"axpy\": there is one device, 0"));
  library.close();
  CallTable tensors;
  EXPECT_EQ(library({1.0, tensors.tensor(dtype::kFloat32, {3}), tensors.tensor(dtype::kFloat32, {3})}), "");
}

TEST(ExportLibraryTest, KeepsErrorPerThread) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(axpy()).library, "axpy");
  EXPECT_THAT(library({}), HasSubstr("got 0"));
  std::thread([&] {
    EXPECT_STREQ(library.last_error(), "");
    EXPECT_THAT(library({1}), HasSubstr("got 1"));
  }).join();
  EXPECT_THAT(library.last_error(), HasSubstr("got 0"));
}

TEST(ExportLibraryTest, RejectsNullPointers) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(axpy()).library, "axpy");
  CallTable tensors;
  DLTensor* const x = tensors.tensor(dtype::kFloat32, {3});
  DLTensor* const y = tensors.tensor(dtype::kFloat32, {3});
  x->shape = nullptr;
  EXPECT_THAT(library({1.0, x, y}), HasSubstr("\"x\" has no shape (it is null, and the tensor has 1 dimensions)"));
  const std::vector<TVMFFIAny> with_null_object = {CallValue(1.0).any(), {kTVMFFITensor, 0, {}}, CallValue(y).any()};
  EXPECT_EQ(library.call(with_null_object), -1);
  EXPECT_THAT(library.last_error(), HasSubstr("\"x\" is null"));
  EXPECT_EQ(library.call({static_cast<const TVMFFIAny*>(nullptr), 3}), -1);
  EXPECT_THAT(library.last_error(), HasSubstr("expected 3 arguments, got a null array"));
}

TEST(ExportLibraryTest, ConvertsKernelExceptionsToErrors) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(thrower()).library, "thrower");
  EXPECT_EQ(
      library({nullptr}),
      "kernel \"thrower\": the kernel threw \"too warm\" (exceptions do not leave a kernel). Catch it, or return a "
      "number that says what is wrong.");
}

TEST(ExportLibraryTest, AcceptsHostCompiledCode) {
  const ExportFolder folder;
  const OpenedLibrary library(folder.exported(everything(), {{"engine", "host"}}).library, "everything");
  CallTable table;
  EXPECT_EQ(library(table.calls().front().args), "");
}

TEST(ExportLibraryTest, LinksCppKernelsWithClang) {
  const auto clang = find_program("clang++-19");
  if (!clang) GTEST_SKIP() << needs("Clang 19", "apt-get install clang-19");
  const ExportFolder folder;
  const ExportOptions options{.compile = on_cpu(), .library = folder.path("thrower.so"), .host_compiler = *clang};
  const OpenedLibrary library(export_library(thrower(), options).value().library, "thrower");
  EXPECT_THAT(library({nullptr}), HasSubstr("the kernel threw \"too warm\""));
}

TEST(ExportLibraryTest, CompilesInSeparateProcess) {
  const ExportFolder folder;
  ExportOptions options{.compile = on_cpu(), .library = folder.path("axpy.so")};
  options.compile.isolation = Isolation::kProcess;
  const ExportedLibrary exported = export_library(axpy(), options).value();
  CallTable tensors;
  const OpenedLibrary library(exported.library, "axpy");
  EXPECT_EQ(library({1.0, tensors.tensor(dtype::kFloat32, {3}), tensors.tensor(dtype::kFloat32, {3})}), "");
}

/// Exports that fail must leave all files unchanged and report the reason.
class ExportRefusalTest : public testing::Test {
 protected:
  Error refused(const ExportOptions& options, const Program& program = axpy()) const {
    const auto exported = export_library(program, options);
    EXPECT_FALSE(exported.ok());
    return exported ? Error{} : exported.error();
  }
  ExportFolder folder_;
};

TEST_F(ExportRefusalTest, MissingHostCompilerSuggestsInstallation) {
  const Error error = refused({.compile = on_cpu(), .library = folder_.path("a.so"), .host_compiler = "/nowhere/c++"});
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("\"/nowhere/c++\"; exporting needs one"), HasSubstr("apt-get install g++")));
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(ExportRefusalTest, BackendWithoutLauncherIsUnsupported) {
  const auto runtime =
      Runtime::create({}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/null"}, .use_default_path = false}).value();
  ExportOptions options{.library = folder_.path("a.so")};
  options.compile.execution_backend = "null";
  const auto exported = export_library(*runtime, axpy(), options);
  ASSERT_FALSE(exported.ok());
  EXPECT_EQ(exported.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(exported.error().message, HasSubstr("backend \"null\" cannot export (it has no launcher"));
  EXPECT_THAT(folder_.files(), IsEmpty());
}

TEST_F(ExportRefusalTest, InvalidPathsAreRejected) {
  const auto why = [&](const std::string& library, const std::string& header) {
    const Error error = refused({.compile = on_cpu(), .library = library, .header = header});
    return std::string(to_string(error.code)) + ": " + error.message;
  };
  EXPECT_THAT(why("", ""), HasSubstr("invalid_argument: the library has no path"));
  EXPECT_THAT(why(folder_.path(""), ""), HasSubstr("it is a folder"));
  EXPECT_THAT(why(folder_.path("no/a.so"), ""), HasSubstr("unavailable: the library cannot be written to"));
  EXPECT_THAT(why(folder_.path("a.so"), folder_.path("no/a.h")), HasSubstr("the header cannot be written to"));
  EXPECT_THAT(why(folder_.path("a.so"), folder_.path("./a.so")), HasSubstr("library and header are both"));
  EXPECT_THAT(folder_.files(), IsEmpty());
}

// A loop of links stands for a folder that may not be entered: as root, every folder may.
TEST_F(ExportRefusalTest, SaysWhyNothingCanBeInFolder) {
  const auto why = [&](const std::string& library) {
    return refused({.compile = on_cpu(), .library = folder_.path(library)}).message;
  };
  std::filesystem::create_symlink("loop", folder_.path("loop"));
  folder_.write("file", "");
  EXPECT_THAT(why("none/a.so"), HasSubstr("(there is no folder \"" + folder_.path("none") + "\"). Make it."));
  EXPECT_THAT(why("loop/a.so"), HasSubstr("loop\" cannot be reached: Too many levels of symbolic links). Permit it"));
  EXPECT_THAT(why("file/a.so"), HasSubstr("file\" is not a folder). Name another one."));
}

// On a file system that refuses writes.
TEST_F(ExportRefusalTest, FailedWriteLeavesFilesUnchanged) {
  folder_.write("a.h", "what was there");
  const Error error = refused({.compile = on_cpu(), .library = "/proc/self/a.so", .header = folder_.path("a.h")});
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("/proc/self/a.so"));
  EXPECT_EQ(folder_.read("a.h"), "what was there");
  refused({.compile = on_cpu(), .library = "/proc/self/a.so", .header = folder_.path("b.h")});
  EXPECT_THAT(folder_.files(), ElementsAre("a.h"));
}

TEST_F(ExportRefusalTest, CompileErrorLeavesNoFiles) {
  Program program = axpy();
  program.variants.front().sources.front().content = "void axpy(float alpha) { return oops; }\n";
  const Error error = refused({.compile = on_cpu(), .library = folder_.path("a.so")}, program);
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(folder_.files(), IsEmpty());
}

}  // namespace
}  // namespace kmux::test
