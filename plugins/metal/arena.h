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

/// Where an address lies, as Metal wants it. No buffer: the address is not of this device's memory.
struct Place {
  Id buffer = nullptr;
  Count offset = 0;
};

/// Metal fills from multiples of this, and as many bytes. Source: Apple, fillBuffer:range:value: on macOS.
inline constexpr Count kFillStep = 4;

/// The memory of a device, which host and device share. Tensors hold plain addresses: every buffer lies over a part of
/// one reserved range, so that an address leads to its buffer by one step through a table.
///
/// What is freed stays in its buffer: work on the stream that it was freed on may use it at once, other streams after
/// that one was waited for. Only when the device has nothing left is freed memory given back.
///
/// Threads: any.   Units: bytes.
class Arena {
 public:
  static constexpr std::size_t kPage = std::size_t{1} << 16;  // a multiple of every page size of Apple's

  /// Errors: unavailable if the range cannot be reserved.
  static Result<std::unique_ptr<Arena>> create(const ObjectiveC& objc, Id device);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// An address aligned to `kPage`.
  ///
  /// Errors: unavailable if there is not so much memory.
  Result<void*> allocate(Id stream, std::size_t bytes);
  void free(Id stream, void* address) noexcept;
  /// A time, for `settle`.
  std::uint64_t now() noexcept;
  /// What was freed on the stream until `time` is done with: any stream may have it.
  void settle(Id stream, std::uint64_t time) noexcept;

  /// Takes no lock; neither does an allocation meanwhile.
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
    Id stream = nullptr;          // that it was freed on
    std::uint64_t freed_at = 0;
    bool is_settled = true;       // any stream may have it
  };
  Arena(const ObjectiveC& objc, Id device, char* mapping, std::atomic<Block*>* table);
  Block* reuse(Id stream, std::size_t pages);
  Block* add(std::size_t pages);
  bool wrap(Block& block);
  void trim();

  const ObjectiveC& objc_;
  Id device_;
  char* mapping_;  // what is reserved; from base_ on it is used
  char* base_;
  std::atomic<Block*>* table_;
  std::mutex mutex_;
  std::uint64_t time_ = 0;
  std::size_t used_pages_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::map<std::size_t, std::vector<Block*>> freed_;  // by pages
};

}  // namespace kmux::metal
