// Compares our picture of HIP's C interface with the original, of ROCm 5.2 (Debian 12) or later.
#include "launch/hip_abi.h"

#define __HIP_PLATFORM_AMD__ 1
#include <array>
#include <cstddef>

#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include "launch/hip_symbols.h"

namespace kmux::hip {
namespace {

// The number of parameters of a function and the size of each: what a call through our table depends on.
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

TEST(HipAbi, Functions) {
  KMUX_SAME(launch, hipModuleLaunchKernel);
  KMUX_SAME(module_load, hipModuleLoadData);
  KMUX_SAME(module_function, hipModuleGetFunction);
  KMUX_SAME(module_global, hipModuleGetGlobal);
  KMUX_SAME(memset, hipMemsetAsync);
  KMUX_SAME(copy, hipMemcpyAsync);
  KMUX_SAME(copy_peer, hipMemcpyPeerAsync);
  KMUX_SAME(stream_create_with_priority, hipStreamCreateWithPriority);
  KMUX_SAME(stream_capturing, hipStreamIsCapturing);
  KMUX_SAME(stream_capture_info, hipStreamGetCaptureInfo);
  KMUX_SAME(exchange_capture_mode, hipThreadExchangeStreamCaptureMode);
  KMUX_SAME(stream_wait_event, hipStreamWaitEvent);
  KMUX_SAME(event_elapsed, hipEventElapsedTime);
#define KMUX_CALL(name, symbol, params) KMUX_SAME(name, symbol);
  KMUX_HIP_GRAPH_CALLS(KMUX_CALL)
#undef KMUX_CALL
#if HIP_VERSION >= 50300000
  KMUX_SAME(node_enable, hipGraphNodeSetEnabled);
#endif
}

#define KMUX_SAME_PLACE(ours, field, theirs, member)            \
  EXPECT_EQ(offsetof(ours, field), offsetof(::theirs, member)); \
  EXPECT_EQ(sizeof(ours::field), sizeof(::theirs::member)) << #member

TEST(HipAbi, Structs) {
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

TEST(HipAbi, Numbers) {
  EXPECT_EQ(int{kInvalidValue}, int{hipErrorInvalidValue});
  EXPECT_EQ(int{kOutOfMemory}, int{hipErrorOutOfMemory});
  EXPECT_EQ(int{kNotSupported}, int{hipErrorNotSupported});
  EXPECT_EQ(int{kStreamCaptureUnsupported}, int{hipErrorStreamCaptureUnsupported});
  EXPECT_EQ(kCaptureStatusActive, int{hipStreamCaptureStatusActive});
  EXPECT_EQ(kCaptureModeRelaxed, int{hipStreamCaptureModeRelaxed});
}

}  // namespace
}  // namespace kmux::hip
