#include "kmux/plugin/include_scan.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../file_tick.h"
#include "../temp_folder.h"

namespace kmux {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A folder of headers, and a search in its subfolder "inc".
class IncludeScanTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
  Dependencies scan(const std::string& text) {
    const std::vector<File> texts = {{"src/k.c", text}};
    return scan_includes(texts, embedded_, search_, memory_);
  }
  // Returns the names in "inc" that `text` may read.
  std::vector<std::string> names(const std::string& text) {
    std::vector<std::string> found;
    for (const std::string& path : scan(text).files) found.push_back(path.substr(at("inc/").size()));
    return found;
  }

  TempFolder folder_;
  std::vector<File> embedded_;
  IncludeMemory memory_;
  IncludeSearch search_{{}, {at("inc")}};
};

TEST_F(IncludeScanTest, FollowsAllBranchesAndDirectiveForms) {
  for (const char* name : {"a.h", "b.h", "c.h", "d.h", "e.h", "f.h", "g//h.h"}) write(std::string("inc/") + name, "");
  write("inc/b.h", "#include <c.h>\n");
  EXPECT_THAT(names("#if 0\n#include <a.h>\n#endif\n  #  include /* x */ \"b.h\" // y\n%:include <d.h>\n"
                    "/* \n */ #import <e.h>\n#inc\\\nlude <f\\ \n.h>\n#include <g//h.h>\nint x;"),
              ElementsAre("a.h", "b.h", "c.h", "d.h", "e.h", "f.h", "g//h.h"));
}

TEST_F(IncludeScanTest, SkipsCommentsAndLiterals) {
  write("inc/a.h", "");
  for (const char* text : {
           "// #include <a.h>",
           "// \\\n#include <a.h>",
           "/* \n#include <a.h>\n*/",
           "const char* s = R\"x(\n#include <a.h>\n)x\";",
           "const char* s = u8R\"(\n#include <a.h>\n)\";",
           "int x; #include <a.h>",
           "const char* s = \"\\\n#include <a.h>\";",
           "#pragma x\n#warning <a.h>",
           "#define X #include <a.h>",
       }) {
    EXPECT_THAT(scan(text).files, IsEmpty()) << text;
    EXPECT_TRUE(scan(text).complete) << text;
  }
}

TEST_F(IncludeScanTest, HandlesQuotesBeforeIncludes) {
  write("inc/a.h", "");
  for (const char* text : {"int x = 1'000'000; // '\n#include <a.h>", "char c = '\"';\n#include <a.h>",
                           "char c = '\\'';\n#include <a.h>", "const char* s = \"/*\";\n#include <a.h>",
                           "const char* s = \"\\\"/*\";\n#include <a.h>", "#error don't\n#include <a.h>",
                           "const char* s = FOR\"x(\";\n#include <a.h>", "#include <b.h> /*\n*/\n#include <a.h>",
                           "int x = 3 / 2; /**/\n#include <a.h>", "wchar_t c = L'\"';\n#include <a.h>"}) {
    EXPECT_THAT(names(text), ElementsAre("a.h")) << text;
  }
}

TEST_F(IncludeScanTest, RecordsEarlierSearchMisses) {
  write("inc/a.h", "");
  write("first/other.h", "");
  search_ = {{at("quoted")}, {at("none"), at("first"), at("inc"), at("last")}};
  EXPECT_THAT(scan("#include <a.h>").absent, UnorderedElementsAre(at("none"), at("first/a.h")));
  EXPECT_THAT(scan("#include \"a.h\"").absent, UnorderedElementsAre(at("quoted"), at("none"), at("first/a.h")));
  EXPECT_THAT(scan("#include <x/y/b.h>").absent,
              UnorderedElementsAre(at("none"), at("first/x"), at("inc/x"), at("last")));
}

TEST_F(IncludeScanTest, RecordsFileIdentities) {
  write("inc/a.h", "");
  std::filesystem::create_directories(at("first/a.h"));
  search_.angled = {at("first"), at("second"), at("inc")};
  const Dependencies read = scan("#include <a.h>");
  ASSERT_TRUE(read.seen);
  EXPECT_THAT(read.seen->files, ElementsAre(FileIdentity::of(at("inc/a.h"))));
  EXPECT_THAT(read.absent, ElementsAre(at("first/a.h"), at("second")));
  EXPECT_THAT(read.seen->passed, ElementsAre(at("first/a.h")));
}

TEST_F(IncludeScanTest, SearchesFolderOfIncludingFile) {
  write("inc/deep/a.h", "#include \"b.h\"\n#include <b.h>\n");
  write("inc/deep/b.h", "");
  const Dependencies found = scan("#include <deep/a.h>");
  EXPECT_THAT(found.files, ElementsAre(at("inc/deep/a.h"), at("inc/deep/b.h")));
  EXPECT_THAT(found.absent, ElementsAre(at("inc/b.h")));
}

