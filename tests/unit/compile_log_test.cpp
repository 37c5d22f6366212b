#include "kmux/plugin/compile_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kLog = "k.cu(1): warning: odd\nk.cu(2): error: no such thing\nk.cu(3): error: nor this\n";

Error missing_header(const std::string& words) {
  Settings settings;
  settings.include_hints = {"tilelang", "cutlass"};
  return with_include_hint(compile_error("cannot compile", "k.cu(1): fatal error: " + words), settings);
}

TEST(CompileLogTest, FindsFirstErrorLine) { EXPECT_EQ(first_error(kLog), "k.cu(2): error: no such thing"); }

TEST(CompileLogTest, FindsFirstErrorOfAssembler) {
  EXPECT_EQ(first_error("all\nptxas k.ptx, line 3; error   : no\n"), "ptxas k.ptx, line 3; error   : no");
  EXPECT_EQ(first_error("ptxas fatal   : no memory\n"), "ptxas fatal   : no memory");
}

TEST(CompileLogTest, FirstErrorIsEmptyWithoutErrors) {
  EXPECT_EQ(first_error("all is well\n"), "");
  EXPECT_EQ(first_error(""), "");
}

TEST(CompileLogTest, ErrorContainsFirstErrorAndWholeLog) {
  const Error error = compile_error("cannot compile \"k.cu\"", kLog);
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_EQ(
      error.message,
      "cannot compile \"k.cu\" (k.cu(2): error: no such thing). The note \"log\" has the compiler's whole output.");
  EXPECT_EQ(error.note("log"), kLog);
}

TEST(CompileLogTest, HintNamesPackagesOfMissingHeader) {
  for (const char* words : {"'x.h' file not found", "x.h: No such file or directory", "cannot open source file \"x.h\"",
                            "could not open source file \"x.h\""}) {
    EXPECT_THAT(missing_header(words).message, HasSubstr("need the headers of tilelang, cutlass")) << words;
  }
}

TEST(CompileLogTest, GivesNoHintForOtherErrors) {
  EXPECT_THAT(missing_header("no such thing").message, Not(HasSubstr("tilelang")));
  EXPECT_THAT(with_include_hint(compile_error("x", "error: file not found"), {}).message, Not(HasSubstr("headers")));
}

}  // namespace
}  // namespace kmux
