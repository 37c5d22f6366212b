#include "kmux/host_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/process.h"

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
  const Command command{
      {find_host_compiler("", "the test").value(), "-x", "c++", "/nowhere.cpp"}, "/", compiler_environment()};
  EXPECT_THAT(run(command).value().standard_error, HasSubstr("o such file or directory"));
}

}  // namespace
}  // namespace kmux
