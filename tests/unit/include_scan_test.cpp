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

// A folder of headers and a search that looks in its folder "inc".
class IncludeScan : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  void write(const std::string& name, const std::string& text) { folder_.write(name, text); }
  Dependencies scan(const std::string& text) {
    const std::vector<File> texts = {{"src/k.c", text}};
    return scan_includes(texts, embedded_, search_, memory_);
  }
  // The names of "inc" that `text` may read.
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

TEST_F(IncludeScan, FollowsEveryBranchAndEveryForm) {
  for (const char* name : {"a.h", "b.h", "c.h", "d.h", "e.h", "f.h", "g//h.h"}) write(std::string("inc/") + name, "");
  write("inc/b.h", "#include <c.h>\n");
  EXPECT_THAT(names("#if 0\n#include <a.h>\n#endif\n  #  include /* x */ \"b.h\" // y\n%:include <d.h>\n"
                    "/* \n */ #import <e.h>\n#inc\\\nlude <f\\ \n.h>\n#include <g//h.h>\nint x;"),
              ElementsAre("a.h", "b.h", "c.h", "d.h", "e.h", "f.h", "g//h.h"));
}

TEST_F(IncludeScan, SkipsCommentsAndLiterals) {
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

TEST_F(IncludeScan, IsNotMisledByQuotes) {
  write("inc/a.h", "");
  for (const char* text : {"int x = 1'000'000; // '\n#include <a.h>", "char c = '\"';\n#include <a.h>",
                           "char c = '\\'';\n#include <a.h>", "const char* s = \"/*\";\n#include <a.h>",
                           "const char* s = \"\\\"/*\";\n#include <a.h>", "#error don't\n#include <a.h>",
                           "const char* s = FOR\"x(\";\n#include <a.h>", "#include <b.h> /*\n*/\n#include <a.h>",
                           "int x = 3 / 2; /**/\n#include <a.h>", "wchar_t c = L'\"';\n#include <a.h>"}) {
    EXPECT_THAT(names(text), ElementsAre("a.h")) << text;
  }
}

TEST_F(IncludeScan, RecordsWhereAFileWasLookedForFirst) {
  write("inc/a.h", "");
  write("first/other.h", "");
  search_ = {{at("quoted")}, {at("none"), at("first"), at("inc"), at("last")}};
  EXPECT_THAT(scan("#include <a.h>").absent, UnorderedElementsAre(at("none"), at("first/a.h")));
  EXPECT_THAT(scan("#include \"a.h\"").absent, UnorderedElementsAre(at("quoted"), at("none"), at("first/a.h")));
  EXPECT_THAT(scan("#include <x/y/b.h>").absent,
              UnorderedElementsAre(at("none"), at("first/x"), at("inc/x"), at("last")));
}

TEST_F(IncludeScan, SearchesTheFolderOfTheIncludingFile) {
  write("inc/deep/a.h", "#include \"b.h\"\n#include <b.h>\n");
  write("inc/deep/b.h", "");
  const Dependencies found = scan("#include <deep/a.h>");
  EXPECT_THAT(found.files, ElementsAre(at("inc/deep/a.h"), at("inc/deep/b.h")));
  EXPECT_THAT(found.absent, ElementsAre(at("inc/b.h")));
}

TEST_F(IncludeScan, TakesEveryPlaceForIncludeNext) {
  write("inc/a.h", "#include_next <a.h>\n");
  write("more/a.h", "");
  search_.angled = {at("inc"), at("none"), at("more")};
  EXPECT_THAT(scan("#include <a.h>").files, ElementsAre(at("inc/a.h"), at("more/a.h")));
}

TEST_F(IncludeScan, CountsWhatIsOnlyAskedFor) {
  write("inc/a.h", "#include <b.h>\n");
  write("inc/b.h", "");
  EXPECT_THAT(names("#if defined(__has_include) && __has_include(<a.h>)\n#endif"), ElementsAre("a.h", "b.h"));
  EXPECT_THAT(names("#define HAS __has_include (\"b.h\")\n#if HAS"), ElementsAre("b.h"));
  EXPECT_THAT(scan("#elif __has_include(<no.h>)").absent, ElementsAre(at("inc/no.h")));
}

TEST_F(IncludeScan, LetsTheProgramsFilesHideTheMachines) {
  write("inc/a.h", "");
  write("inc/b.h", "");
  embedded_ = {{"src/a.h", "#include <b.h>\n"}, {"lib/b.h", "#include \"../lib/c.h\"\n"}, {"lib/c.h", ""}};
  EXPECT_EQ(scan("#include \"a.h\""), (Dependencies{{at("inc/b.h")}, {}}));
  search_.angled = {"./lib", at("inc")};
  EXPECT_EQ(scan("#include \"a.h\""), Dependencies{});
}

TEST_F(IncludeScan, FollowsMacrosToAllTheirMeanings) {
  for (const char* name : {"a.h", "b.h", "c.h", "d.h"}) write(std::string("inc/") + name, "");
  write("inc/a.h", "#define SECOND <d.h>\n");
  EXPECT_THAT(names("#if X\n#define HEADER <a.h> // one\n#else\n# define HEADER \"b.h\"\n#endif\n#include HEADER\n"),
              ElementsAre("a.h", "b.h"));
  EXPECT_THAT(names("#define ALIAS HEADER /* as */\n#define HEADER <c.h>\n#include ALIAS"), ElementsAre("c.h"));
  EXPECT_THAT(names("#include SECOND\n#include <a.h>"), ElementsAre("a.h", "d.h"));
  EXPECT_TRUE(scan("#define HEADER <a.h>\n#include HEADER").complete);
}

TEST_F(IncludeScan, FollowsQuestionsThatAMacroAsks) {
  write("inc/a.h", "");
  write("inc/b.h", "");
  const std::string define = "#define HAS(X, Y) __has_include(X) // for all\n";
  EXPECT_TRUE(scan(define).complete);
  EXPECT_THAT(names(define + "#if HAS(<a.h>, 1) && HAS( \"b.h\", 2)\n#endif\n"), ElementsAre("a.h", "b.h"));
  EXPECT_THAT(names("#define HAS_A (HAS(<a.h>))\n#define TEXT print(\"b.h\")\n"), ElementsAre("a.h"));
  EXPECT_FALSE(scan("#define HAS(X) __has_include(Y)\n").complete);
  EXPECT_FALSE(scan("#define HAS(XY) __has_include(X)\n").complete);
}

TEST_F(IncludeScan, FollowsMacrosWithAnArgument) {
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

TEST_F(IncludeScan, SaysWhereItCannotFollow) {
  for (const char* text :
       {"#include HEADER", "#define H(x, y) <x>\n#include H(a.h, b)", "#define H(x) <x>\n#include H((a.h))",
        "#define H(x, y) <x>\n#include H(a.h)", "#define H(x) G(x)\n#include H(a.h)", "#include H(a.h)",
        "#define H STR(a.h)\n#include H", "#define A A\n#include B", "\?\?=include <a.h>",
        "__asm__(\".incbin \\\"x\\\"\");", "#include \"../../a.h\"", "#include <a.h"}) {
    EXPECT_FALSE(scan(text).complete) << text;
  }
}

TEST_F(IncludeScan, EndsWhereHeadersIncludeEachOther) {
  write("inc/a.h", "#include \"../inc/b.h\"\n");
  write("inc/b.h", "#include \"../inc/a.h\"\n");
  EXPECT_THAT(scan("#include <a.h>").files, Contains(at("inc/a.h")));
}

TEST_F(IncludeScan, ReadsAFileAgainWhenItHasChanged) {
  write("inc/a.h", "#include <b.h>\n");
  write("inc/b.h", "");
  EXPECT_THAT(names("#include <a.h>"), ElementsAre("a.h", "b.h"));
  write("inc/a.h", "int nothing;\n");
  EXPECT_THAT(names("#include <a.h>"), ElementsAre("a.h"));
}

TEST_F(IncludeScan, RemembersWhatAFileDefinesUntilItChanges) {
  for (const char* name : {"b.h", "other.h"}) write(std::string("inc/") + name, "");
  write("inc/a.h", "#define HEADER <b.h>\n");
  for (int i = 0; i < 2; ++i) EXPECT_THAT(names("#include <a.h>\n#include HEADER\n"), ElementsAre("a.h", "b.h"));
  EXPECT_THAT(memory_.definitions(at("inc/a.h"), "HEADER"), ElementsAre("<b.h>"));
  EXPECT_THAT(memory_.definitions(at("inc/a.h"), "NONE"), IsEmpty());
  write("inc/a.h", "#define HEADER <other.h>\n");
  EXPECT_THAT(names("#include <a.h>\n#include HEADER\n"), ElementsAre("a.h", "other.h"));
}

TEST_F(IncludeScan, RemembersWhatAFileIncludesOnceItIsSettled) {
  const auto read = [&] { return memory_.read(at("inc/a.h"), FileIdentity::of(at("inc/a.h"))); };
  const auto twice = [&] { return write("inc/a.h", "#include <b.h>\n"), std::pair(read(), read()); };
  const auto [first, second] = within_a_file_tick(twice);
  EXPECT_NE(first, second) << "it may change again within the tick of the file clock";
  next_file_tick();
  const auto once = read();
  EXPECT_EQ(read(), once);
}

TEST_F(IncludeScan, ReadsAFileAgainThatHasItsOldSizeAndTime) {
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

TEST(MayInclude, SeesIncludesAndWhatCouldHideThem) {
  EXPECT_TRUE(may_include("#include <x.h>"));
  EXPECT_TRUE(may_include("#inc\\\nlude <x.h>"));
  EXPECT_FALSE(may_include("int f(int x) { return x; }"));
}

TEST(DefineLine, ReadsADefineAsACompilerDoes) {
  EXPECT_EQ(define_line("FLAG"), "#define FLAG 1\n");
  EXPECT_EQ(define_line("SIZE=8"), "#define SIZE 8\n");
  EXPECT_EQ(define_line("EMPTY="), "#define EMPTY \n");
}

}  // namespace
}  // namespace kmux
