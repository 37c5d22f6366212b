#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/registry.h"
#include "kmux/runtime.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "bursts.h"

namespace kmux::bench {
namespace {

constexpr int kFakeRounds = 41;
constexpr int kFakeCalls = 10;
constexpr std::int64_t kFakeLength = 1 << 20;

// Returns a program of x and y of n floats, blocks of 256; `cuda` is for cpu and hip.
Program program_of(const std::string& kernel, const std::string& cuda, const std::string& msl) {
  ProgramBuilder builder(kernel);
  const Expr n = builder.symbol("n", dtype::kInt32);
  for (const char* name : {"x", "y"}) builder.buffer(name, BufferParam{dtype::kFloat32, {n}});
  const auto launch = [&] { builder.launch(kernel).grid({ceildiv(n, 256)}).block({256}).args({"x", "y", "n"}); };
  builder.variant("cuda").source("k.cu", cuda);
  launch();
  builder.variant("msl").source("k.metal", "#include <metal_stdlib>\nusing namespace metal;\n" + msl);
  launch();
  return builder.build().value();
}

Program elementwise() {
  return program_of("halve", R"(
extern "C" __global__ void halve(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = sqrtf(x[i]) * 0.5f + 1.0f;
})",
                    R"(
kernel void halve(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant int& n [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
  if (int(i) < n) y[i] = sqrt(x[i]) * 0.5f + 1.0f;
})");
}

Program tree_sums() {
  return program_of("sums", R"(
extern "C" __global__ void sums(const float* x, float* y, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) s[t] += s[t + half];
  }
  if (t == 0) y[blockIdx.x] = s[0];
})",
                    R"(
kernel void sums(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant int& n [[buffer(2)]],
                 uint group [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]]) {
  threadgroup float s[256];
  const int i = int(group * 256 + t);
  s[t] = i < n ? x[i] : 0;
  for (uint half_count = 128; half_count > 0; half_count /= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < half_count) s[t] += s[t + half_count];
  }
  if (t == 0) y[group] = s[0];
})");
}

// A kernel of a backend, and its arguments.
class FakeSubject {
 public:
  FakeSubject(Runtime& runtime, const Program& program, const std::string& backend)
      : kernel_(compile(runtime, program, {.execution_backend = backend}).value()) {
    for (int i = 0; i < 2; ++i) {
      tensors_.push_back(Tensor::zeros({kFakeLength}, dtype::kFloat32, kernel_.device()).value());
      args_.emplace_back(tensors_.back());
    }
    (*this)();
  }
  // Launches and waits for the device.
  void operator()() const {
    if (!kernel_.launch(args_).ok()) throw std::runtime_error("a launch failed");
    if (!kernel_.device().synchronize().ok()) throw std::runtime_error("a device failed");
  }

 private:
  Kernel kernel_;
  std::vector<Tensor> tensors_;
  std::vector<Arg> args_;
};

// Returns the path of a library in the build of this program, wherever that is now.
std::string fake(const std::string& library) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return (program.parent_path().parent_path() / "tests/fakes" / library).string();
}

double over_cpu(const std::string& backend, const std::string& library) {
  RegistryOptions registry;
  registry.plugin_options = {{backend + ".library", fake(library)}};
  const auto runtime = Runtime::create(Environment{.disable_cache = true}, registry).value();
  double worst = 0;
  for (const Program& subject : {elementwise(), tree_sums()}) {
    const FakeSubject fake(*runtime, subject, backend), cpu(*runtime, subject, "cpu");
    const Pairs pairs = in_turns(
        kFakeRounds, [&] { return nanoseconds_of(kFakeCalls, fake); }, [&] { return nanoseconds_of(kFakeCalls, cpu); });
    worst = std::max(worst, pairs.ratio());
  }
  return worst;
}

constexpr int kMetalBursts = 1001;
constexpr int kMetalCalls = 100;
constexpr std::int64_t kMetalLength = 1024;

using MessageCount = unsigned long (*)();

MessageCount message_count(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<MessageCount>(dlsym(handle, "kmux_silent_metal_messages"));
}

// Returns a program whose source is never compiled.
Program add_in_msl() {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n", dtype::kInt32);
  for (const char* name : {"a", "b", "c"}) builder.buffer(name, BufferParam{dtype::kFloat32, {n}});
  builder.variant("msl").source("add.metal", "kernel void add();");
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"a", "b", "c", "n"});
  return builder.build().value();
}

double fake_hip_over_cpu() { return over_cpu("hip", "hip/libhip_on_cpu.so"); }
double fake_metal_over_cpu() { return over_cpu("metal", "metal/libmetal_on_cpu.so"); }

double metal_mock_call_ns() {
  const std::string library = fake("metal/libsilent_metal.so");
  const MessageCount count = message_count(library);
  RegistryOptions registry;
  registry.plugin_options = {{"metal.library", library}};
  const auto runtime = Runtime::create(Environment{.disable_cache = true}, registry).value();
  const Kernel kernel = compile(*runtime, add_in_msl(), {.execution_backend = "metal"}).value();
  std::vector<Tensor> tensors;
  std::vector<Arg> args;
  tensors.reserve(3);
  for (int i = 0; i < 3; ++i) {
    tensors.push_back(Tensor::empty({kMetalLength}, dtype::kFloat32, kernel.device()).value());
    args.emplace_back(tensors.back());
  }
  bool all_ok = true;
  const auto call = [&] { all_ok = kernel.launch(args).ok() && all_ok; };
  call();
  const unsigned long before = count();
  call();
  const auto messages = static_cast<double>(count() - before);
  std::vector<double> times;
  for (int burst = 0; burst < kMetalBursts; ++burst) times.push_back(nanoseconds_of(kMetalCalls, call));
  if (!all_ok) throw std::runtime_error("a launch failed");
  return median(std::move(times)) / messages;
}

/// A million floats over the HIP of the tests / the same call of backend cpu: the larger of a pass and of sums through shared memory.
BAR("fake_hip_over_cpu", "ratio", at_most(1.5), fake_hip_over_cpu);

/// The same over the Metal of the tests, whose device is another thread that pauses now and then.
BAR("fake_metal_over_cpu", "ratio", at_most(3), fake_metal_over_cpu);

/// A call over a Metal whose messages do nothing, by the messages that it sends.
BAR("metal_mock_call_ns", "ns", at_most(30), metal_mock_call_ns);

}  // namespace
}  // namespace kmux::bench
