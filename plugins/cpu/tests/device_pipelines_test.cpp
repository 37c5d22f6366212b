// cuda::pipeline of one thread, which does nothing, and of a block, whose stages have barriers.
#include <functional>

#include <gmock/gmock.h>

#include "checked_kernel.h"

namespace kmux::cpu::device_pipelines {
namespace {

const Options kWays[] = {{{"tier", "full"}},
                         {{"tier", "fast"}},
                         {{"check", "on"}},
                         {{"check", "on"}, {"check_seed", "1"}},
                         {{"check", "on"}, {"check_seed", "2"}}};

constexpr const char* kHeaders =
    "#include <cooperative_groups.h>\n#include <cuda/annotated_ptr>\n#include <cuda/pipeline>\nnamespace cg = "
    "cooperative_groups;\n";

// Expects y[i] == expected(i) in each way of running, where x[i] is i. Returns the log of the first.
std::string expect_values(const std::string& body, const std::function<float(int)>& expected) {
  std::string log;
  for (const Options& options : kWays) {
    Workbench bench;
    const CheckedKernel kernel{
        .source = kHeaders + ("__global__ void k(const float* x, float* y, int n) {\n" + body + "\n}\n"),
        .options = options};
    const auto result = kernel(bench);
    EXPECT_TRUE(result.ok()) << result.error().explain() << "\n" << body;
    if (!result.ok()) return "";
    for (int i = 0; i < CheckedKernel::kElements; ++i)
      EXPECT_EQ((*result)[static_cast<std::size_t>(i)], expected(i)) << i << " of " << body;
    if (log.empty()) log = bench.host.log;
  }
  return log;
}

// Each thread loads its own elements some stages ahead.
TEST(DevicePipelinesTest, PipelinesOfOneThreadAreVectorized) {
  const std::string log =
      expect_values(R"(
  constexpr int stages = 3, steps = 8;
  __shared__ float tile[stages][64];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  float sum = 0;
  for (int step = 0, fetched = 0; step < steps; ++step) {
    for (; fetched < steps && fetched < step + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[fetched % stages][threadIdx.x], &x[(threadIdx.x + fetched) % 64],
                         cuda::aligned_size_t<4>(sizeof(float)), pipe);
      pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<stages - 1>(pipe);
    __syncthreads();
    sum += tile[step % stages][(threadIdx.x + 1) % 64];
    __syncthreads();
    pipe.consumer_release();
  }
  y[threadIdx.x] = sum;)",
                    [](int i) {
                      float sum = 0;
                      for (int step = 0; step < 8; ++step)
                        sum += static_cast<float>((i + 1) % 64 + step) - ((i + 1) % 64 + step >= 64 ? 64 : 0);
                      return sum;
                    });
  EXPECT_THAT(log, testing::Not(HasSubstr("which is slow")));
}

TEST(DevicePipelinesTest, ThreadsOfABlockProduceAndConsume) {
  expect_values(R"(
  constexpr int stages = 2, steps = 5;
  __shared__ float tile[stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int step = 0, fetched = 0; step < steps; ++step) {
    for (; fetched < steps && fetched < step + stages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[fetched % stages], x, cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += (step + 1) * tile[step % stages][63 - threadIdx.x];
    pipe.consumer_release();
  }
  y[threadIdx.x] = sum;)",
                [](int i) { return static_cast<float>(15 * (63 - i)); });
}

constexpr const char* kRoles = R"(
  constexpr int stages = 2, steps = 6;
  __shared__ float tile[stages][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  MAKE
  const bool produces = block.thread_rank() < 32;
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[step % stages][threadIdx.x], &x[threadIdx.x + step], sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += tile[step % stages][63 - threadIdx.x];
      pipe.consumer_release();
    }
  }
  const bool is_last = pipe.quit();
  y[threadIdx.x] = produces ? -1 : sum;)";

TEST(DevicePipelinesTest, WarpsHaveRoles) {
  for (const std::string make :
       {"const auto role = block.thread_rank() < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;\n"
        "  cuda::pipeline<cuda::thread_scope_block> pipe = cuda::make_pipeline(block, &state, role);",
        "auto pipe = cuda::make_pipeline(block, &state, size_t(32));"}) {
    std::string body = kRoles;
    body.replace(body.find("MAKE"), 4, make);
    expect_values(body, [](int i) { return i < 32 ? -1.0F : static_cast<float>(6 * (63 - i) + 15); });
  }
}

TEST(DevicePipelinesTest, AdviceAboutCachesHasNoEffect) {
  const std::string log = expect_values(R"(
  cuda::annotated_ptr<const float, cuda::access_property::streaming> from(x);
  cuda::annotated_ptr<float, cuda::access_property> to(y, cuda::access_property::persisting{});
  cuda::apply_access_property(x, 64 * sizeof(float), cuda::access_property::normal{});
  const float* const same = cuda::associate_access_property(x, cuda::access_property::streaming{});
  to[threadIdx.x] = from[63 - threadIdx.x] + *from + same[0];)",
                                        [](int i) { return static_cast<float>(63 - i); });
  EXPECT_THAT(log, testing::Not(HasSubstr("which is slow")));
}

TEST(DevicePipelinesTest, RejectsPipelinesOfSeveralBlocks) {
  const CheckedKernel kernel{.source = kHeaders + std::string("__global__ void k(const float* x, float* y, int n) {\n"
                                                              "  __shared__ cuda::pipeline_shared_state<"
                                                              "cuda::thread_scope_device, 2> state;\n}\n")};
  const auto result = kernel();
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(
      result.error().explain(),
      AllOf(HasSubstr("not for this processor (a cuda::pipeline of threads of several blocks)"), HasSubstr("k.cu:6")));
}

}  // namespace
}  // namespace kmux::cpu::device_pipelines
