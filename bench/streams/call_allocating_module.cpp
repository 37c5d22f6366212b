// Measures `Kernel::call` through only the public interface, so that the same source is built against two commits and
// both are loaded into one process. The host's nanoseconds for a call that allocates its output, on device 0, backend
// nvrtc.
#include "streams/call_allocating_module.h"

#include <array>
#include <cstdio>
#include <exception>
#include <vector>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "bursts.h"

namespace kmux::bench {
namespace {

constexpr int kCalls = 100;  // fewer than the driver's queue holds
constexpr std::int64_t kLength = 4096;

Program add_program() {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n", dtype::kInt32);
  builder.buffer("a", BufferParam{dtype::kFloat32, {n}});
  builder.buffer("b", BufferParam{dtype::kFloat32, {n}});
  builder.output("c", dtype::kFloat32, {n});
  builder.variant("cuda").source("add.cu", R"(
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
})");
  builder.launch("add").grid({ceildiv(n, 128)}).block({128}).args({"a", "b", "c", "n"});
  return builder.build().value();
}

Kernel compiled() {
  Kernel kernel = compile(add_program(), {.execution_backend = "nvrtc"}).value();
  kernel.await_best().value();
  kernel.warm().value();
  return kernel;
}

class Subject {
 public:
  Subject()
      : kernel_(compiled()),
        own_(Stream::create(kernel_.device()).value()),
        x_(Tensor::zeros({kLength}, dtype::kFloat32, kernel_.device()).value()) {
    kept_.reserve(kCalls);
  }

  double burst(bool on_own_stream, bool drops) {
    const std::array<Arg, 2> inputs{Arg(x_.dl()), Arg(x_.dl())};
    const StreamRef stream = on_own_stream ? StreamRef(own_) : StreamRef{};
    own_.synchronize().value();
    kernel_.device().synchronize().value();
    const double nanoseconds = nanoseconds_of(kCalls, [&] {
      Outputs outputs = kernel_.call(inputs, stream).value();
      if (!drops) kept_.push_back(std::move(outputs));
    });
    kept_.clear();
    return nanoseconds;
  }

 private:
  Kernel kernel_;
  Stream own_;
  Tensor x_;
  std::vector<Outputs> kept_;
};

template <class Action>
auto told(Action action) -> decltype(action()) {
  try {
    return action();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return {};
  }
}

}  // namespace
}  // namespace kmux::bench

extern "C" {

void* kmux_call_allocating_open() {
  return kmux::bench::told([]() -> void* { return new kmux::bench::Subject; });
}
double kmux_call_allocating_burst(void* subject, int on_own_stream, int drops) {
  return kmux::bench::told(
      [&] { return static_cast<kmux::bench::Subject*>(subject)->burst(on_own_stream != 0, drops != 0); });
}
}
