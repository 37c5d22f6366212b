#include <array>
#include <stdexcept>
#include <vector>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/kernel.h"
#include "kmux/resolver.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 2001;

constexpr const char* kAddSource = R"(
void add(const float* a, const float* b, float* c, long long n) {
  for (long long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
)";

// The same function as native code.
void add(const float* a, const float* b, float* c, long long n) {
  for (long long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
using AddFunction = void (*)(const float*, const float*, float*, long long);

/// Returns a program of three tensors and one symbol.
Program add_program() {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n");
  builder.input("A", dtype::kFloat32, {n}).input("B", dtype::kFloat32, {n});
  builder.output("C", dtype::kFloat32, {n});
  builder.variant("c").source("add.c", kAddSource);
  builder.launch("add").args({"A", "B", "C"}).arg(n, dtype::kInt64);
  return builder.build().value();
}

/// Returns the time of Kernel::launch minus that of the same function through a pointer.
double call_checked_over_bare() {
  constexpr int kCalls = 200;
  const Kernel kernel = compile(add_program(), {.target = "c"}).value();
  const auto zeros = [] { return Tensor::zeros({1}, dtype::kFloat32).value(); };
  const std::array tensors{zeros(), zeros(), zeros()};
  const std::array<Arg, 3> args{tensors[0], tensors[1], tensors[2]};
  const auto memory = [&](std::size_t i) { return tensors[i].data_as<float>(); };
  const std::array addresses{memory(0), memory(1), memory(2)};
  volatile AddFunction bare = add;
  bool all_ok = true;
  const auto launch = [&] { all_ok = kernel.launch(args).ok() && all_ok; };
  const auto direct = [&] { bare(addresses[0], addresses[1], addresses[2], 1); };
  const auto pairs =
      in_turns(kBursts, [&] { return nanoseconds_of(kCalls, launch); }, [&] { return nanoseconds_of(kCalls, direct); });
  if (!all_ok) throw std::runtime_error("a launch failed");
  return pairs.median_difference();
}

/// Resolves `auto` over all plugins; results of probes are cached after the first time.
double resolve_us() {
  const auto runtime = Runtime::default_runtime().value();
  const Program program = add_program();
  bool all_chosen = true;
  std::vector<double> times;
  for (int i = 0; i < kBursts; ++i) {
    times.push_back(
        nanoseconds_of(1, [&] { all_chosen = resolve(*runtime, program, {}).chosen() != nullptr && all_chosen; }));
  }
  if (!all_chosen) throw std::runtime_error("nothing was chosen");
  return median(std::move(times)) / 1000;
}

/// A launch of a compiled C kernel, three tensors and one symbol, less the same function through a pointer.
BAR("call_checked_over_bare", "ns", at_most(60), call_checked_over_bare);

/// Resolving auto over all plugins of the build, probes remembered.
BAR("resolve_us", "us", at_most(100), resolve_us);

}  // namespace
}  // namespace kmux::bench
