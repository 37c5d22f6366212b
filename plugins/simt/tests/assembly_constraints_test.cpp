// SPDX-License-Identifier: Apache-2.0
#include "simt/frontend/assembly_constraints.h"

#include <gtest/gtest.h>

namespace kmux::simt {
namespace {

std::string changed(llvm::StringRef text, const char* machine = "x86_64-unknown-linux-gnu") {
  return with_host_constraints(text, llvm::Triple(machine));
}

TEST(AssemblyConstraintsTest, LettersStandForHostRegisters) {
  EXPECT_EQ(changed(R"(asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));)"),
            R"(asm("cvt.rn.f16.f32 %0, %1;" : "=r"(y) : "x"(x));)");
  EXPECT_EQ(changed(R"(asm("f %0, %1, %2, %3;" : "+d"(a) : "l"(b), "q"(c), "r"(d), "n"(5), "0"(a) : "memory");)"),
            R"(asm("f %0, %1, %2, %3;" : "+x"(a) : "r"(b), "r"(c), "r"(d), "n"(5), "0"(a) : "memory");)");
  EXPECT_EQ(changed(R"(asm("f" : "=f"(a), "=&d"(b) : "h"(c));)", "aarch64-unknown-linux-gnu"),
            R"(asm("f" : "=w"(a), "=&w"(b) : "r"(c));)");
}

TEST(AssemblyConstraintsTest, AllFormsOfStatementAreFound) {
  EXPECT_EQ(changed("__asm__ __volatile__(\"d\"\n  \"h\" :: [at] \"l\"(p) : \"cc\", \"fld\");"),
            "__asm__ __volatile__(\"d\"\n  \"h\" :: [at] \"r\"(p) : \"cc\", \"fld\");");
  EXPECT_EQ(changed("asm volatile(\"d\" ::: \"flags\"); asm volatile (\"d\" : : \"d\"(x));"),
            "asm volatile(\"d\" ::: \"flags\"); asm volatile (\"d\" : : \"x\"(x));");
  EXPECT_EQ(changed("asm /* f */ volatile // \"f\"(\n(\"f\" : \"=\" \"f\" (x) : \"l\" /* at */ (p));"),
            "asm /* f */ volatile // \"f\"(\n(\"f\" : \"=\" \"x\" (x) : \"r\" /* at */ (p));");
  EXPECT_EQ(changed("#define F(x) \\\n  asm(\"f\" : \\\n \"=f\"(x))\n#if 0\nasm(\"\" : \"+f\"(don't));\n#endif\n"),
            "#define F(x) \\\n  asm(\"f\" : \\\n \"=x\"(x))\n#if 0\nasm(\"\" : \"+x\"(don't));\n#endif\n");
}

TEST(AssemblyConstraintsTest, BranchesOfOperandsAreChanged) {
  EXPECT_EQ(changed("asm(\"f\"\n#if A\n : \"=f\"(x)\n#else\n : \"=d\"(x)\n#endif\n : \"h\"(y) : \"memory\");"),
            "asm(\"f\"\n#if A\n : \"=x\"(x)\n#else\n : \"=x\"(x)\n#endif\n : \"r\"(y) : \"memory\");");
}

TEST(AssemblyConstraintsTest, RegistersWithOneSignAreMarked) {
  EXPECT_EQ(changed("asm(\"mov.u32 %0, %clusterid.x;\" \"%tid %%tid %%%tid\" : \"=r\"(x)); f(\"%tid\");"),
            "asm(\"mov.u32 %0, `clusterid.x;\" \"`tid %%tid %%`tid\" : \"=r\"(x)); f(\"%tid\");");
  for (const char* const text : {"asm(\"%w0 %[at] %=\" :: \"r\"(x));", "asm(\"%\");", "asm(\"% a\", \"%a\");"})
    EXPECT_EQ(changed(text), text);
}

TEST(AssemblyConstraintsTest, OtherTextStays) {
  for (const char* const text :
       {"// asm(\"\" : \"=f\"(x));\n/* asm(\"\" : \"=f\"(x)); */", "const char* t = \"asm(: \\\"=f\\\"(x))\";",
        "auto t = R\"x(asm(\"\" : \"=f\"(x));)x\";", "int kasm(int, const char*); int y = kasm(b ? f : \"f\"(0));",
        "asm(\"f\" : \"=r\"(f(\"hfld\", 'f', a ? \"d\" : \"l\")));", "unsigned f() __asm__(\"kmux.lane\"); \"f\"(x);",
        "asm(\"", "asm volatile", "asm(\"f\" : \"r", "asm(R\"x(: \"f\"(x))",
        "asm(\"f\" : \"=r\"(1'000f)) : \"f\"(x)"}) {
    EXPECT_EQ(changed(text), text);
  }
}

TEST(AssemblyConstraintsTest, FilesAreChangedWhenRead) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile("/k.cu", 0, llvm::MemoryBuffer::getMemBuffer("asm(\"f\" : \"=f\"(x));"));
  memory->addFile("/plain.cu", 0, llvm::MemoryBuffer::getMemBuffer("\"=f\"(x)"));
  const auto files = with_host_constraints(memory, llvm::Triple("x86_64-unknown-linux-gnu"));
  EXPECT_EQ((*files->getBufferForFile("/k.cu"))->getBuffer(), "asm(\"f\" : \"=x\"(x));");
  EXPECT_EQ((*files->getBufferForFile("/plain.cu"))->getBuffer(), "\"=f\"(x)");
  EXPECT_FALSE(files->getBufferForFile("/absent.cu"));
}

}  // namespace
}  // namespace kmux::simt
