// Devices, memory, streams and events: call by call.
#include <cstdint>
#include <cstring>
#include <dlfcn.h>

#include "cuda/driver.h"

using namespace kmux::hip_on_cuda;  // NOLINT(google-build-using-namespace): this file defines HIP's functions
using namespace kmux::nvidia;       // NOLINT(google-build-using-namespace): the names of the driver's interface
using namespace kmux::hip;          // NOLINT(google-build-using-namespace): the names of HIP's interface

namespace {

constexpr int kVersion = 60'000'000;
constexpr std::size_t kArchUntil5 = 396;  // of gcnArchName in hipDeviceProp_t
constexpr std::size_t kArchFrom6 = 1160;
constexpr const char* kArch = "gfx1100";  // the same wavefront size, 32

int write_arch(void* properties, int device, std::size_t offset) {
  int count = 0;
  KMUX_CHECK(hipGetDeviceCount(&count));
  if (device < 0 || device >= count) return kInvalidDevice;
  std::strcpy(static_cast<char*>(properties) + offset, kArch);
  return kHipSuccess;
}

CUdeviceptr address_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }
CUstream stream_of(hipStream_t stream) { return reinterpret_cast<CUstream>(stream); }
CUevent event_of(hipEvent_t event) { return reinterpret_cast<CUevent>(event); }

int attribute_of(int attribute) {
  switch (attribute) {
    case kMaxSharedMemoryPerBlock:
      return CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    case kL2CacheSize:
      return CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
    case kMemoryPoolsSupported:
      return CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
    case kMultiprocessorCount:
      return CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
    default:
      return -1;
  }
}

// Returns a driver function that the plugins for CUDA do not call; null if the driver lacks it.
template <class Function>
Function* driver_function(const char* symbol) {
  return reinterpret_cast<Function*>(dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), symbol));
}

int allocate(void** address, std::size_t bytes, CUstream stream) {
  KMUX_CHECK(enter());
  CUmemoryPool pool = nullptr;
  CUdeviceptr made = 0;
  KMUX_CHECK(driver()->device_pool(&pool, current_device()));
  KMUX_CHECK(driver()->allocate(&made, bytes, pool, stream));
  *address = reinterpret_cast<void*>(made);
  return kHipSuccess;
}

}  // namespace

int hipGetDeviceCount(int* count) {
  *count = 0;
  return driver() == nullptr ? kNoDevice : static_cast<int>(driver()->device_count(count));
}
int hipGetDevice(int* device) {
  *device = current_device();
  return kHipSuccess;
}
int hipSetDevice(int device) {
  const int before = current_device();
  current_device() = device;
  const int result = enter();
  if (result != kHipSuccess) current_device() = before;
  return result;
}
int hipDeviceGetAttribute(int* value, int attribute, int device) {
  if (driver() == nullptr) return kNoDevice;
  if (attribute == kWarpSize) return *value = 32, kHipSuccess;
  const int known = attribute_of(attribute);
  if (known < 0) return kInvalidValue;
  return driver()->device_attribute(value, static_cast<CUdevice_attribute>(known), device);
}
int hipDeviceGetName(char* name, int size, int device) {
  return driver() == nullptr ? kNoDevice : static_cast<int>(driver()->device_name(name, size, device));
}
int hipDeviceTotalMem(std::size_t* bytes, int device) {
  return driver() == nullptr ? kNoDevice : static_cast<int>(driver()->device_total_memory(bytes, device));
}
int hipRuntimeGetVersion(int* version) {
  *version = kVersion;
  return kHipSuccess;
}
int hipGetDevicePropertiesR0600(void* properties, int device) { return write_arch(properties, device, kArchFrom6); }
int hipGetDevicePropertiesR0000(void* properties, int device) { return write_arch(properties, device, kArchUntil5); }
int hipGetDeviceProperties(void* properties, int device) { return write_arch(properties, device, kArchUntil5); }

