// Kernels, outputs and captures on several GPUs of one machine at the same time.
#include <functional>
#include <thread>

#include "raw_driver.h"
#include "suite.h"
#include "tests/needs.h"

namespace kmux::suite {
namespace {

constexpr std::int64_t kOnEach = 1 << 16;
constexpr int kRounds = 200;

ProgramBuilder sum_program() {
  ProgramBuilder builder("sum");
  const Expr n = builder.symbol("n");
  builder.buffer("x", BufferParam{dtype::kFloat32, {n}});
  builder.scalar("by", dtype::kFloat32);
  builder.output("y", dtype::kFloat32, {n});
  builder.variant("cuda").source("sum.cu", R"(
__global__ void sum(const float* x, float by, float* y, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = x[i] + by;
}
)");
  builder.launch("sum").grid({ceildiv(n, 256)}).block({256}).args({"x", "by", "y"}).arg(n, dtype::kInt32);
  return builder;
}

class SeveralGpus : public DeviceSuite {
 protected:
  void SetUp() override {
    DeviceSuite::SetUp();
    if (IsSkipped()) return;
    kernel_ = compiled(sum_program());
    count_ = kernel_->device().plugin()->backend().devices().count().value();
    if (count_ < 2) GTEST_SKIP() << needs("a second NVIDIA GPU", "each has a thread of its own here");
  }

  Device device(int ordinal) const { return Device(kernel_->device().plugin(), ordinal); }
  Tensor filled(int ordinal, float value) const {
    return Tensor::from<float>({kOnEach}, dtype::kFloat32, std::vector<float>(kOnEach, value))
        .value()
        .to(device(ordinal))
        .value();
  }
  /// Runs `work(ordinal)` in a thread for each device at the same time.
  void on_each(const std::function<void(int)>& work) const {
    std::vector<std::thread> threads;
    for (int ordinal = 0; ordinal < count_; ++ordinal) threads.emplace_back(work, ordinal);
    for (std::thread& thread : threads) thread.join();
  }
  static Numbers all(double value) { return Numbers(kOnEach, value); }

  std::optional<Kernel> kernel_;
  int count_ = 0;
};
INSTANTIATE_TEST_SUITE_P(On, SeveralGpus, kBackends, [](const auto& backend) { return std::string(backend.param); });

TEST_P(SeveralGpus, OneKernelRunsForAThreadOfEach) {
  std::vector<Tensor> results(static_cast<std::size_t>(count_));
  on_each([&](int ordinal) {
    const Stream stream = Stream::create(device(ordinal)).value();
    const Tensor x = filled(ordinal, static_cast<float>(ordinal));
    Tensor y = Tensor::zeros({kOnEach}, dtype::kFloat32, device(ordinal), stream).value();
    for (int round = 0; round < kRounds; ++round) kernel_->launch({x, static_cast<float>(round), y}, stream).value();
    stream.synchronize().value();
    results[static_cast<std::size_t>(ordinal)] = std::move(y);
  });
  for (int ordinal = 0; ordinal < count_; ++ordinal) {
    expect_numbers(results[static_cast<std::size_t>(ordinal)], all(ordinal + kRounds - 1));
  }
}

TEST_P(SeveralGpus, OutputsAreWhereTheInputsAre) {
  std::vector<Tensor> results(static_cast<std::size_t>(count_));
  on_each([&](int ordinal) {
    Tensor x = filled(ordinal, 0);
    for (int round = 0; round < kRounds; ++round) x = (*kernel_)(x, 1.0F).and_then(single).value();
    x.device().synchronize().value();
    results[static_cast<std::size_t>(ordinal)] = std::move(x);
  });
  for (int ordinal = 0; ordinal < count_; ++ordinal) {
    EXPECT_EQ(results[static_cast<std::size_t>(ordinal)].device().ordinal(), ordinal);
    expect_numbers(results[static_cast<std::size_t>(ordinal)], all(kRounds));
  }
}

TEST_P(SeveralGpus, ACaptureOnOneIsLeftAloneByLaunchesOnAnother) {
  const RawDriver driver;
  const Stream stream = Stream::create(device(0)).value();
  const Tensor x = filled(0, 3);
  const Tensor y = Tensor::zeros({kOnEach}, dtype::kFloat32, device(0)).value();
  kernel_->launch({x, 1.0F, y}, stream).value();  // which loads the kernel
  stream.synchronize().value();
  driver.begin_capture(stream.handle());
  std::thread other([&] {
    const Tensor far = filled(1, 5);
    const Tensor result = (*kernel_)(far, 2.0F).and_then(single).value();
    result.device().synchronize().value();
    expect_numbers(result, all(7));
  });
  kernel_->launch({x, 4.0F, y}, stream).value();
  other.join();
  driver.launch(driver.end_capture(stream.handle()), stream.handle(), 2);
  expect_numbers(y, all(7));
}

}  // namespace
}  // namespace kmux::suite
