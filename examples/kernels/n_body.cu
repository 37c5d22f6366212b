// Accelerations of bodies (x, y, z, mass) on each other. A block passes all bodies through shared memory, tile by
// tile.
__global__ void n_body(const float4* bodies, float4* accelerations, int n, float softening) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int first = 0; first < n; first += blockDim.x) {
    tile[threadIdx.x] = first + threadIdx.x < n ? bodies[first + threadIdx.x] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) {  // bodies that fill up the last tile have no mass
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float pull = tile[j].w * inverse * inverse * inverse;
      sum.x += pull * dx;
      sum.y += pull * dy;
      sum.z += pull * dz;
    }
    __syncthreads();
  }
  if (i < n) accelerations[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
