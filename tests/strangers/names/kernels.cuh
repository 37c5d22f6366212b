// What in_header.cu and template_in_header.cu launch.
#pragma once

namespace lib {
__global__ void from_header(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1.0f;
}

template <class T, int kSize = 32>
__global__ void shape(T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kSize / 32.0f;
}
}  // namespace lib
