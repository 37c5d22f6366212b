#include <cstdio>
#include <stdexcept>
#include <thread>

#include "kmux/builder.h"
#include "kmux/compile.h"
#include "kmux/plugin/sink.h"
#include "kmux/tensor.h"

#include "bars/bar.h"
#include "fakes/cuda/fake_cuda.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::bench {
namespace {

constexpr int kLaunches = 100;

// Compiled code, so that no compiler is needed.
Program ready_program() {
  ProgramBuilder builder("ready");
  builder.buffer("x", BufferParam{dtype::kFloat32, {32}});
  builder.variant("ptx").source(
      "k.ptx", ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 x) { ret; }\n");
  builder.launch("k").grid({1}).block({32}).args({"x"});
  return builder.build().value();
}

void make_device_current() {
  const nvidia::DriverTable* const driver = nvidia::open_driver(discard());
  nvidia::CUcontext context = nullptr;
  if (driver == nullptr || driver->primary_retain(&context, 0) != nvidia::CUDA_SUCCESS ||
      driver->current_set(context) != nvidia::CUDA_SUCCESS) {
    throw std::runtime_error("no context could be made current");
  }
}

// Runs `body` on a separate thread, which begins without a current context.
template <class Body>
double on_a_thread(const Body& body) {
  double result = 0;
  std::thread([&] { result = body(); }).join();
  return result;
}

double calls_per_launch(FakeCuda& fake, const Kernel& kernel) {
  const Tensor x = Tensor::zeros({32}, dtype::kFloat32, kernel.device()).value();
  kernel.warm().value();
  fake.clear_calls();
  for (int i = 0; i < kLaunches; ++i) kernel.launch({x}).value();
  return static_cast<double>(fake.calls().size()) / kLaunches;
}

double first_launch_default_stream_ratio() {
  FakeCuda fake = FakeCuda::load();
  const auto compiled = [] {
    return compile(ready_program(), {.target = "cuda:sm_90a", .execution_backend = "nvrtc"}).value();
  };
  const double without = on_a_thread([&] { return calls_per_launch(fake, compiled()); });
  const double with = on_a_thread([&] {
    make_device_current();
    return calls_per_launch(fake, compiled());
  });
  std::fprintf(stderr, "  %.2f calls a launch without a current context, %.2f with one\n", without, with);
  return without / with;
}

/// Driver calls of 100 launches on the default stream of a thread without a current context / with one, over the fake driver.
BAR("first_launch_default_stream_ratio", "of 1", at_most(1), first_launch_default_stream_ratio);

}  // namespace
}  // namespace kmux::bench
