// HIP over the fake CUDA driver, whose streams work in an order by seed: the interface for tests.
#include "control.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <utility>

#include "cuda/driver.h"
#include "fakes/cuda/control.h"

namespace kmux::hip_on_cuda {
namespace {

using namespace nvidia;  // NOLINT(google-build-using-namespace): the names of the driver's interface
using fake_hip::CaptureMode;
using fake_hip::Device;
using fake_hip::Live;

template <class Function>
Function* of_driver(const char* symbol) {
  return reinterpret_cast<Function*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), symbol));
}

// Returns null over a driver that is not a fake.
fake_cuda::Control* fake_driver() {
  auto* const query = of_driver<fake_cuda::Control*()>("kmux_fake_cuda_control");
  return query == nullptr ? nullptr : query();
}

[[noreturn]] void refuse(const char* function) {
  throw std::logic_error(std::string(function) + " is of the HIP on the CPU. Leave the case out over CUDA.");
}

class TheControl final : public fake_hip::Control {
 public:
  explicit TheControl(fake_cuda::Control& cuda) : cuda_(cuda) {}

  // Contexts stay retained, so the driver below is not reset.
  void reset() override {
    const char* const seed = std::getenv("KMUX_FAKE_CUDA_SEED");
    if (seed == nullptr)
      cuda_.set_eager();
    else
      cuda_.set_deferred(std::strtoull(seed, nullptr, 10));
    cuda_.clear_calls();
    cuda_.on_launch({});
    misuse_before_ = cuda_.misuse();
  }
  void set_devices(std::vector<Device>) override { refuse("set_devices"); }
  void set_recording(bool on) override { cuda_.set_recording(on); }
  std::vector<std::string> calls() override { refuse("calls"); }
  void clear_calls() override { cuda_.clear_calls(); }
  void fail(std::string, int, unsigned) override { refuse("fail"); }
  std::string failed() override { refuse("failed"); }
  void on_launch(std::function<void(void* const*)> run) override {
    cuda_.on_launch([run = std::move(run)](const fake_cuda::KernelRun& launch) { run(launch.args); });
  }
  Live live() override {
    const fake_cuda::Live live = cuda_.live();
    return {live.libraries, live.streams, live.events, live.allocations, live.graphs + live.executables};
  }
  int begin_capture(void* stream, CaptureMode mode) override {
    KMUX_CHECK(enter());
    static auto* const begin = of_driver<int(void*, int)>("cuStreamBeginCapture_v2");
    return begin(stream, static_cast<int>(mode));
  }
  int end_capture(void* stream, void** graph) override {
    *graph = nullptr;
    static auto* const end = of_driver<int(void*, void**)>("cuStreamEndCapture");
    return end(stream, graph);
  }
  // On the null stream, which executes it later.
  int launch_graph(void* graph) override {
    CUgraphExec executable = nullptr;
    KMUX_CHECK(driver()->graph_instantiate(&executable, static_cast<CUgraph>(graph), 0));
    const int launched = driver()->graph_launch(executable, nullptr);
    const int destroyed = driver()->executable_destroy(executable);
    return launched != hip::kHipSuccess ? launched : destroyed;
  }
  void destroy_graph(void* graph) override { driver()->graph_destroy(static_cast<CUgraph>(graph)); }
  int last_error() override { return hip::kHipSuccess; }
  // The driver keeps the first misuse, and writes all to stderr.
  std::vector<std::string> misuses() override {
    const std::string misuse = cuda_.misuse();
    return misuse == misuse_before_ ? std::vector<std::string>{} : std::vector{misuse};
  }

 private:
  fake_cuda::Control& cuda_;
  std::string misuse_before_;
};

extern "C" __attribute__((visibility("default"))) fake_hip::Control* kmux_fake_hip_control() {
  static fake_hip::Control* const control = [] {
    fake_cuda::Control* const cuda = fake_driver();
    return cuda == nullptr ? nullptr : new TheControl(*cuda);
  }();
  return control;
}

}  // namespace
}  // namespace kmux::hip_on_cuda
