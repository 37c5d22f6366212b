
#include <cstddef>
#include <cstring>
#include <new>

#include "gpu.h"
#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::HasSubstr;

class CompletionTest : public testing::Test {
 protected:
  ~CompletionTest() override {
    gpu.reset();
    EXPECT_THAT(fake.complaints(), testing::IsEmpty());
  }
  FakeMetal fake = FakeMetal::load();
  std::shared_ptr<Gpu> gpu = Gpu::open(FakeMetal::library()).value();
};

TEST_F(CompletionTest, ReportsDeviceFailureOnWait) {
  fake.fail_command_buffer("GPU address fault");
  const Status status = gpu->wait(gpu->queue_of(nullptr));
  EXPECT_EQ(status.error().code, ErrorCode::kLaunchFailed);
  EXPECT_THAT(status.error().message, HasSubstr("GPU address fault"));
  EXPECT_TRUE(gpu->wait(gpu->queue_of(nullptr)).ok());
}

TEST_F(CompletionTest, ReportsFailureOfOtherQueue) {
  const Owned queue(gpu->objc(), gpu->objc().new_queue(gpu->device()));
  {
    const AutoreleasePool pool(gpu->objc());
    fake.fail_command_buffer("timed out");
    gpu->completion().commit(gpu->objc().command_buffer(queue.get()));
  }
  fake.live();  // a wait for one queue does not cover the other
  EXPECT_THAT(gpu->wait(gpu->queue_of(nullptr)).error().message, HasSubstr("timed out"));
}

TEST_F(CompletionTest, WaitsForCommandBuffersOnDestruction) {
  {
    const AutoreleasePool pool(gpu->objc());
    for (int i = 0; i < 100; ++i) gpu->completion().commit(gpu->objc().command_buffer(gpu->queue_of(nullptr)));
  }
  gpu.reset();
  EXPECT_EQ(fake.live()["MTLCommandBuffer"], 0);
}

// Metal releases the handler with the command buffer, and reads it then.
TEST_F(CompletionTest, HandlerOutlivesOwner) {
  alignas(Completion) std::byte storage[sizeof(Completion)];
  auto* const completion = new (storage) Completion(gpu->objc());
  Owned command_buffer;
  {
    const AutoreleasePool pool(gpu->objc());
    const Id made = gpu->objc().command_buffer(gpu->queue_of(nullptr));
    command_buffer = Owned(gpu->objc(), gpu->objc().retain(made));
    completion->commit(made);
  }
  completion->drain();
  completion->~Completion();
  std::memset(storage, 0, sizeof storage);
  gpu->objc().wait(command_buffer.get());
  command_buffer = Owned();
  EXPECT_EQ(fake.live()["MTLCommandBuffer"], 0);
}

TEST(GpuTest, ReportsMissingDevice) {
  FakeMetal fake = FakeMetal::load();
  fake.set_device(nullptr);
  const auto gpu = Gpu::open(FakeMetal::library());
  EXPECT_EQ(gpu.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(gpu.error().message, HasSubstr("no device"));
}

TEST(GpuTest, RequiresCommandQueue) {
  FakeMetal fake = FakeMetal::load();
  fake.fail("newCommandQueue");
  EXPECT_EQ(Gpu::open(FakeMetal::library()).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace kmux::metal
