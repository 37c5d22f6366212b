#include <algorithm>
#include <cstring>

#include "call.h"
#include "work.h"

namespace kmux::fake_cuda {

// Calls that HIP over CUDA and Python arrays make, and kmux's launch layer does not.
extern "C" {
__attribute__((visibility("default"))) CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr address);
__attribute__((visibility("default"))) CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes);
__attribute__((visibility("default"))) CUresult cuMemFree_v2(CUdeviceptr address);
}

namespace {

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

// Returns true if an allocation on the stream is ordered after the free of `block`.
bool is_free_for(const Block& block, CUstream stream, int device) {
  World& w = world();
  if (w.timeline == nullptr) return !block.is_usable;
  return w.timeline->is_ordered(block.freed, w.lane_of(stream, device));
}

// Assigns a block to an allocation. The node has the generation of the block.
AllocationNode own(std::uintptr_t address, std::size_t bytes, CUstream stream) {
  Block& block = *world().blocks.find(address);
  block.bytes = bytes, block.is_owned = true;
  block.place = AllocationPlace::here(stream);
  return {address, ++block.generation};
}

CUresult allocate(Work& work, int device, std::size_t bytes, CUstream stream, CUdeviceptr* address) {
  World& w = world();
  const std::size_t total = w.devices[device].memory_bytes;
  if (bytes > total - std::min(total, w.allocated_on(device))) return CUDA_ERROR_OUT_OF_MEMORY;
  const int place = w.device_of_stream(stream);
  const auto found =
      w.blocks.take(device, bytes, [&](const Block& block) { return is_free_for(block, stream, place); });
  if (found == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  w.memory[found] = {bytes, device};
  *address = found;
  work.add(Operation{own(found, bytes, stream), place, stream});
  return CUDA_SUCCESS;
}

// Allocates for all streams at once, so it reuses only blocks that no stream has to wait for.
CUresult allocate_plain(int device, std::size_t bytes, CUdeviceptr* address) {
  World& w = world();
  const std::size_t total = w.devices[device].memory_bytes;
  if (bytes > total - std::min(total, w.allocated_on(device))) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto found = w.blocks.take(device, bytes, [](const Block& block) { return !block.is_usable; });
  if (found == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  w.memory[found] = {bytes, device};
  w.blocks.execute(own(found, bytes, nullptr));
  *address = found;
  return CUDA_SUCCESS;
}

// Frees memory after all pending work is done.
CUresult free_plain(CUdeviceptr address) {
  World& w = world();
  const auto found = w.memory.find(static_cast<std::uintptr_t>(address));
  Block* const block = w.blocks.find(static_cast<std::uintptr_t>(address));
  if (found == w.memory.end() || block == nullptr || !block->is_owned) return CUDA_ERROR_INVALID_VALUE;
  if (std::string breach = w.blocks.execute(FreeNode{found->first, block->generation}); !breach.empty()) {
    w.report_misuse(std::move(breach));
  }
  w.memory.erase(found);
  block->is_owned = false;
  return CUDA_SUCCESS;
}

CUresult allocate_in_graph(Capture& capture, int device, std::size_t bytes, CUstream stream, CUdeviceptr* address) {
  const std::uintptr_t made = world().blocks.take_for_graph(device, bytes);
  if (made == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  world().blocks.find(made)->place = AllocationPlace::here(stream);
  add_captured(capture, stream, AllocationNode{made, 0});
  *address = made;
  return CUDA_SUCCESS;
}

CUresult free_now(Work& work, CUdeviceptr address, CUstream stream) {
  World& w = world();
  const auto found = w.memory.find(static_cast<std::uintptr_t>(address));
  Block* const block = w.blocks.find(static_cast<std::uintptr_t>(address));
  if (block != nullptr && !block->is_owned && block->generation != 0) {
    w.report_misuse("cuMemFreeAsync frees " + block_text(address, *block) + " twice");
  }
  if (found == w.memory.end() || block == nullptr || !block->is_owned) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult wrong = w.check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
  const FreeNode node{found->first, block->generation};
  w.memory.erase(found);
  block->is_owned = false;
  block->freed = work.add(Operation{node, w.device_of_stream(stream), stream});
  return CUDA_SUCCESS;
}

// Frees within a capture. Memory must have been allocated by the same capture.
CUresult free_in_graph(Capture& capture, CUdeviceptr address, CUstream stream) {
  World& w = world();
  bool is_allocated = false;
  for (const CUgraphNode node : w.graphs.find(capture.graph)->nodes) {
    const Node& each = w.nodes.find(node)->node;
    if (const auto* made = std::get_if<AllocationNode>(&each)) is_allocated |= made->block == address;
    if (const auto* freed = std::get_if<FreeNode>(&each)) is_allocated &= freed->block != address;
  }
  if (is_allocated) {
    add_captured(capture, stream, FreeNode{static_cast<std::uintptr_t>(address), 0});
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// Adds a copy to its stream. `is_awaited`: the copy uses the caller's memory.
CUresult copy_in(Work& work, CUstream stream, CopyNode node, bool is_awaited = false) {
  if (const CUresult wrong = world().check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
  Timeline::Operation given = 0;
  const CUresult result = submit(work, stream, world().device_of_stream(stream), std::move(node), &given);
  if (is_awaited) work.wait_for(given);
  return result;
}

CUdeviceptr address_of(const void* host) { return reinterpret_cast<std::uintptr_t>(host); }

// Reads pageable host memory during the call. Pinned memory, and memory that a graph copies, is read at execution.
CopyNode copy_from_host(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  const bool is_captured = world().captures.find(stream_key(stream)) != nullptr;
  if (is_captured || world().is_pinned(from, bytes)) return {to, address_of(from), bytes};
  const auto* begin = static_cast<const unsigned char*>(from);
  return {to, 0, bytes, std::make_shared<const std::vector<unsigned char>>(begin, begin + bytes)};
}

}  // namespace

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  Work work;
  Call call("cuMemAllocFromPoolAsync", Needs::kContext);
  return call.with(" bytes ", bytes, " pool ", pool, " stream ", stream).run([&] {
    World& w = world();
    const int device = device_of(pool);
    if (address == nullptr || device < 0 || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult wrong = w.check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    if (const CUresult wrong = check_capture(stream); wrong != CUDA_SUCCESS) return wrong;
    Capture* const capture = w.captures.find(stream_key(stream));
    if (capture == nullptr) {
      if (const CUresult captured = w.spoil_captures(); captured != CUDA_SUCCESS) return captured;
    }
    const CUresult result = capture != nullptr && capture->graph != nullptr
                                ? allocate_in_graph(*capture, device, bytes, stream, address)
                                : allocate(work, device, bytes, stream, address);
    if (result == CUDA_SUCCESS) call.with(" -> ", Hex{*address});
    return result;
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  Work work;
  return Call("cuMemFreeAsync", Needs::kContext).with(" ", Hex{address}, " stream ", stream).release([&] {
    World& w = world();
    if (const CUresult wrong = check_capture(stream); wrong != CUDA_SUCCESS) return wrong;
    Capture* const capture = w.captures.find(stream_key(stream));
    if (capture == nullptr) {
      if (const CUresult captured = w.spoil_captures(); captured != CUDA_SUCCESS) return captured;
    }
    const bool is_recorded = capture != nullptr && capture->graph != nullptr;
    return is_recorded ? free_in_graph(*capture, address, stream) : free_now(work, address, stream);
  });
}

CUresult cuPointerGetAttribute(void* value, int attribute, CUdeviceptr address) {
  return Call("cuPointerGetAttribute", Needs::kInit).with(" ", Hex{address}, " attribute ", attribute).run([&] {
    constexpr int kDeviceOrdinal = 9;
    const auto& memory = world().memory;
    auto found = memory.upper_bound(static_cast<std::uintptr_t>(address));
    if (value == nullptr || attribute != kDeviceOrdinal || found == memory.begin()) return CUDA_ERROR_INVALID_VALUE;
    --found;
    if (address - found->first >= found->second.bytes) return CUDA_ERROR_INVALID_VALUE;
    *static_cast<int*>(value) = found->second.device;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  Call call("cuMemAlloc_v2", Needs::kContext);
  return call.with(" bytes ", bytes).run([&] {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult captured = world().spoil_captures(); captured != CUDA_SUCCESS) return captured;
    const CUresult result = allocate_plain(current_device(), bytes, address);
    if (result == CUDA_SUCCESS) call.with(" -> ", Hex{*address});
    return result;
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  finish_everything();
  return Call("cuMemFree_v2", Needs::kContext).with(" ", Hex{address}).release([&] {
    if (const CUresult captured = world().spoil_captures(); captured != CUDA_SUCCESS) return captured;
    return free_plain(address);
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  Call call("cuDeviceGetDefaultMemPool", Needs::kInit);
  return call.with(" device ", device).run([&] {
    if (!world().has_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    if (world().devices[device].memory_pools == 0) return CUDA_ERROR_NOT_SUPPORTED;
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
  Work work;
  Call call("cuMemcpyAsync", Needs::kContext);
  return call.with(" to ", Hex{to}, " from ", Hex{from}, " bytes ", bytes, " stream ", stream).run([&] {
    if (!world().is_memory(to, bytes) || !world().is_memory(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return copy_in(work, stream, {to, from, bytes});
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext at, CUdeviceptr from, CUcontext from_where, std::size_t bytes,
                           CUstream stream) {
  Work work;
  Call call("cuMemcpyPeerAsync", Needs::kContext);
  call.with(" to ", Hex{to}, " at ", at, " from ", Hex{from}, " at ", from_where, " bytes ", bytes);
  return call.with(" stream ", stream).run([&] {
    const World& w = world();
    const auto lies_at = [&](CUdeviceptr address, CUcontext context) {
      const auto next = w.memory.upper_bound(static_cast<std::uintptr_t>(address));
      return w.is_memory(address, bytes) && context_of(std::prev(next)->second.device) == context;
    };
    if (!lies_at(to, at) || !lies_at(from, from_where)) return CUDA_ERROR_INVALID_VALUE;
    return copy_in(work, stream, {to, from, bytes});
  });
}

CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  Call call("cuMemHostAlloc", Needs::kContext);
  return call.with(" bytes ", bytes, " flags ", flags).run([&] {
    constexpr unsigned kFlags = 7;  // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP and _WRITECOMBINED
    if (bytes == 0 || flags > kFlags) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult captured = world().spoil_captures(); captured != CUDA_SUCCESS) return captured;
    std::vector<unsigned char> block(bytes);
    *address = block.data();
    world().pinned.emplace(reinterpret_cast<std::uintptr_t>(block.data()), std::move(block));
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFreeHost(void* address) {
  return Call("cuMemFreeHost", Needs::kContext).release([&] {
    World& w = world();
    const auto found = w.pinned.find(reinterpret_cast<std::uintptr_t>(address));
    if (found == w.pinned.end()) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult captured = w.spoil_captures(); captured != CUDA_SUCCESS) return captured;
    std::ranges::fill(found->second, 0xdd);
    w.unpinned.push_back(std::move(found->second));
    w.pinned.erase(found);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  Work work;
  Call call("cuMemcpyHtoDAsync_v2", Needs::kContext);
  return call.with(" to ", Hex{to}, " from ", from, " bytes ", bytes, " stream ", stream).run([&] {
    if (!world().is_memory(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return copy_in(work, stream, copy_from_host(to, from, bytes, stream));
  });
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  Work work;
  Call call("cuMemcpyDtoHAsync_v2", Needs::kContext);
  return call.with(" to ", to, " from ", Hex{from}, " bytes ", bytes, " stream ", stream).run([&] {
    if (!world().is_memory(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
    return copy_in(work, stream, {address_of(to), from, bytes}, !world().is_pinned(to, bytes));
  });
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, std::size_t bytes, CUstream stream) {
  Work work;
  Call call("cuMemsetD8Async", Needs::kContext);
  return call.with(" ", Hex{address}, " value ", unsigned{value}, " bytes ", bytes, " stream ", stream).run([&] {
    World& w = world();
    if (!w.is_memory(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult wrong = w.check_stream(stream); wrong != CUDA_SUCCESS) return wrong;
    return submit(work, stream, w.device_of_stream(stream), CUDA_MEMSET_NODE_PARAMS{address, 0, value, 1, bytes, 1});
  });
}

}  // namespace kmux::fake_cuda
