#pragma once

#include <atomic>

#include "kmux/plugin/plugin.h"

#include "nvidia/launch/context.h"
#include "nvidia/launch/driver_error.h"
#include "nvidia/launch/driver_table.h"

namespace kmux::nvidia {

/// Allocates workspaces of calls made without a runtime: from the default memory pool of the device, in stream order.
/// Freed memory stays in the pool, so that the next call need not query the system.
///
/// Threads: any; the context of the device must be current.
class PoolAllocator {
 public:
  kmux_allocator api() { return {sizeof(kmux_allocator), this, &PoolAllocator::allocate, &PoolAllocator::free}; }

 private:
  static constexpr int kMaxDevices = 64;

  // Other threads may be capturing meanwhile: the driver treats these calls as waits, which invalidate a capture.
  static int allocate(void* self, int device, void* stream, size_t bytes, size_t, void** address) {
    const kmux_sink nowhere = {nullptr,
                               [](void*, const char*, size_t) { return 0; }};  // the launcher reports the failure
    const DriverTable* driver = open_driver(nowhere);
    if (driver == nullptr) return KMUX_UNAVAILABLE;
    CUdeviceptr place = 0;
    const int code = RelaxedCapture::during(*driver, nowhere, [&] {
      CUmemoryPool pool = nullptr;
      CUresult result = driver->device_pool(&pool, device);
      if (result == CUDA_SUCCESS) result = static_cast<PoolAllocator*>(self)->keep_freed(*driver, pool, device);
      if (result == CUDA_SUCCESS) result = driver->allocate(&place, bytes, pool, static_cast<CUstream>(stream));
      return result == CUDA_SUCCESS ? KMUX_OK : error_code_of(result);
    });
    *address = reinterpret_cast<void*>(place);
    return code;
  }

  // A free can only fail if the context is broken, and then the next call reports it.
  static void free(void*, int, void* stream, void* address) {
    const kmux_sink nowhere = {nullptr, [](void*, const char*, size_t) { return 0; }};
    const DriverTable* driver = open_driver(nowhere);
    if (driver == nullptr) return;
    RelaxedCapture::during(*driver, nowhere, [&] {
      driver->free(reinterpret_cast<CUdeviceptr>(address), static_cast<CUstream>(stream));
      return KMUX_OK;
    });
  }

  // Raises the threshold above which a pool returns memory to the system, once per device.
  CUresult keep_freed(const DriverTable& driver, CUmemoryPool pool, int device) {
    if (device >= kMaxDevices || keeps_[device].load(std::memory_order_relaxed)) return CUDA_SUCCESS;
    uint64_t threshold = UINT64_MAX;
    const CUresult result = driver.pool_attribute_set(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold);
    if (result == CUDA_SUCCESS) keeps_[device].store(true, std::memory_order_relaxed);
    return result;
  }

  std::atomic<bool> keeps_[kMaxDevices] = {};
};

}  // namespace kmux::nvidia
