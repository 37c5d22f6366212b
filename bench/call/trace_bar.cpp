#include <array>

#include "kmux/compile.h"
#include "kmux/tensor.h"
#include "kmux/trace.h"

#include "bars/bar.h"
#include "bursts.h"
#include "cold_kernel.h"

namespace kmux::bench {
namespace {

constexpr int kTraceBursts = 2001;
constexpr int kTraceCalls = 200;

Kernel loaded() { return compile(small_program(0), {.target = "c", .use_cache = false}).value(); }

double trace_off_ns() {
  const Kernel before = loaded();
  before.await_best().value();
  start_trace();
  loaded();
  stop_trace();
  const Kernel after = loaded();
  after.await_best().value();
  const auto zero = [] { return Tensor::zeros({1}, dtype::kFloat32).value(); };
  const Tensor a = zero(), b = zero(), c = zero();
  const std::array<Arg, 3> args{a, b, c};
  const auto time = [&](const Kernel& kernel) {
    return nanoseconds_of(kTraceCalls, [&] { kernel.launch(args).value(); });
  };
  return in_turns(kTraceBursts, [&] { return time(after); }, [&] { return time(before); }).median_difference();
}

/// A call in a process that has recorded a trace, less one before.
BAR("trace_off_ns", "ns", at_most(2), trace_off_ns, {.processes = 9});

}  // namespace
}  // namespace kmux::bench
