#include <algorithm>
#include <cstdlib>

#include "kmux/log.h"
#include "kmux/registry.h"

#include "kernel_impl.h"

namespace kmux {
namespace {

kmux_code allocate_host(void*, int32_t, void*, size_t bytes, size_t alignment, void** address) {
  const std::size_t aligned = std::max(alignment, alignof(std::max_align_t));
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + aligned - 1) / aligned * aligned;
  *address = rounded < bytes ? nullptr : std::aligned_alloc(aligned, rounded);
  return *address != nullptr ? KMUX_OK : KMUX_UNAVAILABLE;
}

void free_host(void*, int32_t, void*, void* address) { std::free(address); }

kmux_code allocate_on_device(void* self, int32_t device, void* stream, size_t bytes, size_t alignment, void** address) {
  const Result<void*> memory = static_cast<DeviceApi*>(self)->allocate(device, stream, bytes, alignment);
  if (!memory) {
    log(LogLevel::kWarning, memory.error().message);  // a code alone reaches the launcher, which knows no reason
    return static_cast<kmux_code>(memory.error().code);
  }
  *address = *memory;
  return KMUX_OK;
}

void free_on_device(void* self, int32_t device, void* stream, void* address) {
  static_cast<DeviceApi*>(self)->free(device, stream, address);
}

}  // namespace

WorkspaceAllocator::WorkspaceAllocator(Device device)
    : device_(std::move(device)), table_{sizeof(kmux_allocator), nullptr, allocate_host, free_host} {
  if (device_.is_host()) return;
  table_.self = &device_.plugin()->backend().devices();
  table_.allocate = allocate_on_device;
  table_.free = free_on_device;
}

}  // namespace kmux