TEST_F(IncludeScanTest, FindsPathsOutOfTheProgramInSearchedFolders) {
  const std::string name = folder_.path().filename().string() + "/h.h";
  write("h.h", "");
  write("inc/a.h", "");
  const Dependencies found = scan("#include \"../../" + name + "\"\n#include \"../../../" + name + "\"\n");
  EXPECT_TRUE(found.complete);
  EXPECT_THAT(found.files, Contains(at("inc/../../" + name)));
  EXPECT_THAT(found.absent, Contains("/" + folder_.path().filename().string())) << "beside a program in memory";
}

TEST_F(IncludeScanTest, IncludeNextMatchesAllSearchFolders) {
  write("inc/a.h", "#include_next <a.h>\n");
  write("more/a.h", "");
  search_.angled = {at("inc"), at("none"), at("more")};
  EXPECT_THAT(scan("#include <a.h>").files, ElementsAre(at("inc/a.h"), at("more/a.h")));
}

TEST_F(IncludeScanTest, FollowsHasIncludeQueries) {
  write("inc/a.h", "#include <b.h>\n");
  write("inc/b.h", "");
  EXPECT_THAT(names("#if defined(__has_include) && __has_include(<a.h>)\n#endif"), ElementsAre("a.h", "b.h"));
  EXPECT_THAT(names("#define HAS __has_include (\"b.h\")\n#if HAS"), ElementsAre("b.h"));
  EXPECT_THAT(scan("#elif __has_include(<no.h>)").absent, ElementsAre(at("inc/no.h")));
}

TEST_F(IncludeScanTest, EmbeddedFilesHideSystemFiles) {
  write("inc/a.h", "");
  write("inc/b.h", "");
  embedded_ = {{"src/a.h", "#include <b.h>\n"}, {"lib/b.h", "#include \"../lib/c.h\"\n"}, {"lib/c.h", ""}};
  EXPECT_EQ(scan("#include \"a.h\""), (Dependencies{{at("inc/b.h")}, {}}));
  search_.angled = {"./lib", at("inc")};
  EXPECT_EQ(scan("#include \"a.h\""), Dependencies{});
}

TEST_F(IncludeScanTest, FollowsAllMacroDefinitions) {
  for (const char* name : {"a.h", "b.h", "c.h", "d.h"}) write(std::string("inc/") + name, "");
  write("inc/a.h", "#define SECOND <d.h>\n");
  EXPECT_THAT(names("#if X\n#define HEADER <a.h> // one\n#else\n# define HEADER \"b.h\"\n#endif\n#include HEADER\n"),
              ElementsAre("a.h", "b.h"));
  EXPECT_THAT(names("#define ALIAS HEADER /* as */\n#define HEADER <c.h>\n#include ALIAS"), ElementsAre("c.h"));
  EXPECT_THAT(names("#include SECOND\n#include <a.h>"), ElementsAre("a.h", "d.h"));
  EXPECT_TRUE(scan("#define HEADER <a.h>\n#include HEADER").complete);
}

TEST_F(IncludeScanTest, FollowsHasIncludeInsideMacros) {
  write("inc/a.h", "");
  write("inc/b.h", "");
  const std::string define = "#define HAS(X, Y) __has_include(X) // for all\n";
  EXPECT_TRUE(scan(define).complete);
  EXPECT_THAT(names(define + "#if HAS(<a.h>, 1) && HAS( \"b.h\", 2)\n#endif\n"), ElementsAre("a.h", "b.h"));
  EXPECT_THAT(names("#define HAS_A (HAS(<a.h>))\n#define TEXT print(\"b.h\")\n"), ElementsAre("a.h"));
  EXPECT_FALSE(scan("#define HAS(X) __has_include(Y)\n").complete);
  EXPECT_FALSE(scan("#define HAS(XY) __has_include(X)\n").complete);
}

TEST_F(IncludeScanTest, FollowsMacrosWithOneArgument) {
  write("inc/std/a.h", "");
  write("inc/std/name.h", "");
  const std::string define = "#define STD(name) <std/name.h> // of the library\n";
  EXPECT_THAT(names(define + "#include STD(a)\n"), ElementsAre("std/a.h"));
  EXPECT_THAT(names(define + "#include STD( name ) /* one */\n"), ElementsAre("std/name.h"));
  EXPECT_THAT(names(define + "#if __has_include(STD(a))\n#endif\n"), ElementsAre("std/a.h"));
  EXPECT_TRUE(scan(define + "#include STD(a)\n").complete);
  EXPECT_FALSE(scan(define + "#include STD\n").complete);
  EXPECT_FALSE(scan("#define STD <std/a.h>\n#include STD(a)\n").complete);
}

