#include "jit/eager_bar.h"

#include <array>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "kmux/jit.h"

#include "timing.h"

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

/// Units: nanoseconds a call.
template <class Call>
double time_burst(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) call();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / kCalls;
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
  std::vector<double> differences;
  for (int i = 0; i < kBursts; ++i) {
    const double eager = time_burst([&] { all_ok = sum(x, y, z, config).ok() && all_ok; });
    differences.push_back(eager - time_burst([&] { all_ok = kernel.launch(args).ok() && all_ok; }));
  }
  if (!all_ok) throw std::runtime_error("a call failed");
  return median(std::move(differences));
}

}  // namespace kmux::bench
