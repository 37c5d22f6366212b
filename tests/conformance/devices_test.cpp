// Devices: memory, copies and optional features of a backend, through its device functions.

#include <cstring>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "subject.h"

namespace kmux::conformance {
namespace {

/// Owns memory of the device under test and frees it at the end of a case.
class Memory {
 public:
  explicit Memory(std::size_t bytes, std::size_t alignment = 256)
      : address_(devices().allocate(ordinal(), nullptr, bytes, alignment).value()) {}
  ~Memory() { devices().free(ordinal(), nullptr, address_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  char* at(std::size_t offset = 0) const { return static_cast<char*>(address_) + offset; }

  static DeviceApi& devices() { return Subject::current().backend().devices(); }
  static int ordinal() { return Subject::current().device().ordinal(); }

 private:
  void* address_;
};

Status copy(void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) {
  return Memory::devices().copy(Memory::ordinal(), nullptr, to, from, bytes, kind);
}
Status wait() { return Memory::devices().stream_synchronize(Memory::ordinal(), nullptr); }

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  std::iota(text.begin(), text.end(), '\1');
  return text;
}

std::string content(const Memory& memory, std::size_t bytes) {
  std::string text(bytes, '\0');
  copy(text.data(), memory.at(), bytes, KMUX_COPY_DEVICE_TO_HOST).value();
  wait().value();
  return text;
}

TEST(Devices, CopiesOfAnySizeArriveWhole) {
  for (const std::size_t bytes : {1U, 3U, 4096U, 65537U, 1U << 20U}) {
    const std::string text = pattern(bytes);
    const Memory first(bytes), second(bytes);
    ASSERT_TRUE(copy(first.at(), text.data(), bytes, KMUX_COPY_HOST_TO_DEVICE).ok());
    ASSERT_TRUE(copy(second.at(), first.at(), bytes, KMUX_COPY_DEVICE_TO_DEVICE).ok());
    EXPECT_EQ(content(second, bytes), text) << bytes;
  }
}

TEST(Devices, CopiesTouchNothingBesides) {
  const Memory memory(64);
  const std::string text = pattern(64);
  ASSERT_TRUE(copy(memory.at(), text.data(), 64, KMUX_COPY_HOST_TO_DEVICE).ok());
  ASSERT_TRUE(copy(memory.at(8), "abc", 3, KMUX_COPY_HOST_TO_DEVICE).ok());
  EXPECT_EQ(content(memory, 64), std::string(text).replace(8, 3, "abc"));
}

TEST(Devices, BytesAreSet) {
  const Memory memory(100);
  ASSERT_TRUE(Memory::devices().memset(Memory::ordinal(), nullptr, memory.at(), 7, 100).ok());
  ASSERT_TRUE(Memory::devices().memset(Memory::ordinal(), nullptr, memory.at(10), 0xff, 5).ok());
  EXPECT_EQ(content(memory, 100), std::string(10, '\7') + std::string(5, '\xff') + std::string(85, '\7'));
}

TEST(Devices, NothingIsCopiedOrSetWhereThereIsNothing) {
  const Memory memory(16);
  EXPECT_TRUE(copy(memory.at(), "", 0, KMUX_COPY_HOST_TO_DEVICE).ok());
  EXPECT_TRUE(Memory::devices().memset(Memory::ordinal(), nullptr, memory.at(), 1, 0).ok());
  EXPECT_TRUE(wait().ok());
}

TEST(Devices, MemoryIsAlignedAsAsked) {
  for (const std::size_t alignment : {1U, 16U, 64U, 256U}) {
    const Memory odd(3, alignment), memory(1000, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.at()) % alignment, 0U) << alignment;
  }
}

TEST(Devices, MoreThanThereIsIsRefused) {
  const auto memory = Memory::devices().allocate(Memory::ordinal(), nullptr, std::size_t{1} << 60U, 256);
  ASSERT_FALSE(memory.ok());
  EXPECT_THAT(memory.error().code, testing::AnyOf(ErrorCode::kOutOfMemory, ErrorCode::kUnavailable));
  EXPECT_FALSE(memory.error().message.empty());
  const Memory still(1000);
  EXPECT_TRUE(Memory::devices().memset(Memory::ordinal(), nullptr, still.at(), 1, 1000).ok());
  EXPECT_TRUE(wait().ok());
}

TEST(Devices, ADeviceThatIsNotThereIsRefused) {
  const int beyond = Memory::devices().count().value();
  EXPECT_FALSE(Memory::devices().properties(beyond).ok());
  EXPECT_FALSE(Memory::devices().stream_create(beyond).ok());
  EXPECT_FALSE(Memory::devices().allocate(beyond, nullptr, 16, 16).ok());
}

/// Returns true if `answer` is a success. A failure must be kUnsupported with a message.
template <class Answer>
bool is_there(const Answer& answer) {
  if (answer.ok()) return true;
  EXPECT_EQ(answer.error().code, ErrorCode::kUnsupported) << answer.error().explain();
  EXPECT_FALSE(answer.error().message.empty());
  return false;
}

TEST(Devices, PinnedMemoryWorksOrIsUnsupported) {
  constexpr std::size_t kBytes = 4096;
  const auto pinned = Memory::devices().host_allocate(Memory::ordinal(), kBytes, 64);
  if (!is_there(pinned)) return;
  std::memset(*pinned, 5, kBytes);
  {
    const Memory memory(kBytes);
    EXPECT_TRUE(copy(memory.at(), *pinned, kBytes, KMUX_COPY_HOST_TO_DEVICE).ok());
    EXPECT_EQ(content(memory, kBytes), std::string(kBytes, '\5'));
  }
  Memory::devices().host_free(Memory::ordinal(), *pinned);
}

TEST(Devices, PrioritiesWorkOrAreUnsupported) {
  for (const int priority : {-1, 0, 1, 1000, -1000}) {
    const auto stream = Memory::devices().stream_create_with_priority(Memory::ordinal(), priority);
    if (!is_there(stream)) return;
    EXPECT_TRUE(Memory::devices().stream_synchronize(Memory::ordinal(), *stream).ok());
    Memory::devices().stream_destroy(Memory::ordinal(), *stream);
  }
}

TEST(Devices, CopiesFromADeviceToItselfByWayOfPeersWorkOrAreUnsupported) {
  const Memory from(64), to(64);
  const std::string text = pattern(64);
  ASSERT_TRUE(copy(from.at(), text.data(), 64, KMUX_COPY_HOST_TO_DEVICE).ok());
  const int ordinal = Memory::ordinal();
  if (!is_there(Memory::devices().copy_peer(ordinal, nullptr, to.at(), ordinal, from.at(), 64))) return;
  EXPECT_EQ(content(to, 64), text);
}

TEST(Devices, TheCacheIsFlushedOrThatIsUnsupported) {
  if (!is_there(Memory::devices().l2_flush(Memory::ordinal(), nullptr))) return;
  EXPECT_TRUE(wait().ok());
}

}  // namespace
}  // namespace kmux::conformance
