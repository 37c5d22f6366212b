// Mean and variance by Welford's method, which does not subtract large sums from each other; partial results are
// joined as Chan, Golub and LeVeque do it ("Updating formulae and a pairwise algorithm for computing sample
// variances", 1979).
struct Moments {
  float count, mean, squares;
};

__device__ Moments join(Moments a, Moments b) {
  const float count = a.count + b.count;
  if (count == 0.0f) return a;
  const float delta = b.mean - a.mean, share = b.count / count;
  return {count, a.mean + delta * share, a.squares + b.squares + delta * delta * a.count * share};
}

__device__ Moments from_lane(Moments value, int distance) {
  return {__shfl_xor_sync(0xffffffffu, value.count, distance), __shfl_xor_sync(0xffffffffu, value.mean, distance),
          __shfl_xor_sync(0xffffffffu, value.squares, distance)};
}

__global__ void layer_norm(const float* x, const float* scale, const float* shift, float* y, int columns,
                           float epsilon) {
  __shared__ Moments of_warps[8];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  Moments mine = {0.0f, 0.0f, 0.0f};
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    const float delta = row[i] - mine.mean;
    mine.count += 1.0f;
    mine.mean += delta / mine.count;
    mine.squares += delta * (row[i] - mine.mean);
  }
  for (int distance = 16; distance > 0; distance /= 2) mine = join(mine, from_lane(mine, distance));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = mine;
  __syncthreads();
  Moments all = of_warps[0];
  for (int warp = 1; warp < blockDim.x / 32; ++warp) all = join(all, of_warps[warp]);
  const float inverse = rsqrtf(all.squares / all.count + epsilon);
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    y[static_cast<long long>(blockIdx.x) * columns + i] = (row[i] - all.mean) * inverse * scale[i] + shift[i];
}
