// Asynchronous copies from and to pinned memory and from device to device, on devices that execute later.
#include <algorithm>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kmux/tensor.h"

#include "graph_capture.h"
#include "order_backends.h"

namespace kmux::order {
namespace {

KMUX_ON_EVERY_BACKEND(CopiesTest);

constexpr std::uint64_t kCopySeeds = 50;
constexpr std::int64_t kCount = 64;

Tensor filled(Tensor tensor, float value) {
  std::fill_n(tensor.data_as<float>(), tensor.element_count(), value);
  return tensor;
}

bool has_all(const Tensor& tensor, float value) {
  const float* const begin = tensor.data_as<float>();
  return std::all_of(begin, begin + tensor.element_count(), [&](float each) { return each == value; });
}

struct Place {
  Device device;
  const OrderKernels& kernels;
  FakeCuda& fake;

  Tensor pinned(float value) const { return filled(Tensor::pinned({kCount}, dtype::kFloat32, device).value(), value); }
  Tensor empty(StreamRef stream = {}) const { return Tensor::empty({kCount}, dtype::kFloat32, device, stream).value(); }
};

void under_every_seed(FakeCuda& fake, const OrderKernels& kernels, const std::function<void(const Place&)>& run) {
  for (std::uint64_t seed = 1; seed <= kCopySeeds; ++seed) {
    SCOPED_TRACE(seed);
    fake.set_deferred(seed);
    run({kernels.add.device(), kernels, fake});
    fake.finish();
    ASSERT_EQ(fake.misuse(), "");
    fake.set_eager();
  }
}

TEST_P(CopiesTest, TransferPinnedMemoryInBothDirections) {
  under_every_seed(cuda, *kernels, [](const Place& at) {
    const Device& device = at.device;
    const Kernel& add = at.kernels.add;
    const Tensor given = at.pinned(7), result = at.pinned(0);
    // [copies.begin]
    const Stream stream = Stream::create(device, -1).value();  // its work goes first
    const Tensor x = Tensor::empty({64}, dtype::kFloat32, device, stream).value();
    const Tensor y = Tensor::empty({64}, dtype::kFloat32, device, stream).value();
    x.copy_from(given, stream).value();  // `given` and `result` are pinned: nothing here waits
    add.launch({x, y, 10}, stream).value();
    result.copy_from(y, stream).value();
    const Event done = Event::create(device).value();
    done.record(stream).value();
    done.synchronize().value();
    // [copies.end]
    EXPECT_TRUE(has_all(result, 17));
  });
}

TEST_P(CopiesTest, StayCorrectAfterTensorsAreDropped) {
  under_every_seed(cuda, *kernels, [](const Place& at) {
    const Stream stream = Stream::create(at.device).value();
    const Tensor result = at.pinned(0);
    {
      const Stream other = Stream::create(at.device).value();
      const Tensor x = at.empty(other), y = at.empty(stream);
      const Event copied = Event::create(at.device).value();
      x.copy_from(at.pinned(3), other).value();  // the pinned source is freed here, before its copy may have begun
      copied.record(other).value();
      stream.wait(copied).value();
      y.copy_from(x, stream).value();
      result.copy_from(y, stream).value();
    }
    for (float value = 100; value < 104; ++value) at.empty().copy_from(at.pinned(value)).value();  // would reuse memory
    stream.synchronize().value();
    EXPECT_TRUE(has_all(result, 3));
  });
}

TEST_P(CopiesTest, CompleteBeforeReturningForPageableMemory) {
  under_every_seed(cuda, *kernels, [](const Place& at) {
    const Stream stream = Stream::create(at.device).value();
    const Tensor x = at.empty(stream), result = filled(Tensor::empty({kCount}, dtype::kFloat32).value(), 0);
    {
      const Tensor source = filled(Tensor::empty({kCount}, dtype::kFloat32).value(), 5);
      x.copy_from(source, stream).value();
      filled(source, 6);
    }
    result.copy_from(x, stream).value();
    EXPECT_TRUE(has_all(result, 5));
  });
}

TEST_P(CopiesTest, AreCapturedAsGraphNodes) {
  under_every_seed(cuda, *kernels, [](const Place& at) {
    const GraphCapture capture;
    const Stream stream = Stream::create(at.device).value();
    const Tensor given = at.pinned(1), result = at.pinned(0), x = at.empty(stream);
    const Tensor pageable = Tensor::empty({kCount}, dtype::kFloat32).value();
    capture.begin(stream.handle());
    x.copy_from(given, stream).value();
    result.copy_from(x, stream).value();
    EXPECT_THAT(x.copy_from(pageable, stream).error().message, testing::HasSubstr("on a stream that is captured"));
    EXPECT_TRUE(capture.is_whole(stream.handle()));
    const nvidia::CUgraph graph = capture.end(stream.handle());
    filled(given, 2);
    capture.launch(graph, stream.handle());
    stream.synchronize().value();
    EXPECT_TRUE(has_all(result, 2));
  });
}

TEST_P(CopiesTest, TransferBetweenDevices) {
  under_every_seed(cuda, *kernels, [](const Place& at) {
    const Device second(at.device.plugin(), 1);
    Tensor x = at.empty();
    x.copy_from(at.pinned(9)).value();
    const Tensor whole = x.to(second).value();  // behind the default stream of the first
    EXPECT_TRUE(has_all(whole.to({}).value(), 9));

    const Stream stream = Stream::create(second).value();
    const Tensor y = Tensor::empty({kCount}, dtype::kFloat32, second, stream).value(), result = at.pinned(0);
    y.copy_from(x, stream).value();
    x = Tensor();  // freed on the first device, after the copy on the second
    for (float value = 100; value < 104; ++value) at.empty().copy_from(at.pinned(value)).value();
    result.copy_from(y, stream).value();
    stream.synchronize().value();
    EXPECT_TRUE(has_all(result, 9));
  });
}

TEST_P(CopiesTest, RejectInvalidTensors) {
  const Device device = kernels->add.device();
  const auto made = [&](std::vector<std::int64_t> shape, DType dtype) {
    return Tensor::empty(shape, dtype, device).value();
  };
  const Tensor x = made({8, 8}, dtype::kFloat32);
  const auto message = [](const Status& status) { return status.error().message; };
  EXPECT_THAT(
      message(x.copy_from(made({64}, dtype::kFloat32))),
      testing::HasSubstr("float32[64] cannot be copied to float32[8, 8] (dtype and shape have to be the same)"));
  EXPECT_THAT(message(x.copy_from(made({8, 8}, dtype::kInt32))), testing::HasSubstr("int32[8, 8] cannot be copied"));
  EXPECT_THAT(message(x.copy_from(Tensor())), testing::HasSubstr("null tensor"));
  EXPECT_THAT(message(x.copy_from(made({64}, dtype::kFloat32).as_strided({8, 8}, {1, 8}))),
              testing::HasSubstr("only contiguous memory can be copied from"));
  EXPECT_THAT(Tensor::pinned({8}, dtype::kFloat32, {}).error().message,
              testing::HasSubstr("a pinned tensor cannot be made on host (it has no backend)"));
  EXPECT_THAT(Tensor::pinned({1LL << 62}, dtype::kFloat32, device).error().message,
              testing::HasSubstr("too many bytes to count"));
}

}  // namespace
}  // namespace kmux::order
