// The sequences of docs/memory.md, each on a device that executes later.
#include <functional>

#include <gtest/gtest.h>

#include "kmux/tensor.h"

#include "graph_capture.h"
#include "order_backends.h"

namespace kmux::order {
namespace {

KMUX_ON_EVERY_BACKEND(SequencesTest);

constexpr std::uint64_t kSeeds = 50;

class Sequence {
 public:
  Sequence(FakeCuda& driver, const OrderKernels& compiled)
      : fake(driver), fill(compiled.fill), add(compiled.add), through(compiled.through), device(fill.device()) {
    fill.warm().value(), add.warm().value(), through.warm().value();
  }

  // Returns the value of every element of `tensor` after all work is done; -1 if they differ.
  float all_of(const Tensor& tensor) {
    fake.finish();
    const Tensor host = tensor.to({}).value();
    const float first = *host.data_as<float>();
    for (std::int64_t i = 0; i < host.element_count(); ++i) {
      if (host.data_as<float>()[i] != first) return -1;
    }
    return first;
  }
  Tensor on_device(float value) {
    const std::vector<float> values(64, value);
    return Tensor::from<float>({64}, dtype::kFloat32, values).value().to(device).value();
  }

  FakeCuda& fake;
  const Kernel& fill;
  const Kernel& add;
  const Kernel& through;
  const Device device;
};

// Runs `run` under every seed. It must leave no misuse.
void expect_order(FakeCuda& fake, const OrderKernels& kernels, const std::function<void(Sequence&)>& run) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    fake.set_deferred(seed);
    Sequence sequence(fake, kernels);
    run(sequence);
    fake.finish();
    ASSERT_EQ(fake.misuse(), "");
    fake.set_eager();
  }
}

Tensor call(const Kernel& kernel, const Tensor& x, float v, StreamRef stream = {}) {
  const std::array<Arg, 2> inputs{Arg(x), Arg(v)};
  return kernel.call(inputs, stream).and_then(single).value();
}

TEST_P(SequencesTest, DroppedOutputIsNotReusedWhileItsKernelRuns) {
  expect_order(cuda, *kernels, [](Sequence& sequence) {
    const auto& [fake, fill, add, through, device] = sequence;
    const Tensor x = sequence.on_device(0);
    // [dropped_output.begin]
    const Stream stream = Stream::create(device).value();
    Tensor first = call(add, x, 111, stream);  // its memory belongs to `stream`
    first = Tensor();                          // freed there, behind the kernel
    const Tensor second = call(add, x, 222);   // on the default stream: memory that no kernel writes
    // [dropped_output.end]
    EXPECT_EQ(sequence.all_of(second), 222);
  });
}

TEST_P(SequencesTest, DroppedInputStaysValidForAnotherStream) {
  expect_order(cuda, *kernels, [](Sequence& sequence) {
    const auto& [fake, fill, add, through, device] = sequence;
    const Stream stream = Stream::create(device).value();
    std::vector<Tensor> sums;
    // [dropped_input.begin]
    for (const float number : {1.0F, 2.0F, 3.0F, 4.0F}) {
      const Tensor x = sequence.on_device(number);  // copied, and the copy is done
      sums.push_back(call(add, x, 10, stream));     // `stream` is one more user of its memory
    }  // freed behind `stream`, so the next copy does not write what a kernel still reads
    // [dropped_input.end]
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sequence.all_of(sums[i]), 11 + static_cast<float>(i));
  });
}

TEST_P(SequencesTest, TensorsOutliveTheirStream) {
  expect_order(cuda, *kernels, [](Sequence& sequence) {
    const auto& [fake, fill, add, through, device] = sequence;
    const Tensor x = sequence.on_device(0);
    Tensor y;
    {
      const Stream stream = Stream::create(device).value();
      y = call(through, x, 5, stream);
      call(add, y, 1, stream);
    }
    EXPECT_EQ(sequence.all_of(y), 5);
  });
}

TEST_P(SequencesTest, RecordedUseProtectsTensorInForeignLaunch) {
  expect_order(cuda, *kernels, [](Sequence& sequence) {
    const auto& [fake, fill, add, through, device] = sequence;
    const GraphCapture capture;
    const Stream stream = Stream::create(device).value();
    const Tensor sum = sequence.on_device(0);
    {
      const Tensor x = sequence.on_device(7);
      capture.begin(stream.handle());
      add.launch({x, sum, 1}, stream).value();
      const nvidia::CUgraph graph = capture.end(stream.handle());
      // [used_on.begin]
      capture.launch(graph, stream.handle());  // the application's own launch, which kmux does not see
      x.used_on(stream).value();               // so it records what that uses
      // [used_on.end]
    }
    const Tensor other = sequence.on_device(1000);
    EXPECT_EQ(sequence.all_of(sum), 8);
    EXPECT_EQ(sequence.all_of(other), 1000);
  });
}

TEST_P(SequencesTest, CaptureOfAnotherStreamStaysValid) {
  expect_order(cuda, *kernels, [](Sequence& sequence) {
    const auto& [fake, fill, add, through, device] = sequence;
    const GraphCapture capture;
    const Stream foreign = Stream::create(device).value();
    const Stream stream = Stream::create(device).value();
    Tensor before = sequence.on_device(1);
    capture.begin(foreign.handle());
    const Tensor after = call(through, before, 1, stream);
    before = Tensor();
    call(add, after, 1, stream);
    EXPECT_TRUE(capture.is_whole(foreign.handle()));
    capture.destroy(capture.end(foreign.handle()));
    EXPECT_EQ(sequence.all_of(after), 2);
  });
}

// Memory allocated before a capture must not be freed by the graph.
TEST_P(SequencesTest, TensorDroppedDuringCaptureKeepsCaptureValid) {
  expect_order(cuda, *kernels, [](Sequence& sequence) {
    const auto& [fake, fill, add, through, device] = sequence;
    const GraphCapture capture;
    const Stream stream = Stream::create(device).value();
    const Tensor x = sequence.on_device(1);
    Tensor before = call(add, x, 1, stream);
    capture.begin(stream.handle());
    before = Tensor();
    EXPECT_TRUE(capture.is_whole(stream.handle()));
    capture.destroy(capture.end(stream.handle()));
    EXPECT_EQ(sequence.all_of(call(add, x, 2, stream)), 3);
  });
}

}  // namespace
}  // namespace kmux::order
