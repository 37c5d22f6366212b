// By tiles in local memory, whose rows are padded.
kernel void transpose(global float* out, global const float* in, int n) {
  local float tile[16][17];
  const int tx = get_local_id(0), ty = get_local_id(1);
  tile[ty][tx] = in[(get_group_id(1) * 16 + ty) * n + get_group_id(0) * 16 + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(get_group_id(0) * 16 + ty) * n + get_group_id(1) * 16 + tx] = tile[tx][ty];
}
