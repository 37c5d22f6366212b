// The figures of group `order`: a line each, "bar NAME VALUE UNIT". Without a device the random orders run over the driver of
// tests/fakes/cuda; with one, what calls cost is measured. bench/order/captures.py has those that need torch.
//
// bars_order [--reference BUILD] [--seeds N] [BAR...]; bench/order/reference.sh makes the build of another commit
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kmux/registry.h"
#include "kmux/runtime.h"

#include "bar_program.h"
#include "nvidia/raw_cuda.h"
#include "order/call_bar.h"
#include "random_order.h"

namespace kmux::bench {
namespace {

int seeds = 10000;
constexpr int kProgress = 500;

// Failed seeds, each with its reason on stderr.
double failed_on(Runtime& runtime, const std::string& backend) {
  FakeCuda fake = FakeCuda::load();
  fake.set_recording(false);
  fake.on_launch(order::run);
  const order::OrderKernels kernels = order::OrderKernels::compile(runtime, backend).value();
  int failed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const std::string problem = order::run_random_order(fake, kernels, static_cast<std::uint64_t>(seed));
    if (!problem.empty()) {
      ++failed;
      std::fprintf(stderr, "%s, seed %d: %s\n", backend.c_str(), seed, problem.c_str());
    }
    if (seed % kProgress == 0)
      std::fprintf(stderr, "%s: %d of %d seeds, %d failed\n", backend.c_str(), seed, seeds, failed);
  }
  fake.on_launch({});
  return failed;
}

double reorder_seeds_failed() {
  const Environment environment = Environment::from_process();
  RegistryOptions options;
  options.plugin_options["hip.library"] = KMUX_HIP_ON_CUDA;
  options.variables = environment.variables;  // where compilers are
  const auto runtime = Runtime::create(environment, options).value();
  double failed = 0;
  for (const char* backend : {"nvrtc", "cuda", "hip"}) failed += failed_on(*runtime, backend);
  return failed;
}

std::string needs_device() { return RawCuda::has_device() ? "" : "no device"; }
std::string needs_reference() {
  if (reference_build().empty()) return "no build to compare with (--reference FOLDER)";
  return needs_device();
}
std::string needs_no_driver() { return RawCuda::has_device() ? "a real driver is here" : ""; }

constexpr int kProcesses = 9;

const std::array<Bar, 5> kBars = {{
    {"reorder_seeds_failed", reorder_seeds_failed, "seeds", needs_no_driver},
    {"call_allocating_added_ns", call_allocating_added_ns, "ns", needs_reference},
    {"call_over_raw_ns", call_over_raw_ns, "ns", needs_device, kProcesses},
    {"call_and_drop_over_raw_ns", call_and_drop_over_raw_ns, "ns", needs_device, kProcesses},
    {"launch_elsewhere_added_ns", launch_elsewhere_added_ns, "ns", needs_device, kProcesses},
}};

int main(std::vector<std::string> words) {
  if (words.size() > 1 && words[0] == "--reference") {
    reference_build() = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() > 1 && words[0] == "--seeds") {
    seeds = std::atoi(words[1].c_str());
    words.erase(words.begin(), words.begin() + 2);
  }
  return measure_bars("bars_order", kBars, std::move(words));
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) {
  return kmux::bench::told("bars_order", [&] { return kmux::bench::main({argv + 1, argv + argc}); });
}
