// Tests which calls invalidate which captures in the HIP on the CPU: as in ROCm's clr, call by call, in each mode of a
// capture and of the calling thread.
#include <functional>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "kmux/plugin/sink.h"

#include "fake_hip.h"
#include "launch/hip_table.h"

namespace kmux::hip {
namespace {

using fake_hip::CaptureMode;

constexpr int kThreadLocal = 1;
constexpr int kCaptured = 901;  // hipErrorStreamCaptureInvalidated

class FakeHipCaptureTest : public testing::Test {
 protected:
  FakeHipCaptureTest() {
    EXPECT_EQ(hip.stream_create(&captured, kStreamNonBlocking), 0);
    EXPECT_EQ(hip.stream_create(&other, kStreamNonBlocking), 0);
    EXPECT_EQ(hip.event_create(&event), 0);
    EXPECT_EQ(hip.event_record(event, other), 0);
    EXPECT_EQ(hip.allocate(&memory, 64), 0);
  }
  ~FakeHipCaptureTest() override {
    hip.stream_destroy(captured);
    hip.stream_destroy(other);
    hip.event_destroy(event);
    hip.free(memory);
  }

  // Returns true if `call`, made by this thread in `thread_mode`, leaves a capture of `mode` valid.
  bool survives(const std::function<int()>& call, CaptureMode mode, int thread_mode, bool elsewhere = false) {
    fake->begin_capture(captured, mode);
    const auto act = [&] {
      int own = thread_mode;
      hip.exchange_capture_mode(&own);
      result = call();
      hip.exchange_capture_mode(&own);
    };
    if (elsewhere) {
      std::thread(act).join();
    } else {
      act();
    }
    void* graph = nullptr;
    const int ended = fake->end_capture(captured, &graph);
    EXPECT_TRUE(ended == 0 || ended == kCaptured) << ended;
    if (graph != nullptr) fake->destroy_graph(graph);
    return ended == 0;
  }

