// Life: ownership of objects, their lifetimes, and use from several threads.

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/registry.h"

#include "programs.h"
#include "subject.h"
#include "threads.h"

namespace kmux::conformance {
namespace {

std::vector<float> iota(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i);
  return values;
}

void expect_adds(const Kernel& kernel, int count) {
  auto& subject = Subject::current();
  const Tensor a = subject.upload({count}, dtype::kFloat32, iota(count));
  const auto sum = kernel(a, a);
  ASSERT_TRUE(sum.ok()) << sum.error().explain();
  const auto values = subject.download<float>(single(*sum).value());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], 2.0f * static_cast<float>(i));
}

TEST(Life, KernelOutlivesItsProgram) {
  std::optional<Kernel> kernel;
  {
    const Program program = add_program();
    kernel = Subject::current().compile(program).value();
  }
  EXPECT_EQ(kernel->name(), "add");
  expect_adds(*kernel, 100);
}

TEST(Life, CopiesShareOneKernel) {
  std::optional<Kernel> first = Subject::current().compile(add_program()).value();
  const Kernel second = *first;
  first.reset();
  expect_adds(second, 10);
}

TEST(Life, ResultOutlivesItsKernel) {
  auto& subject = Subject::current();
  Tensor sum;
  {
    const Kernel kernel = subject.compile(add_program()).value();
    const Tensor a = subject.upload({8}, dtype::kFloat32, iota(8));
    sum = kernel(a, a).and_then(single).value();
  }
  EXPECT_EQ(subject.download<float>(sum).back(), 14.0f);
}

TEST(Life, CompilingAgainAndAgainWorks) {
  for (int i = 0; i < 10; ++i) expect_adds(Subject::current().compile(add_program()).value(), i);
}

TEST(Life, WarmBeforeTheFirstCall) {
  const Kernel kernel = Subject::current().compile(add_program()).value();
  const auto status = kernel.warm();
  ASSERT_TRUE(status.ok()) << status.error().explain();
  expect_adds(kernel, 33);
}

Program constant_program(int value) {
  ProgramBuilder builder("constant");
  builder.output("out", dtype::kInt32, {1});
  add_variants(builder, "KERNEL void give(int* out) { *out = " + std::to_string(value) + "; }\n",
               [](const OneThread& host) { host.launch("give").args({"out"}); });
  return builder.build().value();
}

TEST(Life, KernelsOfOneNameAreApart) {
  auto& subject = Subject::current();
  const Kernel one = subject.compile(constant_program(1)).value();
  const Kernel two = subject.compile(constant_program(2)).value();
  EXPECT_EQ(subject.download<int>(one().and_then(single).value()), std::vector<int>{1});
  EXPECT_EQ(subject.download<int>(two().and_then(single).value()), std::vector<int>{2});
}

TEST(Life, ThreadsShareAKernel) {
  const Kernel kernel = Subject::current().compile(add_program()).value();
  on_threads(4, [&kernel](int t) {
    for (int i = 0; i < 25; ++i) expect_adds(kernel, 10 * t + i);
  });
}

TEST(Life, PluginIsHeldByItsKernel) {
  auto& subject = Subject::current();
  const Kernel kernel = subject.compile(add_program()).value();
  const auto status = subject.runtime().registry().unload(subject.name());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  expect_adds(kernel, 5);
}

TEST(Life, CopiesRoundTrip) {
  auto& subject = Subject::current();
  const auto values = iota(1000);
  EXPECT_EQ(subject.download<float>(subject.upload({10, 100}, dtype::kFloat32, values)), values);
}

TEST(Life, ZerosAreZero) {
  auto& subject = Subject::current();
  EXPECT_EQ(subject.download<float>(subject.zeros({7}, dtype::kFloat32)), std::vector<float>(7, 0.0f));
}

TEST(Life, MemoryIsReported) {
  const auto info = Subject::current().backend().devices().memory_info(0).value();
  EXPECT_GT(info.total_bytes, 0u);
  EXPECT_LE(info.free_bytes, info.total_bytes);
}

TEST(Life, StreamsAndEventsMeasureTime) {
  auto& subject = Subject::current();
  const Stream stream = Stream::create(subject.device()).value();
  const Event begin = Event::create(subject.device()).value();
  const Event end = Event::create(subject.device()).value();
  const Kernel kernel = subject.compile(add_program()).value();
  const Tensor a = subject.upload({64}, dtype::kFloat32, iota(64));
  const Tensor c = subject.zeros({64}, dtype::kFloat32);
  ASSERT_TRUE(begin.record(stream).ok());
  ASSERT_TRUE(kernel.launch({a, a, c}, stream).ok());
  ASSERT_TRUE(end.record(stream).ok());
  ASSERT_TRUE(stream.synchronize().ok());
  const double milliseconds = end.elapsed_since(begin).value();
  EXPECT_GE(milliseconds, 0.0);
  EXPECT_LT(milliseconds, 60000.0);
  EXPECT_EQ(subject.download<float>(c).back(), 126.0f);
}

} // namespace
} // namespace kmux::conformance
