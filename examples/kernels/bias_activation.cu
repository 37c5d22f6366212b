// One template, an instantiation for each activation: the program names the one that it launches.
struct Relu {
  __device__ float operator()(float x) const { return fmaxf(x, 0.0f); }
};
struct Gelu {
  __device__ float operator()(float x) const { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }
};

template <class Activation>
__global__ void bias_activation(const float* x, const float* bias, float* y, int rows, int columns) {
  const Activation activation;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  y[row * columns + column] = activation(x[row * columns + column] + bias[column]);
}
