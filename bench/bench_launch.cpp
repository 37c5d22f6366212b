// Measures the cost of a checked launch and of its parts. The backend does nothing here, so only the runtime is
// measured.
#include <array>
#include <vector>

#include <benchmark/benchmark.h>

#include "kmux/kernel.h"

#include "in_process_plugin.h"
#include "kernel/kernel_impl.h"

namespace kmux {
namespace {

const Expr kM = Expr::symbol("m");
const DType kF32 = dtype::kFloat32;

class EmptyAdapter final : public Adapter {
 public:
  Status prepare(int) override { return Ok{}; }
  kmux_code launch(const kmux_slot*, const kmux_launch_env&, kmux_sink) noexcept override { return KMUX_OK; }
};

Kernel kernel_of(Signature signature) {
  KernelParts parts = fake_parts(std::move(signature));
  parts.adapters = std::make_shared<AdapterSlot>(fake_artifact(parts.plugin, std::make_unique<EmptyAdapter>()));
  return make_kernel(std::move(parts)).value();
}

Tensor zeros(std::vector<std::int64_t> shape) { return Tensor::zeros(std::move(shape), kF32).value(); }

void launch(benchmark::State& state, const Kernel& kernel, std::span<const Arg> args) {
  for (auto _ : state) {
    if (!kernel.launch(args)) return state.SkipWithError("the launch failed");
  }
}

void no_arguments(benchmark::State& state) { launch(state, kernel_of({}), {}); }
BENCHMARK(no_arguments);

void three_vectors(benchmark::State& state) {
  const std::array tensors{zeros({8}), zeros({8}), zeros({8})};
  const std::array<Arg, 3> args{tensors[0], tensors[1], tensors[2]};
  launch(state,
         kernel_of(fake_signature(
             {buffer_param("A", kF32, {kM}), buffer_param("B", kF32, {kM}), buffer_param("C", kF32, {kM})})),
         args);
}
BENCHMARK(three_vectors);

void three_matrices(benchmark::State& state) {
  const std::array tensors{zeros({8, 64}), zeros({64, 32}), zeros({8, 32})};
  const std::array<Arg, 3> args{tensors[0], tensors[1], tensors[2]};
  launch(state,
         kernel_of(fake_signature({buffer_param("A", kF32, {kM, 64}), buffer_param("B", kF32, {64, 32}),
                                   buffer_param("C", kF32, {kM, 32})})),
         args);
}
BENCHMARK(three_matrices);

void eight_scalars(benchmark::State& state) {
  std::vector<Param> params;
  for (int i = 0; i < 8; ++i) params.push_back(scalar_param("s" + std::to_string(i), dtype::kInt32));
  const std::array<Arg, 8> args{0, 1, 2, 3, 4, 5, 6, 7};
  launch(state, kernel_of(fake_signature(std::move(params))), args);
}
BENCHMARK(eight_scalars);

void computed_extent(benchmark::State& state) {
  const std::array tensors{zeros({129}), zeros({8})};
  const std::array<Arg, 2> args{tensors[0], tensors[1]};
  launch(
      state,
      kernel_of(fake_signature({buffer_param("A", kF32, {kM}), buffer_param("B", kF32, {ceildiv(kM, 128) * Expr(4)})})),
      args);
}
BENCHMARK(computed_extent);

void call_that_allocates(benchmark::State& state) {
  const Kernel kernel =
      kernel_of(fake_signature({buffer_param("A", kF32, {kM}), buffer_param("B", kF32, {kM})}, {"B"}));
  const Tensor a = zeros({8});
  for (auto _ : state) benchmark::DoNotOptimize(kernel(a));
}
BENCHMARK(call_that_allocates);

void lane(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(current_lane());
}
BENCHMARK(lane);

}  // namespace
}  // namespace kmux

BENCHMARK_MAIN();
