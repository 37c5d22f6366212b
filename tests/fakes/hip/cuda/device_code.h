// The prelude of HIP C++ that NVRTC compiles. Not part of the library: its text is embedded.
#pragma once

#include <cuda_fp16.h>

#define __HIP_PLATFORM_NVIDIA__ 1

typedef unsigned char uchar;

// HIP's exchange has no mask: the whole wavefront takes part.
#define KMUX_EVERYBODY 0xffffffffu
template <class T>
__device__ T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(KMUX_EVERYBODY, value, lane, width);
}
template <class T>
__device__ T __shfl_down(T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(KMUX_EVERYBODY, value, delta, width);
}
template <class T>
__device__ T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(KMUX_EVERYBODY, value, mask, width);
}
#undef KMUX_EVERYBODY
#define __ballot(predicate) static_cast<unsigned long long>(__ballot_sync(__activemask(), (predicate)))
#define __any(predicate) __any_sync(__activemask(), (predicate))
#define __all(predicate) __all_sync(__activemask(), (predicate))
