// OpenCL C 1.2 has no atomic addition of floats: a sum a group.
kernel void stride_sum(global float* out, global const float* in, int n) {
  local float part[256];
  const int t = get_local_id(0);
  float sum = 0.0f;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  part[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
