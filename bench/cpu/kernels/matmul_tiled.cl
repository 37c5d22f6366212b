kernel void matmul_tiled(global float* c, global const float* a, global const float* b, int n) {
  local float as[16][16];
  local float bs[16][16];
  const int tx = get_local_id(0), ty = get_local_id(1);
  const int row = get_global_id(1), column = get_global_id(0);
  float sum = 0.0f;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[row * n + t + tx];
    bs[ty][tx] = b[(t + ty) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
