// Breaks the rules of the mock one by one. The tests call it as a program on a Mac would: by objc_msgSend, without any
// of the plugin's code.
#include "fake_metal.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <thread>

#include <gmock/gmock.h>

namespace kmux {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Id = void*;

struct Size {
  unsigned long width, height, depth;
};

class FakeMetalTest : public testing::Test {
 protected:
  ~FakeMetalTest() override { pop(pool); }

  template <class T>
  T function(const char* name) {
    return reinterpret_cast<T>(dlsym(library, name));
  }
  template <class Result = Id, class... Arguments>
  Result send(Id receiver, const char* selector, Arguments... arguments) {
    const auto to = function<Result (*)(Id, Id, Arguments...)>("objc_msgSend");
    return to(receiver, function<Id (*)(const char*)>("sel_registerName")(selector), arguments...);
  }
  Id class_of(const char* name) { return function<Id (*)(const char*)>("objc_getClass")(name); }
  Id string(const char* text) { return send(class_of("NSString"), "stringWithUTF8String:", text); }
  std::string text(Id string) { return send<const char*>(string, "UTF8String"); }
  Id pipeline(const char* source) {
    Id error = nullptr;
    const Id made = send(device, "newLibraryWithSource:options:error:", string(source), Id{}, &error);
    const Id kernel = send(made, "newFunctionWithName:", string("k"));
    return send(device, "newComputePipelineStateWithFunction:error:", kernel, &error);
  }
  Id encoder() {
    command_buffer = send(send(device, "newCommandQueue"), "commandBuffer");
    return send(command_buffer, "computeCommandEncoder");
  }
  void dispatch(Id to, Size groups, Size threads) {
    send<void>(to, "dispatchThreadgroups:threadsPerThreadgroup:", groups, threads);
  }

  FakeMetal fake = FakeMetal::load();
  void* library = dlopen(FakeMetal::library().c_str(), RTLD_NOW | RTLD_LOCAL);
  void* pool = function<void* (*)()>("objc_autoreleasePoolPush")();
  void (*pop)(void*) = function<void (*)(void*)>("objc_autoreleasePoolPop");
  Id device = function<Id (*)()>("MTLCreateSystemDefaultDevice")();
  Id command_buffer = nullptr;
};

constexpr const char* kStore = "kernel void k(device int* x [[buffer(0)]]) { *x = 7; }";

TEST_F(FakeMetalTest, NilAcceptsEveryMessage) {
  EXPECT_EQ(send(nullptr, "anything:at:all:"), nullptr);
  EXPECT_THAT(fake.complaints(), IsEmpty());
}

TEST_F(FakeMetalTest, PassesArgumentsUnchanged) {
  alignas(16) int x = 0;
  const Id to = encoder();
  send<void>(to, "setComputePipelineState:",
             pipeline("kernel void k(constant int* x [[buffer(0)]], constant long& p "
                      "[[buffer(30)]]) { *(int*)p = *x; }"));
  const int value = 42;
  int* const address = &x;
  send<void>(to, "setBytes:length:atIndex:", static_cast<const void*>(&value), 4UL, 0UL);
  send<void>(to, "setBytes:length:atIndex:", static_cast<const void*>(&address), 8UL, 30UL);
  dispatch(to, {1, 1, 1}, {1, 1, 1});
  send<void>(to, "endEncoding");
  send<void>(command_buffer, "commit");
  send<void>(command_buffer, "waitUntilCompleted");
  EXPECT_EQ(x, 42);
  EXPECT_EQ(send<unsigned long>(command_buffer, "status"), 4U);
  EXPECT_THAT(fake.complaints(), IsEmpty());
}

TEST_F(FakeMetalTest, ReportsCompilerErrors) {
  Id error = nullptr;
  EXPECT_EQ(send(device, "newLibraryWithSource:options:error:", string("kernel void k("), Id{}, &error), nullptr);
  EXPECT_THAT(text(send(error, "localizedDescription")), AllOf(HasSubstr("Compilation failed"), HasSubstr("error:")));
}

TEST_F(FakeMetalTest, ReportsCommitWithOpenEncoder) {
  encoder();
  send<void>(command_buffer, "commit");
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("committed with an encoder that has not ended")));
}

TEST_F(FakeMetalTest, ReportsSecondOpenEncoder) {
  encoder();
  send(command_buffer, "blitCommandEncoder");
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("an encoder while another one is open")));
}

TEST_F(FakeMetalTest, ReportsUseOfEndedEncoder) {
  const Id to = encoder();
  send<void>(to, "endEncoding");
  send<void>(to, "setThreadgroupMemoryLength:atIndex:", 16UL, 0UL);
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("used after endEncoding")));
}

