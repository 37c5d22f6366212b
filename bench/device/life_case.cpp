// Streams, capture, graphs, contexts, devices, several programs, unloading.
#include <optional>
#include <thread>

#include <gmock/gmock.h>

#include "kmux/runtime.h"

#include "raw_driver.h"
#include "suite.h"
#include "tests/needs.h"

namespace kmux::suite {
namespace {

KMUX_DEVICE_SUITE(Life);

// Adds `by` to `count` elements, slowly enough that a missing wait is visible.
constexpr const char* kAdd = R"(
extern "C" __global__ void add(int* x, int by, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int pause = 0; pause < 100; ++pause) __nanosleep(1000);
  if (i < count) x[i] += by;
}
)";

// Returns a program with `launches` launches, each of which adds `by`.
ProgramBuilder add_program(int launches, const std::string& text = kAdd) {
  ProgramBuilder builder("add");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kInt32, {n}});
  builder.scalar("by", dtype::kInt32);
  builder.variant("cuda").source("add.cu", text);
  for (int i = 0; i < launches; ++i) {
    builder.launch("add").grid({ceildiv(n, 64)}).block({64}).args({"x", "by"}).arg(n);
  }
  return builder;
}

Tensor zeros(const Kernel& kernel, std::int64_t count) {
  return Tensor::zeros({count}, dtype::kInt32, kernel.device()).value();
}

Numbers all(std::int64_t count, double value) { return Numbers(static_cast<std::size_t>(count), value); }

TEST_P(Life, EveryKindOfStream) {
  const Kernel kernel = compiled(add_program(2));
  const Stream own = Stream::create(kernel.device()).value();
  // Source: CUDA Driver API, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD.
  void* const legacy = reinterpret_cast<void*>(1);
  void* const per_thread = reinterpret_cast<void*>(2);
  for (void* const handle : {static_cast<void*>(nullptr), legacy, per_thread, own.handle()}) {
    SCOPED_TRACE(handle);
    const Tensor x = zeros(kernel, 1000);
    kernel.device().synchronize().value();
    for (int round = 0; round < 3; ++round) kernel.launch({x, 5}, StreamRef{handle}).value();
    Stream::borrow(kernel.device(), handle).synchronize().value();
    expect_numbers(x, all(1000, 30));
  }
}

TEST_P(Life, StreamsRunByThemselves) {
  const Kernel kernel = compiled(add_program(1));
  std::vector<Stream> streams;
  std::vector<Tensor> tensors;
  for (int i = 0; i < 8; ++i) {
    streams.push_back(Stream::create(kernel.device()).value());
    tensors.push_back(zeros(kernel, 100));
  }
  kernel.device().synchronize().value();
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < 8; ++i) kernel.launch({tensors[i], i}, streams[i]).value();
  for (int i = 0; i < 8; ++i) {
    streams[i].synchronize().value();
    expect_numbers(tensors[i], all(100, 10 * i));
  }
}

TEST_P(Life, ThreadsLaunchTogether) {
  const Kernel kernel = compiled(add_program(2));
  std::vector<Tensor> tensors(16);
  for (Tensor& tensor : tensors) tensor = zeros(kernel, 100);
  kernel.device().synchronize().value();
  std::vector<std::thread> threads;
  for (Tensor& tensor : tensors) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) kernel.launch({tensor, 1}).value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  kernel.device().synchronize().value();
  for (const Tensor& tensor : tensors) expect_numbers(tensor, all(100, 40));
}

// C2.19: a context that was current is restored; if none was, the primary context (that of CUDA's runtime) stays
// current.
TEST_P(Life, TheFirstDevicesContextStaysWhereNoneWas) {
  const Kernel kernel = compiled(add_program(1));
  const Tensor x = zeros(kernel, 100);
  const RawDriver driver;
  std::thread([&] {
    EXPECT_EQ(driver.current(), nullptr);
    kernel.launch({x, 1}).value();
    EXPECT_NE(driver.current(), nullptr);
  }).join();
  kernel.device().synchronize().value();
  expect_numbers(x, all(100, 1));
}

TEST_P(Life, ACaptureWorksAfterWarm) {
  if (settings().rehearsal) GTEST_SKIP() << needs("an NVIDIA GPU", "the rehearsal's driver captures nothing");
  const Kernel kernel = compiled(add_program(2));
  kernel.warm().value();
  const RawDriver driver;
  const Stream stream = Stream::create(kernel.device()).value();
  const Tensor x = zeros(kernel, 100);
  kernel.device().synchronize().value();
  driver.begin_capture(stream.handle());
  const Status captured = kernel.launch({x, 3}, stream);
  const nvidia::CUgraph graph = driver.end_capture(stream.handle());
  captured.value();
  driver.launch(graph, stream.handle(), 4);
  expect_numbers(x, all(100, 24));
}

