// The variables of sources that keep values from one launch to the next, as the part "state" of artifacts names them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/plugin/code_state.h"

#include "workbench.h"

namespace kmux::cpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> state(const ProgramBuilder& builder, Options options) {
  return state_of(common_bench().load(builder.build().value(), std::move(options)).value().artifact);
}

// Returns the state, which must be the same in both tiers: the runtime makes decisions by it.
std::vector<std::string> state_of_c(const std::string& path, const std::string& text, const std::string& engine) {
  const std::vector<std::string> fast = state(one_kernel(path, text), {{"tier", "fast"}, {"engine", engine}});
  EXPECT_EQ(state(one_kernel(path, text), {{"tier", "full"}, {"engine", engine}}), fast) << text;
  return fast;
}

std::vector<std::string> state_of_kernel(const std::string& text, const std::string& dialect = "cuda") {
  ProgramBuilder builder("sample");
  builder.output("out", dtype::kInt32, {4}).variant(dialect).source("k.cu", text);
  builder.launch("k").grid({Expr(1)}).block({Expr(4)}).args({"out"});
  const std::vector<std::string> fast = state(builder, {{"tier", "fast"}});
  EXPECT_EQ(state(builder, {{"tier", "full"}}), fast) << text;
  return fast;
}

class WrittenVariablesTest : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> of(const std::string& text, const std::string& path = "k.c") {
    return state_of_c(path, text, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, WrittenVariablesTest, testing::Values("clang", "host"));

TEST_P(WrittenVariablesTest, FileAndFunctionVariablesAreState) {
  EXPECT_THAT(of("static int counter; void k(int* out) { out[0] = ++counter; }"), ElementsAre("counter"));
  EXPECT_THAT(of("int counter = 3; void k(int* out) { out[0] = counter++; }"), ElementsAre("counter"));
  EXPECT_EQ(of("void k(int* out) { static int calls; out[0] = ++calls; }").size(), 1U);
  EXPECT_EQ(of("_Thread_local int calls; void k(int* out) { out[0] = ++calls; }").size(), 1U);
  EXPECT_THAT(of("static int sums[4]; static void add(int* to) { ++*to; }\n"
                 "void k(int* out) { add(sums + out[0] % 4); out[0] = sums[1]; }"),
              ElementsAre("sums"));
}

TEST_P(WrittenVariablesTest, AreFoundInCpp) {
  EXPECT_THAT(of("namespace a { int counter; }\nextern \"C\" void k(int* out) { out[0] = ++a::counter; }", "k.cpp"),
              ElementsAre("a::counter"));
  EXPECT_FALSE(of("template <class T> struct Count { static inline T value; };\n"
                  "extern \"C\" void k(int* out) { out[0] = ++Count<int>::value; }",
                  "k.cpp")
                   .empty());
}

TEST_P(WrittenVariablesTest, ConstantsAreNotState) {
  EXPECT_THAT(of("static const int table[4] = {1, 2, 3, 4}; void k(int* out) { out[0] = table[out[1] & 3]; }"),
              IsEmpty());
  EXPECT_THAT(of("void k(int* out) { static const char text[] = \"ab\"; out[0] = text[out[1] & 1]; }"), IsEmpty());
  EXPECT_THAT(of("static int table[4] = {1, 2, 3, 4}; void k(int* out) { out[0] = table[out[1] & 3]; }"), IsEmpty())
      << "which nothing writes";
  EXPECT_THAT(
      of("struct Base { virtual int f() { return 1; } };\nstruct More : Base { int f() override { return 2; } };\n"
         "extern \"C\" void k(int* out) { More more; Base* one = &more; out[0] = one->f(); }",
         "k.cpp"),
      IsEmpty());
}

TEST(WrittenVariablesOfKernelsTest, DeviceVariablesAreState) {
  for (const char* const dialect : {"cuda", "hip"}) {
    for (const char* const specifiers : {"__device__", "__managed__", "__device__ __managed__"}) {
      EXPECT_THAT(
          state_of_kernel(
              specifiers + std::string(" int counter;\n"
                                       "__global__ void k(int* out) { out[threadIdx.x] = atomicAdd(&counter, 1); }"),
              dialect),
          ElementsAre("counter"));
    }
    EXPECT_THAT(state_of_kernel("static __device__ int all[4];\n"
                                "__global__ void k(int* out) { out[threadIdx.x] = all[threadIdx.x]++; }",
                                dialect),
                ElementsAre("all"));
  }
}

TEST(WrittenVariablesOfKernelsTest, SharedAndConstantVariablesAreNotState) {
  EXPECT_THAT(state_of_kernel("__shared__ int all[4];\n"
                              "__global__ void k(int* out) {\n"
                              "  __shared__ int more[4];\n"
                              "  more[threadIdx.x] = all[threadIdx.x] = out[threadIdx.x];\n"
                              "  __syncthreads();\n"
                              "  out[threadIdx.x] = all[3 - threadIdx.x] + more[threadIdx.x];\n}"),
              IsEmpty());
  EXPECT_THAT(state_of_kernel("__constant__ int table[4] = {1, 2, 3, 4};\n"
                              "__device__ int at(const int* from, int i) { return from[i]; }\n"
                              "__global__ void k(int* out) { out[threadIdx.x] = at(table, threadIdx.x); }"),
              IsEmpty());
  EXPECT_THAT(state_of_kernel("__device__ const int table[4] = {1, 2, 3, 4};\n"
                              "__global__ void k(int* out) { out[threadIdx.x] = table[threadIdx.x]; }"),
              IsEmpty());
}

TEST(WrittenVariablesOfKernelsTest, PrintfAndAssertAreNotState) {
  EXPECT_THAT(state_of_kernel("#include <stdio.h>\n#include <assert.h>\n#include <math.h>\n"
                              "__global__ void k(int* out) {\n"
                              "  assert(threadIdx.x < 4);\n"
                              "  if (out[0] == 77) printf(\"%d\\n\", out[0]);\n"
                              "  out[threadIdx.x] = static_cast<int>(sinf(out[threadIdx.x]) + erff(2.f));\n}"),
              IsEmpty());
}

}  // namespace
}  // namespace kmux::cpu
