#include "world.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace kmux::fake_cuda {
namespace {

constexpr std::uintptr_t kFirstContext = 0x9000000;
constexpr std::uintptr_t kFirstPerThread = 0xA000000;  // keys of per-thread streams
const CUstream kPerThreadStream = reinterpret_cast<CUstream>(2);
constexpr std::uintptr_t kDeviceBits = 0xF;  // of a function handle; 0: a kernel

// A separate number for each reset: a context that was current before it is not current after.
std::atomic<unsigned> beginning{1};

struct Current {
  unsigned beginning = 0;
  int device = -1;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
};
__attribute__((tls_model("initial-exec"))) thread_local Current current;

}  // namespace

World& world() {
  static World* const the_world = [] {
    World* made = new World;  // never destroyed: objects may be released late
    made->set_timeline(seed_from_environment());
    made->reports_misuse = made->timeline != nullptr;
    return made;
  }();
  return *the_world;
}

std::optional<std::uint64_t> seed_from_environment() {
  const char* seed = std::getenv("KMUX_FAKE_CUDA_SEED");
  if (seed == nullptr) return std::nullopt;
  return std::strtoull(seed, nullptr, 10);
}

unsigned thread_number() {
  static std::atomic<unsigned> threads{0};
  __attribute__((tls_model("initial-exec"))) static thread_local const unsigned number = ++threads;
  return number;
}

CUstream stream_key(CUstream stream) {
  if (stream == nullptr) return kLegacyStream;
  if (stream != kPerThreadStream) return stream;
  return reinterpret_cast<CUstream>(kFirstPerThread + std::uintptr_t{thread_number()} * 0x10);
}

CUstreamCaptureMode capture_mode() {
  set_current_device(current_device());
  return current.mode;
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
  set_timeline(seed);
  memory.clear(), captures = {}, blocks.clear();
  libraries.clear(), kernels.clear(), streams.clear(), events.clear();
  graphs.clear(), nodes.clear(), executables.clear();
  devices = std::move(anew);
  on_device.assign(devices.size(), {});
  poison = CUDA_SUCCESS;
  forget_current_everywhere();
}

void World::set_timeline(std::optional<std::uint64_t> anew) {
  seed = anew;
  timeline = anew ? std::make_shared<Timeline>(*anew) : nullptr;
  lanes.clear();
}

void World::end_context(int device) {
  const auto here = [&](const auto& object) { return object.device == device; };
  streams.erase_if(here), events.erase_if(here), executables.erase_if(here);
  on_device[static_cast<std::size_t>(device)].persisting_limit = 0;
}

bool World::is_memory(CUdeviceptr address, std::size_t bytes) const {
  if (blocks.is_in_graph(address, bytes)) return true;
  auto next = memory.upper_bound(static_cast<std::uintptr_t>(address));
  if (next == memory.begin()) return false;
  const auto& [begin, allocation] = *--next;
  const std::size_t offset = static_cast<std::uintptr_t>(address) - begin;
  return offset <= allocation.bytes && bytes <= allocation.bytes - offset;
}

bool World::is_pinned(const void* address, std::size_t bytes) const {
  auto next = pinned.upper_bound(reinterpret_cast<std::uintptr_t>(address));
  if (next == pinned.begin()) return false;
  const auto& [begin, block] = *--next;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - begin;
  return offset <= block.size() && bytes <= block.size() - offset;
}

std::size_t World::allocated_on(int device) const {
  std::size_t bytes = 0;
  for (const auto& [address, allocation] : memory) {
    if (allocation.device == device && !allocation.adopted) bytes += allocation.bytes;
  }
  return bytes;
}

bool World::is_blocking(CUstream key) {
  if (const Stream* made = streams.find(key)) return (made->flags & CU_STREAM_NON_BLOCKING) == 0;
  return reinterpret_cast<std::uintptr_t>(key) > kFirstPerThread;
}

bool World::would_join_a_capture(CUstream stream) {
  if (stream_key(stream) != kLegacyStream) return false;
  const std::vector<CUstream> captured = captures.active_streams();
  return std::any_of(captured.begin(), captured.end(), [&](CUstream key) { return is_blocking(key); });
}

Timeline::Stream World::lane_of(CUstream stream, int device) {
  const CUstream key = stream_key(stream);
  const auto [entry, added] = lanes.try_emplace({device, key}, 0);
  if (!added) return entry->second;
  using enum Timeline::Ordering;
  const auto ordering = key == kLegacyStream ? kLegacy : is_blocking(key) ? kBlocking : kNonBlocking;
  return entry->second = timeline->make_stream(device, ordering);
}

void World::report_misuse(std::string text) {
  if (reports_misuse) std::fprintf(stderr, "fake libcuda: %s\n", text.c_str());
  if (misuse.empty()) misuse = std::move(text);
}

CUresult World::check_stream(CUstream stream) {
  if (const CUresult wrong = check_any_stream(stream); wrong != CUDA_SUCCESS) return wrong;
  return device_of_stream(stream) == current_device() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult World::check_any_stream(CUstream stream) {
  if (stream == nullptr || stream == kLegacyStream || stream == kPerThreadStream) return CUDA_SUCCESS;
  return streams.find(stream) != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

int World::device_of_stream(CUstream stream) {
  const Stream* const made = streams.find(stream);
  return made != nullptr ? made->device : current_device();
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
