#include <array>
#include <functional>
#include <stdexcept>

#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"
#include "fake_cuda.h"
#include "nvidia/call_programs.h"
#include "nvidia/eviction.h"
#include "nvidia/missing.h"
#include "nvidia/raw_cuda.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 1001;
constexpr int kCalls = 100;  // fewer than the driver's queue holds

Kernel compiled(const Program& program, const char* backend, Options options = {}) {
  Kernel kernel = compile(program, {.execution_backend = backend, .options = std::move(options)}).value();
  kernel.await_best().value();
  return kernel;
}

/// A kernel and its arguments: tensors of `shape` on its device.
class Subject {
 public:
  Subject(const Program& program, const char* backend, std::size_t tensors, std::vector<std::int64_t> shape,
          Options options = {})
      : kernel_(compiled(program, backend, std::move(options))) {
    for (std::size_t i = 0; i < tensors; ++i) {
      tensors_.push_back(Tensor::zeros(shape, dtype::kFloat32, kernel_.device()).value());
      args_.emplace_back(tensors_.back());
    }
    kernel_.device().synchronize().value();
  }
  const Kernel& kernel() const { return kernel_; }
  void* data(std::size_t tensor) const { return tensors_[tensor].data(); }
  void operator()() const {
    if (!kernel_.launch(args_).ok()) throw std::runtime_error("a launch failed");
  }

 private:
  Kernel kernel_;
  std::vector<Tensor> tensors_;
  std::vector<Arg> args_;
};

// Measures the host time of a call while the device runs only these calls.
template <class Call>
auto burst_of(const RawCuda& cuda, Call& call) {
  return [&] {
    cuda.wait();
    return nanoseconds_of(kCalls, [&] { call(); });
  };
}

// As `burst_of`, until the device is done.
template <class Call>
auto whole_burst_of(const RawCuda& cuda, Call& call) {
  return [&] {
    cuda.wait();
    return nanoseconds_of(1, [&] {
      for (int i = 0; i < kCalls; ++i) call();
      cuda.wait();
    });
  };
}

double report(const Pairs& pairs, double value) {
  std::fprintf(stderr, "  %.0f ns against %.0f ns\n", median(pairs.ours), median(pairs.theirs));
  return value;
}

// Measures calls of a kernel and raw launches of the same kernel.
Pairs calls_and_launches(const char* backend) {
  const RawCuda cuda;
  Subject ours(add_program(), backend, 3, {1024});
  std::array<void*, 3> addresses{ours.data(0), ours.data(1), ours.data(2)};
  int n = 1024;
  RawLaunch theirs(cuda, cuda.load(ours.kernel(), "add"), 8, 128, {&addresses[0], &addresses[1], &addresses[2], &n});
  return in_turns(kBursts, burst_of(cuda, ours), burst_of(cuda, theirs));
}

double call_over_raw(const char* backend) {
  const Pairs pairs = calls_and_launches(backend);
  return report(pairs, pairs.median_difference());
}

double call_ratio(const char* backend) {
  const Pairs pairs = calls_and_launches(backend);
  return report(pairs, pairs.ratio());
}

// The same for a kernel with three maps, which do not change.
Pairs calls_and_launches_with_maps() {
  const RawCuda cuda;
  const Program program = maps_program();
  Subject ours(program, "nvrtc", 3, {64, 64});
  std::array<kmux_tensor_map, 3> maps;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    maps[i] = encode(cuda, program.variants[0].body.tensor_maps[i], ours.data(i));
  }
  RawLaunch theirs(cuda, cuda.load(ours.kernel(), "touch"), 1, 32, {&maps[0], &maps[1], &maps[2]});
  return in_turns(kBursts, burst_of(cuda, ours), burst_of(cuda, theirs));
}

// Two kernels as a graph whose parameters are set before each launch of it.
class RawGraph {
 public:
  RawGraph(const RawCuda& cuda, RawLaunch& launch) : cuda_(cuda), params_(launch.node_params()) {
    const nvidia::DriverTable& calls = cuda.calls();
    nvidia::CUgraph graph = nullptr;
    cuda.check(calls.graph_create(&graph, 0), "cuGraphCreate");
    cuda.check(calls.graph_add_kernel(&nodes_[0], graph, nullptr, 0, &params_), "cuGraphAddKernelNode");
    cuda.check(calls.graph_add_kernel(&nodes_[1], graph, &nodes_[0], 1, &params_), "cuGraphAddKernelNode");
    cuda.check(calls.graph_instantiate(&executable_, graph, 0), "cuGraphInstantiate");
  }
  void operator()() {
    for (const nvidia::CUgraphNode node : nodes_) {
      cuda_.check(cuda_.calls().executable_set_kernel(executable_, node, &params_), "cuGraphExecKernelNodeSetParams");
    }
    cuda_.check(cuda_.calls().graph_launch(executable_, nullptr), "cuGraphLaunch");
  }

 private:
  const RawCuda& cuda_;
  nvidia::CUDA_KERNEL_NODE_PARAMS params_;
  std::array<nvidia::CUgraphNode, 2> nodes_{};
  nvidia::CUgraphExec executable_ = nullptr;
};

