// Copies from and to pinned memory beside kernels, priorities of streams, and copies from device to device.
#include <algorithm>

#include "kmux/runtime.h"

#include "suite.h"
#include "tests/needs.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(Copies);

constexpr std::int64_t kElements = 1 << 20;

// Slow enough that a missing wait is visible.
ProgramBuilder slow_add() {
  ProgramBuilder builder("slow_add");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.variant("cuda").source("add.cu", R"(
extern "C" __global__ void add(float* x, int count) {
  for (int pause = 0; pause < 100; ++pause) __nanosleep(1000);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] += 1;
}
)");
  builder.launch("add").grid({ceildiv(n, 256)}).block({256}).args({"x"}).arg(n);
  return builder;
}

Tensor pinned(const Kernel& kernel, float value) {
  Tensor made = Tensor::pinned({kElements}, dtype::kFloat32, kernel.device()).value();
  std::fill_n(made.data_as<float>(), kElements, value);
  return made;
}

Numbers all(double value) { return Numbers(static_cast<std::size_t>(kElements), value); }

TEST_P(Copies, GoBesideTheHost) {
  const Kernel kernel = compiled(slow_add());
  kernel.warm().value();
  const Tensor result = pinned(kernel, 0);
  for (int round = 0; round < 10; ++round) {
    const Stream stream = Stream::create(kernel.device(), round % 2 == 0 ? -1 : 0).value();
    const Tensor x = Tensor::empty({kElements}, dtype::kFloat32, kernel.device(), stream).value();
    x.copy_from(pinned(kernel, static_cast<float>(round)), stream).value();  // its source is freed at once
    kernel.launch({x}, stream).value();
    result.copy_from(x, stream).value();
    const Event done = Event::create(kernel.device()).value();
    done.record(stream).value();
    done.synchronize().value();
    expect_numbers(result, all(round + 1));
  }
}

TEST_P(Copies, GoFromDeviceToDevice) {
  const Kernel kernel = compiled(slow_add());
  if (kernel.device().plugin()->backend().devices().count().value() < 2) {
    GTEST_SKIP() << needs("a second NVIDIA GPU", "copies go from one to the other");
  }
  kernel.warm().value();
  const Device second(kernel.device().plugin(), 1);
  Tensor x = Tensor::empty({kElements}, dtype::kFloat32, kernel.device()).value();
  x.copy_from(pinned(kernel, 4)).value();
  kernel.launch({x}).value();
  expect_numbers(x.to(second).value(), all(5));
  const Stream stream = Stream::create(second).value();
  const Tensor y = Tensor::empty({kElements}, dtype::kFloat32, second, stream).value();
  x.device().synchronize().value();
  y.copy_from(x, stream).value();
  x = Tensor();
  stream.synchronize().value();
  expect_numbers(y, all(5));
}

}  // namespace
}  // namespace kmux::suite
