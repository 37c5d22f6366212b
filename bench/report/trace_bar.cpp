#include "report/trace_bar.h"

#include <array>

#include "kmux/compile.h"
#include "kmux/tensor.h"
#include "kmux/trace.h"

#include "bursts.h"
#include "cold_kernel.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 2001;
constexpr int kCalls = 200;

Kernel loaded() { return compile(small_program(0), {.target = "c", .use_cache = false}).value(); }

}  // namespace

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
  const auto time = [&](const Kernel& kernel) { return nanoseconds_of(kCalls, [&] { kernel.launch(args).value(); }); };
  return in_turns(kBursts, [&] { return time(after); }, [&] { return time(before); }).median_difference();
}

}  // namespace kmux::bench