TEST_F(FakeMetalTest, ReportsDoubleCommitAndEarlyWait) {
  const Id to = encoder();
  send<void>(to, "endEncoding");
  send<void>(command_buffer, "waitUntilCompleted");
  send<void>(command_buffer, "commit");
  send<void>(command_buffer, "commit");
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("waited for before"), HasSubstr("committed twice")));
}

TEST_F(FakeMetalTest, ReportsDispatchWithoutPipelineOrBuffer) {
  const Id to = encoder();
  dispatch(to, {1, 1, 1}, {1, 1, 1});
  send<void>(to, "setComputePipelineState:", pipeline(kStore));
  dispatch(to, {1, 1, 1}, {1, 1, 1});
  send<void>(to, "endEncoding");
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("without a pipeline"), HasSubstr("buffer 0 is not bound")));
}

TEST_F(FakeMetalTest, ReportsInvalidSizesAndIndices) {
  const Id to = encoder();
  send<void>(to, "setComputePipelineState:", pipeline(kStore));
  send<void>(to, "setBuffer:offset:atIndex:", Id{}, 0UL, 0UL);
  dispatch(to, {1, 1, 1}, {1024, 2, 1});
  dispatch(to, {0, 1, 1}, {1, 1, 1});
  send<void>(to, "setThreadgroupMemoryLength:atIndex:", 20UL, 0UL);
  send<void>(to, "setBuffer:offset:atIndex:", Id{}, 0UL, 31UL);
  send<void>(to, "setBytes:length:atIndex:", static_cast<const void*>(&fake), 0UL, 1UL);
  send<void>(to, "endEncoding");
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("2048 threads"), HasSubstr("without threadgroups"),
                                             HasSubstr("not a multiple of 16"), HasSubstr("buffer index 31"),
                                             HasSubstr("setBytes of 0 bytes")));
}

TEST_F(FakeMetalTest, RequiresPageAlignedBuffers) {
  alignas(16384) static char memory[16384];
  const auto make = [&](void* at, unsigned long bytes) {
    return send(device, "newBufferWithBytesNoCopy:length:options:deallocator:", at, bytes, 0UL, Id{});
  };
  EXPECT_NE(make(memory, 16384), nullptr);
  EXPECT_EQ(make(memory + 16, 16384), nullptr);
  EXPECT_EQ(make(memory, 100), nullptr);
  EXPECT_EQ(fake.complaints().size(), 2U);
}

// A barrier that one thread does not reach fails the command buffer, not the process.
TEST_F(FakeMetalTest, DeadlockFailsCommandBuffer) {
  const Id to = encoder();
  send<void>(to, "setComputePipelineState:",
             pipeline("#include <metal_stdlib>\nkernel void k(uint i [[thread_position_in_grid]]) { if (i == 0) "
                      "metal::simdgroup_barrier(metal::mem_flags::mem_none); else "
                      "metal::threadgroup_barrier(metal::mem_flags::mem_none); }"));
  dispatch(to, {1, 1, 1}, {2, 1, 1});
  send<void>(to, "endEncoding");
  send<void>(command_buffer, "commit");
  send<void>(command_buffer, "waitUntilCompleted");
  EXPECT_EQ(send<unsigned long>(command_buffer, "status"), 5U);
  EXPECT_THAT(text(send(send(command_buffer, "error"), "localizedDescription")), HasSubstr("never come to it"));
}

// Command buffers that fill one byte each, on separate queues.
class FakeMetalQueuesTest : public FakeMetalTest {
 protected:
  Id queue() { return send(device, "newCommandQueue"); }
  Id fill(Id on, unsigned char value, Id wait_for = nullptr, Id signal = nullptr) {
    const Id made = send(on, "commandBuffer");
    if (wait_for != nullptr) send<void>(made, "encodeWaitForEvent:value:", wait_for, 1ULL);
    const Id to = send(made, "blitCommandEncoder");
    send<void>(to, "fillBuffer:range:value:", buffer, Range{4UL * value, 4}, value);
    send<void>(to, "endEncoding");
    if (signal != nullptr) send<void>(made, "encodeSignalEvent:value:", signal, 1ULL);
    send<void>(made, "commit");
    return made;
  }
  static char at(unsigned char value) { return memory[4UL * value]; }
  struct Range {
    unsigned long location, length;
  };
  alignas(16384) static inline char memory[16384] = {};
  Id buffer = (std::fill_n(memory, 64, char{0}), send(device, "newBufferWithBytesNoCopy:length:options:deallocator:",
                                                      static_cast<void*>(memory), 16384UL, 0UL, Id{}));
};

TEST_F(FakeMetalQueuesTest, ProgressIndependently) {
  const Id held = queue();
  fake.hold_queue(held, true);
  fill(held, 1);
  send<void>(fill(queue(), 2), "waitUntilCompleted");
  EXPECT_EQ(at(1), 0);
  EXPECT_EQ(at(2), 2);
  fake.hold_queue(held, false);
  fake.live();
  EXPECT_EQ(at(1), 1);
}

