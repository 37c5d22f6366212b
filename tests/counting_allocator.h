#pragma once

#include <atomic>
#include <cstdlib>

#include "kmux/plugin/plugin.h"

namespace kmux {

/// Allocates host memory for workspaces and counts the allocations.
class CountingAllocator {
 public:
  CountingAllocator() {
    api_.self = this;
    api_.struct_size = sizeof api_;
    api_.allocate = [](void* self, int32_t, void*, size_t bytes, size_t alignment, void** address) -> kmux_code {
      auto& allocator = *static_cast<CountingAllocator*>(self);
      if (allocator.fails) return KMUX_UNAVAILABLE;
      ++allocator.allocated;
      *address = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
      return KMUX_OK;
    };
    api_.free = [](void* self, int32_t, void*, void* address) {
      ++static_cast<CountingAllocator*>(self)->freed;
      std::free(address);
    };
  }
  CountingAllocator(CountingAllocator&& other) noexcept : CountingAllocator() {
    allocated = other.allocated.load();
    freed = other.freed.load();
    fails = other.fails;
  }
  CountingAllocator& operator=(CountingAllocator&&) = delete;

  const kmux_allocator* api() const { return &api_; }

  std::atomic<int> allocated{0};
  std::atomic<int> freed{0};
  bool fails = false;

 private:
  kmux_allocator api_{};
};

}  // namespace kmux
