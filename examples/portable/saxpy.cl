__kernel void saxpy(__global const float* x, __global const float* y, __global float* z, float a, int n) {
  const int i = get_global_id(0);
  if (i < n) z[i] = a * x[i] + y[i];
}
