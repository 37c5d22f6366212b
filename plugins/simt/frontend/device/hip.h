// Names of HIP that CUDA lacks. A warp has 32 lanes, as on RDNA, or the 64 of CDNA where the program defines
// KMUX_WAVEFRONT as 64.
#pragma once
#include <kmux/atomics.h>
#include <kmux/bits.h>
#include <kmux/failures.h>
#include <kmux/warps.h>

#define __HIPCC__ 1
#define __HIP__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#undef __CUDA_ARCH__
#undef __CUDACC__
#undef __CUDACC_RTC__
#undef __NVCC__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

KMUX_DEVICE unsigned __lane_id() { return kmux_lane(); }
template <class T>
KMUX_DEVICE T __shfl(T value, int lane, int width = warpSize) {
  return __shfl_sync(~kmux_lanes{}, value, lane, width);
}
template <class T>
KMUX_DEVICE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  return __shfl_up_sync(~kmux_lanes{}, value, delta, width);
}
template <class T>
KMUX_DEVICE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  return __shfl_down_sync(~kmux_lanes{}, value, delta, width);
}
template <class T>
KMUX_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
  return __shfl_xor_sync(~kmux_lanes{}, value, mask, width);
}
KMUX_DEVICE unsigned long long __ballot(int predicate) { return __ballot_sync(~kmux_lanes{}, predicate); }
KMUX_DEVICE int __any(int predicate) { return __any_sync(~kmux_lanes{}, predicate); }
KMUX_DEVICE int __all(int predicate) { return __all_sync(~kmux_lanes{}, predicate); }

KMUX_REFUSED("instructions of an AMD GPU") int __builtin_amdgcn_readfirstlane(int);
KMUX_REFUSED("instructions of an AMD GPU") unsigned __builtin_amdgcn_mbcnt_lo(unsigned, unsigned);
KMUX_REFUSED("instructions of an AMD GPU") unsigned __builtin_amdgcn_mbcnt_hi(unsigned, unsigned);
KMUX_REFUSED("instructions of an AMD GPU") int __builtin_amdgcn_ds_bpermute(int, int);
KMUX_REFUSED("instructions of an AMD GPU") void __builtin_amdgcn_s_sleep(int);
KMUX_DEVICE void __builtin_amdgcn_s_barrier() { kmux_barrier(); }
