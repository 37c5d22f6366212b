#pragma once

#include <stddef.h>
#include <stdint.h>

// The part of HIP's C interface that launchers use. Source: ROCm 5.2.3 and 6.0, hip_runtime_api.h and driver_types.h.
extern "C" {
typedef struct ihipStream_t* hipStream_t;
typedef struct ihipModule_t* hipModule_t;
typedef struct ihipModuleSymbol_t* hipFunction_t;
typedef struct ihipEvent_t* hipEvent_t;
typedef struct ihipMemPoolHandle_t* hipMemPool_t;
typedef struct ihipGraph* hipGraph_t;
typedef struct hipGraphNode* hipGraphNode_t;
typedef struct hipGraphExec* hipGraphExec_t;
}

namespace kmux::hip {

/// The values of hipError_t that kmux distinguishes. A release may have others.
enum HipError : int {
  kHipSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kInvalidConfiguration = 9,
  kInsufficientDriver = 35,
  kInvalidDeviceFunction = 98,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidKernelFile = 218,
  kSharedObjectInitFailed = 303,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,  // does not set the last error
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeOut = 702,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureImplicit = 906,
  kStreamCaptureWrongThread = 908,
  kUnknown = 999,
};

/// Values of hipDeviceAttribute_t, unchanged from 5.0 on.
enum Attribute : int {
  kL2CacheSize = 19,
  kMultiprocessorCount = 63,
  kMaxSharedMemoryPerBlock = 74,
  kWarpSize = 87,
  kMemoryPoolsSupported = 88,
};

enum CopyKind : int { kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3 };

/// hipKernelNodeParams.
struct KernelNodeParams {
  struct Extents {
    unsigned x, y, z;
  };
  Extents block;
  void** extra;
  void* function;  // a hipFunction_t
  Extents grid;
  void** arguments;
  unsigned shared_bytes;
};

/// hipMemsetParams.
struct MemsetParams {
  void* to;
  unsigned element_bytes;
  size_t height;  // 1: `pitch` is ignored
  size_t pitch;
  unsigned value;
  size_t width;  // in elements
};

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr unsigned kHostMallocPortable = 1;  // hipHostMallocPortable: of every device
inline constexpr int kPoolReleaseThreshold = 4;  // hipMemPoolAttrReleaseThreshold
inline constexpr int kCaptureStatusNone = 0;
inline constexpr int kCaptureStatusActive = 1;
inline constexpr int kCaptureModeGlobal = 0;  // the default of a thread
inline constexpr int kCaptureModeRelaxed = 2;

}  // namespace kmux::hip
