#include <array>
#include <stdexcept>
#include <string>

#include "kmux/builder.h"
#include "kmux/compile.h"

#include "bars/bar.h"
#include "bursts.h"

namespace kmux::bench {
namespace {

constexpr int kRounds = 2001;
constexpr int kMeasuredCalls = 200;

std::string source(const std::string& name, const std::string& bound) {
  return "void " + name + "(const volatile float* x, volatile float* y) {\n  for (int i = 0; i < " + bound +
         "; ++i) y[0] = x[0];\n}\n";
}

/// Returns a program that copies an element: if `slowly`, 100,000 times in the first variant, once in the second.
Program copying(bool slowly) {
  ProgramBuilder builder(slowly ? "copying" : "copying_once");
  builder.input("x", dtype::kFloat32, {4}).input("y", dtype::kFloat32, {4});
  if (slowly) {
    builder.variant("c").source("slow.c", source("slow", "100000"));
    builder.launch("slow").args({"x", "y"});
  }
  builder.variant("c").source("fast.c", source("fast", "1"));
  builder.launch("fast").args({"x", "y"});
  return builder.build().value();
}

double measured_overhead() {
  const auto runtime = Runtime::default_runtime().value();
  const CompileOptions quickest{.target = "c", .options = {{"tier", "full"}}, .use_cache = false};
  CompileOptions measured = quickest;
  measured.policy = Policy::kMeasured;
  const Tensor x = Tensor::zeros({4}, dtype::kFloat32).value();
  const Tensor y = Tensor::zeros({4}, dtype::kFloat32).value();
  const std::array<Arg, 2> args{x, y};
  const Kernel tuned = compile(*runtime, copying(true), measured).value();
  if (tuned.tune(args).value().best().variant != 1) throw std::runtime_error("the slow variant won");
  const Kernel plain = compile(*runtime, copying(false), quickest).value();
  bool all_ok = true;
  const auto burst = [&](const Kernel& kernel) {
    return nanoseconds_of(kMeasuredCalls, [&] { all_ok = kernel.launch(args).ok() && all_ok; });
  };
  burst(tuned), burst(plain);
  const Pairs pairs = in_turns(kRounds, [&] { return burst(tuned); }, [&] { return burst(plain); });
  if (!all_ok) throw std::runtime_error("a call failed");
  return pairs.median_difference();
}

/// A call under policy measured, tuned, less the same call under priority.
BAR("measured_overhead", "ns", at_most(5), measured_overhead);

}  // namespace
}  // namespace kmux::bench
