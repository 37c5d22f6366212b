kernel void silu(global float* y, global const float* x, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] = x[i] / (1.0f + exp(-x[i]));
}
