#pragma once

// What kmux needs of the CUDA driver's binary interface, so that neither a toolkit nor its headers are needed to build.
// Source: CUDA Driver API 12.0 to 13.0. tests/driver_abi_test.cpp compares it with cuda.h where that is installed.
#include <stddef.h>
#include <stdint.h>

namespace kmux::nvidia {

// clang-format off
enum CUresult : int {
  CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_STUB_LIBRARY = 34, CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
  CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200, CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_UNSUPPORTED_LIMIT = 215, CUDA_ERROR_INVALID_PTX = 218, CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_INVALID_HANDLE = 400, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709, CUDA_ERROR_ASSERT = 710, CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715, CUDA_ERROR_MISALIGNED_ADDRESS = 716, CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718, CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720, CUDA_ERROR_NOT_PERMITTED = 800, CUDA_ERROR_NOT_SUPPORTED = 801, CUDA_ERROR_SYSTEM_NOT_READY = 802,
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
  CUDA_ERROR_INVALID_CLUSTER_SIZE = 912, CUDA_ERROR_UNKNOWN = 999,
};
enum CUdevice_attribute : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 108, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE = 109,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
};
enum CUfunction_attribute : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
};
enum CUlaunchAttributeID : int {
  CU_LAUNCH_ATTRIBUTE_IGNORE = 0, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1, CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
};
enum CUaccessProperty : int { CU_ACCESS_PROPERTY_NORMAL = 0, CU_ACCESS_PROPERTY_STREAMING = 1, CU_ACCESS_PROPERTY_PERSISTING = 2 };
enum CUlimit : int { CU_LIMIT_PERSISTING_L2_CACHE_SIZE = 6 };
enum CUstreamCaptureStatus : int {
  CU_STREAM_CAPTURE_STATUS_NONE = 0, CU_STREAM_CAPTURE_STATUS_ACTIVE = 1, CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
};
enum CUstreamCaptureMode : int {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1, CU_STREAM_CAPTURE_MODE_RELAXED = 2,
};
enum CUmemPool_attribute : int { CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4 };
enum CUstream_flags : unsigned { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
inline constexpr unsigned CU_MEMHOSTALLOC_PORTABLE = 1;
enum CUevent_flags : unsigned { CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2 };
// clang-format on

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUfunction = struct CUfunc_st*;  // a CUkernel may be passed as one
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphNode = struct CUgraphNode_st*;
using CUgraphExec = struct CUgraphExec_st*;

struct CUaccessPolicyWindow {
  void* base_ptr;
  size_t num_bytes;
  float hitRatio;
  CUaccessProperty hitProp;
  CUaccessProperty missProp;
};
union CUlaunchAttributeValue {
  char pad[64];
  CUaccessPolicyWindow accessPolicyWindow;
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
};
struct CUlaunchAttribute {
  CUlaunchAttributeID id;
  char pad[8 - sizeof(CUlaunchAttributeID)];
  CUlaunchAttributeValue value;
};
struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
};
struct CUDA_KERNEL_NODE_PARAMS {  // version 2
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
  CUkernel kern;
  CUcontext ctx;
};
struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width;
  size_t height;
};

}  // namespace kmux::nvidia

