// Measures the cost of choosing a backend, and of the first choice. The program is a GEMM that TileLang generated, over
// the plugins of this build and the three of tests/fakes/table.
#include <memory>

#include <benchmark/benchmark.h>

#include "kmux/program.h"
#include "kmux/registry.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"

namespace kmux {
namespace {

Program gemm() { return load_program(KMUX_TEST_DATA_DIR "/tilelang/gemm/gemm.kmux.json").value(); }

Shared<Runtime> runtime() { return Runtime::create({}, {.search_path = {KMUX_TEST_PLUGIN_DIR "/table"}}).value(); }

void resolve_loop(benchmark::State& state, const CompileOptions& request) {
  const Program program = gemm();
  const Shared<Runtime> plugins = runtime();
  for (auto _ : state) benchmark::DoNotOptimize(resolve(*plugins, program, request));
}

void automatic(benchmark::State& state) { resolve_loop(state, {}); }
BENCHMARK(automatic);

void named(benchmark::State& state) { resolve_loop(state, {.execution_backend = "null_a"}); }
BENCHMARK(named);

void by_target(benchmark::State& state) { resolve_loop(state, {.target = "c"}); }
BENCHMARK(by_target);

// Reads manifests, opens and probes libraries, and passes the program through the plugin ABI.
void first(benchmark::State& state) {
  const Program program = gemm();
  for (auto _ : state) benchmark::DoNotOptimize(resolve(*runtime(), program, {}));
}
BENCHMARK(first)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kmux

BENCHMARK_MAIN();
