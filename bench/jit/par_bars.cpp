#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <sys/resource.h>

#include "kmux/builder.h"
#include "kmux/par_compile.h"
#include "kmux/plugin/process.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "bars/bar.h"
#include "cold_kernel.h"
#include "scratch.h"
#include "timing.h"

namespace kmux::bench {
namespace {

constexpr int kPrograms = 64;
constexpr int kWorkers = 2;

Shared<Runtime> runtime_with(const std::filesystem::path& cache_dir) {
  Environment environment = Environment::from_process();
  environment.disable_cache = false;
  environment.cache_dir = cache_dir;
  environment.cache_lock_dir = cache_dir / "locks";
  const RegistryOptions registry{.plugin_options = environment.plugin_options, .variables = environment.variables};
  return Runtime::create(std::move(environment), registry).value();
}

/// Returns the processor time of this process and its ended children. Units: seconds.
double processor_seconds() {
  double total = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      total += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  }
  return total;
}

using MakeProgram = Program (*)(int number);

/// The programs that the children of this program compile.
struct Load {
  std::string name;
  MakeProgram make;
  CompileOptions options;
};

Program half_program(int number);
CompileOptions for_nvrtc() { return {.target = "cuda:sm_90a", .execution_backend = "nvrtc"}; }

const std::array<Load, 2> kLoads = {
    {{"cpu", gemm_program, {.target = "c", .options = {{"tier", "full"}}}}, {"nvrtc", half_program, for_nvrtc()}}};

/// Units: milliseconds. Runs in a separate process, so that nothing is warm for one side only: both open compilers and
/// headers.
double milliseconds_with(int workers, const std::string& load) {
  const ProcessResult result = run({.argv = child_command("par", {load, std::to_string(workers)})}).value();
  std::fputs(result.standard_error.c_str(), stderr);
  if (result.exit_code != 0) throw std::runtime_error("a child of this program failed");
  return std::stod(result.standard_output);
}

double one_over_two(const std::string& load) {
  constexpr int kRounds = 3;
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const double one = milliseconds_with(1, load);
    ratios.push_back(one / milliseconds_with(kWorkers, load));
  }
  return median(ratios);
}

Program half_program(int number) {
  ProgramBuilder builder("half_scale");
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat16, {n}).output("B", dtype::kFloat16, {n});
  builder.variant("cuda").source("half_scale.cu", R"(#include <cuda_fp16.h>
extern "C" __global__ void half_scale(const __half* a, __half* b, long long n) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) b[i] = __hmul(a[i], __float2half()" + std::to_string(number) +
                                                      R"(.5f));
}
)");
  builder.launch("half_scale").grid({ceildiv(n, Expr(256))}).block({Expr(256)}).args({"A", "B"}).arg(n, dtype::kInt64);
  return builder.build().value();
}

double par_cpu64() { return one_over_two("cpu"); }

double par_nvrtc64() { return one_over_two("nvrtc"); }

// Measures one side: prints the milliseconds that words[1] workers take for the load words[0].
int par_child(const std::vector<std::string>& words) {
  const int workers = std::stoi(words.at(1));
  const auto load = std::ranges::find(kLoads, words[0], &Load::name);
  if (load == kLoads.end()) throw std::runtime_error("no load \"" + words[0] + "\"");
  std::vector<CompileJob> jobs;
  jobs.reserve(kPrograms);
  for (int i = 0; i < kPrograms; ++i) jobs.push_back({load->make(i), load->options});
  const Scratch scratch;
  double elapsed = 0;
  {
    const auto runtime = runtime_with(scratch / "cache");
    elapsed = milliseconds_of([&] { par_build(*runtime, jobs, {.num_workers = workers}).value(); });
  }  // its processes have ended, so their time counts
  std::fprintf(stderr, "  %d workers: %.0f ms, %.2f s of processor\n", workers, elapsed, processor_seconds());
  return std::printf("%f\n", elapsed), 0;
}

std::string missing_nvrtc() {
  const Scratch scratch;
  const auto built = build(*runtime_with(scratch / "cache"), half_program(-1), for_nvrtc());
  return built ? "" : built.error().message;
}

double dedupe() {
  constexpr int kDistinct = 8;
  const Scratch scratch;
  const auto runtime = runtime_with(scratch / "cache");
  std::vector<CompileJob> jobs;
  jobs.reserve(kPrograms);
  for (int i = 0; i < kPrograms; ++i) jobs.push_back({small_program(i % kDistinct), {.target = "c"}});
  int compiled = 0;
  const auto count = [&](const CompileProgress& event) {
    compiled += event.step == JobStep::kDone && !event.from_cache && !event.same_as;
  };
  par_build(*runtime, jobs, {.num_workers = kWorkers, .progress = count}).value();
  return compiled;
}

CHILD("par", par_child);

/// 64 distinct kernels for the processor, tier full, cache empty: one worker / two.
BAR("par_cpu64", "ratio", at_least(1.8), par_cpu64);

/// 64 distinct kernels with cuda_fp16.h through NVRTC: one worker / two, which are processes.
BAR("par_nvrtc64", "ratio", at_least(1.7), par_nvrtc64, {.missing = missing_nvrtc});

/// Compilations for 64 requests of 8 programs.
BAR("dedupe", "compiles", at_most(8), dedupe);

}  // namespace
}  // namespace kmux::bench
