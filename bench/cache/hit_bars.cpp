#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "kmux/plugin/process.h"

#include "cold_rounds.h"

namespace kmux::bench {
namespace {

constexpr int kHits = 21;

/// A warm process whose memory does not hold the kernels: a separate runtime finds them on disk.
double hit_disk_ms() {
  const Scratch scratch;
  const auto fill = [&](Runtime& runtime, int number) {
    return milliseconds_of([&] { compiled(runtime, small_program(number), in_tier("fast", true)); });
  };
  {
    const auto writer = runtime_with_cache(scratch / "disk");
    for (int i = 0; i < kHits; ++i) fill(*writer, i);
  }
  const auto reader = runtime_with_cache(scratch / "disk");
  fill(*reader, kHits);  // opens the plugin
  std::vector<double> times;
  for (int i = 0; i < kHits; ++i) times.push_back(fill(*reader, i));
  return median(times);
}

double hit_memory_us(const Program& program) {
  constexpr int kCalls = 200;
  const Scratch scratch;
  const auto runtime = runtime_with_cache(scratch / "memory");
  const CompileOptions options = in_tier("fast", true);
  compiled(*runtime, program, options);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // headers are checked in the background
  std::vector<double> times;
  for (int round = 0; round < 201; ++round) {
    times.push_back(milliseconds_of([&] {
      for (int i = 0; i < kCalls; ++i) compiled(*runtime, program, options);
    }));
  }
  return median(times) * 1000 / kCalls;
}

double hit_memory() { return hit_memory_us(small_program(0)); }

double hit_memory_headers() { return hit_memory_us(gemm_program(0)); }

/// Runs `kmux run` with a check of its result, from a warm cache, over `python3 -c pass` (Debian's, not a wrapper).
double process_start_hit() {
  const Scratch scratch;
  const std::string gemm = std::filesystem::path(KMUX_BENCH_PROGRAMS) / "gemm/gemm.kmux.json";
  const std::string result = scratch / "c.npy";
  const auto kmux = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {KMUX_BENCH_KMUX, "run",      gemm,   "--in",     "*=random:1", "--symbol",
                                      "m=16",          "--symbol", "n=16", "--symbol", "k=16"};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult done = run({.argv = words, .environment = {{"KMUX_CACHE_DIR", scratch / "start"}}}).value();
    if (done.exit_code != 0) throw std::runtime_error(done.standard_error);
  };
  kmux({"--out", "C=" + result, "--option", "tier=full"});
  return ratio_of_rounds(
      [&](int) { return milliseconds_of([&] { kmux({"--check", "C=" + result}); }); },
      [](int) { return milliseconds_of([] { run({.argv = {"/usr/bin/python3", "-c", "pass"}}).value(); }); });
}

// Prints 1 if it compiled, 0 if it found the artifact of another process.
int print_race(const std::vector<std::string>& words) {
  const auto runtime = runtime_with_cache(words.at(0));
  const bool is_found = build(*runtime, gemm_program(0), in_tier("full", true)).value().from_cache;
  return std::printf("%d\n", is_found ? 0 : 1), 0;
}

double race_16() {
  const Scratch scratch;
  std::array<int, 16> counts{};
  std::vector<std::thread> threads;
  for (int& count : counts) {
    threads.emplace_back([&] { count = std::stoi(child_output("race", {scratch / "race"})); });
  }
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(counts.begin(), counts.end(), 0.0);
}

CHILD("race", print_race);

/// A kernel that only the disk has, in a warm process.
BAR("hit_disk", "ms", at_most(0.3), hit_disk_ms);

/// The same program and options again.
BAR("hit_memory", "us", at_most(1), hit_memory);

/// The same of a source with two headers of the C++ library: some two hundred files are looked at, at each hit.
BAR("hit_memory_headers", "us", no_limit(), hit_memory_headers);

/// kmux run with --check out of a warm cache, the whole process / /usr/bin/python3 -c pass.
BAR("process_start_hit", "ratio", at_most(1), process_start_hit);

/// Compilations, when 16 processes ask for one kernel at once.
BAR("race_16", "compiles", at_most(1), race_16);

}  // namespace
}  // namespace kmux::bench
