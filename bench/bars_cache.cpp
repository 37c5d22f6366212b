// The figures of group `cache`: a line each, "bar NAME VALUE UNIT". Both sides of a ratio run in turns; medians count.
// Arguments name the bars to measure; with --first and --race this program is one of its own child processes.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <thread>

#include "kmux/compile.h"
#include "kmux/environment.h"
#include "kmux/npy.h"
#include "kmux/plugin/process.h"
#include "kmux/registry.h"
#include "kmux/tensor.h"

#include "bar_program.h"
#include "cold_kernel.h"
#include "scratch.h"
#include "timing.h"

namespace kmux::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 21;
const fs::path kKmux = KMUX_BENCH_KMUX;

Shared<Runtime> runtime_with(const fs::path& cache_dir) {
  Environment environment;
  environment.cache_dir = cache_dir;
  environment.cache_lock_dir = cache_dir / "locks";
  return Runtime::create(std::move(environment), {}).value();
}

CompileOptions in_tier(const char* tier, bool use_cache = false) {
  return {.target = "c", .options = {{"tier", tier}}, .use_cache = use_cache};
}

Kernel compiled(Runtime& runtime, const Program& program, const CompileOptions& options) {
  return compile(runtime, program, options).value();
}

std::string launcher_of(Runtime& runtime, const Program& program) {
  return wrap(runtime, program, {.target = "c"}).value().launcher;
}

/// The median of ours over theirs, one after the other in each round.
double ratio(const std::function<double(int)>& ours, const std::function<double(int)>& theirs) {
  std::vector<double> our_times, their_times;
  for (int round = 0; round < kRounds; ++round) {
    our_times.push_back(ours(round));
    their_times.push_back(theirs(round));
  }
  std::fprintf(stderr, "  %.2f ms against %.2f ms\n", median(our_times), median(their_times));
  return median(our_times) / median(their_times);
}

std::vector<std::string> clang() { return {"clang-19", "-O3"}; }
std::vector<std::string> gxx() { return {"g++", "-O3"}; }

double reference_ms(const std::vector<std::string>& compiler, const fs::path& folder, const Program& program,
                    const std::string& launcher) {
  const ReferenceBuild reference(compiler, folder, program, launcher);
  return milliseconds_of([&] { reference.run(); });
}

double cold_small(const Scratch& scratch) {
  const auto runtime = runtime_with(scratch / "cache");
  compiled(*runtime, small_program(-1), in_tier("fast"));
  const std::string launcher = launcher_of(*runtime, small_program(0));
  return ratio(
      [&](int round) {
        const Program program = small_program(round);
        return milliseconds_of([&] { compiled(*runtime, program, in_tier("fast")); });
      },
      [&](int round) { return reference_ms(clang(), scratch / "reference", small_program(round), launcher); });
}

/// What a child prints: milliseconds of its first compile, runtime and plugin included.
double first_in_process(int number) {
  const Program program = small_program(number);
  return milliseconds_of([&] {
    const auto runtime = Runtime::create({}, {}).value();
    compiled(*runtime, program, in_tier("fast"));
  });
}

std::string child(std::vector<std::string> words) {
  words.insert(words.begin(), fs::read_symlink("/proc/self/exe").string());
  const ProcessResult result = run({.argv = std::move(words)}).value();
  if (result.exit_code != 0) throw std::runtime_error(result.standard_error);
  return result.standard_output;
}

double cold_first(const Scratch& scratch) {
  const std::string launcher = launcher_of(*runtime_with(scratch / "cache"), small_program(0));
  return ratio([](int round) { return std::stod(child({"--first", std::to_string(round)})); },
               [&](int round) { return reference_ms(clang(), scratch / "reference", small_program(round), launcher); });
}

