#include <metal_stdlib>

kernel void saxpy(device const float* x [[buffer(0)]], device const float* y [[buffer(1)]],
                  device float* z [[buffer(2)]], constant float& a [[buffer(3)]], constant int& n [[buffer(4)]],
                  uint i [[thread_position_in_grid]]) {
  if (int(i) < n) z[i] = a * x[i] + y[i];
}
