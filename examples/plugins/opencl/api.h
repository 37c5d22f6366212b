#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kmux/plugin/dynamic_library.h"

namespace kmux::opencl {

// What is used of OpenCL, by its names there. Source: Khronos, "The OpenCL Specification", 1.2 to 3.0.
using Code = std::int32_t;
using Count = std::uint32_t;
using Bits = std::uint64_t;
using Platform = struct PlatformObject*;
using DeviceId = struct DeviceObject*;
using Context = struct ContextObject*;
using Queue = struct QueueObject*;
using ClProgram = struct ProgramObject*;
using ClKernel = struct KernelObject*;
using Buffer = struct BufferObject*;
using ClEvent = struct EventObject*;

inline constexpr Code kSuccess = 0, kMemoryObjectFailure = -4, kOutOfResources = -5, kOutOfHostMemory = -6,
                      kDeviceNotFound = -1, kInvalidKernelName = -46, kInvalidArgumentIndex = -49,
                      kPlatformNotFound = -1001;

inline constexpr Count kPlatformVersion = 0x0901, kPlatformName = 0x0902;
inline constexpr Count kDeviceType = 0x1000, kDeviceComputeUnits = 0x1002, kDeviceMaxWorkItems = 0x1005,
                       kDeviceMaxWorkGroup = 0x1004, kDeviceMaxAllocation = 0x1010, kDeviceBaseAlignment = 0x1019,
                       kDeviceCacheBytes = 0x101E, kDeviceMemoryBytes = 0x101F, kDeviceLocalMemory = 0x1023,
                       kDeviceAvailable = 0x1027, kDeviceCompiler = 0x1028, kDeviceName = 0x102B,
                       kDriverVersion = 0x102D, kDeviceVersion = 0x102F, kDeviceExtensions = 0x1030,
                       kDeviceSharedMemory = 0x1053, kDeviceSubGroups = 0x105C;
inline constexpr Bits kAllDevices = 0xFFFFFFFF, kGpuDevice = 1U << 2, kCpuDevice = 1U << 1;
inline constexpr Bits kReadWrite = 1U << 0, kCoarseGrained = 1U << 0;
inline constexpr Bits kQueueProperties = 0x1093, kQueuePriority = 0x1096, kProfiling = 1U << 1;
inline constexpr Count kBufferRegion = 0x1220;
inline constexpr Count kProgramBinarySizes = 0x1165, kProgramBinaries = 0x1166, kBuildLog = 0x1183;
inline constexpr Count kKernelArgumentCount = 0x1191;
inline constexpr Count kArgumentAddress = 0x1196, kArgumentType = 0x1198, kArgumentName = 0x119A;
inline constexpr Count kGlobalAddress = 0x119B, kLocalAddress = 0x119C, kConstantAddress = 0x119D;
inline constexpr Count kKernelWorkGroup = 0x11B0, kKernelRequiredGroup = 0x11B1, kKernelLocalMemory = 0x11B2;
inline constexpr Count kCommandEnd = 0x1283;

/// Where a sub-buffer lies in its buffer.
struct Region {
  std::size_t origin;
  std::size_t bytes;
};

/// The functions: those of OpenCL 1.2, then those that are null where the loader of drivers is older.
#define KMUX_OPENCL_FUNCTIONS(NEEDED, OPTIONAL)                                                                      \
  NEEDED(clGetPlatformIDs, Code(Count, Platform*, Count*))                                                           \
  NEEDED(clGetPlatformInfo, Code(Platform, Count, std::size_t, void*, std::size_t*))                                 \
  NEEDED(clGetDeviceIDs, Code(Platform, Bits, Count, DeviceId*, Count*))                                             \
  NEEDED(clGetDeviceInfo, Code(DeviceId, Count, std::size_t, void*, std::size_t*))                                   \
  NEEDED(clCreateContext, Context(const std::intptr_t*, Count, const DeviceId*, void*, void*, Code*))                \
  NEEDED(clReleaseContext, Code(Context))                                                                            \
  NEEDED(clCreateCommandQueue, Queue(Context, DeviceId, Bits, Code*))                                                \
  NEEDED(clReleaseCommandQueue, Code(Queue))                                                                         \
  NEEDED(clFlush, Code(Queue))                                                                                       \
  NEEDED(clFinish, Code(Queue))                                                                                      \
  NEEDED(clCreateBuffer, Buffer(Context, Bits, std::size_t, void*, Code*))                                           \
  NEEDED(clCreateSubBuffer, Buffer(Buffer, Bits, Count, const void*, Code*))                                         \
  NEEDED(clReleaseMemObject, Code(Buffer))                                                                           \
  NEEDED(clEnqueueReadBuffer,                                                                                        \
         Code(Queue, Buffer, Count, std::size_t, std::size_t, void*, Count, const ClEvent*, ClEvent*))               \
  NEEDED(clEnqueueWriteBuffer,                                                                                       \
         Code(Queue, Buffer, Count, std::size_t, std::size_t, const void*, Count, const ClEvent*, ClEvent*))         \
  NEEDED(clEnqueueCopyBuffer,                                                                                        \
         Code(Queue, Buffer, Buffer, std::size_t, std::size_t, std::size_t, Count, const ClEvent*, ClEvent*))        \
  NEEDED(clEnqueueFillBuffer,                                                                                        \
         Code(Queue, Buffer, const void*, std::size_t, std::size_t, std::size_t, Count, const ClEvent*, ClEvent*))   \
  NEEDED(clCreateProgramWithSource, ClProgram(Context, Count, const char**, const std::size_t*, Code*))              \
  NEEDED(clCreateProgramWithBinary,                                                                                  \
         ClProgram(Context, Count, const DeviceId*, const std::size_t*, const unsigned char**, Code*, Code*))        \
  NEEDED(clBuildProgram, Code(ClProgram, Count, const DeviceId*, const char*, void*, void*))                         \
  NEEDED(clGetProgramInfo, Code(ClProgram, Count, std::size_t, void*, std::size_t*))                                 \
  NEEDED(clGetProgramBuildInfo, Code(ClProgram, DeviceId, Count, std::size_t, void*, std::size_t*))                  \
  NEEDED(clReleaseProgram, Code(ClProgram))                                                                          \
  NEEDED(clCreateKernel, ClKernel(ClProgram, const char*, Code*))                                                    \
  NEEDED(clReleaseKernel, Code(ClKernel))                                                                            \
  NEEDED(clGetKernelInfo, Code(ClKernel, Count, std::size_t, void*, std::size_t*))                                   \
  NEEDED(clGetKernelArgInfo, Code(ClKernel, Count, Count, std::size_t, void*, std::size_t*))                         \
  NEEDED(clGetKernelWorkGroupInfo, Code(ClKernel, DeviceId, Count, std::size_t, void*, std::size_t*))                \
  NEEDED(clSetKernelArg, Code(ClKernel, Count, std::size_t, const void*))                                            \
  NEEDED(clEnqueueNDRangeKernel, Code(Queue, ClKernel, Count, const std::size_t*, const std::size_t*,                \
                                      const std::size_t*, Count, const ClEvent*, ClEvent*))                          \
  NEEDED(clEnqueueMarkerWithWaitList, Code(Queue, Count, const ClEvent*, ClEvent*))                                  \
  NEEDED(clEnqueueBarrierWithWaitList, Code(Queue, Count, const ClEvent*, ClEvent*))                                 \
  NEEDED(clWaitForEvents, Code(Count, const ClEvent*))                                                               \
  NEEDED(clGetEventProfilingInfo, Code(ClEvent, Count, std::size_t, void*, std::size_t*))                            \
  NEEDED(clRetainEvent, Code(ClEvent))                                                                               \
  NEEDED(clReleaseEvent, Code(ClEvent))                                                                              \
  OPTIONAL(clCreateCommandQueueWithProperties, Queue(Context, DeviceId, const Bits*, Code*))                         \
  OPTIONAL(clSVMAlloc, void*(Context, Bits, std::size_t, Count))                                                     \
  OPTIONAL(clSVMFree, void(Context, void*))                                                                          \
  OPTIONAL(clSetKernelArgSVMPointer, Code(ClKernel, Count, const void*))                                             \
  OPTIONAL(clEnqueueSVMMemcpy, Code(Queue, Count, void*, const void*, std::size_t, Count, const ClEvent*, ClEvent*)) \
  OPTIONAL(clEnqueueSVMMemFill,                                                                                      \
           Code(Queue, void*, const void*, std::size_t, std::size_t, Count, const ClEvent*, ClEvent*))

/// The loader of drivers, libOpenCL, opened at run time.
///
/// Threads: any.
class Api {
 public:
  /// Opens the library `name`, or where it is empty the one that the system has.
  ///
  /// Errors: unavailable, with what to install.
  static Result<Api> open(const std::string& name);

  /// Has it what memory at plain addresses takes?
  bool has_shared_memory() const { return clSVMAlloc != nullptr && clSetKernelArgSVMPointer != nullptr; }

#define KMUX_OPENCL_MEMBER(name, ...) \
  using name##Type = __VA_ARGS__;     \
  name##Type* name = nullptr;
  KMUX_OPENCL_FUNCTIONS(KMUX_OPENCL_MEMBER, KMUX_OPENCL_MEMBER)
#undef KMUX_OPENCL_MEMBER

 private:
  explicit Api(DynamicLibrary library) : library_(std::move(library)) {}
  DynamicLibrary library_;
};

/// "CL_INVALID_VALUE" of -30; empty for a number that is not known.
const char* name_of(Code code);

/// "clFinish failed with -5 CL_OUT_OF_RESOURCES".
std::string failure_of(const char* call, Code code);

/// ok, or the error of a call that failed: unavailable where memory or a device is missing, else launch_failed.
Status check(const char* call, Code code, const std::string& detail);

}  // namespace kmux::opencl
