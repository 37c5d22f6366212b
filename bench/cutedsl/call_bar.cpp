#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "kmux/compile.h"
#include "kmux/json.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"
#include "cutedsl/programs.h"
#include "nvidia/missing.h"
#include "nvidia/raw_cuda.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 1001;
constexpr int kCalls = 100;  // fewer than the driver's queue holds
constexpr int kCount = 1024;

const CompileOptions kOptions{.target = "cuda:sm_90a", .execution_backend = "cutedsl"};

// The kernel's argument for a vector.
struct Vector {
  void* data;
  std::int32_t extent;
};

// Returns the symbol of the kernel in its code.
std::string symbol_of(const Kernel& kernel) {
  for (const File& file : kernel.files()) {
    if (file.path != "artifact/meta.json") continue;
    const Json meta = parse_json(file.content).value();
    return *meta.find("symbols")->as_array()->front().as_string();
  }
  throw std::runtime_error("the kernel has no metadata");
}

Pairs calls_and_launches() {
  const RawCuda cuda;
  const Kernel kernel = compile(cutedsl_add_program(), kOptions).value();
  std::vector<Tensor> tensors;
  std::vector<Arg> args;
  std::array<Vector, 3> vectors{};
  for (Vector& vector : vectors) {
    tensors.push_back(Tensor::zeros({kCount}, dtype::kFloat32, kernel.device()).value());
    args.emplace_back(tensors.back());
    vector = {tensors.back().data(), kCount};
  }
  kernel.device().synchronize().value();
  RawLaunch raw(cuda, cuda.load(kernel, symbol_of(kernel).c_str()), kCount / 128, 128,
                {&vectors[0], &vectors[1], &vectors[2]});
  const auto ours = [&] {
    cuda.wait();
    return nanoseconds_of(kCalls, [&] {
      if (!kernel.launch(args).ok()) throw std::runtime_error("a launch failed");
    });
  };
  const auto theirs = [&] {
    cuda.wait();
    return nanoseconds_of(kCalls, [&] { raw(); });
  };
  const Pairs pairs = in_turns(kBursts, ours, theirs);
  std::fprintf(stderr, "  %.0f ns against %.0f ns\n", median(pairs.ours), median(pairs.theirs));
  return pairs;
}

double cutedsl_call_over_raw() { return calls_and_launches().median_difference(); }

double cutedsl_call_ratio() { return calls_and_launches().ratio(); }

// Compiles the kernel into the cache, under the key that a machine without CuTe DSL will look up.
int prepare(const std::vector<std::string>&) { return build(cutedsl_add_program(), kOptions).value(), 0; }

CHILD("prepare_cutedsl", prepare);

/// A checked call of a kernel of backend cutedsl, less a raw launch of the same code.
BAR("cutedsl_call_over_raw", "ns", at_most(110), cutedsl_call_over_raw, {.missing = missing_device, .processes = 9});

/// The same call / the raw launch.
BAR("cutedsl_call_ratio", "ratio", at_most(1.03), cutedsl_call_ratio, {.missing = missing_device, .processes = 9});

}  // namespace
}  // namespace kmux::bench
