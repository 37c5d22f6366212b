#include "report/verdict_bars.h"

#include <array>
#include <chrono>

#include "kmux/bench/sampling.h"
#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "bursts.h"
#include "cold_kernel.h"

namespace kmux::bench {
namespace {

constexpr int kPairs = 200;
constexpr int kCalls = 20;

std::chrono::nanoseconds now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// A kernel of this machine that takes some microseconds.
class Contestant {
 public:
  double sample() const {
    return nanoseconds_of(kCalls, [&] { kernel_.launch(args_).value(); });
  }

 private:
  Kernel kernel_ = compile(small_program(0), {.target = "c"}).value();
  Tensor a_ = Tensor::zeros({4096}, dtype::kFloat32).value();
  Tensor b_ = Tensor::zeros({4096}, dtype::kFloat32).value();
  Tensor c_ = Tensor::zeros({4096}, dtype::kFloat32).value();
  std::array<Arg, 3> args_{a_, b_, c_};
};

/// The part of `kPairs` pairs that are called `verdict` when the second takes `factor` times as long.
double part_called(Verdict verdict, double factor) {
  const Contestant one;
  const Contestant other;
  StopRule rule;
  rule.time = std::chrono::milliseconds(500);
  int count = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::vector<Sample> pair_of = {[&]() -> Result<double> { return one.sample(); },
                                         [&]() -> Result<double> { return factor * other.sample(); }};
    const Sampling sampling = sample_in_rounds(pair_of, 0, rule, now).value();
    count += judge(sampling.series[1], sampling.series[0], sampling.looks).verdict == verdict ? 1 : 0;
  }
  return static_cast<double>(count) / kPairs;
}

}  // namespace

double verdict_false_alarm() { return part_called(Verdict::kFaster, 1) + part_called(Verdict::kSlower, 1); }

double verdict_detects_5pct() { return part_called(Verdict::kSlower, 1.05); }

}  // namespace kmux::bench
