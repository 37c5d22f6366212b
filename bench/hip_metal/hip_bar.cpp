#include <array>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"
#include "fake_hip.h"
#include "nvidia/call_programs.h"
#include "nvidia/raw_cuda.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 1001;
constexpr int kCalls = 100;
constexpr std::int64_t kLength = 1024;

// Returns the path of a library in the build of this program, wherever that is now.
std::string library(const char* name) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path().parent_path() / "tests/fakes/hip" / name).string();
}

// A kernel of backend hip over `library`, and its arguments.
class Subject {
 public:
  explicit Subject(const std::string& library) {
    RegistryOptions registry;
    registry.plugin_options = {{"hip.library", library}};
    runtime_ = Runtime::create(Environment{.disable_cache = true}, registry).value();
    kernel_ = compile(*runtime_, add_program(), {.execution_backend = "hip"}).value();
    for (int i = 0; i < 3; ++i) {
      tensors_.push_back(Tensor::zeros({kLength}, dtype::kFloat32, kernel_->device()).value());
      args_.emplace_back(tensors_.back());
    }
    (*this)();
    kernel_->device().synchronize().value();
  }
  void operator()() const {
    if (!kernel_->launch(args_).ok()) throw std::runtime_error("a launch failed");
  }
  const Kernel& kernel() const { return *kernel_; }
  void* data(std::size_t tensor) const { return tensors_[tensor].data(); }

 private:
  Shared<Runtime> runtime_;
  std::optional<Kernel> kernel_;
  std::vector<Tensor> tensors_;
  std::vector<Arg> args_;
};

double hip_fake_call_ns() {
  const FakeHip fake = FakeHip::load(library("libhip_on_cpu.so"));
  const Subject subject(library("libhip_on_cpu.so"));
  fake->set_recording(false);
  std::vector<double> times;
  for (int burst = 0; burst < kBursts; ++burst) times.push_back(nanoseconds_of(kCalls, subject));
  fake->set_recording(true);
  return median(std::move(times));
}

std::string missing_cuda_device() { return RawCuda::has_device() ? "" : "no NVIDIA GPU"; }

double hip_on_cuda_over_raw() {
  const RawCuda cuda;
  const Subject ours(library("libhip_on_cuda.so"));
  std::array<void*, 3> addresses{ours.data(0), ours.data(1), ours.data(2)};
  int n = static_cast<int>(kLength);
  RawLaunch theirs(cuda, cuda.load(ours.kernel(), "add"), 8, 128, {&addresses[0], &addresses[1], &addresses[2], &n});
  const auto burst_of = [&](auto& call) {
    return [&] {
      cuda.wait();
      return nanoseconds_of(kCalls, [&] { call(); });
    };
  };
  return in_turns(kBursts, burst_of(ours), burst_of(theirs)).median_difference();
}

/// A checked call over a HIP that does nothing, three tensors and one symbol.
BAR("hip_fake_call_ns", "ns", at_most(110), hip_fake_call_ns);

/// A call of backend hip over HIP's interface on CUDA, less cuLaunchKernel.
BAR("hip_on_cuda_over_raw", "ns", at_most(250), hip_on_cuda_over_raw, {.missing = missing_cuda_device});

}  // namespace
}  // namespace kmux::bench
