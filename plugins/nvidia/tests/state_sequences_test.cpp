// Variables that kernels write: each compiled kernel has its own, and code without them is compiled and loaded once.
#include "kmux/plugin/code_state.h"

#include "nvidia/launch/driver_table.h"
#include "over_fake.h"
#include "written_text.h"

namespace kmux::nvidia {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

KMUX_OVER_FAKE(StateSequencesTest);

constexpr const char* kCount = R"(
__device__ int counter;
extern "C" __global__ void count(float* x) { x[0] = static_cast<float>(++counter); }
)";
constexpr const char* kReadOnly = R"(
__constant__ float weights[2] = {2, 3};
__device__ const int table[4] = {1, 2, 3, 4};
struct Tag {};
static __device__ const Tag tag{};
extern "C" __global__ void scale(float* x) {
  __shared__ float tile[4];
  tile[threadIdx.x & 3] = x[threadIdx.x] * weights[threadIdx.x & 1];
  __syncthreads();
  if (x[0] > 1e9f) printf("%s: %f\n", __func__, x[0]);
  x[threadIdx.x] = tile[3 - (threadIdx.x & 3)] * table[threadIdx.x & 3];
}
)";

ProgramBuilder one_launch(const std::string& name, const std::string& source) {
  ProgramBuilder builder = program_of(name, source);
  builder.launch(name).grid({1}).block({32}).args({"x"});
  return builder;
}

std::vector<std::string> state_in(Runtime& runtime, const std::string& plugin, const std::string& source,
                                  const std::string& target = "cuda:sm_90a", const Options& options = {}) {
  const auto built = build(runtime, one_launch("k", source).build().value(),
                           {.target = target, .execution_backend = plugin, .options = options});
  return built ? state_of(built.value().artifact) : std::vector<std::string>{built.error().message};
}

// Does the kernel's work, in the memory of this launch's module.
void count_in(const fake_cuda::KernelRun& run, std::vector<int>& counts) {
  WrittenText text;
  CUdeviceptr address{};
  std::size_t bytes = 0;
  ASSERT_EQ(open_driver(text.sink())->library_global(&address, &bytes, run.library, "counter"), CUDA_SUCCESS);
  ASSERT_EQ(bytes, sizeof(int));
  counts.push_back(++*reinterpret_cast<int*>(address));
}

TEST_P(StateSequencesTest, KernelsOfSameSourceKeepSeparateVariables) {
  std::vector<int> counts;
  const Kernel one = warmed(one_launch("count", kCount));
  const Kernel other = warmed(one_launch("count", kCount));
  const Tensor x = zeros(one, {32});
  fake.on_launch([&](const fake_cuda::KernelRun& run) { count_in(run, counts); });
  for (const Kernel* kernel : {&one, &one, &other, &one, &other}) kernel->launch({x}).value();
  EXPECT_THAT(counts, ElementsAre(1, 2, 1, 3, 2));
}

TEST_P(StateSequencesTest, StatefulKernelIsNotReplacedOrTuned) {
  const Kernel kernel = warmed(one_launch("count", kCount));
  kernel.await_best().value();
  EXPECT_THAT(kernel.tier(), testing::AnyOf("", "full")) << "which nothing could replace";
  const auto tuned = kernel.tune({zeros(kernel, {32})});
  ASSERT_FALSE(tuned.ok());
  EXPECT_THAT(tuned.error().message, HasSubstr("its code keeps values between launches, in counter"));
}

TEST_P(StateSequencesTest, StatelessCodeIsLoadedOnce) {
  std::vector<CUlibrary> libraries;
  fake.on_launch([&](const fake_cuda::KernelRun& run) { libraries.push_back(run.library); });
  const Kernel one = compiled(one_launch("scale", kReadOnly));
  one.await_best().value();
  const Tensor x = zeros(one, {32});
  const Kernel other = compiled(one_launch("scale", kReadOnly));
  one.launch({x}).value();
  other.launch({x}).value();
  ASSERT_EQ(libraries.size(), 2U);
  EXPECT_EQ(libraries[0], libraries[1]);
}

TEST_P(StateSequencesTest, WrittenVariablesAreState) {
  const auto state = [&](const std::string& source) { return state_in(*runtime, GetParam(), source); };
  EXPECT_THAT(state(R"(static __device__ int hidden;
namespace a { __device__ int sums[4]; }
__global__ void k(float* x) {
  static int calls;
  x[0] = ++hidden + ++calls;
  atomicAdd(&a::sums[threadIdx.x & 3], 1);
})"),
              testing::UnorderedElementsAre("a::sums", "hidden", HasSubstr("calls")));
  EXPECT_THAT(
      state("__device__ int seeds[4] = {1, 2, 3, 4}; __global__ void k(float* x) { x[0] = seeds[threadIdx.x & 3]; }"),
      testing::IsEmpty())
      << "which nothing writes";
  EXPECT_THAT(state("struct A { __device__ virtual float f() { return 1; } };\n"
                    "struct B : A { __device__ float f() override { return 2; } };\n"
                    "__global__ void k(float* x) { A a; B b; A* one = x[0] > 1 ? &a : &b; x[1] = one->f(); }"),
              testing::IsEmpty());
}

TEST_P(StateSequencesTest, FindsVariablesInPtxAndInCubinWithoutPtx) {
  EXPECT_THAT(state_in(*runtime, GetParam(), "__device__ int n; __global__ void k(float* x) { x[0] = ++n; }",
                       "cuda:compute_90"),
              ElementsAre("n"));
  const std::string source = "__device__ int n; extern \"C\" __global__ void k(float* x) { x[0] = ++n; }";
  const auto made = build(*runtime, one_launch("k", source).build().value(),
                          {.target = "cuda:sm_90a", .execution_backend = GetParam()});
  ProgramBuilder ready("k");
  ready.buffer("x", BufferParam{dtype::kFloat32, {ready.symbol("n")}});
  ready.variant("cubin").source("k.cubin", *made.value().artifact.find("code"));
  ready.launch("k").grid({1}).block({32}).args({"x"});
  const auto built = build(*runtime, ready.build().value(), {.target = "cuda:sm_90a", .execution_backend = GetParam()});
  EXPECT_THAT(state_of(built.value().artifact), ElementsAre("n"));
}

}  // namespace
}  // namespace kmux::nvidia
