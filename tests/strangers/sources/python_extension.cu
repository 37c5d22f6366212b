//! kmux
//! kernel relu(out y: f32[300], out ok: i32[300])
//!   launch relu_kernel<float><<<3, 128>>>(y, ok, 300)
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <vector>

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be on a GPU")
#define CHECK_INPUT(x) \
  CHECK_CUDA(x);       \
  TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")

template <typename scalar_t>
__device__ __forceinline__ scalar_t relu(scalar_t x) {
  return x > scalar_t(0) ? x : scalar_t(0);
}

template <typename scalar_t>
__global__ void relu_kernel(scalar_t* __restrict__ y, int* __restrict__ ok, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = relu<scalar_t>(scalar_t(i - n / 2));
  ok[i] = y[i] == (i < n / 2 ? 0 : i - n / 2);
}

torch::Tensor relu_forward(torch::Tensor x) {
  CHECK_INPUT(x);
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  auto y = torch::empty_like(x);
  const int n = x.numel();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "relu_forward", ([&] {
                               relu_kernel<scalar_t><<<(n + 127) / 128, 128, 0, at::cuda::getCurrentCUDAStream()>>>(
                                   y.data_ptr<scalar_t>(), nullptr, n);
                             }));
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("relu_forward", &relu_forward, "ReLU"); }
