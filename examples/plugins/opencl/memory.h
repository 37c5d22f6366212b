#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "kmux/plugin/plugin.h"

#include "api.h"

namespace kmux::opencl {

/// How memory of a device has addresses.
enum class MemoryKind : std::uint8_t {
  kAuto,     // as the first that the device has
  kShared,   // of OpenCL 2.0's shared virtual memory, coarse-grained
  kBuffers,  // buffers of OpenCL 1.2, each over a part of a reserved range of addresses that nobody can read
};

/// The memory of a device. What is freed stays allocated: the queue that it was freed on may have it again at once, other queues
/// after that one was waited for. When the device has nothing left, freed memory is given back.
///
/// Threads: any.   Units: bytes.
class Memory {
 public:
  /// Errors: unavailable if no addresses can be reserved.
  static Result<std::unique_ptr<Memory>> create(const Api& api, Context context, MemoryKind kind);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// An address aligned to kAlignment.
  ///
  /// Errors: unavailable if there is not so much memory.
  Result<void*> allocate(Queue queue, std::size_t bytes);
  void free(Queue queue, void* address) noexcept;
  /// A time, for `settle`.
  std::uint64_t now() noexcept;
  /// What was freed on `queue` until `time` is done with.
  void settle(Queue queue, std::uint64_t time) noexcept;
  std::uint64_t used_bytes() noexcept;
  static constexpr std::size_t kAlignment = 256;

  /// Where an address lies; no buffer: it is not of this memory.
  struct Place {
    Buffer buffer = nullptr;
    std::size_t offset = 0;
    std::size_t rest = 0;  // bytes from there to the end of the buffer
  };
  /// Takes no lock.
  Place find(const void* address) const noexcept;
  /// Has it addresses that kernels are given as they are?
  bool is_shared() const { return kind_ == MemoryKind::kShared; }

  /// Commands in the order of `queue`. `blocks`: until it is done.
  Code copy(Queue queue, bool blocks, void* to, const void* from, std::size_t bytes, kmux_copy_kind kind) const;
  Code fill(Queue queue, void* address, std::uint8_t value, std::size_t bytes) const;

 private:
  struct Block {
    char* start = nullptr;
    void* allocation = nullptr;  // of shared memory: what was allocated, `start` is in it
    Buffer buffer = nullptr;
    std::size_t bytes = 0;
    Queue queue = nullptr;  // that it was freed on
    std::uint64_t freed_at = 0;
    bool is_settled = true;
  };
  Memory(const Api& api, Context context, MemoryKind kind) : api_(api), context_(context), kind_(kind) {}
  bool reserve();
  Block* reuse(Queue queue, std::size_t bytes);
  Block* add(std::size_t bytes);
  bool make(Block& block);
  bool make_buffer(Block& block);
  void release(Block& block);
  void trim();

  const Api& api_;
  Context context_;
  MemoryKind kind_;
  char* base_ = nullptr;  // of the reserved range
  std::atomic<Block*>* table_ = nullptr;
  std::mutex mutex_;
  std::uint64_t time_ = 0;
  std::uint64_t used_bytes_ = 0;
  std::size_t used_pages_ = 0;
  std::unordered_map<void*, std::unique_ptr<Block>> blocks_;
  std::map<std::size_t, std::vector<Block*>> freed_;  // by bytes
  std::map<std::size_t, std::vector<char*>> addresses_;  // that a buffer had, by pages
};

}  // namespace kmux::opencl
