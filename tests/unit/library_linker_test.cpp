#include "export/library_linker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::HasSubstr;

constexpr const char* kEntry = "extern \"C\" __attribute__((visibility(\"default\"))) int entry() { return 1; }\n";

Artifact parts_of(const std::string& launcher) {
  Artifact parts;
  parts.set("launcher.cpp", launcher);
  return parts;
}

Result<std::string> linked(const Artifact& parts, const std::vector<std::string>& libraries = {},
                           const std::string& entry = kEntry) {
  return link_library({parts, entry, {"entry"}, libraries}, "");
}

void expect_refused(const Result<std::string>& result, ErrorCode code, const std::string& part) {
  ASSERT_FALSE(result.ok()) << part;
  EXPECT_EQ(result.error().code, code);
  EXPECT_THAT(result.error().message, HasSubstr(part));
}

TEST(LibraryLinkerTest, LinksOnlyRequestedSymbolsVisible) {
  Artifact parts = parts_of("int other() { return 2; }\nasm(\".incbin \\\"data.bin\\\"\");\n");
  parts.set("data.bin", "bytes");
  EXPECT_THAT(linked(parts).value(), HasSubstr("ELF"));
}

TEST(LibraryLinkerTest, RejectsInvalidParts) {
  constexpr ErrorCode kInternal = ErrorCode::kInternal;
  expect_refused(linked({}), kInternal, "there is no launcher.cpp");
  for (const char* name : {"../a.o", "-o", "a b.o", ".hidden", "", "a/b.o", "a;b"}) {
    Artifact parts = parts_of("");
    parts.set(name, "");
    expect_refused(linked(parts), kInternal, "is not a file name");
  }
  expect_refused(linked(parts_of(""), {"../evil"}), kInternal, "is not a library");
  expect_refused(linked(parts_of(""), {}, "int nothing;"), kInternal, "not entry");
}

TEST(LibraryLinkerTest, ReportsCompilerErrors) {
  const auto result = linked(parts_of("this is no C++\n"));
  expect_refused(result, ErrorCode::kCompileFailed, "cannot link the library (launcher.cpp:1:");
  EXPECT_TRUE(result.error().note("log"));
  EXPECT_TRUE(result.error().note("command"));
  expect_refused(
      linked(parts_of("int lost();\nint use() { return lost(); }\nint (*keep)() = use;\n"
                      "extern \"C\" __attribute__((visibility(\"default\"))) int entry2() { return keep(); }\n"),
             {},
             "extern \"C\" int entry2();\nextern \"C\" __attribute__((visibility(\"default\"))) int entry() "
             "{ return entry2(); }\n"),
      ErrorCode::kCompileFailed, "cannot link the library");
}

TEST(LibraryLinkerTest, ReportsMissingCompiler) {
  const Artifact parts = parts_of("");
  expect_refused(link_library({parts, kEntry, {"entry"}, {}}, "no-such-c++"), ErrorCode::kUnavailable,
                 "exporting needs one). Install it");
}

}  // namespace
}  // namespace kmux
