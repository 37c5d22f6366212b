// One step of Lloyd's method: each point goes to its nearest centre, and centres go to the mean of their points.
#ifndef INFINITY  // NVRTC has none
#define INFINITY __int_as_float(0x7f800000)
#endif
__global__ void assign(const float* points, const float* centers, int* nearest, float* sums, int* counts, int n, int k,
                       int dimensions) {
  extern __shared__ float all_centers[];
  for (int i = threadIdx.x; i < k * dimensions; i += blockDim.x) all_centers[i] = centers[i];
  __syncthreads();
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= n) return;
  float best = INFINITY;
  int center = 0;
  for (int c = 0; c < k; ++c) {
    float distance = 0.0f;
    for (int d = 0; d < dimensions; ++d) {
      const float delta = points[point * dimensions + d] - all_centers[c * dimensions + d];
      distance += delta * delta;
    }
    if (distance < best) best = distance, center = c;
  }
  nearest[point] = center;
  atomicAdd(&counts[center], 1);
  for (int d = 0; d < dimensions; ++d) atomicAdd(&sums[center * dimensions + d], points[point * dimensions + d]);
}

// A centre without points stays where it is.
__global__ void move_centers(const float* centers, const float* sums, const int* counts, float* moved, int k,
                             int dimensions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= k * dimensions) return;
  const int count = counts[i / dimensions];
  moved[i] = count > 0 ? sums[i] / count : centers[i];
}
