#include "translated_kernels.h"

#include <gmock/gmock.h>

namespace kmux::conformance {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kSharing =
    "KERNEL void store(long long* out, long long value, SHARED long long* shared) {\n  shared[0] = value;\n}\n";

TEST(TranslatedKernels, SharedMemoryIsAVariableOfCuda) {
  EXPECT_TRUE(has_shared(kSharing));
  EXPECT_EQ(shared_as_variable(kSharing),
            "KERNEL void store(long long* out, long long value) { extern __shared__ long long shared[];\n"
            "  shared[0] = value;\n}\n");
}

TEST(TranslatedKernels, SharedMemoryIsAParameterOfADialectThatSaysHow) {
  const DialectForm form = {.name = "msl",
                            .file = "kernels.metal",
                            .kernel = "kernel",
                            .pointer = "device $type $name [[buffer($index)]]",
                            .value = "constant $type& $name",
                            .shared = "threadgroup $type $name [[threadgroup(0)]]"};
  EXPECT_THAT(
      kernels_in(form, kSharing),
      HasSubstr(
          "kernel void store(device long long* out [[buffer(0)]], constant long long& value, threadgroup long long* "
          "shared [[threadgroup(0)]]) {"));
}

TEST(TranslatedKernels, SharedMemoryIsAPointerOfCuteDsl) {
  const std::string text = cute_kernels(kSharing);
  EXPECT_THAT(text, HasSubstr("def store(out, value):\n"));
  EXPECT_THAT(text, HasSubstr("shared = array(cute.arch.get_dyn_smem(cutlass.Int64), cutlass.Int64); "));
  EXPECT_THAT(text, Not(HasSubstr("SHARED")));
}

constexpr std::string_view kPlaced =
    "KERNEL void store(long long* out, long long value, POSITIONS) {\n  out[BLOCK_Y * 3 + THREAD_X] = value;\n}\n";

TEST(TranslatedKernels, PositionsAreVariablesOfCuda) {
  EXPECT_TRUE(has_positions(kPlaced));
  EXPECT_FALSE(has_positions(kSharing));
  EXPECT_EQ(shared_as_variable(kPlaced),
            "KERNEL void store(long long* out, long long value) {\n  out[blockIdx.y * 3 + threadIdx.x] = value;\n}\n");
}

TEST(TranslatedKernels, PositionsAreWhatADialectSays) {
  DialectForm form = {.name = "opencl",
                      .file = "kernels.cl",
                      .kernel = "__kernel",
                      .block = "get_group_id($number)",
                      .thread = "thread.$axis"};
  EXPECT_THAT(
      kernels_in(form, kPlaced),
      HasSubstr("__kernel void store(long long* out, long long value) {\n  out[get_group_id(1) * 3 + thread.x]"));
  form.positions = "uint3 thread [[thread_position_in_threadgroup]]";
  EXPECT_THAT(kernels_in(form, kPlaced),
              HasSubstr("store(long long* out, long long value, uint3 thread [[thread_position_in_threadgroup]]) {"));
}

TEST(TranslatedKernels, PositionsAreCallsOfCuteDsl) {
  const std::string text = cute_kernels(kPlaced);
  EXPECT_THAT(text, HasSubstr("def store(out, value):\n"));
  EXPECT_THAT(text, HasSubstr("out[cute.arch.block_idx()[1] * 3 + cute.arch.thread_idx()[0]] = value"));
}

TEST(TranslatedKernels, WithoutSharedMemoryStayWhatTheyAre) {
  const std::string text = "KERNEL void store(long long* out, long long value) { out[0] = value; }\n";
  EXPECT_FALSE(has_shared(text));
  EXPECT_EQ(shared_as_variable(text), text);
}

}  // namespace
}  // namespace kmux::conformance
