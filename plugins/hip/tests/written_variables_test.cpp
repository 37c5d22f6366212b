// The variables of code for AMD's devices that keep values from one launch to the next, as named by part "state".
#include "kmux/plugin/code_state.h"

#include "code_object.h"
#include "workbench.h"

namespace kmux::hip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class HipVariablesTest : public WithClang {
 protected:
  std::vector<std::string> state(const std::string& source, const std::string& dialect = "hip",
                                 const std::string& target = "hip:gfx90a") {
    return state_of(build(one_kernel(source, "k", dialect).build().value(), {}, target).value());
  }
};

TEST_F(HipVariablesTest, WrittenVariablesAreState) {
  for (const char* const dialect : {"hip", "cuda"}) {
    EXPECT_THAT(state("__device__ int counter;\nnamespace a { __device__ int sums[4] = {1}; }\n"
                      "static __device__ int hidden;\n"
                      "__global__ void k(float* x, int n) {\n"
                      "  static int calls;\n"
                      "  x[0] = atomicAdd(&counter, 1) + a::sums[n]++ + ++hidden + ++calls;\n}\n",
                      dialect),
                UnorderedElementsAre("counter", "a::sums", "hidden", HasSubstr("calls")))
        << dialect;
  }
  EXPECT_THAT(
      state("__device__ int counter; __global__ void k(float* x, int n) { x[n] = ++counter; }", "hip", "hip:gfx1100"),
      ElementsAre("counter"));
}

TEST_F(HipVariablesTest, SharedConstantAndUnwrittenAreNotState) {
  EXPECT_THAT(
      state(
          "__constant__ float weights[2] = {2, 3};\nnamespace a { __constant__ int zeros[4]; }\n"
          "__device__ const int table[4] = {1, 2, 3, 4};\nstatic __device__ int never[4] = {1, 2, 3, 4};\n"
          "struct A { __device__ virtual float f() { return 1; } };\n"
          "struct B : A { __device__ float f() override { return 2; } };\n"
          "__global__ void k(float* x, int n) {\n"
          "  __shared__ float tile[4];\n"
          "  static const int more[4] = {5, 6, 7, 8};\n"
          "  A a; B b; A* one = n > 1 ? &a : &b;\n"
          "  tile[n & 3] = x[n] * weights[n & 1];\n"
          "  x[n] = tile[3 - (n & 3)] + table[n & 3] + never[n & 3] + more[n & 3] + a::zeros[n & 3] + one->f();\n}\n"),
      IsEmpty());
}

TEST_F(HipVariablesTest, DamagedCodeDoesNotCrash) {
  const std::string code =
      *build(one_kernel("__device__ int n_; __global__ void k(float* x, int n) { x[n] = ++n_; }").build().value())
           .value()
           .find("code");
  EXPECT_THAT(written_variables({code}, {}), ElementsAre("n_"));
  for (std::size_t size = 0; size < code.size(); size += 7) written_variables({code.substr(0, size)}, {});
  for (std::size_t at = 0; at < code.size(); ++at) {
    std::string damaged = code;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    written_variables({damaged}, {});
  }
  EXPECT_THAT(written_variables({"", "no code"}, {}), IsEmpty());
}

}  // namespace
}  // namespace kmux::hip