// The subjects of the graph bars: a body of two kernels that is replayed, and the same written by hand.
struct TwoKernels {
  RawCuda cuda;
  Subject ours{pair_program(), "nvrtc", 1, {1024}, {{"graph", "on"}}};
  void* y = ours.data(0);
  int n = 1024;
  RawLaunch launch{cuda, cuda.load(ours.kernel(), "step"), 8, 128, {&y, &n}};
};

double nvrtc_call_over_raw() { return call_over_raw("nvrtc"); }
double cuda_call_over_raw() { return call_over_raw("cuda"); }

double nvrtc_call_ratio() { return call_ratio("nvrtc"); }
double cuda_call_ratio() { return call_ratio("cuda"); }

double tma3_unchanged_over_raw() {
  const Pairs pairs = calls_and_launches_with_maps();
  return report(pairs, pairs.median_difference());
}

double tma3_unchanged_ratio() {
  const Pairs pairs = calls_and_launches_with_maps();
  return report(pairs, pairs.ratio());
}

double l2_window_ratio() {
  const RawCuda cuda;
  Subject with(window_program(), "nvrtc", 3, {1024});
  Subject without(add_program(), "nvrtc", 3, {1024});
  const Pairs pairs = in_turns(kBursts, burst_of(cuda, with), burst_of(cuda, without));
  return report(pairs, pairs.ratio());
}

double graph2_end_to_end_ratio() {
  TwoKernels two;
  auto theirs = [&] {
    two.launch();
    two.launch();
  };
  const Pairs pairs = in_turns(kBursts, whole_burst_of(two.cuda, two.ours), whole_burst_of(two.cuda, theirs));
  return report(pairs, pairs.ratio());
}

double graph2_host_ratio() {
  TwoKernels two;
  RawGraph theirs(two.cuda, two.launch);
  const Pairs pairs = in_turns(kBursts, burst_of(two.cuda, two.ours), burst_of(two.cuda, theirs));
  return report(pairs, pairs.ratio());
}

// Measures a whole call over the driver of tests/fakes/cuda, whose own part is a few nanoseconds.
double fake_call_ns() {
  FakeCuda::load().set_recording(false);
  const RawCuda cuda;  // an application's context is current, as in the other bars
  Subject ours(add_program(), "nvrtc", 3, {1024});
  ours();
  std::vector<double> times;
  for (int i = 0; i < 2 * kBursts; ++i) times.push_back(nanoseconds_of(2 * kCalls, ours));
  return median(std::move(times));
}

// Measures the part of a call's time that is due to cold caches: the fake driver evicts them as a real one does.
template <double (*kMeasure)()>
double over_evicting_driver() {
  FakeCuda fake = FakeCuda::load();
  fake.set_recording(false);
  fake.set_launch_work(evict);
  return kMeasure();
}

/// A checked call over the fake driver, three tensors and one symbol.
BAR("fake_call_ns", "ns", at_most(110), fake_call_ns, {.missing = missing_fake});

/// Calls over launches as below, over a fake driver that evicts caches and predictors.
BAR("nvrtc_call_over_evicting", "ns", no_limit(), over_evicting_driver<nvrtc_call_over_raw>, {.missing = missing_fake});

/// The same through the generated launcher.
BAR("cuda_call_over_evicting", "ns", no_limit(), over_evicting_driver<cuda_call_over_raw>, {.missing = missing_fake});

/// The same with three tensor maps that do not change.
BAR("tma3_over_evicting", "ns", no_limit(), over_evicting_driver<tma3_unchanged_over_raw>, {.missing = missing_fake});

/// A checked call, three tensors and one symbol, less cuLaunchKernelEx of the same kernel with everything ready.
BAR("nvrtc_call_over_raw", "ns", at_most(110), nvrtc_call_over_raw, {.missing = missing_device, .processes = 9});

/// The same through the generated launcher.
BAR("cuda_call_over_raw", "ns", at_most(110), cuda_call_over_raw, {.missing = missing_device, .processes = 9});

/// Three tensor maps that did not change, less a launch with maps made before.
BAR("tma3_unchanged_over_raw", "ns", at_most(150), tma3_unchanged_over_raw,
    {.missing = missing_device, .processes = 9});

/// A checked call / the raw launch.
BAR("nvrtc_call_ratio", "ratio", at_most(1.03), nvrtc_call_ratio, {.missing = missing_device, .processes = 9});

/// The same through the generated launcher.
BAR("cuda_call_ratio", "ratio", at_most(1.03), cuda_call_ratio, {.missing = missing_device, .processes = 9});

/// The same for three tensor maps.
BAR("tma3_unchanged_ratio", "ratio", at_most(1.04), tma3_unchanged_ratio, {.missing = missing_device, .processes = 9});

/// A call with an L2 window / one without.
BAR("l2_window_ratio", "ratio", at_most(1.1), l2_window_ratio, {.missing = missing_device});

/// Two kernels replayed as a graph / two raw launches, until the device is done.
BAR("graph2_end_to_end_ratio", "ratio", at_most(0.7), graph2_end_to_end_ratio, {.missing = missing_device});

/// Host time of that / two cuGraphExecKernelNodeSetParams and cuGraphLaunch.
BAR("graph2_host_ratio", "ratio", at_most(1.25), graph2_host_ratio, {.missing = missing_device});

}  // namespace
}  // namespace kmux::bench
