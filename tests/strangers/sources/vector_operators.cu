//! kmux
//! kernel nbody(out ok: i32[96])
//!   launch step<<<3, 32>>>(ok)
#include <cstdio>
#include <iostream>
#include "vector_types.h"
#include "device_launch_parameters.h"

inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
inline __host__ __device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
std::ostream& operator<<(std::ostream& out, float3 a) { return out << a.x << ' ' << a.y << ' ' << a.z; }
inline float random_number() { return rand() / float(RAND_MAX); }

__constant__ float3 kGravity = {0, 0, -9.81f};

__global__ void step(int* ok) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 p = make_float3(i, 1, 2), v = make_float3(1, 0, 0);
  for (int t = 0; t < 4; ++t) {
    v = v + .25f * kGravity;
    p = p + .25f * v;
  }
  if (i == 0 && p.x != 1) printf("wrong\n");
  ok[i] = p.x == i + 1 && p.y == 1 && fabsf(p.z - (2 - 9.81f * .625f)) < 1e-4f && dot(v, v) > 1;
}

int main() {
  float3 start = make_float3(random_number(), 0, 0);
  std::cout << start << std::endl;
  step<<<3, 32>>>(nullptr);
  return cudaDeviceSynchronize();
}
