// Each 32 elements the other way round, through local memory whose size the launch says.
__kernel void reverse(__global const float* x, __global float* y, int n, __local float* tile) {
  const int t = get_local_id(0);
  const int i = get_group_id(0) * 32 + t;
  tile[t] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) y[i] = tile[31 - t];
}
