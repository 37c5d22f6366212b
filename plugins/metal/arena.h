#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "objective_c.h"

namespace kmux::metal {

/// An address as Metal takes it. A null buffer means that the address is not in this device's memory.
struct Place {
  Id buffer = nullptr;
  Count offset = 0;
};

/// Offsets and sizes of Metal's fills must be multiples of this. Source: Apple, fillBuffer:range:value: on macOS.
inline constexpr Count kFillStep = 4;

/// The memory of a device, which host and device share. Tensors hold plain addresses: every buffer covers a part of one
/// reserved range, so that one table access maps an address to its buffer.
///
/// Freed memory stays in its buffer. The stream that freed it may reuse it at once, other streams after that stream was
/// synchronized. Freed memory is released only when the device has no memory left.
///
/// Threads: thread-safe.   Units: bytes.
class Arena {
 public:
  static constexpr std::size_t kPage = std::size_t{1} << 16;  // a multiple of every page size of Apple's

  /// Reserves the address range.
  ///
  /// Errors: unavailable if the range cannot be reserved.
  static Result<std::unique_ptr<Arena>> create(const ObjectiveC& objc, Id device);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Returns the address of `bytes` of memory, aligned to `kPage`.
  ///
  /// Errors: unavailable if the device is out of memory.
  Result<void*> allocate(Id stream, std::size_t bytes);
  void free(Id stream, void* address) noexcept;
  /// Returns the current time, for `settle`.
  std::uint64_t now() noexcept;
  /// Lets any stream reuse memory that `stream` freed until `time`. The caller must have waited for that work.
  void settle(Id stream, std::uint64_t time) noexcept;

  /// Returns the buffer and offset of `address`. Takes no lock; may run concurrently with an allocation.
  Place find(const void* address) const noexcept {
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(address) - base_);
    if (offset >= kBytes) return {};
    const Block* const block = table_[offset / kPage].load(std::memory_order_acquire);
    if (block == nullptr) return {};
    return {block->buffer, static_cast<Count>(static_cast<const char*>(address) - block->start)};
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 39;  // reserved: a Mac has at most that much memory
  struct Block {
    Id buffer = nullptr;
    char* start = nullptr;
    std::size_t pages = 0;
    Id stream = nullptr;  // the stream that freed it
    std::uint64_t freed_at = 0;
    bool is_settled = true;  // any stream may reuse it
  };
  Arena(const ObjectiveC& objc, Id device, char* mapping, std::atomic<Block*>* table);
  Block* reuse(Id stream, std::size_t pages);
  Block* add(std::size_t pages);
  bool wrap(Block& block);
  void trim();

  const ObjectiveC& objc_;
  Id device_;
  char* mapping_;  // the reserved range; used from base_ on
  char* base_;
  std::atomic<Block*>* table_;
  std::mutex mutex_;
  std::uint64_t time_ = 0;
  std::size_t used_pages_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::map<std::size_t, std::vector<Block*>> freed_;  // by pages
};

}  // namespace kmux::metal
