#include "jit/eager_bar.h"

#include <array>
#include <stdexcept>

#include "kmux/jit.h"

#include "bursts.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 2001;
constexpr int kCalls = 200;

struct Config {
  std::int64_t tile = 4;
  bool subtract = false;
  DType dtype = dtype::kFloat32;
};
BOOST_DESCRIBE_STRUCT(Config, (), (tile, subtract, dtype))

JitOutputs add(JitBuilder& b, std::span<const Tensor>, const Config& config) {
  const auto [m, n] = b.constants("m", "n");
  b.input("x", config.dtype, {m, n});
  b.input("y", config.dtype, {m, n});
  b.inout("z", {m, n});
  b.variant("c").define("SIZE", m.value() * n.value()).define("SUBTRACT", config.subtract).source("add.c", R"(
    void add(const float* x, const float* y, float* z) {
      for (int i = 0; i < SIZE; ++i) z[i] = SUBTRACT ? x[i] - y[i] : x[i] + y[i];
    })");
  b.launch("add").args({"x", "y", "z"});
  return {};
}

Tensor matrix() { return Tensor::zeros({2, 2}, dtype::kFloat32).value(); }

}  // namespace

double eager_over_call() {
  const auto sum = jit(add, {.name = "add"});
  const Tensor x = matrix(), y = matrix(), z = matrix();
  const Config config{.tile = 8};
  const Kernel kernel = sum.compile({x, y, z}, config).value();
  kernel.await_best().value();
  const std::array<Arg, 3> args{x, y, z};
  bool all_ok = true;
  const auto eager = [&] { all_ok = sum(x, y, z, config).ok() && all_ok; };
  const auto launch = [&] { all_ok = kernel.launch(args).ok() && all_ok; };
  const Pairs pairs =
      in_turns(kBursts, [&] { return nanoseconds_of(kCalls, eager); }, [&] { return nanoseconds_of(kCalls, launch); });
  if (!all_ok) throw std::runtime_error("a call failed");
  return pairs.median_difference();
}

}  // namespace kmux::bench
