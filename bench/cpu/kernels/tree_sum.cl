kernel void tree_sum(global float* out, global const float* in, int n) {
  local float part[256];
  const int t = get_local_id(0);
  const int i = get_global_id(0);
  part[t] = i < n ? in[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = part[0];
}
