#include "device.h"

#include <numeric>

#include "kmux/json.h"

#include "workbench.h"

namespace kmux::metal {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class MetalDeviceTest : public MetalTest {
 protected:
  MetalDevices& devices() { return static_cast<MetalDevices&>(backend->devices()); }
};

TEST_F(MetalDeviceTest, ReportsProperties) {
  const Json properties = devices().properties(0).value();
  EXPECT_EQ(*properties.find("name")->as_string(), "Fake M4");
  EXPECT_EQ(*properties.find("arch")->as_string(), "metal");
  EXPECT_EQ(*properties.find("max_threadgroup_memory_bytes")->as_integer(), 32768);
  EXPECT_EQ(devices().properties(1).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(MetalDeviceTest, CopiesToFromAndWithinDevice) {
  int* const a = upload<int>({1, 2, 3, 4});
  int* const b = upload<int>({0, 0, 0, 0});
  EXPECT_TRUE(devices().copy(0, nullptr, b + 1, a, 8, KMUX_COPY_DEVICE_TO_DEVICE).ok());
  EXPECT_THAT(download(b, 4), ElementsAre(0, 1, 2, 0));
}

// A blit takes multiples of 4 bytes; the mock reports violations at the end of each test.
TEST_F(MetalDeviceTest, CopiesUnalignedRangesWithinDevice) {
  std::vector<std::uint8_t> counted(16);
  std::iota(counted.begin(), counted.end(), std::uint8_t{0});
  auto* const from = upload(counted);
  auto* const to = upload(std::vector<std::uint8_t>(16, 99));
  const auto copy = [&](std::size_t target, std::size_t source, std::size_t bytes) {
    return devices().copy(0, nullptr, to + target, from + source, bytes, KMUX_COPY_DEVICE_TO_DEVICE);
  };
  EXPECT_TRUE(copy(0, 4, 3).ok());
  EXPECT_TRUE(copy(4, 1, 4).ok());
  EXPECT_TRUE(copy(9, 8, 4).ok());
  EXPECT_TRUE(devices().copy(0, nullptr, from + 1, from, 5, KMUX_COPY_DEVICE_TO_DEVICE).ok());
  EXPECT_THAT(download(to, 16), ElementsAre(4, 5, 6, 99, 1, 2, 3, 4, 99, 8, 9, 10, 11, 99, 99, 99));
  EXPECT_THAT(download(from, 7), ElementsAre(0, 0, 1, 2, 3, 4, 6));
}

// Earlier work of the stream must complete first.
TEST_F(MetalDeviceTest, UnalignedCopiesKeepStreamOrder) {
  auto* const from = upload(std::vector<std::uint8_t>(16, 1));
  auto* const to = upload(std::vector<std::uint8_t>(16, 2));
  EXPECT_TRUE(devices().memset(0, nullptr, from, 7, 16).ok());
  EXPECT_TRUE(devices().copy(0, nullptr, to + 1, from, 3, KMUX_COPY_DEVICE_TO_DEVICE).ok());
  EXPECT_TRUE(devices().memset(0, nullptr, from, 9, 16).ok());
  EXPECT_THAT(std::vector<std::uint8_t>(to, to + 5), ElementsAre(2, 7, 7, 7, 2));
}

TEST_F(MetalDeviceTest, RejectsForeignMemory) {
  int* const a = upload<int>({1});
  int other = 0;
  for (const auto kind : {KMUX_COPY_HOST_TO_DEVICE, KMUX_COPY_DEVICE_TO_DEVICE}) {
    EXPECT_THAT(devices().copy(0, nullptr, &other, a, 4, kind).error().message, HasSubstr("the target of a copy"));
  }
  EXPECT_THAT(devices().copy(0, nullptr, a, &other, 4, KMUX_COPY_DEVICE_TO_HOST).error().message,
              HasSubstr("the source of a copy"));
  EXPECT_EQ(devices().memset(0, nullptr, &other, 0, 4).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(devices().copy(0, nullptr, &other, &other, 0, KMUX_COPY_HOST_TO_DEVICE).ok());
}

TEST_F(MetalDeviceTest, SetsUnalignedRanges) {
  auto* const memory = upload(std::vector<std::uint8_t>(16, 1));
  EXPECT_TRUE(devices().memset(0, nullptr, memory, 7, 8).ok());
  EXPECT_TRUE(devices().memset(0, nullptr, memory + 9, 7, 3).ok());
  EXPECT_TRUE(devices().memset(0, nullptr, memory, 7, 0).ok());
  EXPECT_THAT(download(memory, 16), ElementsAre(7, 7, 7, 7, 7, 7, 7, 7, 1, 7, 7, 7, 1, 1, 1, 1));
}

TEST_F(MetalDeviceTest, AllocatesWithRequestedAlignment) {
  void* const memory = devices().allocate(0, nullptr, 1, 65536).value();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 65536, 0U);
  for (const std::size_t alignment : {std::size_t{3}, std::size_t{1} << 17}) {
    EXPECT_EQ(devices().allocate(0, nullptr, 1, alignment).error().code, ErrorCode::kInvalidArgument);
  }
  const auto info = devices().memory_info(0).value();
  EXPECT_LT(info.free_bytes, info.total_bytes);
}

TEST_F(MetalDeviceTest, StreamIsACommandQueue) {
  void* const stream = devices().stream_create(0).value();
  const auto adapter = load(one_kernel(kAddOne).build().value());
  float* const x = upload(std::vector<float>(3, 1));
  EXPECT_EQ(launch(*adapter, {slot(x), slot(3)}, stream), KMUX_OK) << said;
  EXPECT_TRUE(devices().stream_synchronize(0, stream).ok());
  EXPECT_THAT(std::vector<float>(x, x + 3), Each(2));  // the memory is the host's, too
  devices().stream_destroy(0, stream);
  fake.fail("newCommandQueue");
  EXPECT_EQ(devices().stream_create(0).error().code, ErrorCode::kUnavailable);
}

TEST_F(MetalDeviceTest, EventsMeasureTime) {
  void* const begin = devices().event_create(0).value();
  void* const end = devices().event_create(0).value();
  EXPECT_EQ(devices().event_elapsed(0, begin, end).error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(devices().event_record(0, begin, nullptr).ok());
  EXPECT_TRUE(devices().l2_flush(0, nullptr).ok());
  EXPECT_TRUE(devices().event_record(0, end, nullptr).ok());
  EXPECT_GT(devices().event_elapsed(0, begin, end).value(), 0);
  devices().event_destroy(0, begin);
  devices().event_destroy(0, end);
}

TEST_F(MetalDeviceTest, EventsTimeOnlyWorkBetweenThem) {
  void* events[3] = {};
  for (void*& event : events) event = devices().event_create(0).value();
  int* const x = upload<int>({0});
  const auto work = [&] { EXPECT_TRUE(devices().l2_flush(0, nullptr).ok()); };
  const auto record = [&](int i) { EXPECT_TRUE(devices().event_record(0, events[i], nullptr).ok()); };
  const auto elapsed = [&](int begin, int end) {
    return devices().event_elapsed(0, events[begin], events[end]).value();
  };
  work();
  record(0);
  record(1);
  EXPECT_EQ(elapsed(0, 1), 0) << "work before both";
  work();
  EXPECT_EQ(elapsed(0, 1), 0) << "work after both";
  record(2);
  const double before = elapsed(1, 2);
  EXPECT_GT(before, 0);
  EXPECT_EQ(elapsed(0, 2), before);
  EXPECT_TRUE(devices().memset(0, nullptr, x, 1, 4).ok());
  EXPECT_EQ(elapsed(1, 2), before) << "work after the end";
  record(0);
  EXPECT_GT(elapsed(1, 0), before) << "to the end of the last";
  for (void* event : events) devices().event_destroy(0, event);
}

TEST_F(MetalDeviceTest, RejectsElapsedTimeOfUntimedEvents) {
  void* const event = devices().event_create_untimed(0).value();
  EXPECT_TRUE(devices().event_record(0, event, nullptr).ok());
  EXPECT_EQ(devices().event_elapsed(0, event, event).error().code, ErrorCode::kInvalidArgument);
  devices().event_destroy(0, event);
}

constexpr int kOnes = 0x01010101;
constexpr int kTwos = 0x02020202;

// Two streams: one of them held back, so that the order depends on an event.
class MetalStreamsTest : public MetalDeviceTest {
 protected:
  MetalStreamsTest()
      : slow(devices().stream_create(0).value()),
        fast(devices().stream_create(0).value()),
        event(devices().event_create(0).value()) {}
  ~MetalStreamsTest() override {
    fake.hold(false);
    devices().stream_destroy(0, slow);
    devices().stream_destroy(0, fast);
    devices().event_destroy(0, event);
  }
  void set(void* stream, int* to, std::uint8_t value) { ASSERT_TRUE(devices().memset(0, stream, to, value, 4).ok()); }
  // Completes all device work that can complete.
  void settle() { fake.complaints(); }
  // Holds `slow` before it sets x[0], and makes `fast` wait for that before it copies it to x[1].
  void copy_behind_event() {
    fake.hold_queue(slow, true);
    set(slow, x, 1);
    ASSERT_TRUE(devices().event_record(0, event, slow).ok());
    ASSERT_TRUE(devices().stream_wait_event(0, fast, event).ok());
    ASSERT_TRUE(devices().copy(0, fast, x + 1, x, 4, KMUX_COPY_DEVICE_TO_DEVICE).ok());
  }
  void expect_copied_once_released() {
    settle();
    EXPECT_EQ(x[1], 0);
    fake.hold_queue(slow, false);
    EXPECT_TRUE(devices().stream_synchronize(0, fast).ok());
    EXPECT_EQ(x[1], kOnes);
  }

  void* slow;
  void* fast;
  void* event;
  int* x = upload<int>({0, 0});
};

TEST_F(MetalStreamsTest, WaitForRecordedEvent) {
  copy_behind_event();
  expect_copied_once_released();
}

TEST_F(MetalStreamsTest, DoNotWaitForUnrecordedEvent) {
  ASSERT_TRUE(devices().stream_wait_event(0, fast, event).ok());
  set(fast, x, 1);
  settle();
  EXPECT_EQ(x[0], kOnes);
  EXPECT_EQ(devices().stream_wait_event(1, fast, event).error().code, ErrorCode::kInvalidArgument);
}

// The second record completes long before the first.
TEST_F(MetalStreamsTest, WaitIgnoresLaterRecords) {
  copy_behind_event();
  ASSERT_TRUE(devices().event_record(0, event, nullptr).ok());
  EXPECT_TRUE(devices().stream_synchronize(0, nullptr).ok());
  expect_copied_once_released();
}

// `fast` owns the memory, `slow` uses it last.
TEST_F(MetalStreamsTest, MemoryIsReusedAfterLastUse) {
  auto* const block = static_cast<int*>(devices().allocate(0, fast, 8, 0).value());
  fake.hold_queue(slow, true);
  set(slow, block, 1);
  ASSERT_TRUE(devices().copy(0, slow, x, block, 4, KMUX_COPY_DEVICE_TO_DEVICE).ok());
  ASSERT_TRUE(devices().event_record(0, event, slow).ok());
  ASSERT_TRUE(devices().stream_wait_event(0, fast, event).ok());
  devices().free(0, fast, block);

  EXPECT_NE(devices().allocate(0, nullptr, 8, 0).value(), block) << "neither queue is done";
  EXPECT_NE(devices().allocate(0, slow, 8, 0).value(), block);
  EXPECT_EQ(devices().allocate(0, fast, 8, 0).value(), block) << "comes after the wait on its queue";
  set(fast, block, 2);
  devices().free(0, fast, block);
  settle();
  fake.hold_queue(slow, false);
  EXPECT_TRUE(devices().stream_synchronize(0, slow).ok());
  EXPECT_NE(devices().allocate(0, nullptr, 8, 0).value(), block) << "the owner's queue was not waited for";
  EXPECT_TRUE(devices().stream_synchronize(0, fast).ok());
  EXPECT_EQ(x[0], kOnes);
  EXPECT_EQ(devices().allocate(0, nullptr, 8, 0).value(), block);
  EXPECT_EQ(block[0], kTwos);
}

TEST_F(MetalStreamsTest, RecordFailsWhenEventCreationFails) {
  fake.fail("newEvent");
  EXPECT_EQ(devices().event_record(0, event, fast).error().code, ErrorCode::kUnavailable);
  ASSERT_TRUE(devices().stream_wait_event(0, fast, event).ok()) << "as if it was never recorded";
}

}  // namespace
}  // namespace kmux::metal
