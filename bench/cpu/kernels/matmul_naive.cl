kernel void matmul_naive(global float* c, global const float* a, global const float* b, int n) {
  const int row = get_global_id(1);
  const int column = get_global_id(0);
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
