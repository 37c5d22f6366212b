// Compares our declarations of HIP's C interface with the original, of ROCm 5.2 (Debian 12) or later.
#include "launch/hip_abi.h"

#define __HIP_PLATFORM_AMD__ 1
#include <array>
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include "launch/hip_symbols.h"

namespace kmux::hip {
namespace {

// Returns the number of parameters of a function and the size of each: the facts that a call through our table depends
// on.
template <class Result, class... Params>
constexpr std::array<std::size_t, sizeof...(Params) + 1> shape_of(Result (*)(Params...)) {
  return {sizeof(Result), sizeof(Params)...};
}

struct Signatures {
#define KMUX_CALL(name, symbol, params) using name = int(*) params;
  KMUX_HIP_CALLS(KMUX_CALL)
  KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
  KMUX_OPTIONAL_HIP_CALLS(KMUX_CALL)
#undef KMUX_CALL
};

#define KMUX_SAME(name, symbol) \
  EXPECT_EQ(shape_of(static_cast<Signatures::name>(nullptr)), shape_of(&::symbol)) << #symbol

TEST(HipAbiTest, FunctionSignaturesMatch) {
  KMUX_SAME(device_count, hipGetDeviceCount);
  KMUX_SAME(device_get, hipGetDevice);
  KMUX_SAME(device_set, hipSetDevice);
  KMUX_SAME(device_attribute, hipDeviceGetAttribute);
  KMUX_SAME(device_name, hipDeviceGetName);
  KMUX_SAME(device_memory, hipDeviceTotalMem);
  KMUX_SAME(runtime_version, hipRuntimeGetVersion);
  KMUX_SAME(module_load, hipModuleLoadData);
  KMUX_SAME(module_unload, hipModuleUnload);
  KMUX_SAME(module_function, hipModuleGetFunction);
  KMUX_SAME(module_global, hipModuleGetGlobal);
  KMUX_SAME(launch, hipModuleLaunchKernel);
  KMUX_SAME(free, hipFree);
  KMUX_SAME(copy, hipMemcpyAsync);
  KMUX_SAME(host_free, hipHostFree);
  KMUX_SAME(copy_peer, hipMemcpyPeerAsync);
  KMUX_SAME(memset, hipMemsetAsync);
  KMUX_SAME(memory_info, hipMemGetInfo);
  KMUX_SAME(stream_create, hipStreamCreateWithFlags);
  KMUX_SAME(stream_create_with_priority, hipStreamCreateWithPriority);
  KMUX_SAME(stream_destroy, hipStreamDestroy);
  KMUX_SAME(stream_synchronize, hipStreamSynchronize);
  KMUX_SAME(event_create, hipEventCreate);
  KMUX_SAME(event_destroy, hipEventDestroy);
  KMUX_SAME(event_record, hipEventRecord);
  KMUX_SAME(event_synchronize, hipEventSynchronize);
  KMUX_SAME(event_elapsed, hipEventElapsedTime);
  KMUX_SAME(properties, hipGetDeviceProperties);
  KMUX_SAME(free_async, hipFreeAsync);
  KMUX_SAME(default_pool, hipDeviceGetDefaultMemPool);
  KMUX_SAME(pool_attribute_set, hipMemPoolSetAttribute);
  KMUX_SAME(stream_capturing, hipStreamIsCapturing);
  KMUX_SAME(stream_capture_info, hipStreamGetCaptureInfo);
  KMUX_SAME(exchange_capture_mode, hipThreadExchangeStreamCaptureMode);
  KMUX_SAME(stream_wait_event, hipStreamWaitEvent);
  KMUX_SAME(event_create_with_flags, hipEventCreateWithFlags);
#define KMUX_CALL(name, symbol, params) KMUX_SAME(name, symbol);
  KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
#undef KMUX_CALL
  EXPECT_EQ(shape_of(static_cast<int (*)()>(nullptr)), shape_of(&::hipGetLastError));
#if HIP_VERSION >= 50300000
  KMUX_SAME(node_enable, hipGraphNodeSetEnabled);
#endif
#if HIP_VERSION >= 50500000
  KMUX_SAME(launch_cooperative, hipModuleLaunchCooperativeKernel);
#endif
}

// Functions that the header overloads for C++: compares the C version.
TEST(HipAbiTest, OverloadedSignaturesMatch) {
  hipError_t (*const allocate)(void**, std::size_t) = &::hipMalloc;
  hipError_t (*const allocate_async)(void**, std::size_t, hipStream_t) = &::hipMallocAsync;
  hipError_t (*const host_allocate)(void**, std::size_t, unsigned) = &::hipHostMalloc;
  EXPECT_EQ(shape_of(static_cast<Signatures::allocate>(nullptr)), shape_of(allocate));
  EXPECT_EQ(shape_of(static_cast<Signatures::allocate_async>(nullptr)), shape_of(allocate_async));
  EXPECT_EQ(shape_of(static_cast<Signatures::host_allocate>(nullptr)), shape_of(host_allocate));
}

#define KMUX_SAME_PLACE(ours, field, theirs, member)            \
  EXPECT_EQ(offsetof(ours, field), offsetof(::theirs, member)); \
  EXPECT_EQ(sizeof(ours::field), sizeof(::theirs::member)) << #member

TEST(HipAbiTest, StructLayoutsMatch) {
  EXPECT_EQ(sizeof(KernelNodeParams), sizeof(::hipKernelNodeParams));
  KMUX_SAME_PLACE(KernelNodeParams, block, hipKernelNodeParams, blockDim);
  KMUX_SAME_PLACE(KernelNodeParams, extra, hipKernelNodeParams, extra);
  KMUX_SAME_PLACE(KernelNodeParams, function, hipKernelNodeParams, func);
  KMUX_SAME_PLACE(KernelNodeParams, grid, hipKernelNodeParams, gridDim);
  KMUX_SAME_PLACE(KernelNodeParams, arguments, hipKernelNodeParams, kernelParams);
  KMUX_SAME_PLACE(KernelNodeParams, shared_bytes, hipKernelNodeParams, sharedMemBytes);
  EXPECT_EQ(sizeof(MemsetParams), sizeof(::hipMemsetParams));
  KMUX_SAME_PLACE(MemsetParams, to, hipMemsetParams, dst);
  KMUX_SAME_PLACE(MemsetParams, element_bytes, hipMemsetParams, elementSize);
  KMUX_SAME_PLACE(MemsetParams, height, hipMemsetParams, height);
  KMUX_SAME_PLACE(MemsetParams, pitch, hipMemsetParams, pitch);
  KMUX_SAME_PLACE(MemsetParams, value, hipMemsetParams, value);
  KMUX_SAME_PLACE(MemsetParams, width, hipMemsetParams, width);
}

TEST(HipAbiTest, ConstantsMatch) {
  const std::array<std::pair<int, int>, 33> numbers = {{
      {kHipSuccess, hipSuccess},
      {kInvalidValue, hipErrorInvalidValue},
      {kOutOfMemory, hipErrorOutOfMemory},
      {kNotInitialized, hipErrorNotInitialized},
      {kDeinitialized, hipErrorDeinitialized},
      {kInvalidConfiguration, hipErrorInvalidConfiguration},
      {kInsufficientDriver, hipErrorInsufficientDriver},
      {kInvalidDeviceFunction, hipErrorInvalidDeviceFunction},
      {kNoDevice, hipErrorNoDevice},
      {kInvalidDevice, hipErrorInvalidDevice},
      {kInvalidImage, hipErrorInvalidImage},
      {kInvalidContext, hipErrorInvalidContext},
      {kNoBinaryForGpu, hipErrorNoBinaryForGpu},
      {kInvalidKernelFile, hipErrorInvalidKernelFile},
      {kSharedObjectInitFailed, hipErrorSharedObjectInitFailed},
      {kInvalidHandle, hipErrorInvalidHandle},
      {kNotFound, hipErrorNotFound},
      {kNotReady, hipErrorNotReady},
      {kIllegalAddress, hipErrorIllegalAddress},
      {kLaunchOutOfResources, hipErrorLaunchOutOfResources},
      {kLaunchTimeOut, hipErrorLaunchTimeOut},
      {kContextIsDestroyed, hipErrorContextIsDestroyed},
      {kAssert, hipErrorAssert},
      {kLaunchFailure, hipErrorLaunchFailure},
      {kCooperativeLaunchTooLarge, hipErrorCooperativeLaunchTooLarge},
      {kNotSupported, hipErrorNotSupported},
      {kStreamCaptureUnsupported, hipErrorStreamCaptureUnsupported},
      {kStreamCaptureImplicit, hipErrorStreamCaptureImplicit},
      {kStreamCaptureWrongThread, hipErrorStreamCaptureWrongThread},
      {kUnknown, hipErrorUnknown},
      {kHostToDevice, hipMemcpyHostToDevice},
      {kDeviceToHost, hipMemcpyDeviceToHost},
      {kDeviceToDevice, hipMemcpyDeviceToDevice},
  }};
  for (const auto& [ours, theirs] : numbers) EXPECT_EQ(ours, theirs);
  EXPECT_EQ(int{kL2CacheSize}, int{hipDeviceAttributeL2CacheSize});
  EXPECT_EQ(int{kMultiprocessorCount}, int{hipDeviceAttributeMultiprocessorCount});
  EXPECT_EQ(int{kMaxSharedMemoryPerBlock}, int{hipDeviceAttributeMaxSharedMemoryPerBlock});
  EXPECT_EQ(int{kWarpSize}, int{hipDeviceAttributeWarpSize});
  EXPECT_EQ(int{kMemoryPoolsSupported}, int{hipDeviceAttributeMemoryPoolsSupported});
  EXPECT_EQ(kStreamNonBlocking, unsigned{hipStreamNonBlocking});
  EXPECT_EQ(kEventDisableTiming, unsigned{hipEventDisableTiming});
  EXPECT_EQ(kHostMallocPortable, unsigned{hipHostMallocPortable});
  EXPECT_EQ(kPoolReleaseThreshold, int{hipMemPoolAttrReleaseThreshold});
  EXPECT_EQ(kCaptureStatusNone, int{hipStreamCaptureStatusNone});
  EXPECT_EQ(kCaptureStatusActive, int{hipStreamCaptureStatusActive});
  EXPECT_EQ(kCaptureModeGlobal, int{hipStreamCaptureModeGlobal});
  EXPECT_EQ(kCaptureModeRelaxed, int{hipStreamCaptureModeRelaxed});
}

}  // namespace
}  // namespace kmux::hip
