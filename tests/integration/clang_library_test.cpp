// The cpu plugin without its compiler library, and with that library of another release.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/compile.h"
#include "kmux/environment.h"
#include "kmux/registry.h"

#include "temp_folder.h"

namespace kmux {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::HasSubstr;

const fs::path kPlugins = KMUX_TEST_BUILD_DIR "/lib/kmux/plugins";

Program nothing() {
  Program program{.name = "nothing"};
  Variant variant{.dialect = "c"};
  variant.sources = {{"nothing.c", "void nothing(void) {}\n"}};
  variant.body.steps = {Launch{.kernel = "nothing"}};
  program.variants.push_back(std::move(variant));
  return program;
}

class ClangLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* file : {"kmux_cpu.so", "kmux_cpu.plugin.json"}) fs::copy(kPlugins / file, folder_.path() / file);
  }
  Error failure() {
    const auto runtime = Runtime::create({}, {.search_path = {folder_.path()}, .use_default_path = false}).value();
    const auto kernel = compile(*runtime, nothing(), {.execution_backend = "cpu"});
    return kernel ? Error{ErrorCode::kOk, "compiled"} : kernel.error();
  }
  static std::string with_notes(const Error& error) {
    std::string text = error.message;
    for (const Note& note : error.notes) text += "\n" + note.text;
    return text;
  }
  TempFolder folder_;
};

TEST_F(ClangLibraryTest, IsReportedWhenMissing) {
  const Error error = failure();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(with_notes(error), HasSubstr("kmux_cpu_clang.so\" is not there. Install kmux again"));
}

TEST_F(ClangLibraryTest, IsNotNeededForCachedKernels) {
  constexpr const char* kTargets[] = {"cpu", "cpu:x86-64-v2"};
  fs::copy(kPlugins / "kmux_cpu_clang.id", folder_.path() / "kmux_cpu_clang.id");
  const TempFolder cache;
  const Environment environment{.cache_dir = cache.path() / "cache"};
  const auto options = [](const char* target) {
    return CompileOptions{.target = target, .execution_backend = "cpu", .options = {{"tier", "full"}}};
  };
  {
    const auto whole = Runtime::create(environment, {.search_path = {kPlugins}, .use_default_path = false}).value();
    for (const char* const target : kTargets) ASSERT_TRUE(compile(*whole, nothing(), options(target)).ok());
  }  // its code is in the cache when it ends
  const auto without =
      Runtime::create(environment, {.search_path = {folder_.path()}, .use_default_path = false}).value();
  for (const char* const target : kTargets) {
    const auto kernel = compile(*without, nothing(), options(target));
    ASSERT_TRUE(kernel.ok()) << with_notes(kernel.error());
    EXPECT_TRUE(kernel->launch({}).ok());
  }
  EXPECT_THAT(with_notes(failure()),
              HasSubstr("kmux_cpu_clang.so\" is not there, which makes what the cache does not have"));
}

TEST_F(ClangLibraryTest, RejectsVersionMismatch) {
  fs::copy(KMUX_TEST_BUILD_DIR "/tests/other_clang/kmux_cpu_clang.so", folder_.path() / "kmux_cpu_clang.so");
  const Error error = failure();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("is of version 0.0.9 (the cpu plugin is of "), HasSubstr("Install the two together.")));
}

TEST_F(ClangLibraryTest, RejectsInvalidLibrary) {
  folder_.write("kmux_cpu_clang.so", "no library");
  const Error error = failure();
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(error.message, HasSubstr("kmux_cpu_clang.so"));
}

}  // namespace
}  // namespace kmux
