#include <array>
#include <chrono>
#include <limits>

#include "kmux/bench/sampling.h"
#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"
#include "cold_kernel.h"

namespace kmux::bench {
namespace {

constexpr int kPairs = 200;
constexpr int kVerdictCalls = 20;

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// The memory of one call. Both of a pair share it: the addresses of tensors alone change times by some percent.
struct Call {
  Tensor a = Tensor::zeros({4096}, dtype::kFloat32).value();
  Tensor b = Tensor::zeros({4096}, dtype::kFloat32).value();
  Tensor c = Tensor::zeros({4096}, dtype::kFloat32).value();
  std::array<Arg, 3> args{a, b, c};
};

/// Returns a kernel for this machine that takes some microseconds.
Kernel make_kernel() { return compile(small_program(0), {.target = "c"}).value(); }

double sample(const Kernel& kernel, const Call& call) {
  return nanoseconds_of(kVerdictCalls, [&] { kernel.launch(call.args).value(); });
}

/// Returns the part of `kPairs` pairs with this `verdict` when the second takes `factor` times as long.
double part_called(Verdict verdict, double factor) {
  const Call call;
  const Kernel one = make_kernel();
  const Kernel other = make_kernel();
  one.await_best().value();
  other.await_best().value();
  StopRule rule;
  rule.time = std::chrono::milliseconds(500);
  rule.shown_interval = std::numeric_limits<double>::infinity();  // only the verdict of a pair counts
  int count = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::vector<Sample> pair_of = {[&]() -> Result<double> { return sample(one, call); },
                                         [&]() -> Result<double> { return factor * sample(other, call); }};
    const Sampling sampling = sample_in_rounds(pair_of, rule, now).value();
    count += judge(sampling.series[1], sampling.series[0], sampling.looks).verdict == verdict ? 1 : 0;
  }
  return static_cast<double>(count) / kPairs;
}

double verdict_false_alarm() { return part_called(Verdict::kFaster, 1) + part_called(Verdict::kSlower, 1); }

double verdict_detects_5pct() { return part_called(Verdict::kSlower, 1.05); }

/// Of 200 pairs of a kernel with itself, the part that is called different.
BAR("verdict_false_alarm", "part", at_most(0.02), verdict_false_alarm);

/// Of 200 pairs, the second made 5 % slower, the part that is called slower.
BAR("verdict_detects_5pct", "part", at_least(0.95), verdict_detects_5pct);

}  // namespace
}  // namespace kmux::bench