TEST_F(IncludeScanTest, ReportsUnresolvableIncludesAsIncomplete) {
  for (const char* text :
       {"#include HEADER", "#define H(x, y) <x>\n#include H(a.h, b)", "#define H(x) <x>\n#include H((a.h))",
        "#define H(x, y) <x>\n#include H(a.h)", "#define H(x) G(x)\n#include H(a.h)", "#include H(a.h)",
        "#define H STR(a.h)\n#include H", "#define A A\n#include B", "\?\?=include <a.h>",
        "__asm__(\".incbin \\\"x\\\"\");", "#include <a.h"}) {
    EXPECT_FALSE(scan(text).complete) << text;
  }
}

// Assembler directives are case-insensitive, and compilers join literals and resolve escapes first.
TEST_F(IncludeScanTest, ReportsAssemblerFileReadsAsIncomplete) {
  for (const char* text : {
           R"(__asm__(".incbin \"x\"");)",
           R"(__asm__(".INCBIN \"x\"");)",
           R"(__asm__(".include \"x\"");)",
           R"(__asm__("nop\n\t.Include\t\"x\"");)",
           R"(asm(".inc" "bin \"x\"");)",
           "asm(\".inc\" // one\n \"lude\" /* more */ \" \\\"x\\\"\");",
           "asm(\".\"\n#if 1\n\"incbin \\\"x\\\"\"\n#endif\n);",
           R"(asm("\x2eincbin \"x\"");)",
           R"(asm("\056include \"x\"");)",
           R"(asm("\u002einc" "\142in \"x\"");)",
           "asm(R\"(.include \"x\")\");",
           "asm(R\"x(.inc)x\" R\"(bin \"x\")\");",
           "#define TEXT(x) #x\nasm(TEXT(.include \"x\"));",
           "#define BEGIN \".inc\"\nasm(BEGIN \"bin \\\"x\\\"\");",
           R"(asm(".include " FILE);)",
           R"(asm(DOT "include \"x\"");)",
           "#define S(a) #a\nasm(S(.include) \" \\\"x\\\"\");",
           "asm(S(.inc) S(lude) \" \\\"x\\\"\");",
           "asm(JOIN(.i, nclude) \" \\\"x\\\"\");",
           R"(asm(".macro q a\n.inc\\a \"x\"\n.endm\nq lude");)",
           R"(asm(".irp a,lude\n.inc\\a \"x\"\n.endr");)",
       }) {
    EXPECT_FALSE(scan(text).complete) << text;
  }
}

TEST_F(IncludeScanTest, AcceptsAssemblyAndTextWithoutFileReads) {
  for (const char* text : {
           R"(asm volatile("{\n\t" ".reg .pred p;\n\t" "setp.ne.b32 p, %0, 0;\n" "}" : : "r"(x));)",
           R"(asm("mov %0, " REGISTER " ;");)",
           R"(asm("setp." NAME ".f16 %0, %1, %2;");)",
           R"(#define MESSAGE "this is bad."
const char* s = "x";)",
           R"(std::set<int> s; s.include(3); s . include (4);)",
           R"x(const char* s = "see .include, or set.include(x)"; const char* t = "An end.";)x",
           R"(printf("a sentence." "\n"); throw error("include a file");)",
           R"(int f(void) __asm__("" "__f");)",
           R"(asm("nop"); Options o{.first = 1, .include = 2}; call(o, .5, x.inc(3));)",
           "#error \"Never include it.\"\nint x;\n#pragma message \"It is old.\"\nint y;",
       }) {
    EXPECT_TRUE(scan(text).complete) << text;
  }
}

TEST_F(IncludeScanTest, FollowsMacroArgumentsIntoHasInclude) {
  write("inc/a.h", "");
  const std::string has = "#define HAS(x) __has_include(x)\n#define OTHER(x) x\n#define HEADER <a.h>\n";
  EXPECT_THAT(names(has + "#if HAS(HEADER)\n#endif\n"), ElementsAre("a.h"));
  EXPECT_THAT(names("#define HEADER <a.h>\n#if HAS(HEADER)\n#endif\n#define HAS(x) __has_include(x)\n"),
              ElementsAre("a.h"));
  EXPECT_TRUE(scan(has + "#if HAS(HEADER)\n#endif\n").complete);
  EXPECT_THAT(names(has + "#if OTHER(HEADER)\n#endif\n"), IsEmpty());
  EXPECT_TRUE(scan(has + "#if OTHER(UNKNOWN) && defined(HAS)\n#endif\n").complete);
  EXPECT_FALSE(scan(has + "#if HAS(UNKNOWN)\n#endif\n").complete);
}

