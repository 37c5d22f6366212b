// Sources as published: the host code next to their kernels is removed.
#include <gmock/gmock.h>

#include "device_call.h"

namespace kmux::cpu::device_host_code {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<float> kOnes(64, 1);
const std::vector<float> kTwos(64, 2);

TEST(DeviceHostCodeTest, IsRemovedFromSource) {
  EXPECT_EQ(elements<float>({R"(#include <chrono>
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
#include "helper_cuda.h"
using namespace std;
#define CHECK(x) check((x), #x)
static void check(cudaError_t status, const char* what) { if (status != cudaSuccess) cerr << what << endl; }
constexpr int kBlock = 64;
inline __host__ __device__ float doubled(float x) { return 2 * x; }
__global__ void k(const float* x, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) y[i] = doubled(x[i]);
}
int main(int argc, char** argv) {
  vector<float> host(kBlock);
  float* x;
  CHECK(cudaMalloc(&x, sizeof(float) * host.size()));
  const auto begin = chrono::steady_clock::now();
  k<<<1, kBlock>>>(x, x, kBlock);
  cout << (chrono::steady_clock::now() - begin).count() << endl;
}
)"},
                            kOnes),
            kTwos);
}

TEST(DeviceHostCodeTest, PreservesLineNumbers) {
  const Error error =
      device_failure({"#include <vector>\nint main() {\n  k<<<1, 1>>>(0);\n}\n__global__ void k(const float* x, float* "
                      "y, int n) {\n  y[0] = oops;\n}\n"});
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("k.cu:6:10: error: use of undeclared identifier 'oops'"));
}

TEST(DeviceHostCodeTest, ImplicitNvccNamesNeedNoInclude) {
  EXPECT_EQ(elements<float>({"__global__ void k(const float* x, float* y, int n) {\n"
                             "  static_assert(std::is_same<std::size_t, size_t>::value && INT_MAX == 2147483647);\n"
                             "  y[threadIdx.x] = std::sqrt(4.0f) * (M_PI > 3) * std::abs(-x[threadIdx.x]);\n}\n"},
                            kOnes),
            kTwos);
}

TEST(DeviceHostCodeTest, DynamicParallelismIsRejected) {
  const Error error =
      device_failure({"__global__ void child(float* y) { y[0] = 1; }\n"
                      "__global__ void k(const float* x, float* y, int n) {\n  child<<<1, 32>>>(y);\n}\n"});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message,
              StartsWith("k.cu:3: a launch in a kernel is not for this processor (dynamic parallelism)."));
}

TEST(DeviceHostCodeTest, LibraryHeadersAreRejectedByName) {
  for (const auto& [header, use] : std::initializer_list<std::pair<const char*, const char*>>{
           {"cub/cub.cuh", "cub::BlockReduce<float, 64> r;"},
           {"thrust/pair.h", "thrust::pair<int, int> p;"},
           {"curand_kernel.h", "curandState s;"},
           {"nv/detail/__target_macros", ""},
           {"cuda/std/chrono", "cuda::std::chrono::seconds t;"}}) {
    const Error error = device_failure({"#include <" + std::string(header) + ">\n" +
                                        "__global__ void k(const float* x, float* y, int n) { " + use + " }\n"});
    EXPECT_EQ(error.code, ErrorCode::kUnsupported) << header;
    EXPECT_THAT(error.message, StartsWith("k.cu:1: <" + std::string(header) + "> is not for this processor ("))
        << header;
  }
}

TEST(DeviceHostCodeTest, UnknownHeaderIsCompileError) {
  const Error error =
      device_failure({"#include \"sort.h\"\n__global__ void k(const float* x, float* y, int n) {}\nint main() {}\n"});
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("'sort.h' file not found"));
}

TEST(DeviceHostCodeTest, TilesLargerThanWarpAreRejectedIfUsed) {
  const std::string text = R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int kThreads>
__global__ void wide(float* x) {
  __shared__ cg::block_tile_memory<kThreads> scratch;
  auto block = cg::this_thread_block(scratch);
  auto tile = cg::tiled_partition<SIZE>(block);
  x[threadIdx.x] = tile.thread_rank();
}
__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = 2 * x[threadIdx.x]; }
)";
  EXPECT_EQ(elements<float>({"#define SIZE 64\n" + text}, kOnes), kTwos) << "an unused template";
  const Error error = device_failure(
      {"#define SIZE 64\n" + text.substr(0, text.find("template")) +
       "__global__ void k(const float* x, float* y, int n) {\n  __shared__ cg::block_tile_memory<64> scratch;\n"
       "  y[0] = cg::tiled_partition<64>(cg::this_thread_block(scratch)).thread_rank();\n}\n"});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, AllOf(HasSubstr("tiled_partition"), HasSubstr("larger than a warp")));
}

}  // namespace
}  // namespace kmux::cpu::device_host_code
