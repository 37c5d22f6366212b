#include <gmock/gmock.h>

#include "kmux/validate.h"

namespace kmux {
namespace {

using namespace std::string_literals;

TEST(ValidateNamesTest, AcceptsCIdentifiers) {
  for (const char* name : {"a", "A_1", "_x", "gemm_kernel", "kmux", "double_"})
    EXPECT_TRUE(is_identifier(name)) << name;
}

TEST(ValidateNamesTest, RejectsInvalidAndReservedIdentifiers) {
  for (const char* name :
       {"", "1a", "a-b", "a b", "a;b", "int", "class", "restrict", "kmux_x", "KMUX_OK", "__x", "\xc3\xa4"}) {
    EXPECT_FALSE(is_identifier(name)) << name;
  }
  EXPECT_TRUE(is_identifier(std::string(255, 'a')));
  EXPECT_FALSE(is_identifier(std::string(256, 'a')));
  EXPECT_FALSE(is_identifier("a\0b"s));
}

TEST(ValidateNamesTest, AcceptsNameExpressionsAsKernels) {
  for (const char* name :
       {"kern", "ns::kern", "::kern", "kern<float, 4>", "ns::kern<ns::T<int, -3>, const unsigned int*&, 0x10u>",
        "_ZN2ns4kernEv", "a<b<c<d>>>", "kern<>", "kern<float const* const, T*>"}) {
    EXPECT_TRUE(is_kernel_name(name)) << name;
    EXPECT_TRUE(is_variable_name(name)) << name;
  }
}

TEST(ValidateNamesTest, AcceptsOverloadParametersInKernelNames) {
  for (const char* name : {"gelu(float const*, float*, int, int)", "ns::kern()",
                           "kern<float, 4>(const T<int>* __restrict__, unsigned long)", "kern (void)",
                           "::kern(float*&, char const* const*)", "kern(  float  *  const , int )"}) {
    EXPECT_TRUE(is_kernel_name(name)) << name;
    EXPECT_FALSE(is_variable_name(name)) << name;
  }
}

TEST(ValidateNamesTest, RejectsKernelNamesWithCode) {
  for (const char* name : {"",
                           "kern;",
                           "kern<",
                           "kern<a",
                           "kern>",
                           "a b",
                           "a::",
                           "kern<\"x\">",
                           "kern<a;b>",
                           "kern<a}b>",
                           "kern<-x>",
                           "4kern",
                           "int",
                           "kern<a>b",
                           "kern<a,>",
                           "a/**/",
                           "kern(",
                           "kern)",
                           "kern(int",
                           "kern(int))",
                           "kern(int);",
                           "kern(int) x",
                           "kern(int,)",
                           "kern(,int)",
                           "kern(1)",
                           "kern(\"x\")",
                           "kern(int)(int)",
                           "kern(void (*)(int))",
                           "kern(int[4])",
                           "kern(a;b)",
                           "kern(int*x)",
                           "kern(f(int))",
                           "if(int)",
                           "int(float)",
                           "_Z1kv()",
                           "kmux_kern(int)",
                           "(int)",
                           "kern(int\n)",
                           "kern(int/**/)",
                           "kern(...)",
                           "kern(int = 3)",
                           "&kern(int)"}) {
    EXPECT_FALSE(is_kernel_name(name)) << name;
  }
  std::string deep = "a";
  for (int i = 0; i < 100; ++i) deep = "a<" + deep + ">";
  EXPECT_FALSE(is_kernel_name(deep));
  EXPECT_FALSE(is_kernel_name(std::string(5000, 'a')));
}

TEST(ValidateNamesTest, AcceptsPathsWithinFolder) {
  for (const char* path : {"gemm.c", "src/gemm.cu", "a/b/c", ".hidden", "..a/b..", "with blank.h"}) {
    EXPECT_TRUE(is_file_path(path)) << path;
  }
}

TEST(ValidateNamesTest, RejectsPathsOutsideFolderOrUnnormalized) {
  for (const char* path : {"", "/etc/passwd", "..", "../a", "a/../b", "a//b", "./a", "a/.", "a/", "a\\b", "C:a", "a\nb",
                           "a\x7f", "\xff"}) {
    EXPECT_FALSE(is_file_path(path)) << path;
  }
  EXPECT_FALSE(is_file_path("a\0b"s));
  EXPECT_FALSE(is_file_path(std::string(5000, 'a')));
}

TEST(ValidateNamesTest, RejectsPathsWithCompilerMeaning) {
  EXPECT_EQ(refusal_of_path("a\"b.cu"), "a double quote would end the literals that have the path");
  for (const char* path : {"a.h.gch", "a.h.gch/b", "dir/a.h.pch", ".pch"}) {
    EXPECT_EQ(refusal_of_path(path), "compilers would take it for a precompiled header") << path;
  }
  for (const char* path : {"kmux-launcher.s", "kmux-device/kmux/macros.h", "kmux-"}) {
    EXPECT_EQ(refusal_of_path(path), "names that begin with \"kmux-\" are kmux's own") << path;
  }
  for (const char* path : {"-fplugin=dir/k.c", "@args.c", "a.gch.h", "dir/kmux-a.h"}) {
    EXPECT_EQ(refusal_of_path(path), "") << path << " is a path below a folder wherever a compiler gets it";
  }
}

TEST(ValidateNamesTest, AcceptsOnlyUtf8TextWithoutNul) {
  for (const char* text : {"", "plain", "tab\t and line\n", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8d\x80"}) {
    EXPECT_TRUE(is_text(text)) << text;
  }
  for (const std::string& text :
       {"a\0"s, "\x80"s, "\xc3"s, "\xc0\xaf"s, "\xe0\x80\x80"s, "\xed\xa0\x80"s, "\xf5\x80\x80\x80"s}) {
    EXPECT_FALSE(is_text(text));
  }
}

}  // namespace
}  // namespace kmux