TEST_F(IncludeScanTest, ReportsHiddenHasIncludeAsIncomplete) {
  for (const char* text : {"#define HI __has_include\n#if HI(HEADER)\n#endif",
                           "#define PASTE(a, b) a##b\n#if PASTE(__has_, include)(HEADER)\n#endif",
                           "#define PASTE(a, b) a##b\n#if PASTE(_, _has_include)(HEADER)\n#endif",
                           "#define HI(x) __has_##x\n#if HI(include)(HEADER)\n#endif",
                           "#define HAS(name) __has_include(<lib/name>)\n#if HAS(a.h)\n#endif"}) {
    EXPECT_FALSE(scan(text).complete) << text;
  }
  for (const char* text : {"#ifdef __has_include\n#endif", "#if defined(__has_include) || defined __has_embed\n#endif",
                           "#define HAVE defined(__has_include)", "#define __has_include(x) 0",
                           "#define TRAIT(name) struct __has_##name {};",
                           "#if __has_feature(modules) || __has_attribute(noinline)\n#endif"}) {
    EXPECT_TRUE(scan(text).complete) << text;
  }
}

TEST_F(IncludeScanTest, TerminatesOnCyclicIncludes) {
  write("inc/a.h", "#include \"../inc/b.h\"\n");
  write("inc/b.h", "#include \"../inc/a.h\"\n");
  EXPECT_THAT(scan("#include <a.h>").files, Contains(at("inc/a.h")));
}

TEST_F(IncludeScanTest, RereadsChangedFile) {
  write("inc/a.h", "#include <b.h>\n");
  write("inc/b.h", "");
  EXPECT_THAT(names("#include <a.h>"), ElementsAre("a.h", "b.h"));
  write("inc/a.h", "int nothing;\n");
  EXPECT_THAT(names("#include <a.h>"), ElementsAre("a.h"));
}

TEST_F(IncludeScanTest, CachesDefinitionsUntilFileChanges) {
  for (const char* name : {"b.h", "other.h"}) write(std::string("inc/") + name, "");
  write("inc/a.h", "#define HEADER <b.h>\n");
  for (int i = 0; i < 2; ++i) EXPECT_THAT(names("#include <a.h>\n#include HEADER\n"), ElementsAre("a.h", "b.h"));
  EXPECT_THAT(memory_.definitions(at("inc/a.h"), "HEADER"), ElementsAre("<b.h>"));
  EXPECT_THAT(memory_.definitions(at("inc/a.h"), "NONE"), IsEmpty());
  write("inc/a.h", "#define HEADER <other.h>\n");
  EXPECT_THAT(names("#include <a.h>\n#include HEADER\n"), ElementsAre("a.h", "other.h"));
}

TEST_F(IncludeScanTest, CachesIncludesOnlyOfSettledFile) {
  const auto read = [&] { return memory_.read(at("inc/a.h"), FileIdentity::of(at("inc/a.h"))); };
  const auto twice = [&] { return write("inc/a.h", "#include <b.h>\n"), std::pair(read(), read()); };
  const auto [first, second] = within_a_file_tick(twice);
  EXPECT_NE(first, second) << "it may change again within the tick of the file clock";
  next_file_tick();
  const auto once = read();
  EXPECT_EQ(read(), once);
}

TEST_F(IncludeScanTest, RereadsReplacedFileOfSameSizeAndTime) {
  write("inc/a.h", "#include <b.h>\n");
  write("inc/b.h", "");
  write("inc/c.h", "");
  next_file_tick();
  EXPECT_THAT(names("#include <a.h>"), ElementsAre("a.h", "b.h"));
  write("other.h", "#include <c.h>\n");
  copy_mtime(at("inc/a.h"), at("other.h"));
  std::filesystem::rename(at("other.h"), at("inc/a.h"));
  EXPECT_THAT(names("#include <a.h>"), ElementsAre("a.h", "c.h"));
}

TEST(MayIncludeTest, DetectsIncludesAndIncbin) {
  EXPECT_TRUE(may_include("#include <x.h>"));
  EXPECT_TRUE(may_include("#inc\\\nlude <x.h>"));
  EXPECT_TRUE(may_include("__asm__(R\"(.INCBIN \"x\")\");"));
  EXPECT_FALSE(may_include("int f(int x) { return x; }"));
}

TEST(DefineLineTest, ParsesDefinesLikeCompiler) {
  EXPECT_EQ(define_line("FLAG"), "#define FLAG 1\n");
  EXPECT_EQ(define_line("SIZE=8"), "#define SIZE 8\n");
  EXPECT_EQ(define_line("EMPTY="), "#define EMPTY \n");
}

}  // namespace
}  // namespace kmux
