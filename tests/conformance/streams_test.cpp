// Streams: which operations are ordered and which are not, with kernels and copies that read and write each other's
// memory.

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "programs.h"
#include "subject.h"
#include "threads.h"

namespace kmux::conformance {
namespace {

constexpr int kElements = 4096;

std::vector<float> ones() { return std::vector<float>(kElements, 1); }

Kernel adding() { return Subject::current().compile(add_program()).value(); }
Stream new_stream() { return Stream::create(Subject::current().device()).value(); }

TEST(Streams, AStreamKeepsItsOrder) {
  auto& subject = Subject::current();
  const Kernel add = adding();
  const Stream stream = new_stream();
  const Tensor one = subject.upload({kElements}, dtype::kFloat32, ones());
  const Tensor a = subject.zeros({kElements}, dtype::kFloat32), b = subject.zeros({kElements}, dtype::kFloat32);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(add.launch({a, one, b}, stream).ok());
    ASSERT_TRUE(add.launch({b, one, a}, stream).ok());
  }
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(subject.download<float>(a), std::vector<float>(kElements, 20));
}

TEST(Streams, AnEventOrdersTwoStreams) {
  auto& subject = Subject::current();
  const Kernel add = adding();
  const Stream first = new_stream(), second = new_stream();
  const Tensor one = subject.upload({kElements}, dtype::kFloat32, ones());
  const Tensor a = subject.zeros({kElements}, dtype::kFloat32), b = subject.zeros({kElements}, dtype::kFloat32);
  for (int i = 0; i < 10; ++i) {
    const Event written = Event::create(subject.device()).value(), read = Event::create(subject.device()).value();
    ASSERT_TRUE(add.launch({a, one, b}, first).ok());
    ASSERT_TRUE(written.record(first).ok());
    ASSERT_TRUE(second.wait(written).ok());
    ASSERT_TRUE(add.launch({b, one, a}, second).ok());
    ASSERT_TRUE(read.record(second).ok());
    ASSERT_TRUE(first.wait(read).ok());
  }
  ASSERT_TRUE(first.synchronize().ok());
  EXPECT_EQ(subject.download<float>(a), std::vector<float>(kElements, 20));
}

TEST(Streams, AnEventThatWasNeverRecordedHoldsNothingUp) {
  auto& subject = Subject::current();
  const Stream stream = new_stream();
  const Event event = Event::create(subject.device()).value();
  ASSERT_TRUE(stream.wait(event).ok());
  EXPECT_TRUE(stream.synchronize().ok());
}

TEST(Streams, OutputsOfACallBelongToItsStream) {
  auto& subject = Subject::current();
  const Kernel add = adding();
  const Stream stream = new_stream();
  Tensor sum = subject.upload({kElements}, dtype::kFloat32, ones());
  ASSERT_TRUE(subject.device().synchronize().ok());
  for (int i = 0; i < 8; ++i) {  // each input is released while its kernel may still run
    const std::array<Arg, 2> both = {sum, sum};
    sum = add.call(both, stream).and_then(single).value();
  }
  ASSERT_TRUE(stream.synchronize().ok());
  EXPECT_EQ(subject.download<float>(sum), std::vector<float>(kElements, 256));
}

TEST(Streams, OutsideACaptureNoneIsReported) {
  auto& subject = Subject::current();
  const Stream stream = new_stream();
  EXPECT_EQ(subject.backend().devices().stream_capture(subject.device().ordinal(), stream.handle()).value(), 0U);
}

TEST(Threads, EachWithItsOwnStreamGetsItsOwnResult) {
  auto& subject = Subject::current();
  const Kernel add = adding();
  on_threads(8, [&](int t) {
    const Stream stream = new_stream();
    const Tensor x =
        subject.upload({kElements}, dtype::kFloat32, std::vector<float>(kElements, static_cast<float>(t + 1)));
    const Tensor y = subject.zeros({kElements}, dtype::kFloat32);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(add.launch({x, x, y}, stream).ok());
    ASSERT_TRUE(stream.synchronize().ok());
    EXPECT_EQ(subject.download<float>(y), std::vector<float>(kElements, static_cast<float>(2 * (t + 1))));
  });
}

TEST(Threads, CompileAtTheSameTime) {
  on_threads(4, [](int t) {
    auto& subject = Subject::current();
    const Kernel kernel = subject.compile(add_program("add" + std::to_string(t))).value();
    const Tensor x = subject.upload({8}, dtype::kFloat32, std::vector<float>(8, 3));
    EXPECT_EQ(subject.download<float>(kernel(x, x).and_then(single).value()), std::vector<float>(8, 6));
  });
}

TEST(Threads, EachHasItsOwnErrors) {
  const Kernel add = adding();
  auto& subject = Subject::current();
  const Tensor four = subject.zeros({4}, dtype::kFloat32), five = subject.zeros({5}, dtype::kFloat32);
  on_threads(4, [&](int t) {
    for (int i = 0; i < 50; ++i) {
      const Status status = t % 2 == 0 ? add.launch({four, five, four}) : add.launch({four, four, four});
      EXPECT_EQ(status.ok(), t % 2 != 0);
      if (status.ok()) continue;
      EXPECT_THAT(status.error().message, testing::HasSubstr("parameter \"B\""));
    }
  });
}

}  // namespace
}  // namespace kmux::conformance
