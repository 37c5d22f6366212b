#include "kmux/plugin/host_compiler.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../temp_folder.h"

namespace kmux {
namespace {

using testing::HasSubstr;

TEST(HostCompilerTest, ReturnsCanonicalAbsolutePath) {
  const std::string compiler = find_host_compiler("", "the test").value();
  EXPECT_EQ(compiler.front(), '/');
  EXPECT_EQ(find_host_compiler(compiler, "the test").value(), compiler);
}

TEST(HostCompilerTest, ReportsMissingCompilerAndRequester) {
  const auto missing = find_host_compiler("no-such-c++", "backend test");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("looked for \"no-such-c++\"; backend test needs one"));
  EXPECT_FALSE(find_host_compiler("/nowhere/c++", "backend test").ok());
}

TEST(HostCompilerTest, ReportsErrorsInEnglish) {
  const CompilationFolder folder = CompilationFolder::create("kmux-test").value();
  const Command command =
      compiler_command({find_host_compiler("", "the test").value(), "-x", "c++", "/nowhere.cpp"}, folder);
  EXPECT_THAT(run(command).value().standard_error, HasSubstr("o such file or directory"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, line.find('=')));
  return lines;
}

// Sets a variable for a test and restores it.
class Variable {
 public:
  Variable(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    setenv(name_.c_str(), value, /*overwrite=*/1);
  }
  ~Variable() { before_ ? setenv(name_.c_str(), before_->c_str(), 1) : unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

TEST(HostCompilerTest, ReceivesOnlyListedVariables) {
  const Variable flags("NVCC_APPEND_FLAGS", "-DFOO=2");
  const Variable includes("CPATH", "/somewhere");
  const Variable driver("CCC_OVERRIDE_OPTIONS", "+-O0");
  const Variable programs("COMPILER_PATH", "/somewhere");
  const Variable libraries("LD_LIBRARY_PATH", "/kmux-nowhere");
  const CompilationFolder folder = CompilationFolder::create("kmux-test").value();
  const ProcessResult result = run(compiler_command({"/usr/bin/env"}, folder)).value();
  EXPECT_THAT(lines_of(result.standard_output),
              testing::UnorderedElementsAre("PATH", "LD_LIBRARY_PATH", "LC_ALL", "TMPDIR", "HOME"));
  EXPECT_THAT(result.standard_output, HasSubstr("\nTMPDIR=" + folder.scratch() + "\n"));
}

// An empty or relative element of these lists means a folder relative to the compiler's working directory.
TEST(HostCompilerTest, ReceivesOnlyAbsoluteSearchPaths) {
  const Variable libraries("LD_LIBRARY_PATH", "/kmux-nowhere::lib:.:/kmux-elsewhere:");
  const Variable programs("PATH", (":bin:" + std::string(std::getenv("PATH")) + ":").c_str());
  const CompilationFolder folder = CompilationFolder::create("kmux-test").value();
  const std::string seen = run(compiler_command({"/usr/bin/env"}, folder)).value().standard_output;
  EXPECT_THAT(seen, HasSubstr("LD_LIBRARY_PATH=/kmux-nowhere:/kmux-elsewhere\n"));
  EXPECT_EQ(inherited_library_path(), "/kmux-nowhere:/kmux-elsewhere");
  EXPECT_THAT(seen, testing::Not(testing::ContainsRegex("PATH=([^\n]*:)?(bin|):")));
  const Variable none("LD_LIBRARY_PATH", ":");
  EXPECT_THAT(run(compiler_command({"/usr/bin/env"}, folder)).value().standard_output,
              testing::Not(HasSubstr("LD_LIBRARY_PATH")));
}

// GCC starts the assembler found in PATH, and another assembler may generate other code.
TEST(HostCompilerTest, IdentityDependsOnItsEnvironment) {
  const TempFolder folder;
  const std::string compiler = find_host_compiler("", "the test").value();
  const Json before = identify_compiler(compiler);
  EXPECT_EQ(identify_compiler(compiler), before);
  {
    const Variable flags("NVCC_APPEND_FLAGS", "-DFOO=2");
    EXPECT_EQ(identify_compiler(compiler), before) << "it does not reach a compiler";
    const Variable libraries("LD_LIBRARY_PATH", folder.path().c_str());
    EXPECT_NE(identify_compiler(compiler), before);
  }
  const Variable path("PATH", (folder.path().string() + ":" + std::getenv("PATH")).c_str());
  EXPECT_EQ(identify_compiler(compiler), before);
  std::filesystem::permissions(folder.write("as", "#!/bin/sh\n"), std::filesystem::perms::owner_all);
  EXPECT_NE(identify_compiler(compiler), before);
}

}  // namespace
}  // namespace kmux
