//! kmux
//! kernel saxpy(a: f32, out y: f32[1000], out ok: i32[1000])
//!   example a = 2.5
//!   launch init<<<4, 256>>>(y, 1000)
//!   launch saxpy<<<4, 256>>>(a, y, 1000)
//!   launch compare<<<4, 256>>>(y, ok, 1000)
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <cuda_runtime.h>

using namespace std;

#define CUDA_CHECK(call)                                                               \
  do {                                                                                 \
    cudaError_t status = (call);                                                       \
    if (status != cudaSuccess) {                                                       \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(EXIT_FAILURE);                                                              \
    }                                                                                  \
  } while (0)

static int blocks_for(int n, int threads) { return (n + threads - 1) / threads; }

__global__ void init(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}

__global__ void saxpy(float a, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * i + y[i];
}

__global__ void compare(const float* y, int* ok, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ok[i] = y[i] == 2.5f * i + 1.0f;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  vector<float> host(n, 1.0f);
  float* y = nullptr;
  CUDA_CHECK(cudaMalloc(&y, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(y, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  auto begin = chrono::high_resolution_clock::now();
  saxpy<<<blocks_for(n, 256), 256>>>(2.5f, y, n);
  CUDA_CHECK(cudaDeviceSynchronize());
  chrono::duration<double> seconds = chrono::high_resolution_clock::now() - begin;
  cout << "saxpy took " << seconds.count() << " s" << endl;
  CUDA_CHECK(cudaFree(y));
  return 0;
}
