#pragma once

#include <atomic>

#include "kmux/plugin/plugin.h"

#include "launch/hip_error.h"
#include "launch/hip_table.h"

namespace kmux::hip {

/// Allocates workspaces of calls made without a runtime: in stream order on devices with memory pools, where a free
/// does not wait; otherwise from hipMalloc. Captures of other threads are left alone.
///
/// Threads: any; the device must be current.
class PoolAllocator {
 public:
  explicit PoolAllocator(const HipPlaces& (*places)()) : places_(places) {}
  kmux_allocator api() { return {sizeof(kmux_allocator), this, &PoolAllocator::allocate, &PoolAllocator::free}; }

 private:
  static constexpr int kMaxDevices = 64;
  enum Pools : signed char { kUnknown, kNone, kSome };

  static kmux_sink nowhere() {
    return {nullptr, [](void*, const char*, size_t) { return 0; }};
  }  // the launcher reports the failure

  static int allocate(void* self, int device, void* stream, size_t bytes, size_t, void** address) {
    PoolAllocator& pools = *static_cast<PoolAllocator*>(self);
    const HipTable* const hip = open_hip(pools.places_(), nowhere());
    if (hip == nullptr) return KMUX_UNAVAILABLE;
    return RelaxedCapture::during(*hip, nowhere(), [&] {
      const int result = pools.has_pool(*hip, device)
                             ? hip->allocate_async(address, bytes, static_cast<hipStream_t>(stream))
                             : hip->allocate(address, bytes);
      return result == kHipSuccess ? static_cast<int>(KMUX_OK) : error_code_of(result);
    });
  }

  // A free can only fail if the device is broken, and then the next call reports it.
  static void free(void* self, int device, void* stream, void* address) {
    PoolAllocator& pools = *static_cast<PoolAllocator*>(self);
    const HipTable* const hip = open_hip(pools.places_(), nowhere());
    if (hip == nullptr) return;
    RelaxedCapture::during(*hip, nowhere(), [&] {
      static_cast<void>(pools.has_pool(*hip, device) ? hip->free_async(address, static_cast<hipStream_t>(stream))
                                                     : hip->free(address));
      return static_cast<int>(KMUX_OK);
    });
  }

  // The functions may exist on a device without pools.
  bool has_pool(const HipTable& hip, int device) {
    if (hip.allocate_async == nullptr || hip.free_async == nullptr || device < 0 || device >= kMaxDevices) return false;
    signed char known = pools_[device].load(std::memory_order_relaxed);
    if (known == kUnknown) {
      int pools = 0;
      const bool some = hip.device_attribute(&pools, kMemoryPoolsSupported, device) == kHipSuccess && pools != 0;
      pools_[device].store(known = some ? kSome : kNone, std::memory_order_relaxed);
    }
    return known == kSome;
  }

  const HipPlaces& (*places_)();
  std::atomic<signed char> pools_[kMaxDevices] = {};
};

}  // namespace kmux::hip
