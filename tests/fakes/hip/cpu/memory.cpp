// Memory of the devices is host memory. Every operation is synchronous on every stream.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "cpu/captures.h"

using namespace kmux::fake_hip;  // NOLINT(google-build-using-namespace): this file defines HIP's functions

namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kSpoiled = std::size_t{1} << 20;  // fills at most this much of new memory

int allocate(void** address, std::size_t bytes) {
  std::size_t used = 0;
  const std::lock_guard lock(world().mutex);
  for (const auto& [at, size] : world().memory) used += size;
  const std::size_t total = world().devices[static_cast<std::size_t>(current_device())].memory_bytes;
  if (bytes > total - std::min(total, used)) return kOutOfMemory;
  if (posix_memalign(address, kAlignment, std::max<std::size_t>(bytes, 1)) != 0) return kOutOfMemory;
  std::memset(*address, 0xcd, std::min(bytes, kSpoiled));
  world().memory[reinterpret_cast<std::uintptr_t>(*address)] = bytes;
  return kHipSuccess;
}

int release(void* address, int fault) {
  const std::lock_guard lock(world().mutex);
  if (address == nullptr) return fault;
  if (world().memory.erase(reinterpret_cast<std::uintptr_t>(address)) == 0) return kInvalidValue;
  std::free(address);
  return fault;
}

}  // namespace

ReturnCode hipMalloc(void** address, std::size_t bytes) {
  KMUX_BEGIN("hipMalloc");
  const int refused = check_unsafe_call();
  return refused != kHipSuccess ? refused : allocate(address, bytes);
}

// Within a capture, the allocation is a node of the graph, and the graph owns the memory.
ReturnCode hipMallocAsync(void** address, std::size_t bytes, hipStream_t stream) {
  KMUX_BEGIN("hipMallocAsync");
  const auto capture = capture_of(stream);
  if (capture == nullptr && is_null_stream_blocked()) return kStreamCaptureUnsupported;
  if (const int failure = submit(stream, [] { return kHipSuccess; })) return failure;
  const int code = allocate(address, bytes);
  if (code == kHipSuccess && capture != nullptr) capture->memory.push_back(*address);
  return code;
}

ReturnCode hipFree(void* address) {
  const int fault = begin("hipFree");
  const int refused = check_unsafe_call();
  return refused != kHipSuccess ? refused : release(address, fault);
}

ReturnCode hipFreeAsync(void* address, hipStream_t stream) {
  const int fault = begin("hipFreeAsync");
  const auto capture = capture_of(stream);
  if (capture != nullptr) return submit(stream, [] { return kHipSuccess; });
  if (is_null_stream_blocked()) return kStreamCaptureUnsupported;
  return release(address, fault);
}

ReturnCode hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int) {
  KMUX_BEGIN("hipDeviceGetDefaultMemPool");
  *pool = reinterpret_cast<hipMemPool_t>(world().devices.data());
  return kHipSuccess;
}

ReturnCode hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void*) {
  KMUX_BEGIN("hipMemPoolSetAttribute");
  return pool != nullptr && attribute == kPoolReleaseThreshold ? kHipSuccess : kInvalidValue;
}

ReturnCode hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, hipStream_t stream) {
  KMUX_BEGIN("hipMemcpyAsync");
  const bool to_device = kind == kHostToDevice || kind == kDeviceToDevice;
  const bool from_device = kind == kDeviceToHost || kind == kDeviceToDevice;
  if (to_device && !is_device_memory(to, bytes)) return kInvalidValue;
  if (from_device && !is_device_memory(from, bytes)) return kInvalidValue;
  return submit(stream, [to, from, bytes] {
    std::memmove(to, from, bytes);
    return kHipSuccess;
  });
}

// All devices share the host's memory.
ReturnCode hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                              hipStream_t stream) {
  const auto count = static_cast<int>(world().devices.size());
  if (to_device < 0 || to_device >= count || from_device < 0 || from_device >= count) return kInvalidDevice;
  return hipMemcpyAsync(to, from, bytes, kDeviceToDevice, stream);
}

ReturnCode hipHostMalloc(void** address, std::size_t bytes, unsigned) {
  KMUX_BEGIN("hipHostMalloc");
  if (const int refused = check_unsafe_call()) return refused;
  return posix_memalign(address, kAlignment, std::max<std::size_t>(bytes, 1)) == 0 ? kHipSuccess : kOutOfMemory;
}

ReturnCode hipHostFree(void* address) {
  const int fault = begin("hipHostFree");
  if (const int refused = check_unsafe_call()) return refused;
  std::free(address);
  return fault;
}

ReturnCode hipMemsetAsync(void* address, int value, std::size_t bytes, hipStream_t stream) {
  KMUX_BEGIN("hipMemsetAsync");
  if (!is_device_memory(address, bytes)) return kInvalidValue;
  return submit(stream, [address, value, bytes] {
    std::memset(address, value, bytes);
    return kHipSuccess;
  });
}

ReturnCode hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  KMUX_BEGIN("hipMemGetInfo");
  std::size_t used = 0;
  const std::lock_guard lock(world().mutex);
  for (const auto& [at, size] : world().memory) used += size;
  *total_bytes = world().devices[static_cast<std::size_t>(current_device())].memory_bytes;
  *free_bytes = *total_bytes - std::min(*total_bytes, used);
  return kHipSuccess;
}