// Every driver call of kmux: KMUX_CALL(name in the table, exported symbol, parameters). All return a CUresult.
#define KMUX_DRIVER_CALLS(KMUX_CALL)                                                                                 \
  KMUX_CALL(init, cuInit, (unsigned flags))                                                                          \
  KMUX_CALL(driver_version, cuDriverGetVersion, (int* version))                                                      \
  KMUX_CALL(error_name, cuGetErrorName, (CUresult code, const char** text))                                          \
  KMUX_CALL(error_string, cuGetErrorString, (CUresult code, const char** text))                                      \
  KMUX_CALL(device_count, cuDeviceGetCount, (int* count))                                                            \
  KMUX_CALL(device_get, cuDeviceGet, (CUdevice * device, int ordinal))                                               \
  KMUX_CALL(device_name, cuDeviceGetName, (char* name, int size, CUdevice device))                                   \
  KMUX_CALL(device_attribute, cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))     \
  KMUX_CALL(device_total_memory, cuDeviceTotalMem_v2, (size_t* bytes, CUdevice device))                              \
  KMUX_CALL(primary_retain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                        \
  KMUX_CALL(primary_release, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                        \
  KMUX_CALL(current_get, cuCtxGetCurrent, (CUcontext * context))                                                     \
  KMUX_CALL(current_set, cuCtxSetCurrent, (CUcontext context))                                                       \
  KMUX_CALL(current_device, cuCtxGetDevice, (CUdevice * device))                                                     \
  KMUX_CALL(limit_get, cuCtxGetLimit, (size_t* value, CUlimit limit))                                                \
  KMUX_CALL(limit_set, cuCtxSetLimit, (CUlimit limit, size_t value))                                                 \
  KMUX_CALL(reset_persisting, cuCtxResetPersistingL2Cache, (void))                                                   \
  KMUX_CALL(library_load, cuLibraryLoadData,                                                                         \
            (CUlibrary * library, const void* code, int* jit_options, void** jit_values, unsigned jit_count,         \
             int* library_options, void** library_values, unsigned library_count))                                   \
  KMUX_CALL(library_unload, cuLibraryUnload, (CUlibrary library))                                                    \
  KMUX_CALL(library_kernel, cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char* name))            \
  KMUX_CALL(library_global, cuLibraryGetGlobal,                                                                      \
            (CUdeviceptr * address, size_t* bytes, CUlibrary library, const char* name))                             \
  KMUX_CALL(kernel_function, cuKernelGetFunction, (CUfunction * function, CUkernel kernel))                          \
  KMUX_CALL(kernel_attribute_get, cuKernelGetAttribute,                                                              \
            (int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device))                          \
  KMUX_CALL(kernel_attribute_set, cuKernelSetAttribute,                                                              \
            (CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device))                           \
  KMUX_CALL(launch, cuLaunchKernelEx, (const CUlaunchConfig* config, CUfunction kernel, void** args, void** extra))  \
  KMUX_CALL(encode_tiled, cuTensorMapEncodeTiled,                                                                    \
            (void* map, int dtype, uint32_t rank, void* base, const uint64_t* dims, const uint64_t* strides,         \
             const uint32_t* box, const uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,    \
             int oob_fill))                                                                                          \
  KMUX_CALL(encode_im2col, cuTensorMapEncodeIm2col,                                                                  \
            (void* map, int dtype, uint32_t rank, void* base, const uint64_t* dims, const uint64_t* strides,         \
             const int* lower_corner, const int* upper_corner, uint32_t channels, uint32_t pixels,                   \
             const uint32_t* element_strides, int interleave, int swizzle, int l2_promotion, int oob_fill))          \
  KMUX_CALL(replace_address, cuTensorMapReplaceAddress, (void* map, void* base))                                     \
  KMUX_CALL(allocate, cuMemAllocFromPoolAsync,                                                                       \
            (CUdeviceptr * address, size_t bytes, CUmemoryPool pool, CUstream stream))                               \
  KMUX_CALL(free, cuMemFreeAsync, (CUdeviceptr address, CUstream stream))                                            \
  KMUX_CALL(device_pool, cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice device))                          \
  KMUX_CALL(pool_attribute_set, cuMemPoolSetAttribute,                                                               \
            (CUmemoryPool pool, CUmemPool_attribute attribute, void* value))                                         \
  KMUX_CALL(memory_info, cuMemGetInfo_v2, (size_t* free, size_t* total))                                             \
  KMUX_CALL(copy, cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                  \
  KMUX_CALL(copy_to_device, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, size_t bytes, CUstream stream)) \
  KMUX_CALL(copy_to_host, cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, size_t bytes, CUstream stream))         \
  KMUX_CALL(copy_peer, cuMemcpyPeerAsync,                                                                            \
            (CUdeviceptr to, CUcontext at, CUdeviceptr from, CUcontext from_where, size_t bytes, CUstream stream))   \
  KMUX_CALL(host_allocate, cuMemHostAlloc, (void** address, size_t bytes, unsigned flags))                           \
  KMUX_CALL(host_free, cuMemFreeHost, (void* address))                                                               \
  KMUX_CALL(memset8, cuMemsetD8Async, (CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream))     \
  KMUX_CALL(stream_create, cuStreamCreate, (CUstream * stream, unsigned flags))                                      \
  KMUX_CALL(stream_create_with_priority, cuStreamCreateWithPriority,                                                 \
            (CUstream * stream, unsigned flags, int priority))                                                       \
  KMUX_CALL(stream_destroy, cuStreamDestroy_v2, (CUstream stream))                                                   \
  KMUX_CALL(stream_synchronize, cuStreamSynchronize, (CUstream stream))                                              \
  KMUX_CALL(stream_wait_event, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                  \
  KMUX_CALL(stream_capturing, cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                \
  KMUX_CALL(stream_capture_info, cuStreamGetCaptureInfo_v2,                                                          \
            (CUstream stream, CUstreamCaptureStatus * status, uint64_t* id, CUgraph* graph,                          \
             const CUgraphNode** dependencies, size_t* dependency_count))                                            \
  KMUX_CALL(exchange_capture_mode, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode))                  \
  KMUX_CALL(event_create, cuEventCreate, (CUevent * event, unsigned flags))                                          \
  KMUX_CALL(event_destroy, cuEventDestroy_v2, (CUevent event))                                                       \
  KMUX_CALL(event_record, cuEventRecord, (CUevent event, CUstream stream))                                           \
  KMUX_CALL(event_synchronize, cuEventSynchronize, (CUevent event))                                                  \
  KMUX_CALL(event_elapsed, cuEventElapsedTime, (float* milliseconds, CUevent begin, CUevent end))                    \
  KMUX_CALL(graph_create, cuGraphCreate, (CUgraph * graph, unsigned flags))                                          \
  KMUX_CALL(graph_destroy, cuGraphDestroy, (CUgraph graph))                                                          \
  KMUX_CALL(graph_add_kernel, cuGraphAddKernelNode_v2,                                                               \
            (CUgraphNode * node, CUgraph graph, const CUgraphNode* after, size_t after_count,                        \
             const CUDA_KERNEL_NODE_PARAMS* params))                                                                 \
  KMUX_CALL(graph_add_memset, cuGraphAddMemsetNode,                                                                  \
            (CUgraphNode * node, CUgraph graph, const CUgraphNode* after, size_t after_count,                        \
             const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context))                                              \
  KMUX_CALL(graph_instantiate, cuGraphInstantiateWithFlags,                                                          \
            (CUgraphExec * executable, CUgraph graph, unsigned long long flags))                                     \
  KMUX_CALL(graph_set_attribute, cuGraphKernelNodeSetAttribute,                                                      \
            (CUgraphNode node, CUlaunchAttributeID attribute, const CUlaunchAttributeValue* value))                  \
  KMUX_CALL(executable_set_kernel, cuGraphExecKernelNodeSetParams_v2,                                                \
            (CUgraphExec executable, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params))                       \
  KMUX_CALL(executable_set_memset, cuGraphExecMemsetNodeSetParams,                                                   \
            (CUgraphExec executable, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext context))    \
  KMUX_CALL(executable_enable, cuGraphNodeSetEnabled, (CUgraphExec executable, CUgraphNode node, unsigned enabled))  \
  KMUX_CALL(executable_destroy, cuGraphExecDestroy, (CUgraphExec executable))                                        \
  KMUX_CALL(graph_launch, cuGraphLaunch, (CUgraphExec executable, CUstream stream))

// Calls that a driver from 12.0 on may lack: null in the table then. The version that brought each stands beside it.
#define KMUX_OPTIONAL_DRIVER_CALLS(KMUX_CALL)       \
  KMUX_CALL(kernel_parameter, cuKernelGetParamInfo, \
            (CUkernel kernel, size_t index, size_t* offset, size_t* size)) /* 12.4 */
