#include "host_compiler.h"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../tests/temp_folder.h"
#include "jobs.h"

namespace kmux::cpu {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

BuildOptions host_options() {
  BuildOptions options;
  options.engine = Engine::kHost;
  return options;
}

TEST(HostCompiler, MakesASharedLibraryAndLeavesNothingBehind) {
  const TempFolder temporary;  // of this test's own: others compile at the same time
  setenv("TMPDIR", temporary.path().c_str(), /*overwrite=*/1);
  const auto object = compile_on_host(job_of("a/f.c", "int f(int x) { return x + 2; }"), host_options(), {});
  const auto code = load_shared_object(object.value().object, "entry");
  unsetenv("TMPDIR");
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(code.value()->entry())(40), 42);
  EXPECT_TRUE(fs::is_empty(temporary.path()));
}

TEST(HostCompiler, KeepsTwoLibrariesApart) {
  const auto load = [](const std::string& body) {
    const auto object = compile_on_host(job_of("f.c", "int f(int x) { return " + body + "; }"), host_options(), {});
    return load_shared_object(object.value().object, "entry").value();
  };
  const auto a = load("x + 1");
  const auto b = load("x + 2");
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(a->entry())(0), 1);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(b->entry())(0), 2);
}

TEST(HostCompiler, ShowsItsCommandAndItsLog) {
  const auto object = compile_on_host(job_of("f.c", "int f(int x) { return y; }"), host_options(), {});
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(object.error().message, HasSubstr("cannot compile \"f.c\" (f.c:1:"));
  EXPECT_THAT(std::string(object.error().note("command").value_or("")), HasSubstr("-march="));
}

TEST(HostCompiler, NamesASymbolThatIsMissing) {
  const auto object = compile_on_host(job_of("f.c", "int g(int); int f(int x) { return g(x); }"), host_options(), {});
  ASSERT_FALSE(object.ok());
  EXPECT_THAT(std::string(object.error().note("log").value_or("")), HasSubstr("undefined reference to `g'"));
}

TEST(HostCompiler, IsMissedByName) {
  BuildOptions options = host_options();
  options.host_compiler = "no-such-compiler";
  const auto object = compile_on_host(job_of("f.c", "int f(int x) { return x; }"), options, {});
  ASSERT_FALSE(object.ok());
  EXPECT_EQ(object.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(object.error().message, HasSubstr("looked for \"no-such-compiler\""));
}

}  // namespace
}  // namespace kmux::cpu
