//! kmux
//! kernel histogram(out bins: i32[8], out ok: i32[8])
//!   launch zero<<<1, 8>>>(bins)
//!   launch histogram<<<2, 128>>>(bins)
//!   launch compare<<<1, 8>>>(bins, ok)
#include <cstdint>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <cublas_v2.h>
#include <curand.h>

#define BINS 8
#define DEVICE_FUNCTION __device__ __forceinline__
#define KERNEL(name) __global__ void name

DEVICE_FUNCTION unsigned bin_of(uint32_t value) { return value % BINS; }

KERNEL(zero)(int* bins) { bins[threadIdx.x] = 0; }
KERNEL(histogram)(int* bins) { atomicAdd(&bins[bin_of(blockIdx.x * blockDim.x + threadIdx.x)], 1); }
KERNEL(compare)(const int* bins, int* ok) { ok[threadIdx.x] = bins[threadIdx.x] == 2 * 128 / BINS; }

cublasHandle_t handle;

void sorted(thrust::device_vector<int>& values) {
  thrust::sort(values.begin(), values.end());
  histogram<<<2, 128>>>(thrust::raw_pointer_cast(values.data()));
}
