#include "world.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace kmux::fake_cuda {
namespace {

constexpr std::uintptr_t kFirstContext = 0x9000000;
constexpr std::uintptr_t kDeviceBits = 0xF;  // of a function; 0: a kernel

// A number of its own for each beginning: what a thread had current before is not current after.
std::atomic<unsigned> beginning{1};

struct Current {
  unsigned beginning = 0;
  int device = -1;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
};
__attribute__((tls_model("initial-exec"))) thread_local Current current;

}  // namespace

World& world() {
  static World* const the_world = new World;  // outlives whoever releases late
  return *the_world;
}

int current_device() { return current.beginning == beginning.load(std::memory_order_relaxed) ? current.device : -1; }

void set_current_device(int device) {
  if (current.beginning != beginning.load(std::memory_order_relaxed)) current = {};
  current.beginning = beginning.load(std::memory_order_relaxed);
  current.device = device;
}

CUstreamCaptureMode exchange_capture_mode(CUstreamCaptureMode mode) {
  set_current_device(current_device());
  return std::exchange(current.mode, mode);
}

void forget_current_everywhere() { beginning.fetch_add(1, std::memory_order_relaxed); }

CUcontext context_of(int device) {
  return device < 0 ? nullptr : reinterpret_cast<CUcontext>(kFirstContext + static_cast<std::uintptr_t>(device) * 0x10);
}

CUfunction function_of(CUkernel kernel, int device) {
  return reinterpret_cast<CUfunction>(reinterpret_cast<std::uintptr_t>(kernel) + static_cast<std::uintptr_t>(device) +
                                      1);
}

CUkernel kernel_of(CUfunction function) {
  return reinterpret_cast<CUkernel>(reinterpret_cast<std::uintptr_t>(function) & ~kDeviceBits);
}

bool is_of(CUfunction function, int device) {
  return function == reinterpret_cast<CUfunction>(kernel_of(function)) ||
         function == function_of(kernel_of(function), device);
}

int device_of(CUcontext context) {
  for (int device = 0; world().has_device(device); ++device) {
    if (context_of(device) == context) return device;
  }
  return -1;
}

void World::restart(std::vector<Device> anew) {
  for (const auto& [address, allocation] : memory) {
    if (!allocation.adopted) std::free(reinterpret_cast<void*>(address));
  }
  memory.clear(), captures.clear();
  libraries.clear(), kernels.clear(), streams.clear(), events.clear();
  graphs.clear(), nodes.clear(), executables.clear();
  devices = std::move(anew);
  on_device.assign(devices.size(), {});
  poison = CUDA_SUCCESS;
  forget_current_everywhere();
}

void World::end_context(int device) {
  const auto here = [&](const auto& object) { return object.device == device; };
  streams.erase_if(here), events.erase_if(here), executables.erase_if(here);
}

bool World::is_memory(CUdeviceptr address, std::size_t bytes) const {
  auto next = memory.upper_bound(static_cast<std::uintptr_t>(address));
  if (next == memory.begin()) return false;
  const auto& [begin, allocation] = *--next;
  const std::size_t offset = static_cast<std::uintptr_t>(address) - begin;
  return offset <= allocation.bytes && bytes <= allocation.bytes - offset;
}

std::size_t World::allocated_on(int device) const {
  std::size_t bytes = 0;
  for (const auto& [address, allocation] : memory) {
    if (allocation.device == device && !allocation.adopted) bytes += allocation.bytes;
  }
  return bytes;
}

CUstreamCaptureStatus World::capture_of(CUstream stream) const {
  const auto found = captures.find(stream == nullptr ? reinterpret_cast<CUstream>(1) : stream);
  return found == captures.end() ? CU_STREAM_CAPTURE_STATUS_NONE : found->second;
}

bool World::has_captures() const {
  const auto is_one = [](const auto& entry) { return entry.second != CU_STREAM_CAPTURE_STATUS_NONE; };
  return std::any_of(captures.begin(), captures.end(), is_one);
}

CUresult World::spoil_captures() {
  set_current_device(current_device());
  if (current.mode == CU_STREAM_CAPTURE_MODE_RELAXED || !has_captures()) return CUDA_SUCCESS;
  for (auto& [stream, status] : captures) {
    if (status != CU_STREAM_CAPTURE_STATUS_NONE) status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  }
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult World::check_stream(CUstream stream) {
  constexpr std::uintptr_t kPerThread = 2;  // null, legacy (1) and per-thread streams are of the current context
  if (reinterpret_cast<std::uintptr_t>(stream) <= kPerThread) return CUDA_SUCCESS;
  const Stream* found = streams.find(stream);
  return found != nullptr && found->device == current_device() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult World::find_place(CUfunction function, CUstream stream, int* device) {
  const Stream* const made = streams.find(stream);
  *device = made != nullptr ? made->device : current_device();
  if (*device < 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (poison != CUDA_SUCCESS) return poison;
  if (on_device[static_cast<std::size_t>(*device)].retains == 0) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (!is_of(function, *device)) return CUDA_ERROR_INVALID_HANDLE;
  return made != nullptr ? CUDA_SUCCESS : check_stream(stream);
}

const std::vector<Parameter>* World::parameters_of(const Kernel& kernel) {
  if (const auto told = parameters.find(kernel.name); told != parameters.end()) return &told->second;
  const Library* library = libraries.find(kernel.library);
  if (library == nullptr) return nullptr;
  if (library->cubin) return &library->cubin->kernels.at(kernel.name).parameters;
  const auto declared = library->ptx.find(kernel.name);
  return declared == library->ptx.end() ? nullptr : &declared->second;
}

}  // namespace kmux::fake_cuda
