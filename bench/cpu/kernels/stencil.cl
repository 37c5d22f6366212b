kernel void stencil(global float* out, global const float* in, int n) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  global const float* p = in + y * n + x;
  out[y * n + x] = 0.5f * p[0] + 0.125f * (p[-1] + p[1] + p[-n] + p[n]);
}
