#pragma once

#include <cstddef>
#include <cstdint>

namespace kmux::driver_rules {

using Address = unsigned long long;
using Handle = void*;
using Code = int;

/// A launch attribute; `value` begins with the fields of the attribute that `id` selects.
struct LaunchAttribute {
  int id;
  int pad;
  union {
    char bytes[64];
    struct {
      const void* base;
      std::size_t bytes;
      float hit_ratio;
      int hit, miss;
    } window;
    unsigned cluster[3];
    int cooperative;
  } value;
};

struct KernelNodeParams {
  Handle function;
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamic_smem_bytes;
  void** args;
  void** extra;
  Handle kernel;
  Handle context;
};

struct MemsetParams {
  Address to;
  std::size_t pitch;
  unsigned value;
  unsigned element_bytes;
  std::size_t width;
  std::size_t height;
};

struct LaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamic_smem_bytes;
  Handle stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

// The calls that rules make: KMUX_RULE_CALL(name in the table, exported symbol, parameters). All return a Code.
// Source: CUDA Driver API 12.4 to 13.0.
#define KMUX_RULE_CALLS(KMUX_RULE_CALL)                                                                                \
  KMUX_RULE_CALL(init, cuInit, (unsigned))                                                                             \
  KMUX_RULE_CALL(error_name, cuGetErrorName, (Code, const char**))                                                     \
  KMUX_RULE_CALL(device_get, cuDeviceGet, (int*, int))                                                                 \
  KMUX_RULE_CALL(device_attribute, cuDeviceGetAttribute, (int*, int, int))                                             \
  KMUX_RULE_CALL(primary_retain, cuDevicePrimaryCtxRetain, (Handle*, int))                                             \
  KMUX_RULE_CALL(primary_release, cuDevicePrimaryCtxRelease_v2, (int))                                                 \
  KMUX_RULE_CALL(current_set, cuCtxSetCurrent, (Handle))                                                               \
  KMUX_RULE_CALL(limit_get, cuCtxGetLimit, (std::size_t*, int))                                                        \
  KMUX_RULE_CALL(limit_set, cuCtxSetLimit, (int, std::size_t))                                                         \
  KMUX_RULE_CALL(reset_persisting, cuCtxResetPersistingL2Cache, ())                                                    \
  KMUX_RULE_CALL(library_load, cuLibraryLoadData,                                                                      \
                 (Handle*, const void*, int*, void**, unsigned, int*, void**, unsigned))                               \
  KMUX_RULE_CALL(library_unload, cuLibraryUnload, (Handle))                                                            \
  KMUX_RULE_CALL(library_kernel, cuLibraryGetKernel, (Handle*, Handle, const char*))                                   \
  KMUX_RULE_CALL(kernel_attribute_get, cuKernelGetAttribute, (int*, int, Handle, int))                                 \
  KMUX_RULE_CALL(kernel_attribute_set, cuKernelSetAttribute, (int, int, Handle, int))                                  \
  KMUX_RULE_CALL(kernel_function, cuKernelGetFunction, (Handle*, Handle))                                              \
  KMUX_RULE_CALL(kernel_parameter, cuKernelGetParamInfo, (Handle, std::size_t, std::size_t*, std::size_t*))            \
  KMUX_RULE_CALL(encode_tiled, cuTensorMapEncodeTiled,                                                                 \
                 (void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const unsigned*,            \
                  const unsigned*, int, int, int, int))                                                                \
  KMUX_RULE_CALL(replace_address, cuTensorMapReplaceAddress, (void*, void*))                                           \
  KMUX_RULE_CALL(encode_im2col, cuTensorMapEncodeIm2col,                                                               \
                 (void*, int, unsigned, void*, const std::uint64_t*, const std::uint64_t*, const int*, const int*,     \
                  unsigned, unsigned, const unsigned*, int, int, int, int))                                            \
  KMUX_RULE_CALL(launch, cuLaunchKernelEx, (const LaunchConfig*, Handle, void**, void**))                              \
  KMUX_RULE_CALL(allocate, cuMemAllocFromPoolAsync, (Address*, std::size_t, Handle, Handle))                           \
  KMUX_RULE_CALL(free, cuMemFreeAsync, (Address, Handle))                                                              \
  KMUX_RULE_CALL(device_pool, cuDeviceGetDefaultMemPool, (Handle*, int))                                               \
  KMUX_RULE_CALL(pool_attribute_set, cuMemPoolSetAttribute, (Handle, int, void*))                                      \
  KMUX_RULE_CALL(host_allocate, cuMemHostAlloc, (void**, std::size_t, unsigned))                                       \
  KMUX_RULE_CALL(host_free, cuMemFreeHost, (void*))                                                                    \
  KMUX_RULE_CALL(memory_info, cuMemGetInfo_v2, (std::size_t*, std::size_t*))                                           \
  KMUX_RULE_CALL(copy, cuMemcpyAsync, (Address, Address, std::size_t, Handle))                                         \
  KMUX_RULE_CALL(copy_to_device, cuMemcpyHtoDAsync_v2, (Address, const void*, std::size_t, Handle))                    \
  KMUX_RULE_CALL(copy_to_host, cuMemcpyDtoHAsync_v2, (void*, Address, std::size_t, Handle))                            \
  KMUX_RULE_CALL(memset8, cuMemsetD8Async, (Address, unsigned char, std::size_t, Handle))                              \
  KMUX_RULE_CALL(stream_create, cuStreamCreate, (Handle*, unsigned))                                                   \
  KMUX_RULE_CALL(stream_destroy, cuStreamDestroy_v2, (Handle))                                                         \
  KMUX_RULE_CALL(stream_synchronize, cuStreamSynchronize, (Handle))                                                    \
  KMUX_RULE_CALL(stream_wait_event, cuStreamWaitEvent, (Handle, Handle, unsigned))                                     \
  KMUX_RULE_CALL(stream_capturing, cuStreamIsCapturing, (Handle, int*))                                                \
  KMUX_RULE_CALL(capture_info, cuStreamGetCaptureInfo_v2,                                                              \
                 (Handle, int*, std::uint64_t*, Handle*, const Handle**, std::size_t*))                                \
  KMUX_RULE_CALL(capture_begin, cuStreamBeginCapture_v2, (Handle, int))                                                \
  KMUX_RULE_CALL(capture_end, cuStreamEndCapture, (Handle, Handle*))                                                   \
  KMUX_RULE_CALL(exchange_capture_mode, cuThreadExchangeStreamCaptureMode, (int*))                                     \
  KMUX_RULE_CALL(event_create, cuEventCreate, (Handle*, unsigned))                                                     \
  KMUX_RULE_CALL(event_destroy, cuEventDestroy_v2, (Handle))                                                           \
  KMUX_RULE_CALL(event_record, cuEventRecord, (Handle, Handle))                                                        \
  KMUX_RULE_CALL(event_synchronize, cuEventSynchronize, (Handle))                                                      \
  KMUX_RULE_CALL(event_elapsed, cuEventElapsedTime, (float*, Handle, Handle))                                          \
  KMUX_RULE_CALL(graph_create, cuGraphCreate, (Handle*, unsigned))                                                     \
  KMUX_RULE_CALL(graph_add_kernel, cuGraphAddKernelNode_v2,                                                            \
                 (Handle*, Handle, const Handle*, std::size_t, const KernelNodeParams*))                               \
  KMUX_RULE_CALL(graph_add_memset, cuGraphAddMemsetNode,                                                               \
                 (Handle*, Handle, const Handle*, std::size_t, const MemsetParams*, Handle))                           \
  KMUX_RULE_CALL(executable_set_memset, cuGraphExecMemsetNodeSetParams, (Handle, Handle, const MemsetParams*, Handle)) \
  KMUX_RULE_CALL(graph_destroy, cuGraphDestroy, (Handle))                                                              \
  KMUX_RULE_CALL(graph_instantiate, cuGraphInstantiateWithFlags, (Handle*, Handle, unsigned long long))                \
  KMUX_RULE_CALL(graph_launch, cuGraphLaunch, (Handle, Handle))                                                        \
  KMUX_RULE_CALL(executable_destroy, cuGraphExecDestroy, (Handle))

/// An open, initialised libcuda with the primary context of device 0 retained.
struct Driver {
#define KMUX_RULE_CALL(name, symbol, params) Code(*name) params = nullptr;
  KMUX_RULE_CALLS(KMUX_RULE_CALL)
#undef KMUX_RULE_CALL
  Code (*primary_reset)(int) = nullptr;  // null if the driver lacks it
  Handle context = nullptr;
  Handle pool = nullptr;

  /// Finds the functions in `library`, a handle of dlopen, and retains the context.
  ///
  /// Errors: throws std::runtime_error with the missing symbol or the failed call.
  static Driver open(void* library);
  /// Makes the context of device 0 current on this thread; retains it again if it was reset.
  void enter();
};

// Constants of the interface that rules use.
constexpr int kGlobal = 0;
constexpr int kThreadLocal = 1;
constexpr int kRelaxed = 2;
constexpr unsigned kBlocking = 0;
constexpr unsigned kNonBlocking = 1;
constexpr unsigned long long kAutoFreeOnLaunch = 1;
inline const Handle kLegacy = reinterpret_cast<Handle>(1);
inline const Handle kPerThread = reinterpret_cast<Handle>(2);

}  // namespace kmux::driver_rules
