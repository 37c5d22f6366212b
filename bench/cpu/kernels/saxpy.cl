kernel void saxpy(global float* y, global const float* x, global const float* z, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = 2.5f * x[i] + z[i];
}
