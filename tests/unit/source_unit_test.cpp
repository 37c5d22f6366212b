#include "kmux/plugin/source_unit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux {
namespace {

using testing::ElementsAre;

Variant variant_of(std::vector<File> sources, std::vector<File> headers = {}) {
  Variant variant;
  variant.dialect = "cuda";
  variant.sources = std::move(sources);
  variant.headers = std::move(headers);
  return variant;
}

// Returns the unit of the one source `text`, in src/, of a program with src/near.h, near.h, root.h and deep/x.h.
std::string text_of(const std::string& text) {
  const Variant variant =
      variant_of({{"src/k.cu", text}}, {{"src/near.h", ""}, {"near.h", ""}, {"root.h", ""}, {"deep/x.h", ""}});
  return make_unit(variant, "P/").text;
}

TEST(SourceUnitTest, KeepsSingleSourceVerbatim) {
  const SourceUnit unit = make_unit(variant_of({{"k.cu", "int a;\r\n\nint b;"}}), "P/");
  EXPECT_EQ(unit.path, "P/k.cu");
  EXPECT_EQ(unit.text, "int a;\r\n\nint b;");
}

TEST(SourceUnitTest, DropsByteOrderMarks) {
  const SourceUnit unit =
      make_unit(variant_of({{"a.cu", "\xef\xbb\xbfint a;"}, {"b.cu", "\xef\xbb\xbf#include \"c.h\""}},
                           {{"c.h", "\xef\xbb\xbfint c;"}}),
                "P/");
  EXPECT_EQ(unit.text, "int a;\n#line 1 \"P/b.cu\"\n#include \"P/c.h\"");
  EXPECT_EQ(unit.files.back(), (File{"P/c.h", "int c;"}));
}

TEST(SourceUnitTest, StartsLaterSourcesWithLineDirective) {
  EXPECT_EQ(make_unit(variant_of({{"a.cu", "int a;\n"}, {"s/b.cu", "int b;"}}), "P/").text,
            "int a;\n\n#line 1 \"P/s/b.cu\"\nint b;");
}

TEST(SourceUnitTest, ListsIncludableFiles) {
  const SourceUnit unit =
      make_unit(variant_of({{"k.cu", "1"}}, {{"h/x.h", "#include \"y.h\"\n"}, {"h/y.h", "2"}}), "P/");
  EXPECT_THAT(unit.files,
              ElementsAre(File{"P/k.cu", "1"}, File{"P/h/x.h", "#include \"P/h/y.h\"\n"}, File{"P/h/y.h", "2"}));
}

TEST(SourceUnitTest, ResolvesIncludesToFullPaths) {
  EXPECT_EQ(text_of("#include \"near.h\"\n"), "#include \"P/src/near.h\"\n");
  EXPECT_EQ(text_of("#include <near.h>\n"), "#include \"P/near.h\"\n");
  EXPECT_EQ(text_of("#include \"root.h\"\n"), "#include \"P/root.h\"\n");
  EXPECT_EQ(text_of("#include \"../root.h\"\n"), "#include \"P/root.h\"\n");
  EXPECT_EQ(text_of(" \t#  include   <deep/./x.h> // why\n"), " \t#  include   \"P/deep/x.h\" // why\n");
  EXPECT_EQ(text_of("#include\"root.h\""), "#include\"P/root.h\"");
}

TEST(SourceUnitTest, LeavesOtherTextUnchanged) {
  for (const char* text :
       {"#include <cuda_fp16.h>\n", "#include MACRO\n", "#include \"open\n", "#define X \"root.h\"\n",
        "// #include \"root.h\"\n", "int root;\n", "#include\n", "#", ""}) {
    EXPECT_EQ(text_of(text), text);
  }
}

TEST(SourceUnitTest, ResolvesProgramPreludes) {
  Variant variant = variant_of({{"k.cu", ""}}, {{"mine.h", ""}});
  variant.settings.preludes = {"mine.h", "tl_templates/cuda/nvrtc_std.h"};
  EXPECT_THAT(make_unit(variant, "P/").preludes, ElementsAre("P/mine.h", "tl_templates/cuda/nvrtc_std.h"));
}

TEST(SourceUnitTest, StandardDefaultsToCpp20) {
  EXPECT_EQ(standard_of({}), "c++20");
  Settings settings;
  settings.standard = "c++17";
  EXPECT_EQ(standard_of(settings), "c++17");
}

}  // namespace
}  // namespace kmux
