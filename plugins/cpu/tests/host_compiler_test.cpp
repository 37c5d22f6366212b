#include "host_compiler.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/file_io.h"

#include "../../../tests/temp_folder.h"
#include "jobs.h"

namespace kmux::cpu {

using namespace simt;
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

BuildOptions host_options() {
  BuildOptions options;
  options.engine = Engine::kHost;
  return options;
}

TEST(HostCompilerTest, BuildsSharedLibraryWithoutLeftovers) {
  const TempFolder temporary;  // unique to this test: others compile at the same time
  setenv("TMPDIR", temporary.path().c_str(), /*overwrite=*/1);
  const auto object = compile_on_host(job_of("a/f.c", "int f(int x) { return x + 2; }"), host_options(), {});
  const auto code = load_shared_object(object.value().object, "entry");
  unsetenv("TMPDIR");
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(code.value()->entry())(40), 42);
  EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST(HostCompilerTest, KeepsLibrariesSeparate) {
  const auto load = [](const std::string& body) {
    const auto object = compile_on_host(job_of("f.c", "int f(int x) { return " + body + "; }"), host_options(), {});
    return load_shared_object(object.value().object, "entry").value();
  };
  const auto a = load("x + 1");
  const auto b = load("x + 2");
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(a->entry())(0), 1);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(b->entry())(0), 2);
}

bool is_kernel_mapped() {
  std::ifstream maps("/proc/self/maps");
  const std::string all(std::istreambuf_iterator<char>(maps), {});
  return all.find("kmux-kernel") != all.npos;  // a memfd, or a file in a folder of that name
}

std::unique_ptr<LoadedCode> loaded_on_host(const std::string& path, const std::string& text) {
  const auto object = compile_on_host(job_of(path, text), host_options(), {});
  return load_shared_object(object.value().object, "entry").value();
}

int value_of(const LoadedCode& code, int x) { return reinterpret_cast<int (*)(int)>(code.entry())(x); }

// GCC makes a template's static variable unique in the process, unless told not to; dlclose then unloads nothing.
TEST(HostCompilerTest, UnloadsLibraryCompletely) {
  const std::string counter = "template <class T> int& count() { static int value = 0; return value; }\n";
  auto code = loaded_on_host("f.cpp", counter + "extern \"C\" int f(int x) { return count<int>() += x + 1000; }");
  EXPECT_EQ(value_of(*code, 1), 1001);
  EXPECT_TRUE(is_kernel_mapped());
  code.reset();
  EXPECT_FALSE(is_kernel_mapped());
  code = loaded_on_host("f.cpp", counter + "extern \"C\" int f(int x) { return count<int>() += x; }");
  EXPECT_EQ(value_of(*code, 2), 2);
}

TEST(HostCompilerTest, PrefersKernelFunctionsOverLibc) {
  const auto code =
      loaded_on_host("f.c", "int getdtablesize(void) { return -41; }\nint f(int x) { return getdtablesize() - x; }");
  EXPECT_EQ(value_of(*code, 1), -42) << "the C library's function was called";
}

TEST(HostCompilerTest, FiltersEnvironmentVariables) {
  const TempFolder folder;
  const std::string script = "#!/bin/sh\n/usr/bin/env >&2\nexit 1\n";
  BuildOptions options = host_options();
  options.host_compiler = folder.write("c++", script);
  fs::permissions(options.host_compiler, fs::perms::owner_all);
  setenv("GCC_EXEC_PREFIX", "/nowhere/", /*overwrite=*/1);
  const auto object = compile_on_host(job_of("f.c", "int f(int x) { return x; }"), options, {});
  unsetenv("GCC_EXEC_PREFIX");
  ASSERT_FALSE(object.ok());
  const std::string seen(object.error().note("log").value_or(""));
  EXPECT_THAT(seen, HasSubstr("LC_ALL=C\n"));
  EXPECT_THAT(seen, testing::Not(HasSubstr("GCC_EXEC_PREFIX")));
}

TEST(HostCompilerTest, ReportsCommandAndLog) {
  const auto object = compile_on_host(job_of("f.c", "int f(int x) { return y; }"), host_options(), {});
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(object.error().message, HasSubstr("cannot compile \"f.c\" (f.c:1:"));
  EXPECT_THAT(std::string(object.error().note("command").value_or("")),
              HasSubstr(is_aarch64(host_triple()) ? " -mcpu=" : " -march="));
}

TEST(HostCompilerTest, ReportsMissingSymbol) {
  const auto object = compile_on_host(job_of("f.c", "int g(int); int f(int x) { return g(x); }"), host_options(), {});
  ASSERT_FALSE(object.ok());
  EXPECT_THAT(std::string(object.error().note("log").value_or("")), HasSubstr("undefined reference to `g'"));
}

TEST(HostCompilerTest, ReportsMissingCompilerByName) {
  BuildOptions options = host_options();
  options.host_compiler = "no-such-compiler";
  const auto object = compile_on_host(job_of("f.c", "int f(int x) { return x; }"), options, {});
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(object.error().message, HasSubstr("looked for \"no-such-compiler\""));
}

}  // namespace
}  // namespace kmux::cpu