  FakeHip fake = FakeHip::load();
  const HipTable& hip = *open_hip({FakeHip::path(), {}}, discard());
  hipStream_t captured = nullptr;
  hipStream_t other = nullptr;
  hipEvent_t event = nullptr;
  void* memory = nullptr;
  int result = 0;
};

TEST_F(FakeHipCaptureTest, UnsafeCallsInvalidateByMode) {
  const std::function<int()> unsafe[] = {
      [&] {
        void* made = nullptr;
        const int code = hip.allocate(&made, 16);
        if (code == 0) hip.free(made);
        return code;
      },
      [&] { return hip.free(nullptr); },
      [&] { return hip.module_unload(nullptr) == kStreamCaptureUnsupported ? kStreamCaptureUnsupported : 0; }};
  for (const auto& call : unsafe) {
    EXPECT_FALSE(survives(call, CaptureMode::kGlobal, kCaptureModeGlobal));
    EXPECT_EQ(result, kStreamCaptureUnsupported);
    EXPECT_FALSE(survives(call, CaptureMode::kThreadLocal, kCaptureModeGlobal));
    EXPECT_FALSE(survives(call, CaptureMode::kGlobal, kThreadLocal));
    EXPECT_FALSE(survives(call, CaptureMode::kGlobal, kCaptureModeGlobal, true));
    EXPECT_TRUE(survives(call, CaptureMode::kRelaxed, kCaptureModeGlobal));
    EXPECT_TRUE(survives(call, CaptureMode::kThreadLocal, kCaptureModeGlobal, true));
    EXPECT_TRUE(survives(call, CaptureMode::kGlobal, kThreadLocal, true));
    EXPECT_TRUE(survives(call, CaptureMode::kGlobal, kCaptureModeRelaxed));
    EXPECT_EQ(result, 0);
  }
}

TEST_F(FakeHipCaptureTest, WaitsInvalidateByMode) {
  const std::function<int()> waits[] = {[&] { return hip.stream_synchronize(other); },
                                        [&] { return hip.event_synchronize(event); }};
  for (const auto& call : waits) {
    EXPECT_FALSE(survives(call, CaptureMode::kGlobal, kCaptureModeGlobal));
    EXPECT_FALSE(survives(call, CaptureMode::kGlobal, kThreadLocal, true));
    EXPECT_TRUE(survives(call, CaptureMode::kGlobal, kCaptureModeRelaxed));
    EXPECT_TRUE(survives(call, CaptureMode::kRelaxed, kCaptureModeGlobal));
  }
  const auto own = [&] { return hip.stream_synchronize(captured); };
  EXPECT_FALSE(survives(own, CaptureMode::kRelaxed, kCaptureModeRelaxed));
}

TEST_F(FakeHipCaptureTest, OtherCallsKeepCaptureActive) {
  const auto calls = [&] {
    std::size_t free_bytes = 0, total_bytes = 0;
    hipStream_t made = nullptr;
    int status = 0;
    unsigned long long id = 0;
    void* async = nullptr;
    const int codes[] = {hip.memory_info(&free_bytes, &total_bytes),
                         hip.stream_create(&made, kStreamNonBlocking),
                         hip.stream_destroy(made),
                         hip.event_record(event, other),
                         hip.memset(memory, 0, 64, other),
                         hip.stream_capturing(captured, &status),
                         hip.stream_capture_info(captured, &status, &id),
                         hip.allocate_async(&async, 16, other),
                         hip.free_async(async, other)};
    EXPECT_THAT(codes, testing::Each(0));
    EXPECT_EQ(status, kCaptureStatusActive);
    EXPECT_GT(id, 0U);
    return 0;
  };
  EXPECT_TRUE(survives(calls, CaptureMode::kGlobal, kCaptureModeGlobal));
}

// Blocking streams are those that the null stream waits for.
TEST_F(FakeHipCaptureTest, BlockingCaptureRejectsPoolsAndNullStream) {
  hipStream_t blocking = nullptr;
  EXPECT_EQ(hip.stream_create(&blocking, 0), 0);
  fake->begin_capture(blocking, CaptureMode::kGlobal);
  void* made = nullptr;
  int status = 0;
  EXPECT_EQ(hip.allocate_async(&made, 16, other), kStreamCaptureUnsupported);
  EXPECT_EQ(hip.stream_capturing(nullptr, &status), 906);
  EXPECT_EQ(hip.allocate_async(&made, 16, blocking), 0) << "a node of the graph";
  void* graph = nullptr;
  EXPECT_EQ(fake->end_capture(blocking, &graph), 0);
  fake->destroy_graph(graph);
  hip.stream_destroy(blocking);
}

TEST_F(FakeHipCaptureTest, RecordsInOrderAcrossStreams) {
  auto* const bytes = static_cast<unsigned char*>(memory);
  hip.memset(memory, 0, 64, nullptr);
  fake->begin_capture(captured, CaptureMode::kGlobal);
  hip.memset(memory, 1, 64, captured);
  hip.event_record(event, captured);
  hip.stream_wait_event(other, event, 0);
  hip.memset(memory, 2, 32, other);
  EXPECT_EQ(bytes[0], 0) << "nothing has run yet";
  void* graph = nullptr;
  EXPECT_EQ(fake->end_capture(captured, &graph), 0);
  EXPECT_EQ(fake->launch_graph(graph), 0);
  EXPECT_EQ(bytes[0], 2);
  EXPECT_EQ(bytes[63], 1);
  fake->destroy_graph(graph);
}

TEST_F(FakeHipCaptureTest, EndsOnlyOnItsStreamAndThread) {
  void* graph = nullptr;
  EXPECT_EQ(fake->end_capture(captured, &graph), 401);
  EXPECT_EQ(fake->begin_capture(nullptr, CaptureMode::kGlobal), kStreamCaptureUnsupported);
  fake->begin_capture(captured, CaptureMode::kThreadLocal);
  EXPECT_EQ(fake->begin_capture(captured, CaptureMode::kGlobal), 401);
  std::thread([&] { EXPECT_EQ(fake->end_capture(captured, &graph), kStreamCaptureWrongThread); }).join();
  EXPECT_EQ(fake->end_capture(captured, &graph), 0);
  fake->destroy_graph(graph);
}

}  // namespace
}  // namespace kmux::hip
