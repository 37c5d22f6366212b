#include <gmock/gmock.h>

#include "kmux/plugin/host_compiler.h"

#include "wrapper.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SourceTextTest, InlinesIncludedFiles) {
  Variant variant;
  variant.sources = {{"src/k.metal", "#include <metal_stdlib>\n#include \"../h.h\"\nint c;\n"}};
  variant.headers = {{"h.h", "int a;\n"}};
  EXPECT_EQ(source_text(variant),
            "#line 1 \"src/k.metal\"\n#include <metal_stdlib>\n#line 1 \"h.h\"\nint a;\n#line 3 \"src/k.metal\"\nint "
            "c;\n");
}

TEST(SourceTextTest, DropsByteOrderMarks) {
  Variant variant;
  variant.sources = {{"k.metal", "\xef\xbb\xbf#include \"h.h\"\nint c;\n"}};
  variant.headers = {{"h.h", "\xef\xbb\xbfint a;\n"}};
  EXPECT_EQ(source_text(variant), "#line 1 \"k.metal\"\n#line 1 \"h.h\"\nint a;\n#line 2 \"k.metal\"\nint c;\n");
}

TEST(SourceTextTest, HonorsPragmaOnce) {
  Variant variant;
  variant.sources = {{"k.metal", "#include \"h.h\"\n#include <h.h>\n"}};
  variant.headers = {{"h.h", "#pragma once\nint a;\n"}};
  const std::string text = source_text(variant);
  EXPECT_EQ(text.find("int a"), text.rfind("int a"));
  variant.headers[0].content = "int a;\n";
  const std::string twice = source_text(variant);
  EXPECT_NE(twice.find("int a"), twice.rfind("int a"));
}

// Returns a text after a C preprocessor.
std::string preprocessed(const std::string& text) {
  Command command = Command{{find_host_compiler("", "the test").value(), "-x", "c++", "-E", "-P", "-"}, "/tmp"};
  command.standard_input = text;
  const ProcessResult result = run(command).value();
  EXPECT_EQ(result.exit_code, 0) << result.standard_error;
  return result.standard_output;
}

TEST(SourceTextTest, HonorsPragmaOnceInConditionalBranches) {
  Variant variant;
  variant.headers = {{"h.h", "#pragma once\n#include \"deep.h\"\nint a;\n"}, {"deep.h", "#pragma once\nint d;\n"}};
  for (const char* text : {"#if 0\n#include \"h.h\"\n#endif\n#include \"h.h\"\n#include \"h.h\"\n",
                           "#if 0\n#include \"h.h\"\n#else\n#include \"h.h\"\n#endif\n",
                           "#if 1\n#include \"h.h\"\n#else\n#include \"h.h\"\n#endif\n#include \"h.h\"\n",
                           "#ifdef X\n# if 1\n#include \"deep.h\"\n# endif\n#endif\n#include \"h.h\"\n"}) {
    variant.sources = {{"k.metal", text}};
    EXPECT_EQ(preprocessed(source_text(variant)), "int d;\nint a;\n") << text;
  }
}

TEST(SourceTextTest, HonorsPragmaOnceInPreludes) {
  Variant variant;
  variant.settings.preludes = {"h.h"};
  variant.headers = {{"h.h", "#pragma once\nint a;\n"}};
  variant.sources = {{"k.metal", "#include \"h.h\"\n"}};
  EXPECT_EQ(preprocessed(source_text(variant)), "int a;\n");
}

TEST(SourceTextTest, TerminatesOnMutualIncludesWithPragmaOnce) {
  Variant variant;
  variant.headers = {{"a.h", "#pragma once\n#include \"b.h\"\n#include \"b.h\"\nint a;\n"},
                     {"b.h", "#pragma once\n#include \"a.h\"\n#include \"a.h\"\nint b;\n"}};
  variant.sources = {{"k.metal", "#if 1\n#include \"a.h\"\n#include \"b.h\"\n#endif\n"}};
  EXPECT_EQ(preprocessed(source_text(variant)), "int b;\nint a;\n");
}

TEST(SourceTextTest, TerminatesOnSelfInclude) {
  Variant variant;
  variant.sources = {{"k.metal", "#include \"k.metal\"\n"}};
  EXPECT_THAT(source_text(variant), HasSubstr("#include \"k.metal\""));  // the compiler reports the error
}

TEST(SourceTextTest, BeginsWithDefinesAndPreludes) {
  Variant variant;
  variant.settings.defines = {"N=4", "FAST"};
  variant.settings.preludes = {"metal_math", "own.h"};
  variant.headers = {{"own.h", "int a;\n"}};
  variant.sources = {{"k.metal", "int b;\n"}};
  EXPECT_EQ(source_text(variant),
            "#define N 4\n#define FAST 1\n#include <metal_math>\n#line 1 \"own.h\"\nint a;\n#line 1 \"k.metal\"\nint "
            "b;\n");
}

TEST(SourceTextTest, ConcatenatesSources) {
  Variant variant;
  variant.sources = {{"a.metal", "int a;"}, {"b.metal", "int b;"}};
  EXPECT_THAT(source_text(variant), HasSubstr("int a;\n#line 1 \"b.metal\"\nint b;"));
}

}  // namespace
}  // namespace kmux::metal
