#include "nvidia/written_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> stored(const std::string& variables, const std::string& body) {
  return stored_variables(".version 9.0\n.target sm_90\n.address_size 64\n\n" + variables +
                          "\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n.maxntid 128, 1, 1\n{\n\t.reg .b64 "
                          "%rd<9>;\n\tld.param.u64 %rd1, [k_param_0];\n" +
                          body + "\tret;\n}\n");
}

TEST(PtxStoresTest, IncludeStoresAndAtomics) {
  const std::string both = ".global .align 4 .u32 a;\n.visible .global .align 4 .b8 b[8] = {10, 0, 0, 0, 10};";
  EXPECT_THAT(stored(both, "\tst.global.u32 [a], %r1;\n\t@%p1 st.global.u32 [b+4], %r1;\n"), ElementsAre("a", "b"));
  EXPECT_THAT(stored(both, "\tmov.u64 %rd2, b;\n\tadd.s64 %rd3, %rd2, %rd1;\n\tatom.global.add.u32 %r1, [%rd3], 1;\n"),
              ElementsAre("b"));
  EXPECT_THAT(stored(both, "\tmov.u64 %rd2, a;\n\tcvta.global.u64 %rd3, %rd2;\n\tred.add.u32 [%rd3], 1;\n"),
              ElementsAre("a"));
  EXPECT_THAT(stored(".global .attribute(.managed) .align 4 .u32 m;", "\tst.global.u32 [m], %r1;\n"), ElementsAre("m"));
}

TEST(PtxStoresTest, ExcludeLoadsConstantsAndExternals) {
  EXPECT_THAT(
      stored(".global .align 4 .b8 table[16] = {1, 0, 0, 0, 2};",
             "\tmov.u64 %rd2, table;\n\tmad.wide.s32 %rd3, %r1, 4, %rd2;\n\tld.global.nc.L2::128B.u32 %r2, [%rd3];\n"
             "\tld.global.u32 %r3, [table+4];\n\tst.global.u32 [%rd1], %r2;\n\tsetp.eq.s64 %p1, %rd3, 0;\n"),
      IsEmpty());
  EXPECT_THAT(stored(".global .align 4 .u32 never;", ""), IsEmpty());
  EXPECT_THAT(stored(".const .align 4 .u32 c;\n.extern .global .align 4 .u32 e;", "\tst.global.u32 [e], %r1;\n"),
              IsEmpty());
}

TEST(PtxStoresTest, AssumeWritesThroughEscapingAddresses) {
  const std::string a = ".global .align 4 .u32 a;";
  EXPECT_THAT(stored(a, "\tmov.u64 %rd2, a;\n\tst.global.u64 [%rd1], %rd2;\n"), ElementsAre("a"));
  EXPECT_THAT(
      stored(a,
             "\tmov.u64 %rd2, a;\n\t{ // callseq 0, 0\n\t.param .b64 param0;\n\tst.param.b64 \t[param0+0], %rd2;\n"
             "\tcall.uni \n\tf, \n\t(\n\tparam0\n\t);\n\t} // callseq 0\n"),
      ElementsAre("a"));
  EXPECT_THAT(stored(a + "\n.global .align 8 .u64 place = generic(a);", ""), ElementsAre("a"));
}

// A register is changed after the place of its use, in a loop.
TEST(PtxStoresTest, TrackAddressesThroughLoops) {
  EXPECT_THAT(
      stored(".global .align 4 .u32 a;",
             "$L__BB0_1:\n\tst.global.u32 [%rd3], %r1;\n\tmov.b64 {%r1, %r2}, %rd4;\n\tmov.b64 %rd3, {%r1, %r2};\n"
             "\tmov.u64 %rd4, a;\n\tbra.uni $L__BB0_1;\n"),
      ElementsAre("a"));
}

TEST(PtxStoresTest, ScopeRegistersToOneFunction) {
  EXPECT_THAT(stored_variables(".global .align 4 .u32 a;\n"
                               ".visible .entry one()\n{\n\tmov.u64 %rd1, a;\n\tld.global.u32 %r1, [%rd1];\n\tret;\n}\n"
                               ".visible .entry two()\n{\n\tst.global.u32 [%rd1], 1;\n\tret;\n}\n"),
              IsEmpty());
}

TEST(PtxStoresTest, IgnoreSourceLineDirectives) {
  EXPECT_THAT(stored(".file 1 \"k.cu\"\n.global .align 4 .u32 a;",
                     "\t.loc\t1 5 3, function_name $L__info_string0, inlined_at 1 9 1\n\tst.global.u32 [a], %r1;\n"),
              ElementsAre("a"));
}

}  // namespace
}  // namespace kmux::nvidia
