#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "kmux/jit.h"

#include "bars/bar.h"
#include "bursts.h"
#include "scratch.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 2001;
constexpr int kCalls = 200;
constexpr int kCallsWithHeaders = 10;  // a burst is short enough to be rarely interrupted

struct Config {
  std::int64_t tile = 4;
  bool subtract = false;
  DType dtype = dtype::kFloat32;
};
BOOST_DESCRIBE_STRUCT(Config, (), (tile, subtract, dtype))

JitOutputs add_after(const std::string& includes, JitBuilder& b, const Config& config) {
  const auto [m, n] = b.constants("m", "n");
  b.input("x", config.dtype, {m, n});
  b.input("y", config.dtype, {m, n});
  b.inout("z", {m, n});
  b.variant("c")
      .define("SIZE", m.value() * n.value())
      .define("SUBTRACT", config.subtract)
      .source("add.c", includes + R"(
    void add(const float* x, const float* y, float* z) {
      for (int i = 0; i < SIZE; ++i) z[i] = SUBTRACT ? x[i] - y[i] : x[i] + y[i];
    })");
  b.launch("add").args({"x", "y", "z"});
  return {};
}

JitOutputs add(JitBuilder& b, std::span<const Tensor>, const Config& config) { return add_after("", b, config); }

Tensor matrix() { return Tensor::zeros({2, 2}, dtype::kFloat32).value(); }

template <class Function>
double over_call(Function function, CompileOptions options, int calls = kCalls) {
  const auto sum = jit(function, std::move(options), {.name = "add"});
  const Tensor x = matrix(), y = matrix(), z = matrix();
  const Config config{.tile = 8};
  const Kernel kernel = sum.compile({x, y, z}, config).value();
  kernel.await_best().value();
  const std::array<Arg, 3> args{x, y, z};
  bool all_ok = true;
  const auto eager = [&] { all_ok = sum(x, y, z, config).ok() && all_ok; };
  const auto launch = [&] { all_ok = kernel.launch(args).ok() && all_ok; };
  const Pairs pairs =
      in_turns(kBursts, [&] { return nanoseconds_of(calls, eager); }, [&] { return nanoseconds_of(calls, launch); });
  if (!all_ok) throw std::runtime_error("a call failed");
  return pairs.median_difference();
}

constexpr int kHeaders = 32;

JitOutputs add_with_headers(JitBuilder& b, std::span<const Tensor>, const Config& config) {
  std::string includes;
  for (int i = 0; i < kHeaders; ++i) includes += "#include <header" + std::to_string(i) + ".h>\n";
  return add_after(includes, b, config);
}

double eager_over_call() { return over_call(add, {}); }

double eager_a_header() {
  const Scratch scratch;
  for (int i = 0; i < kHeaders; ++i) std::ofstream(scratch / ("header" + std::to_string(i) + ".h")) << "\n";
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // longer than a tick of the clock that stamps files
  const double with = over_call(add_with_headers, {.include_dirs = {scratch / ""}}, kCallsWithHeaders);
  return (with - eager_over_call()) / kHeaders;
}

/// An eager call after the first, less Kernel::launch on the same tensors.
BAR("eager_over_call", "ns", at_most(150), eager_over_call);

/// What each header that the kernel was compiled from adds to such a call, which looks whether it has changed.
BAR("eager_a_header", "ns", at_most(2000), eager_a_header);

}  // namespace
}  // namespace kmux::bench
