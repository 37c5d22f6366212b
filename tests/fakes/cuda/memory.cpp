#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "call.h"

namespace kmux::fake_cuda {
namespace {

constexpr std::size_t kAlignment = 256;           // of what a pool gives
constexpr std::size_t kSpoiled = std::size_t{1} << 20;  // so much of new memory is no zeros
constexpr std::uintptr_t kFirstPool = 0x8000000;

CUmemoryPool pool_of(int device) {
  return reinterpret_cast<CUmemoryPool>(kFirstPool + static_cast<std::uintptr_t>(device) * 0x10);
}

int device_of(CUmemoryPool pool) {
  for (int device = 0; world().has_device(device); ++device) {
    if (pool_of(device) == pool) return device;
  }
  return -1;
}

CUresult allocate_on(int device, std::size_t bytes, CUdeviceptr* address) {
  World& w = world();
  const std::size_t total = w.devices[device].memory_bytes;
  if (bytes > total - std::min(total, w.allocated_on(device))) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = nullptr;
  if (posix_memalign(&memory, kAlignment, bytes) != 0) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0xcd, std::min(bytes, kSpoiled));
  *address = reinterpret_cast<std::uintptr_t>(memory);
  w.memory[reinterpret_cast<std::uintptr_t>(memory)] = {bytes, device};
  return CUDA_SUCCESS;
}

template <class T = void>
T* pointer(CUdeviceptr address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

// Checks the stream, then does `work` unless the stream only captures it.
template <class Work>
CUresult in_stream(CUstream stream, Work work) {
  if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
  if (world().capture_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE) work();
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  Call call("cuMemAllocFromPoolAsync", Needs::kContext);
  return call.with(" bytes ", bytes, " pool ", pool, " stream ", stream).run([&] {
    const int device = device_of(pool);
    if (device < 0 || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    const CUresult result = allocate_on(device, bytes, address);
    if (result == CUDA_SUCCESS) call.with(" -> ", Hex{*address});
    return result;
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return Call("cuMemFreeAsync", Needs::kContext).with(" ", Hex{address}, " stream ", stream).release([&] {
    const auto found = world().memory.find(static_cast<std::uintptr_t>(address));
    if (found == world().memory.end() || found->second.adopted) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    world().memory.erase(found);
    std::free(pointer(address));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  Call call("cuDeviceGetDefaultMemPool", Needs::kInit);
  return call.with(" device ", device).run([&] {
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    call.with(" -> ", *pool = pool_of(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  std::uint64_t number = 0;
  std::memcpy(&number, value, sizeof number);
  Call call("cuMemPoolSetAttribute", Needs::kInit);
  return call.with(" pool ", pool, " attribute ", static_cast<int>(attribute), " value ", number).run([&] {
    const int device = device_of(pool);
    if (device < 0 || attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult captured = world().spoil_captures(); captured != CUDA_SUCCESS) return captured;
    world().on_device[device].release_threshold = number;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  Call call("cuMemGetInfo_v2", Needs::kContext);
  return call.run([&] {
    *total = world().devices[current_device()].memory_bytes;
    *free = *total - std::min(*total, world().allocated_on(current_device()));
    call.with(" -> ", *free, " of ", *total);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  Call call("cuMemcpyAsync", Needs::kContext);
  return call.with(" to ", Hex{to}, " from ", Hex{from}, " bytes ", bytes, " stream ", stream).run([&] {
    if (!world().is_memory(to, bytes) || !world().is_memory(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return in_stream(stream, [&] { std::memmove(pointer(to), pointer(from), bytes); });
  });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  Call call("cuMemcpyHtoDAsync_v2", Needs::kContext);
  return call.with(" to ", Hex{to}, " from ", from, " bytes ", bytes, " stream ", stream).run([&] {
    if (!world().is_memory(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return in_stream(stream, [&] { std::memmove(pointer(to), from, bytes); });
  });
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  Call call("cuMemcpyDtoHAsync_v2", Needs::kContext);
  return call.with(" to ", to, " from ", Hex{from}, " bytes ", bytes, " stream ", stream).run([&] {
    if (!world().is_memory(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return in_stream(stream, [&] { std::memmove(to, pointer(from), bytes); });
  });
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, std::size_t bytes, CUstream stream) {
  Call call("cuMemsetD8Async", Needs::kContext);
  return call.with(" ", Hex{address}, " value ", unsigned{value}, " bytes ", bytes, " stream ", stream).run([&] {
    if (!world().is_memory(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return in_stream(stream, [&] { std::memset(pointer(address), value, bytes); });
  });
}

}  // namespace kmux::fake_cuda