TEST_P(Life, AFirstUseInsideACaptureIsAnErrorWithAdvice) {
  if (settings().rehearsal) GTEST_SKIP() << needs("an NVIDIA GPU", "the rehearsal's driver captures nothing");
  const Kernel kernel = compiled(add_program(1), {.use_cache = false});
  const RawDriver driver;
  const Stream stream = Stream::create(kernel.device()).value();
  const Tensor x = zeros(kernel, 100);
  kernel.device().synchronize().value();
  driver.begin_capture(stream.handle());
  const Status refused = kernel.launch({x, 3}, stream);
  driver.end_capture(stream.handle());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("warm"));
  run(kernel, {x, 3}, stream);
  expect_numbers(x, all(100, 3));
}

TEST_P(Life, GraphsHaveTheArgumentsOfEachCall) {
  const Kernel kernel = compiled(add_program(3), {.options = {{"graph", "on"}}});
  const Stream other = Stream::create(kernel.device()).value();
  for (const std::int64_t n : {100, 1000, 64}) {
    const Tensor x = zeros(kernel, n);
    const Tensor y = zeros(kernel, n);
    kernel.device().synchronize().value();
    for (int by = 1; by <= 5; ++by) kernel.launch({x, by}).value();
    for (int by = 1; by <= 5; ++by) kernel.launch({y, by}, other).value();
    kernel.device().synchronize().value();
    other.synchronize().value();
    expect_numbers(x, all(n, 45));
    expect_numbers(y, all(n, 45));
  }
}

TEST_P(Life, GraphsOfManyThreads) {
  const Kernel kernel = compiled(add_program(2), {.options = {{"graph", "on"}}});
  std::vector<Tensor> tensors(8);
  for (Tensor& tensor : tensors) tensor = zeros(kernel, 200);
  kernel.device().synchronize().value();
  std::vector<std::thread> threads;
  for (Tensor& tensor : tensors) {
    threads.emplace_back([&] {
      const Stream stream = Stream::create(kernel.device()).value();
      for (int round = 1; round <= 20; ++round) kernel.launch({tensor, round}, stream).value();
      stream.synchronize().value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& tensor : tensors) expect_numbers(tensor, all(200, 420));
}

TEST_P(Life, KernelsOfOneNameStayApart) {
  std::string twice = kAdd;
  twice.replace(twice.find("+= by"), 5, "-= by");
  const Kernel plus = compiled(add_program(1));
  const Kernel minus = compiled(add_program(1, twice));
  const Tensor x = zeros(plus, 50);
  plus.device().synchronize().value();
  for (int round = 0; round < 3; ++round) {
    run(plus, {x, 10});
    run(minus, {x, 4});
  }
  expect_numbers(x, all(50, 18));
}

TEST_P(Life, UnloadingWaitsForTheDevice) {
  std::optional<Tensor> x;
  for (int round = 0; round < 5; ++round) {
    const Kernel kernel = compiled(add_program(4), {.use_cache = false});
    if (!x) {
      x = zeros(kernel, 100);
      kernel.device().synchronize().value();
    }
    kernel.launch({*x, 1}).value();
  }
  expect_numbers(*x, all(100, 20));
}

TEST_P(Life, EveryDevice) {
  const Kernel first = compiled(add_program(2));
  for (const Device& device : devices(*Runtime::default_runtime().value()).value()) {
    if (device.backend() != GetParam()) continue;
    SCOPED_TRACE(device.to_string());
    const Tensor x = Tensor::zeros({100}, dtype::kInt32, device).value();
    device.synchronize().value();
    first.launch({x, 2}).value();  // runs on the device of its tensors
    device.synchronize().value();
    const Kernel own = compiled(add_program(1), {.device = device.ordinal()});
    own.launch({x, 3}).value();
    device.synchronize().value();
    expect_numbers(x, all(100, 7));
  }
}

TEST_P(Life, OptionsReachTheCompiler) {
  const auto result_of = [&](Options options) {
    ProgramBuilder builder("options");
    builder.scalar("small", dtype::kFloat32);
    builder.output("y", dtype::kFloat32, {2});
    builder.variant("cuda").settings({.defines = {"VALUE=7"}}).source("options.cu", R"(
extern "C" __global__ void options(float small, float* y) {
  y[0] = small * 0.5f == 0.0f;  // so it is where small numbers are flushed to zero
  y[1] = VALUE;
})");
    builder.launch("options").grid({1}).block({1}).args({"small", "y"});
    const Kernel kernel = compiled(builder, {.options = std::move(options)});
    const Tensor y = poisoned(kernel, {2}, dtype::kFloat32);
    run(kernel, {1e-38F, y});
    return y;
  };
  expect_numbers(result_of({}), {0, 7});
  expect_numbers(result_of({{"fast_math", "on"}}), {1, 7});
  expect_numbers(result_of({{"max_registers", "32"}}), {0, 7});
  expect_numbers(result_of({{"line_info", "off"}}), {0, 7});
}

}  // namespace
}  // namespace kmux::suite