double cold_gemm_fast(const Scratch& scratch) {
  const auto runtime = runtime_with(scratch / "cache");
  for (int i = 1; i <= 3; ++i) {  // what a first kernel leaves behind for the next ones may come in the background
    compiled(*runtime, gemm_program(-i), in_tier("fast"));
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  const std::string launcher = launcher_of(*runtime, gemm_program(0));
  return ratio(
      [&](int round) {
        const Program program = gemm_program(round);
        return milliseconds_of([&] { compiled(*runtime, program, in_tier("fast")); });
      },
      [&](int round) { return reference_ms(gxx(), scratch / "reference", gemm_program(round), launcher); });
}

using GemmFunction = std::int32_t(const float*, const float*, const float*, float*, std::int64_t, std::int64_t,
                                  std::int64_t, std::int32_t);

/// Milliseconds of a call, over a quarter of a second.
double call_ms(const std::function<void()>& call) {
  int calls = 0;
  double total = 0;
  for (; total < 250; ++calls) total += milliseconds_of(call);
  return total / calls;
}

/// GFLOP/s over GFLOP/s, so theirs over ours in time; the best round of each, since neighbours only ever slow one down.
double gemm_full_speed(const Scratch& scratch) {
  constexpr std::int64_t kSize = 768;
  const auto runtime = runtime_with(scratch / "cache");
  const Program program = gemm_program(0);
  const Kernel kernel = compiled(*runtime, program, in_tier("full"));
  const DynamicLibrary library =
      ReferenceBuild(gxx(), scratch / "reference", program, launcher_of(*runtime, program)).run();
  GemmFunction* const reference = library.function<GemmFunction>("gemm").value();
  const auto matrix = [&] { return Tensor::zeros({kSize, kSize}, dtype::kFloat32).value(); };
  const std::array tensors{matrix(), matrix(), Tensor::zeros({kSize}, dtype::kFloat32).value(), matrix()};
  const std::array<Arg, 4> args{tensors[0], tensors[1], tensors[2], tensors[3]};
  const auto memory = [&](std::size_t i) { return tensors[i].data_as<float>(); };
  double ours = 1e9, theirs = 1e9;
  for (int round = 0; round < 31; ++round) {
    ours = std::min(ours, call_ms([&] { kernel.launch(args).value(); }));
    theirs = std::min(theirs,
                      call_ms([&] { reference(memory(0), memory(1), memory(2), memory(3), kSize, kSize, kSize, 0); }));
  }
  constexpr double kGflop = 2e-9 * kSize * kSize * kSize;
  std::fprintf(stderr, "  %.1f GFLOP/s against %.1f GFLOP/s\n", kGflop / ours * 1e3, kGflop / theirs * 1e3);
  return theirs / ours;
}

/// A warm process, but kernels that its memory does not know: a runtime of its own looks for them on disk.
double hit_disk_ms(const Scratch& scratch) {
  const auto fill = [&](Runtime& runtime, int number) {
    return milliseconds_of([&] { compiled(runtime, small_program(number), in_tier("fast", true)); });
  };
  {
    const auto writer = runtime_with(scratch / "disk");
    for (int i = 0; i < kRounds; ++i) fill(*writer, i);
  }
  const auto reader = runtime_with(scratch / "disk");
  fill(*reader, kRounds);  // opens the plugin
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) times.push_back(fill(*reader, i));
  return median(times);
}

double hit_memory_us(const Scratch& scratch, const Program& program) {
  constexpr int kCalls = 200;
  const auto runtime = runtime_with(scratch / "memory");
  const CompileOptions options = in_tier("fast", true);
  compiled(*runtime, program, options);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // headers are looked at in the background
  std::vector<double> times;
  for (int round = 0; round < 201; ++round) {
    times.push_back(milliseconds_of([&] {
      for (int i = 0; i < kCalls; ++i) compiled(*runtime, program, options);
    }));
  }
  return median(times) * 1000 / kCalls;
}

double hit_memory(const Scratch& scratch) { return hit_memory_us(scratch, small_program(0)); }

/// Every header of the C++ library that it might include is looked at, at each hit.
double hit_memory_headers(const Scratch& scratch) { return hit_memory_us(scratch, gemm_program(0)); }

/// `kmux run` with a check of its result, out of a warm cache, over `python3 -c pass` (Debian's, not a wrapper).
double process_start_hit(const Scratch& scratch) {
  const std::string gemm = fs::path(KMUX_BENCH_PROGRAMS) / "gemm/gemm.kmux.json";
  const std::string result = scratch / "c.npy";
  const auto kmux = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {kKmux,  "run",      gemm,   "--in",     "*=random:1", "--symbol",
                                      "m=16", "--symbol", "n=16", "--symbol", "k=16"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult done = run({.argv = words, .environment = {{"KMUX_CACHE_DIR", scratch / "start"}}}).value();
    if (done.exit_code != 0) throw std::runtime_error(done.standard_error);
  };
  kmux({"--out", "C=" + result, "--option", "tier=full"});
  return ratio([&](int) { return milliseconds_of([&] { kmux({"--check", "C=" + result}); }); },
               [](int) { return milliseconds_of([] { run({.argv = {"/usr/bin/python3", "-c", "pass"}}).value(); }); });
}

/// What a child prints: 1 if it compiled, 0 if it found what another one had compiled.
int compiles(const fs::path& cache_dir) {
  const auto runtime = runtime_with(cache_dir);
  return build(*runtime, gemm_program(0), in_tier("full", true)).value().from_cache ? 0 : 1;
}

double race_16(const Scratch& scratch) {
  std::array<int, 16> counts{};
  std::vector<std::thread> threads;
  for (int& count : counts) {
    threads.emplace_back([&] { count = std::stoi(child({"--race", scratch / "race"})); });
  }
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

struct CacheBar {
  std::string name;
  double (*measure)(const Scratch& scratch);
  const char* unit;
};

const std::array<CacheBar, 9> kBars = {{{"cold_small", cold_small, "ratio"},
                                        {"cold_first", cold_first, "ratio"},
                                        {"cold_gemm_fast", cold_gemm_fast, "ratio"},
                                        {"gemm_full_speed", gemm_full_speed, "ratio"},
                                        {"hit_disk", hit_disk_ms, "ms"},
                                        {"hit_memory", hit_memory, "us"},
                                        {"hit_memory_headers", hit_memory_headers, "us"},
                                        {"process_start_hit", process_start_hit, "ratio"},
                                        {"race_16", race_16, "compiles"}}};

int main(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "--first") return std::printf("%f\n", first_in_process(std::stoi(words[1]))), 0;
  if (words.size() == 2 && words[0] == "--race") return std::printf("%d\n", compiles(words[1])), 0;
  const Scratch scratch;
  for (const CacheBar& bar : kBars) {
    if (is_wanted(words, bar.name)) print_bar(bar.name, bar.measure(scratch), bar.unit);
  }
  return 0;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_cache", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