// As on a Mac with a GPU that is not Apple's.
TEST_F(FakeMetalQueuesTest, RejectMisalignedBlits) {
  const auto blit = [&](unsigned long from, unsigned long to, unsigned long bytes) {
    command_buffer = send(queue(), "commandBuffer");
    const Id encoder = send(command_buffer, "blitCommandEncoder");
    send<void>(encoder, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:", buffer, from, buffer, to,
               bytes);
    send<void>(encoder, "endEncoding");
    send<void>(command_buffer, "commit");
    send<void>(command_buffer, "waitUntilCompleted");
  };
  memory[0] = 5;
  blit(0, 16, 4);
  EXPECT_EQ(memory[16], 5);
  EXPECT_THAT(fake.complaints(), IsEmpty());
  blit(0, 32, 3);
  blit(2, 32, 4);
  blit(0, 33, 4);
  EXPECT_THAT(fake.complaints(),
              ElementsAre(HasSubstr("a copy of 3 bytes from 0 to 32"), HasSubstr("a copy of 4 bytes from 2 to 32"),
                          HasSubstr("a copy of 4 bytes from 0 to 33")));
  EXPECT_EQ(memory[32], 0) << "and does nothing";
}

TEST_F(FakeMetalQueuesTest, WaitForSignaledEvents) {
  const Id event = send(device, "newEvent");
  const Id signaller = queue();
  fake.hold_queue(signaller, true);
  const Id last = fill(queue(), 2, event);
  fill(signaller, 1, nullptr, event);
  fake.live();
  EXPECT_EQ(at(2), 0);
  fake.hold_queue(signaller, false);
  send<void>(last, "waitUntilCompleted");
  EXPECT_EQ(at(1), 1);
  EXPECT_EQ(at(2), 2);
}

TEST_F(FakeMetalQueuesTest, RequireIncreasingEventValues) {
  const Id event = send(device, "newEvent");
  fill(queue(), 1, nullptr, event);
  fake.live();
  fill(queue(), 1, nullptr, event);
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("signalled with no larger value")));
}

TEST_F(FakeMetalQueuesTest, RejectEventsWhileEncoderIsOpen) {
  const Id to = encoder();
  send<void>(command_buffer, "encodeSignalEvent:value:", send(device, "newEvent"), 1ULL);
  send<void>(to, "endEncoding");
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("while an encoder is open")));
}

TEST_F(FakeMetalQueuesTest, BlockAfterSixtyFourPendingCommandBuffers) {
  const Id on = queue();
  fake.hold(true);
  for (int i = 0; i < 64; ++i) fill(on, 1);
  std::atomic<bool> is_made{false};
  std::thread next([&] {
    void* const own = function<void* (*)()>("objc_autoreleasePoolPush")();
    send(on, "commandBuffer");
    is_made = true;
    pop(own);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(is_made);
  fill(queue(), 2);  // the limit is per queue
  fake.hold(false);
  next.join();
  EXPECT_TRUE(is_made);
}

TEST_F(FakeMetalQueuesTest, DroppedCommandBuffersAreNotCounted) {
  const Id on = queue();
  for (int i = 0; i < 100; ++i) {
    void* const own = function<void* (*)()>("objc_autoreleasePoolPush")();
    send(on, "commandBuffer");
    pop(own);
  }
  EXPECT_THAT(fake.complaints(), IsEmpty());
}

// Memory that a kernel declares belongs to the kernel; memory of a launch stays with the encoder.
TEST_F(FakeMetalTest, LimitsSumOfThreadgroupMemory) {
  const char* const text =
      "kernel void k(device int* x [[buffer(0)]]) { threadgroup int t[4096]; t[0] = 1; *x = t[0]; }\n"
      "kernel void plain(device int* x [[buffer(0)]]) { *x = 1; }\n";
  const Id large = pipeline(text);
  const Id small = pipeline(kStore);
  EXPECT_EQ(send<unsigned long>(large, "staticThreadgroupMemoryLength"), 16384U);
  EXPECT_EQ(send<unsigned long>(small, "staticThreadgroupMemoryLength"), 0U);
  const Id to = encoder();
  send<void>(to, "setBuffer:offset:atIndex:", Id{}, 0UL, 0UL);
  send<void>(to, "setThreadgroupMemoryLength:atIndex:", 24576UL, 0UL);
  send<void>(to, "setComputePipelineState:", small);
  dispatch(to, {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(fake.complaints(), IsEmpty());
  send<void>(to, "setComputePipelineState:", large);
  dispatch(to, {1, 1, 1}, {1, 1, 1});
  send<void>(to, "endEncoding");
  EXPECT_THAT(fake.complaints(), ElementsAre(HasSubstr("too much threadgroup memory")));
}

}  // namespace
}  // namespace kmux
