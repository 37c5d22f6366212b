import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
import tilelang.contrib.cutedsl as tl


@cute.kernel
def gemm_f16_split_kernel(A_desc: cutlass.GridConstant[cuda.TensorMap], B_desc: cutlass.GridConstant[cuda.TensorMap], partial, m):
  partial = cute.make_tensor(cute.recast_ptr(partial, dtype=cutlass.Float32), (1,))
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  buf_dyn_shmem = tl.make_tensor(tl.get_dyn_smem(cutlass.Uint8, alignment=1024), (1,))
  a = tl.handle_add_byte_offset(buf_dyn_shmem, 0)
  b = tl.handle_add_byte_offset(buf_dyn_shmem, 16384)
  mbarrier = tl.alloc_smem(cutlass.Uint64, size_in_elems=4)
  total = tl.make_rmem_tensor((32),cutlass.Float32)
  if tl.shuffle_elect(0):
    with cute.arch.elect_one():
      tl.prefetch_tma_descriptor(A_desc)
      tl.prefetch_tma_descriptor(B_desc)
  if tl.shuffle_elect(0):
    with cute.arch.elect_one():
      tl.mbarrier_init((mbarrier + 0), 1)
      tl.mbarrier_init((mbarrier + 1), 1)
      tl.mbarrier_init((mbarrier + 2), 128)
      tl.mbarrier_init((mbarrier + 3), 128)
  tl.fence_barrier_init()
  tl.sync_threads()
  if threadIdx.x < 128:
    tl.warpgroup_reg_dealloc(24)
    for step in range(16):
      tl.mbarrier_wait((mbarrier + ((step & 1) + 2)), (cutlass.Int32(((step & 3) >> 1)) ^ 1))
      if tl.shuffle_elect(128):
        with cute.arch.elect_one():
          tl.mbarrier_expect_tx((mbarrier + (step & 1)), 8192)
          tl.tma_load(A_desc, (mbarrier + (step & 1)), (tl.recast_ptr(a.iterator, dtype=cutlass.Float16) + ((step & 1) * 4096)), (((blockIdx.z * 1024) + (step * 64)), (blockIdx.y * 64)))
          tl.arrive_and_expect_tx((mbarrier + (step & 1)), 8192)
          tl.tma_load(B_desc, (mbarrier + (step & 1)), (tl.recast_ptr(b.iterator, dtype=cutlass.Float16) + ((step & 1) * 4096)), ((blockIdx.x * 64), ((blockIdx.z * 1024) + (step * 64))))
  else:
    tl.warpgroup_reg_alloc(240)
    for i in cutlass.range_constexpr(8):
      broadcast_var = cutlass.Float32(float.fromhex('0x0p+0'))
      tl.make_tensor_at_offset(total.iterator, (i * 4), (4,), div_by=4).store(tl.make_filled_tensor((4,), cutlass.Float32(broadcast_var)).load())
    for step_1 in range(16):
      tl.mbarrier_wait((mbarrier + (step_1 & 1)), cutlass.Int32(((step_1 & 3) >> 1)))
      desc_a = tl.GmmaDescriptor()
      desc_b = tl.GmmaDescriptor()
      tl.initialize_wgmma_descriptor(1, 1, 64, desc_a, (tl.recast_ptr(a.iterator, dtype=cutlass.Float16) + 0))
      tl.increase_descriptor_offset(desc_a, ((step_1 & 1) * 8192))
      tl.initialize_wgmma_descriptor(1, 0, 64, desc_b, (tl.recast_ptr(b.iterator, dtype=cutlass.Float16) + 0))
      tl.increase_descriptor_offset(desc_b, ((step_1 & 1) * 8192))
      tl.warpgroup_arrive()
      for ki in cutlass.range_constexpr(4):
        tl.wgmma_ss("fp16", "fp16", "fp32", 64, 64, 16, False, True, 1, 1, (desc_a + cutlass.Int32(((ki * 32) >> 4))), (desc_b + cutlass.Int32(((ki * 2048) >> 4))), total.iterator + 0, 1)
      tl.warpgroup_commit_batch()
      tl.warpgroup_wait(0)
      tl.mbarrier_arrive((mbarrier + ((step_1 & 1) + 2)))
    for i_1 in cutlass.range_constexpr(16):
      if ((((blockIdx.y * 64) + (cutlass.Int32((threadIdx.x >> 5)) * 16)) + ((i_1 & 1) * 8)) + cutlass.Int32(((threadIdx.x & 31) >> 2))) < (m + 64):
        tl.make_tensor_at_offset(partial.iterator, (((((((((cutlass.Int64(blockIdx.y) * cutlass.Int64(16384)) + (cutlass.Int64((cutlass.Int64(threadIdx.x) >> cutlass.Int64(5))) * cutlass.Int64(4096))) + ((cutlass.Int64(i_1) & cutlass.Int64(1)) * cutlass.Int64(2048))) + (cutlass.Int64(((cutlass.Int64(threadIdx.x) & cutlass.Int64(31)) >> cutlass.Int64(2))) * cutlass.Int64(256))) + ((cutlass.Int64(blockIdx.z) * cutlass.Int64(m)) * cutlass.Int64(256))) + (cutlass.Int64(blockIdx.x) * cutlass.Int64(64))) + (cutlass.Int64((cutlass.Int64(i_1) >> cutlass.Int64(1))) * cutlass.Int64(8))) + ((cutlass.Int64(threadIdx.x) & cutlass.Int64(3)) * cutlass.Int64(2))) - cutlass.Int64(16384)), (2,), div_by=2).store(tl.make_tensor_at_offset(total.iterator, (i_1 * 2), (2,), div_by=2).load())
@cute.kernel
def gemm_f16_split_kernel_1(C, partial, m):
  partial = cute.make_tensor(cute.recast_ptr(partial, dtype=cutlass.Float32), (1,))
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  total = tl.make_rmem_tensor((1),cutlass.Float32)
  total[0] = cutlass.Float32(float.fromhex('0x0p+0'))
  for part in range(4):
    total[0] = total[0] + tl.make_tensor_at_offset(partial.iterator, (((((cutlass.Int64(part) * cutlass.Int64(m)) * cutlass.Int64(256)) + (cutlass.Int64(blockIdx.y) * cutlass.Int64(256))) + (cutlass.Int64(blockIdx.x) * cutlass.Int64(128))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0]
  tl.make_tensor_at_offset(C.iterator, (((cutlass.Int64(blockIdx.y) * cutlass.Int64(256)) + (cutlass.Int64(blockIdx.x) * cutlass.Int64(128))) + cutlass.Int64(threadIdx.x)), (1,), div_by=1)[0] = total[0]
