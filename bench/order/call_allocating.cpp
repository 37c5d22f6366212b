// What `Kernel::call` takes, in a process of its own and with nothing but the public interface, so that the same source is built
// against two commits: nanoseconds of the host for a call that allocates its output, on device 0, backend nvrtc.
//
// call_allocating default|stream [drop]: on the default stream or one of its own; outputs dropped within the time, or after
#include <array>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/tensor.h"

#include "timing.h"

namespace kmux::bench {
namespace {

constexpr int kBursts = 501;
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

double burst(const Kernel& kernel, StreamRef stream, const Tensor& x, bool drops) {
  const std::array<Arg, 2> inputs{Arg(x.dl()), Arg(x.dl())};
  std::vector<Outputs> kept;
  kept.reserve(kCalls);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCalls; ++i) {
    Outputs outputs = kernel.call(inputs, stream).value();
    if (!drops) kept.push_back(std::move(outputs));
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count() / kCalls;
}

int main(const std::vector<std::string_view>& words) {
  const Kernel kernel = compile(add_program(), {.execution_backend = "nvrtc"}).value();
  kernel.await_best().value();
  kernel.warm().value();
  const Stream own = Stream::create(kernel.device()).value();
  const Tensor x = Tensor::zeros({kLength}, dtype::kFloat32, kernel.device()).value();
  const StreamRef stream = words.at(0) == "stream" ? StreamRef(own) : StreamRef{};
  std::vector<double> bursts;
  for (int i = 0; i < kBursts; ++i) {
    own.synchronize().value();
    kernel.device().synchronize().value();
    bursts.push_back(burst(kernel, stream, x, words.size() > 1));
  }
  std::printf("%.1f\n", median(std::move(bursts)));
  return 0;
}

}  // namespace
}  // namespace kmux::bench

int main(int argc, char** argv) try {
  return kmux::bench::main({argv + 1, argv + argc});
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
