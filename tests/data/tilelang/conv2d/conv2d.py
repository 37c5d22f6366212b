import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
import tilelang.contrib.cutedsl as tl


@cute.kernel
def conv2d_kernel(flat_out_desc: cutlass.GridConstant[cuda.TensorMap], flat_weights_desc: cutlass.GridConstant[cuda.TensorMap], image_desc: cutlass.GridConstant[cuda.TensorMap]):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  buf_dyn_shmem = tl.make_tensor(tl.get_dyn_smem(cutlass.Uint8, alignment=1024), (1,))
  kernel = tl.handle_add_byte_offset(buf_dyn_shmem, 0)
  result = tl.handle_add_byte_offset(buf_dyn_shmem, 0)
  patch = tl.handle_add_byte_offset(buf_dyn_shmem, 49152)
  mbarrier = tl.alloc_smem(cutlass.Uint64, size_in_elems=6)
  total = tl.make_rmem_tensor((128),cutlass.Float32)
  if tl.shuffle_elect(0):
    with cute.arch.elect_one():
      tl.prefetch_tma_descriptor(image_desc)
      tl.prefetch_tma_descriptor(flat_weights_desc)
      tl.prefetch_tma_descriptor(flat_out_desc)
  if tl.shuffle_elect(0):
    with cute.arch.elect_one():
      tl.mbarrier_init((mbarrier + 0), 1)
      tl.mbarrier_init((mbarrier + 1), 1)
      tl.mbarrier_init((mbarrier + 2), 1)
      tl.mbarrier_init((mbarrier + 3), 128)
      tl.mbarrier_init((mbarrier + 4), 128)
      tl.mbarrier_init((mbarrier + 5), 128)
  tl.fence_barrier_init()
  tl.sync_threads()
  if threadIdx.x < 128:
    tl.warpgroup_reg_dealloc(24)
    for step in range(9):
      tl.mbarrier_wait((mbarrier + ((step % 3) + 3)), (((step % 6) // 3) ^ 1))
      if tl.shuffle_elect(128):
        with cute.arch.elect_one():
          tl.mbarrier_expect_tx((mbarrier + (step % 3)), 16384)
          tl.tma_load(image_desc, (mbarrier + (step % 3)), (tl.recast_ptr(patch.iterator, dtype=cutlass.Float16) + ((step % 3) * 8192)), (0, -1, (((blockIdx.y & 7) * 4) - 1), cutlass.Int32((blockIdx.y >> 3))), im2col_offsets=((step % 3), (step // 3)))
          tl.arrive_and_expect_tx((mbarrier + (step % 3)), 16384)
          for i in cutlass.range_constexpr(2):
            tl.tma_load(flat_weights_desc, (mbarrier + (step % 3)), (tl.recast_ptr(kernel.iterator, dtype=cutlass.Float16) + (((step % 3) * 8192) + (i * 4096))), ((i * 64), (step * 64)))
  else:
    tl.warpgroup_reg_alloc(240)
    for i_1 in cutlass.range_constexpr(32):
      broadcast_var = cutlass.Float32(float.fromhex('0x0p+0'))
      tl.make_tensor_at_offset(total.iterator, (i_1 * 4), (4,), div_by=4).store(tl.make_filled_tensor((4,), cutlass.Float32(broadcast_var)).load())
    for step_1 in range(9):
      tl.mbarrier_wait((mbarrier + (step_1 % 3)), ((step_1 % 6) // 3))
      desc_a = tl.GmmaDescriptor()
      desc_b = tl.GmmaDescriptor()
      tl.initialize_wgmma_descriptor(1, 1, 64, desc_a, (tl.recast_ptr(patch.iterator, dtype=cutlass.Float16) + 0))
      tl.increase_descriptor_offset(desc_a, ((step_1 % 3) * 16384))
      tl.initialize_wgmma_descriptor(1, 512, 64, desc_b, (tl.recast_ptr(kernel.iterator, dtype=cutlass.Float16) + 0))
      tl.increase_descriptor_offset(desc_b, ((step_1 % 3) * 16384))
      tl.warpgroup_arrive()
      for i_2 in cutlass.range_constexpr(2):
        for ki in cutlass.range_constexpr(4):
          tl.wgmma_ss("fp16", "fp16", "fp32", 64, 128, 16, False, True, 1, 1, (desc_a + cutlass.Int32((((i_2 * 8192) + (ki * 32)) >> 4))), (desc_b + cutlass.Int32(((ki * 2048) >> 4))), total.iterator + (i_2 * 64), 1)
      tl.warpgroup_commit_batch()
      tl.warpgroup_wait(0)
      tl.mbarrier_arrive((mbarrier + ((step_1 % 3) + 3)))
    tl.sync_thread_partial(3, 128)
    for i_3 in cutlass.range_constexpr(16):
      tl.ptx_stmatrix_x4((tl.recast_ptr(result.iterator, dtype=cutlass.Float16) + ((((((((cutlass.Int32(((i_3 & 7) >> 2)) * 8192) + (cutlass.Int32((i_3 >> 3)) * 4096)) + (cutlass.Int32((threadIdx.x >> 5)) * 1024)) + ((threadIdx.x & 15) * 64)) + (((cutlass.Int32(((threadIdx.x & 7) >> 2)) + cutlass.Int32(((i_3 & 3) >> 1))) & 1) * 32)) + (((cutlass.Int32(((threadIdx.x & 3) >> 1)) + (i_3 & 1)) & 1) * 16)) + (((cutlass.Int32(((threadIdx.x & 31) >> 4)) + (threadIdx.x & 1)) & 1) * 8)) - 4096)), tl.pack_half2(cutlass.Float16(total[(i_3 * 8)]), cutlass.Float16(total[((i_3 * 8) + 1)])), tl.pack_half2(cutlass.Float16(total[((i_3 * 8) + 2)]), cutlass.Float16(total[((i_3 * 8) + 3)])), tl.pack_half2(cutlass.Float16(total[((i_3 * 8) + 4)]), cutlass.Float16(total[((i_3 * 8) + 5)])), tl.pack_half2(cutlass.Float16(total[((i_3 * 8) + 6)]), cutlass.Float16(total[((i_3 * 8) + 7)])))
    tl.sync_thread_partial(3, 128)
    if tl.shuffle_elect(128):
      with cute.arch.elect_one():
        tl.fence_proxy_async()
        for i_4 in cutlass.range_constexpr(2):
          tl.tma_store(flat_out_desc, (tl.recast_ptr(result.iterator, dtype=cutlass.Float16) + (i_4 * 8192)), ((i_4 * 64), (blockIdx.y * 128)))
        tl.tma_store_arrive()
        tl.tma_store_wait(0, read=True)
