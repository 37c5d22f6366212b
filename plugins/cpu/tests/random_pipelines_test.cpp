// Random pipelines of a producing warp and consuming warps over mbarriers. Each has the values of a model and no finding in
// three orders of its threads, and fails once one of its waits, parities or counts is wrong.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "checked_kernel.h"
#include "sizes.h"
#include "unit_kernels.h"

namespace kmux::cpu::random_pipelines {
namespace {

constexpr const char* kCopies = R"(
__device__ void copy(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(shared_address(to)), "l"(from) : "memory");
}
__device__ void arrive_copies(void* b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(shared_address(b)) : "memory");
}
__device__ void wait_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
)";

/// How a warp fills a stage: the code, and the arrivals that its full mbarrier counts.
struct Producer {
  const char* code;
  int arrivals;
};

// BYTES are those of a stage.
constexpr Producer kProducers[] = {
    {"if (t == 0) { expect(&full[s], BYTES); load(tile[s], from, T * 4, &full[s]); }", 1},
    {"if (t == 31) { expect(&full[s], BYTES); load(tile[s], from, 16, &full[s]); load(tile[s] + 4, from + 4, T * 4 - "
     "16, &full[s]); }",
     1},
    {"if (t < 2) { expect(&full[s], BYTES / 2); load(tile[s] + t * T / 2, from + t * T / 2, T * 2, &full[s]); }", 2},
    {"for (int i = t; i < T; i += 32) tile[s][i] = from[i]; arrive(&full[s]);", 32},
    {"for (int i = t; i < T; i += 32) tile[s][i] = from[i]; __syncwarp(); if (t == 7) arrive(&full[s]);", 1},
    {"for (int i = t; i < T; i += 32) copy(&tile[s][i], from + i); arrive_copies(&full[s]);", 32},
    {"for (int i = t; i < T; i += 32) copy(&tile[s][i], from + i); wait_copies(); arrive(&full[s]);", 32},
};

struct Pipeline {
  explicit Pipeline(unsigned seed) {
    std::mt19937 random(seed);
    const auto in = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
    stages = in(1, 4);
    tile = 8 * in(1, 4);
    rounds = stages + in(1, 5);  // so that each stage is filled again
    warps = in(1, 2);
    step = in(1, 7);
    delay = in(1, 4);
    producer = &kProducers[in(0, static_cast<int>(std::size(kProducers)) - 1)];
    is_released_by_warps = in(0, 1) == 1;
  }

  int stages, tile, rounds, warps, step, delay;
  const Producer* producer;
  bool is_released_by_warps;
};

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from << " in " << text;
  text.replace(at, from.size(), to);
}

std::string source_of(const Pipeline& pipeline) {
  std::string text = R"(
__global__ void k(const float* x, float* y, int n) {
  constexpr int S = STAGES, T = TILE;
  __shared__ alignas(16) float tile[S][T];
  __shared__ unsigned long long full[S], empty[S];
  const int t = threadIdx.x;
  if (t == 0) for (int s = 0; s < S; ++s) { init(&full[s], FILLS); init(&empty[s], RELEASES); }
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < ROUNDS; ++r) {
    const int s = r % S, parity = r / S & 1;
    for (int i = (t / 32 * 5 + r) % DELAY; i > 0; --i) __syncwarp();
    if (t < 32) {
      const float* from = x + r * 4 % 32;
      if (r >= S) wait(&empty[s], parity ^ 1);
      FILL
    } else {
      wait(&full[s], parity);
      sum += (r + 1) * tile[s][(t * STEP + r) % T];
      RELEASE
    }
  }
  if (t >= 32) y[t - 32] = sum;
}
)";
  replace(text, "STAGES", std::to_string(pipeline.stages));
  replace(text, "TILE", std::to_string(pipeline.tile));
  replace(text, "FILLS", std::to_string(pipeline.producer->arrivals));
  replace(text, "RELEASES", std::to_string(pipeline.warps * (pipeline.is_released_by_warps ? 1 : 32)));
  replace(text, "ROUNDS", std::to_string(pipeline.rounds));
  replace(text, "DELAY", std::to_string(pipeline.delay));
  replace(text, "FILL", pipeline.producer->code);
  replace(text, "STEP", std::to_string(pipeline.step));
  replace(text, "RELEASE",
          pipeline.is_released_by_warps ? "__syncwarp(); if (t % 32 == 9) arrive(&empty[s]);" : "arrive(&empty[s]);");
  if (const std::size_t bytes = text.find("BYTES"); bytes != std::string::npos) text.replace(bytes, 5, "(T * 4)");
  return std::string(kUnits) + kCopies + text;
}

float expected(const Pipeline& pipeline, int thread) {
  float sum = 0;
  for (int r = 0; r < pipeline.rounds; ++r)
    sum += static_cast<float>((r + 1) * (r * 4 % 32 + ((thread + 32) * pipeline.step + r) % pipeline.tile));
  return sum;
}

Result<std::vector<float>> run(const Pipeline& pipeline, const std::string& source, const Options& options) {
  return CheckedKernel{
      .source = source, .block = {Expr(32 * (1 + pipeline.warps))}, .options = options}(common_bench());
}

/// A change that breaks a pipeline.
struct Bug {
  const char* from;
  const char* to;
};

constexpr Bug kBugs[] = {{"wait(&full[s], parity);", ""},
                         {"wait(&full[s], parity);", "wait(&full[s], parity ^ 1);"},
                         {"if (r >= S) wait(&empty[s], parity ^ 1);", ""},
                         {"if (r >= S) wait(&empty[s], parity ^ 1);", "if (r >= S) wait(&empty[s], parity);"},
                         {"(T * 4)", "(T * 4 - 16)"},
                         {"__syncwarp(); if (t % 32 == 9) arrive(&empty[s]);", "if (t % 32 == 9) arrive(&empty[s]);"},
                         {"__syncwarp(); if (t == 7)", "if (t == 7)"}};

void expect_values(const Pipeline& pipeline, const std::string& source) {
  for (const Options& options : {Options{}, Options{{"check", "on"}}, Options{{"check", "on"}, {"check_seed", "1"}},
                                 Options{{"check", "on"}, {"check_seed", "2"}}}) {
    const auto result = run(pipeline, source, options);
    ASSERT_TRUE(result.ok()) << result.error().explain() << "\n" << source;
    for (int i = 0; i < 32 * pipeline.warps; ++i)
      ASSERT_EQ((*result)[static_cast<std::size_t>(i)], expected(pipeline, i)) << i << " of " << source;
  }
}

TEST(RandomPipelinesTest, HaveValuesAndNoFindings) {
  for (unsigned seed = 0; seed < of_size(12U, 120U); ++seed) {
    const Pipeline pipeline(seed);
    expect_values(pipeline, source_of(pipeline));
  }
}

TEST(RandomPipelinesTest, FailWithEachBug) {
  for (unsigned seed = 0; seed < of_size(4U, 24U); ++seed) {
    const Pipeline pipeline(seed);
    const std::string good = source_of(pipeline);
    for (const Bug& bug : kBugs) {
      std::string source = good;
      if (source.find(bug.from) == std::string::npos) continue;
      replace(source, bug.from, bug.to);
      EXPECT_FALSE(run(pipeline, source, {{"check", "on"}}).ok()) << bug.from << " is " << bug.to << " in " << source;
    }
  }
}

}  // namespace
}  // namespace kmux::cpu::random_pipelines
