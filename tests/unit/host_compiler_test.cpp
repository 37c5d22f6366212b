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

TEST(HostCompiler, IsAnAbsolutePathWithoutLinks) {
  const std::string compiler = find_host_compiler("", "the test").value();
  EXPECT_EQ(compiler.front(), '/');
  EXPECT_EQ(find_host_compiler(compiler, "the test").value(), compiler);
}

TEST(HostCompiler, IsMissedByNameAndUser) {
  const auto missing = find_host_compiler("no-such-c++", "backend test");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("looked for \"no-such-c++\"; backend test needs one"));
  EXPECT_FALSE(find_host_compiler("/nowhere/c++", "backend test").ok());
}

TEST(HostCompiler, SpeaksEnglish) {
  const Command command =
      compiler_command({find_host_compiler("", "the test").value(), "-x", "c++", "/nowhere.cpp"}, "/");
  EXPECT_THAT(run(command).value().standard_error, HasSubstr("o such file or directory"));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, line.find('=')));
  return lines;
}

// Sets a variable for a test, and sets it back.
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

TEST(HostCompiler, GetsNoVariableThatIsNotNamed) {
  const Variable flags("NVCC_APPEND_FLAGS", "-DFOO=2");
  const Variable includes("CPATH", "/somewhere");
  const Variable driver("CCC_OVERRIDE_OPTIONS", "+-O0");
  const Variable programs("COMPILER_PATH", "/somewhere");
  const Variable libraries("LD_LIBRARY_PATH", "/kmux-nowhere");
  const ProcessResult result = run(compiler_command({"/usr/bin/env"}, "/tmp")).value();
  EXPECT_THAT(lines_of(result.standard_output),
              testing::UnorderedElementsAre("PATH", "LD_LIBRARY_PATH", "LC_ALL", "TMPDIR", "HOME"));
  EXPECT_THAT(result.standard_output, HasSubstr("\nTMPDIR=/tmp\n"));
}

// GCC starts the assembler that PATH leads to, so another one may make other code.
TEST(HostCompiler, IsIdentifiedWithWhatItGets) {
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
