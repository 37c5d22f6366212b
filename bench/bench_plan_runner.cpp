// Measures the cost of executing a plan beyond the driver's function. The driver does nothing here.
#include <array>

#include <benchmark/benchmark.h>

#include "kmux/builder.h"
#include "kmux/plugin/plan_runner.h"
#include "kmux/plugin/sink.h"

#include "idle_driver.h"

namespace kmux {
namespace {

const DType kF32 = dtype::kFloat32;

void run(benchmark::State& state, const ProgramBuilder& builder) {
  const PlanRunner runner = PlanRunner::compile(lower(builder.build().value(), 0).value()).value();
  const kmux_driver_env env{{sizeof(kmux_launch_env), 0, nullptr, nullptr, 0, 0}, &bench::kIdleDriver, nullptr};
  std::array<kmux_slot, 16> slots;
  for (kmux_slot& slot : slots) slot.i64 = 4096;
  const kmux_sink sink = discard();
  for (auto _ : state) {
    if (runner.launch(slots.data(), env, sink) != KMUX_OK) return state.SkipWithError("the launch failed");
  }
}

const Expr kN = Expr::symbol("n");

ProgramBuilder add(const Expr& n) {
  ProgramBuilder builder("add");
  builder.input("A", kF32, {n}).input("B", kF32, {n}).output("C", kF32, {n});
  builder.variant("cuda").source("add.cu", "");
  return builder;
}

void nothing(benchmark::State& state) {
  ProgramBuilder builder("nothing");
  builder.variant("cuda").source("nothing.cu", "");
  builder.launch("nothing").grid({1}).block({1});
  run(state, builder);
}
BENCHMARK(nothing);

void constant_grid(benchmark::State& state) {
  ProgramBuilder builder = add(4096);
  builder.launch("add").grid({32}).block({128}).args({"A", "B", "C"});
  run(state, builder);
}
BENCHMARK(constant_grid);

void computed_grid(benchmark::State& state) {
  ProgramBuilder builder = add(kN);
  const Expr n = builder.symbol("n");
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"A", "B", "C"}).arg(n);
  run(state, builder);
}
BENCHMARK(computed_grid);

void grid_of_two_extents(benchmark::State& state) {
  ProgramBuilder builder = add(kN);
  const Expr n = builder.symbol("n");
  builder.launch("add").grid({ceildiv(n, 128), ceildiv(n, 96)}).block({128}).args({"A", "B", "C"}).arg(n * 4 + 1);
  run(state, builder);
}
BENCHMARK(grid_of_two_extents);

// The sizes are the same expression, so no comparison is needed.
void fill_of_the_whole_buffer(benchmark::State& state) {
  ProgramBuilder builder = add(kN);
  const Expr n = builder.symbol("n");
  builder.body().fill("C", n * 4);
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"A", "B", "C"});
  run(state, builder);
}
BENCHMARK(fill_of_the_whole_buffer);

void fill_of_a_part(benchmark::State& state) {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n");
  builder.input("A", kF32, {n}).input("B", kF32, {n}).output("C", kF32, {n});
  const Expr s = builder.scalar("s", dtype::kInt32);
  builder.variant("cuda").source("add.cu", "");
  builder.body().fill("C", s);
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"A", "B", "C"});
  run(state, builder);
}
BENCHMARK(fill_of_a_part);

void three_tensor_maps(benchmark::State& state) {
  ProgramBuilder builder = add(kN);
  const Expr n = builder.symbol("n");
  for (const char* const name : {"A", "B", "C"}) {
    TensorMap map{.name = std::string(name) + "_map", .base = {name}, .dims = {64, n}, .strides_bytes = {256}};
    map.mode = TiledMap{{32, 8}};
    builder.tensor_map(map);
  }
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"A_map", "B_map", "C_map"});
  run(state, builder);
}
BENCHMARK(three_tensor_maps);

}  // namespace
}  // namespace kmux

BENCHMARK_MAIN();
