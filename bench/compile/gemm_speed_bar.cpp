#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

#include "kmux/tensor.h"

#include "cold_rounds.h"

namespace kmux::bench {
namespace {

using GemmFunction = std::int32_t(const float*, const float*, const float*, float*, std::int64_t, std::int64_t,
                                  std::int64_t, std::int32_t);

/// Returns milliseconds of a call, averaged over a quarter of a second.
double call_ms(const std::function<void()>& call) {
  int calls = 0;
  double total = 0;
  for (; total < 250; ++calls) total += milliseconds_of(call);
  return total / calls;
}

/// Returns the ratio of GFLOP/s, so their time over ours; the best round of each, since other load only slows a round
/// down.
double gemm_full_speed() {
  const Scratch scratch;
  constexpr std::int64_t kSize = 768;
  const auto runtime = runtime_with_cache(scratch / "cache");
  const Program program = gemm_program(0);
  const Kernel kernel = compiled(*runtime, program, in_tier("full"));
  const DynamicLibrary library =
      ReferenceBuild({"g++", "-O3"}, scratch / "reference", program, launcher_of(*runtime, program)).run();
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

/// GFLOP/s of a GEMM of 768, one thread, tier full / g++ -O3 -march=native.
BAR("gemm_full_speed", "ratio", at_least(1), gemm_full_speed);

}  // namespace
}  // namespace kmux::bench