// Not from a pool, so that hipFree waits for the device as HIP's does.
int hipMalloc(void** address, std::size_t bytes) {
  KMUX_CHECK(enter());
  static auto* const make = driver_function<int(CUdeviceptr*, std::size_t)>("cuMemAlloc_v2");
  CUdeviceptr made = 0;
  if (make == nullptr) return kUnknown;
  KMUX_CHECK(make(&made, bytes));
  *address = reinterpret_cast<void*>(made);
  return kHipSuccess;
}
int hipMallocAsync(void** address, std::size_t bytes, hipStream_t stream) {
  return allocate(address, bytes, stream_of(stream));
}
int hipFree(void* address) {
  KMUX_CHECK(enter());
  static auto* const release = driver_function<int(CUdeviceptr)>("cuMemFree_v2");
  return release == nullptr ? static_cast<int>(kUnknown) : release(address_of(address));
}
int hipFreeAsync(void* address, hipStream_t stream) {
  KMUX_CHECK(enter());
  return driver()->free(address_of(address), stream_of(stream));
}
int hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  KMUX_CHECK(enter());
  return driver()->device_pool(reinterpret_cast<CUmemoryPool*>(pool), device);
}
int hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, void* value) {
  return driver()->pool_attribute_set(reinterpret_cast<CUmemoryPool>(pool), static_cast<CUmemPool_attribute>(attribute),
                                      value);
}
int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, hipStream_t stream) {
  KMUX_CHECK(enter());
  if (kind == kHostToDevice) return driver()->copy_to_device(address_of(to), from, bytes, stream_of(stream));
  if (kind == kDeviceToHost) return driver()->copy_to_host(to, address_of(from), bytes, stream_of(stream));
  return driver()->copy(address_of(to), address_of(from), bytes, stream_of(stream));
}
int hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                       hipStream_t stream) {
  KMUX_CHECK(enter());
  CUcontext contexts[2] = {};
  const int devices[2] = {to_device, from_device};
  for (int i = 0; i < 2; ++i) {  // the owner of the memory retains both
    KMUX_CHECK(driver()->primary_retain(&contexts[i], devices[i]));
    KMUX_CHECK(driver()->primary_release(devices[i]));
  }
  return driver()->copy_peer(address_of(to), contexts[0], address_of(from), contexts[1], bytes, stream_of(stream));
}
int hipHostMalloc(void** address, std::size_t bytes, unsigned flags) {
  KMUX_CHECK(enter());
  return driver()->host_allocate(address, bytes, flags);
}
int hipHostFree(void* address) {
  KMUX_CHECK(enter());
  return driver()->host_free(address);
}
int hipMemsetAsync(void* address, int value, std::size_t bytes, hipStream_t stream) {
  KMUX_CHECK(enter());
  return driver()->memset8(address_of(address), static_cast<unsigned char>(value), bytes, stream_of(stream));
}
int hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  KMUX_CHECK(enter());
  return driver()->memory_info(free_bytes, total_bytes);
}

int hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  KMUX_CHECK(enter());
  return driver()->stream_create(reinterpret_cast<CUstream*>(stream), flags);
}
int hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  KMUX_CHECK(enter());
  return driver()->stream_create_with_priority(reinterpret_cast<CUstream*>(stream), flags, priority);
}
int hipStreamDestroy(hipStream_t stream) { return driver()->stream_destroy(stream_of(stream)); }
int hipStreamSynchronize(hipStream_t stream) {
  KMUX_CHECK(enter());
  return driver()->stream_synchronize(stream_of(stream));
}
int hipStreamIsCapturing(hipStream_t stream, int* status) {
  KMUX_CHECK(enter());
  CUstreamCaptureStatus said = CU_STREAM_CAPTURE_STATUS_NONE;
  const int result = driver()->stream_capturing(stream_of(stream), &said);
  *status = static_cast<int>(said);
  return result;
}
int hipStreamGetCaptureInfo(hipStream_t stream, int* status, unsigned long long* id) {
  KMUX_CHECK(enter());
  using GetInfo = int(CUstream, int*, std::uint64_t*, void**, const void**, std::size_t*);
  static auto* const get_info = driver_function<GetInfo>("cuStreamGetCaptureInfo_v2");
  if (get_info == nullptr) return kUnknown;
  std::uint64_t number = 0;
  const int result = get_info(stream_of(stream), status, &number, nullptr, nullptr, nullptr);
  if (result == kHipSuccess && *status == kCaptureStatusActive) *id = number;
  return result;
}
int hipThreadExchangeStreamCaptureMode(int* mode) {
  KMUX_CHECK(enter());
  auto own = static_cast<CUstreamCaptureMode>(*mode);
  const int result = driver()->exchange_capture_mode(&own);
  *mode = static_cast<int>(own);
  return result;
}
int hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  KMUX_CHECK(enter());
  static auto* const wait = driver_function<int(CUstream, CUevent, unsigned)>("cuStreamWaitEvent");
  return wait == nullptr ? static_cast<int>(kUnknown) : wait(stream_of(stream), event_of(event), flags);
}
int hipEventCreate(hipEvent_t* event) {
  KMUX_CHECK(enter());
  return driver()->event_create(reinterpret_cast<CUevent*>(event), 0);
}
int hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  KMUX_CHECK(enter());
  return driver()->event_create(reinterpret_cast<CUevent*>(event), flags);
}
int hipEventDestroy(hipEvent_t event) { return driver()->event_destroy(event_of(event)); }
int hipEventRecord(hipEvent_t event, hipStream_t stream) {
  KMUX_CHECK(enter());
  return driver()->event_record(event_of(event), stream_of(stream));
}
int hipEventSynchronize(hipEvent_t event) { return driver()->event_synchronize(event_of(event)); }
int hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end) {
  return driver()->event_elapsed(milliseconds, event_of(begin), event_of(end));
}

namespace {

const char* text_of(CUresult (*read)(CUresult, const char**), int code) {
  const char* text = nullptr;
  return read(static_cast<CUresult>(code), &text) == CUDA_SUCCESS ? text : "unknown";
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) const char* hipGetErrorName(int code) {
  return driver() == nullptr ? "hipErrorNoDevice" : text_of(driver()->error_name, code);
}
__attribute__((visibility("default"))) const char* hipGetErrorString(int code) {
  return driver() == nullptr ? "the CUDA driver cannot be opened" : text_of(driver()->error_string, code);
}
}
