#include "compile/kernel_memo.h"

#include <gtest/gtest.h>

#include "scripted_programs.h"

namespace kmux {
namespace {

TEST(KernelMemoTest, RecognizesRelativePathsInOptions) {
  EXPECT_TRUE(has_relative_path({{"host_compiler", "./mycc"}}));
  EXPECT_TRUE(has_relative_path({{"cpu.include_dirs", "/usr/include\nlocal"}}));
  EXPECT_FALSE(has_relative_path({{"host_compiler", "/usr/bin/gcc"}, {"engine", "host"}, {"include_dirs", "/a\n/b"}}));
}

// "./mycc" names another compiler in another working directory.
TEST(KernelMemoTest, KeepsNoKernelOfRelativePaths) {
  PluginScript script = launching_script("memo", 1);
  const Shared<Runtime> runtime = runtime_of({&script}, {});
  const auto compiles = [&](const std::string& compiler) {
    script.built = 0;
    for (int i = 0; i < 2; ++i)
      EXPECT_TRUE(compile(*runtime, doubling(), {.options = {{"host_compiler", compiler}}}).ok());
    return static_cast<int>(script.built);
  };
  EXPECT_EQ(compiles("/usr/bin/mycc"), 1);
  EXPECT_EQ(compiles("./mycc"), 2);
}

}  // namespace
}  // namespace kmux
