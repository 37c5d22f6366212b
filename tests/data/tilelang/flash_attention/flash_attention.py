import cutlass
import cutlass.cute as cute
import cutlass.experimental.cuda as cuda
import tilelang.contrib.cutedsl as tl


@cute.kernel
def flash_attention_kernel(K_desc: cutlass.GridConstant[cuda.TensorMap], O, Q_desc: cutlass.GridConstant[cuda.TensorMap], V_desc: cutlass.GridConstant[cuda.TensorMap]):
  threadIdx = tl.ThreadIdx()
  blockIdx = tl.BlockIdx()
  buf_dyn_shmem = tl.make_tensor(tl.get_dyn_smem(cutlass.Uint8, alignment=1024), (1,))
  q = tl.handle_add_byte_offset(buf_dyn_shmem, 0)
  k = tl.handle_add_byte_offset(buf_dyn_shmem, 8192)
  v = tl.handle_add_byte_offset(buf_dyn_shmem, 24576)
  mbarrier = tl.alloc_smem(cutlass.Uint64, size_in_elems=9)
  result = tl.make_rmem_tensor((32),cutlass.Float32)
  total = tl.make_rmem_tensor((2),cutlass.Float32)
  largest = tl.make_rmem_tensor((2),cutlass.Float32)
  scores = tl.make_rmem_tensor((32),cutlass.Float32)
  before = tl.make_rmem_tensor((2),cutlass.Float32)
  largest_clear = tl.make_rmem_tensor((2),cutlass.Float32)
  correction = tl.make_rmem_tensor((2),cutlass.Float32)
  added = tl.make_rmem_tensor((2),cutlass.Float32)
  weights = tl.make_rmem_tensor((32),cutlass.Float16)
  if tl.shuffle_elect(0):
    with cute.arch.elect_one():
      tl.prefetch_tma_descriptor(Q_desc)
      tl.prefetch_tma_descriptor(K_desc)
      tl.prefetch_tma_descriptor(V_desc)
  if tl.shuffle_elect(0):
    with cute.arch.elect_one():
      tl.mbarrier_init((mbarrier + 0), 1)
      tl.mbarrier_init((mbarrier + 1), 1)
      tl.mbarrier_init((mbarrier + 2), 1)
      tl.mbarrier_init((mbarrier + 3), 1)
      tl.mbarrier_init((mbarrier + 4), 128)
      tl.mbarrier_init((mbarrier + 5), 128)
      tl.mbarrier_init((mbarrier + 6), 128)
      tl.mbarrier_init((mbarrier + 7), 128)
      tl.mbarrier_init((mbarrier + 8), 1)
  tl.fence_barrier_init()
  tl.sync_threads()
  if tl.shuffle_elect(256):
    with cute.arch.elect_one():
      tl.arrive_and_expect_tx((mbarrier + 8), 8192)
      tl.tma_load(Q_desc, (mbarrier + 8), (tl.recast_ptr(q.iterator, dtype=cutlass.Float16) + 0), (0, (blockIdx.x * 64), blockIdx.y, 0))
  tl.sync_threads()
  if threadIdx.x < 128:
    tl.warpgroup_reg_dealloc(24)
    for step in range(16):
      tl.mbarrier_wait((mbarrier + ((step & 1) + 4)), (cutlass.Int32(((step & 3) >> 1)) ^ 1))
      if tl.shuffle_elect(128):
        with cute.arch.elect_one():
          tl.arrive_and_expect_tx((mbarrier + (step & 1)), 8192)
          tl.tma_load(K_desc, (mbarrier + (step & 1)), (tl.recast_ptr(k.iterator, dtype=cutlass.Float16) + ((step & 1) * 4096)), (0, (step * 64), blockIdx.y, 0))
      tl.mbarrier_wait((mbarrier + ((step & 1) + 6)), (cutlass.Int32(((step & 3) >> 1)) ^ 1))
      if tl.shuffle_elect(128):
        with cute.arch.elect_one():
          tl.arrive_and_expect_tx((mbarrier + ((step & 1) + 2)), 8192)
          tl.tma_load(V_desc, (mbarrier + ((step & 1) + 2)), (tl.recast_ptr(v.iterator, dtype=cutlass.Float16) + ((step & 1) * 4096)), (0, (step * 64), blockIdx.y, 0))
  else:
    tl.warpgroup_reg_alloc(240)
    for i in cutlass.range_constexpr(8):
      broadcast_var = cutlass.Float32(float.fromhex('0x0p+0'))
      tl.make_tensor_at_offset(result.iterator, (i * 4), (4,), div_by=4).store(tl.make_filled_tensor((4,), cutlass.Float32(broadcast_var)).load())
    broadcast_var_1 = cutlass.Float32(float.fromhex('0x0p+0'))
    tl.make_tensor_at_offset(total.iterator, 0, (2,), div_by=2).store(tl.make_filled_tensor((2,), cutlass.Float32(broadcast_var_1)).load())
    broadcast_var_2 = cutlass.Float32(float('-inf'))
    tl.make_tensor_at_offset(largest.iterator, 0, (2,), div_by=2).store(tl.make_filled_tensor((2,), cutlass.Float32(broadcast_var_2)).load())
    for step_1 in range(16):
      for i_1 in cutlass.range_constexpr(8):
        broadcast_var_3 = cutlass.Float32(float.fromhex('0x0p+0'))
        tl.make_tensor_at_offset(scores.iterator, (i_1 * 4), (4,), div_by=4).store(tl.make_filled_tensor((4,), cutlass.Float32(broadcast_var_3)).load())
      if step_1 == 0:
        tl.mbarrier_wait((mbarrier + 8), 0)
      tl.mbarrier_wait((mbarrier + (step_1 & 1)), cutlass.Int32(((step_1 & 3) >> 1)))
      desc_a = tl.GmmaDescriptor()
      desc_b = tl.GmmaDescriptor()
      tl.initialize_wgmma_descriptor(1, 1, 64, desc_a, (tl.recast_ptr(q.iterator, dtype=cutlass.Float16) + 0))
      tl.initialize_wgmma_descriptor(1, 1, 64, desc_b, (tl.recast_ptr(k.iterator, dtype=cutlass.Float16) + 0))
      tl.increase_descriptor_offset(desc_b, ((step_1 & 1) * 8192))
      tl.warpgroup_arrive()
      for ki in cutlass.range_constexpr(4):
        tl.wgmma_ss("fp16", "fp16", "fp32", 64, 64, 16, False, False, 1, 1, (desc_a + cutlass.Int32(((ki * 32) >> 4))), (desc_b + cutlass.Int32(((ki * 32) >> 4))), scores.iterator + 0, 1)
      tl.warpgroup_commit_batch()
      tl.warpgroup_wait(0)
      tl.mbarrier_arrive((mbarrier + ((step_1 & 1) + 4)))
      tl.make_tensor_at_offset(before.iterator, 0, (2,), div_by=2).store(tl.make_tensor_at_offset(largest.iterator, 0, (2,), div_by=2).load())
      for i_2 in cutlass.range_constexpr(2):
        largest_clear[i_2] = cutlass.Float32(float('-inf'))
        for rv in cutlass.range_constexpr(16):
          largest_clear[i_2] = tl.max(largest_clear[i_2], scores[((((rv & 7) * 4) + (i_2 * 2)) + cutlass.Int32((rv >> 3)))])
        largest_clear[i_2] = tl.AllReduce(tl.MaxOp, 4, 1, 128, tl.NamedBarrier(128)).run(largest_clear[i_2])
        largest[i_2] = tl.max(largest[i_2], largest_clear[i_2])
      broadcast_var_4 = cutlass.Float32(float.fromhex('0x1.7154764ee6c2fp-3'))
      broadcast_var_5 = cutlass.Float32(float.fromhex('0x1.7154764ee6c2fp-3'))
      __1 = tl.make_rmem_tensor((2,), cutlass.Float32)
      __2 = tl.make_rmem_tensor((2,), cutlass.Float32)
      v_ = tl.make_filled_tensor((2,), cutlass.Float32(broadcast_var_4)).load()
      __2.store(tl.make_tensor_at_offset(before.iterator, 0, (2,), div_by=2).load() * v_)
      __3 = tl.make_rmem_tensor((2,), cutlass.Float32)
      v__1 = tl.make_filled_tensor((2,), cutlass.Float32(broadcast_var_5)).load()
      __3.store(tl.make_tensor_at_offset(largest.iterator, 0, (2,), div_by=2).load() * v__1)
      __1.store(__2.load() - __3.load())
      v__2 = __1.load()
      __4 = tl.make_rmem_tensor((2,), cutlass.Float32)
      __4[0] = tl.exp2(v__2[0])
      __4[1] = tl.exp2(v__2[1])
      tl.make_tensor_at_offset(correction.iterator, 0, (2,), div_by=2).store(__4.load())
      for i_3 in cutlass.range_constexpr(16):
        broadcast_var_6 = cutlass.Float32(float.fromhex('0x1.7154764ee6c2fp-3'))
        __5 = tl.make_rmem_tensor((2,), cutlass.Float32)
        __6 = tl.make_rmem_tensor((2,), cutlass.Float32)
        v__3 = tl.make_filled_tensor((2,), cutlass.Float32(broadcast_var_6)).load()
        __6.store(tl.make_tensor_at_offset(scores.iterator, (i_3 * 2), (2,), div_by=2).load() * v__3)
        __5.store(__6.load() - tl.make_filled_tensor((2,), cutlass.Float32((largest[(i_3 & 1)] * cutlass.Float32(float.fromhex('0x1.7154764ee6c2fp-3'))))).load())
        v__4 = __5.load()
        __7 = tl.make_rmem_tensor((2,), cutlass.Float32)
        __7[0] = tl.exp2(v__4[0])
        __7[1] = tl.exp2(v__4[1])
        tl.make_tensor_at_offset(scores.iterator, (i_3 * 2), (2,), div_by=2).store(__7.load())
      for i_4 in cutlass.range_constexpr(2):
        added[i_4] = cutlass.Float32(float.fromhex('0x0p+0'))
        for rv_1 in cutlass.range_constexpr(16):
          added[i_4] = added[i_4] + scores[((((rv_1 & 7) * 4) + (i_4 * 2)) + cutlass.Int32((rv_1 >> 3)))]
        added[i_4] = tl.AllReduce(tl.SumOp, 4, 1, 128, tl.NamedBarrier(128)).run(added[i_4])
      __8 = tl.make_rmem_tensor((2,), cutlass.Float32)
      __9 = tl.make_rmem_tensor((2,), cutlass.Float32)
      __9.store(tl.make_tensor_at_offset(total.iterator, 0, (2,), div_by=2).load() * tl.make_tensor_at_offset(correction.iterator, 0, (2,), div_by=2).load())
      __8.store(__9.load() + tl.make_tensor_at_offset(added.iterator, 0, (2,), div_by=2).load())
      tl.make_tensor_at_offset(total.iterator, 0, (2,), div_by=2).store(__8.load())
      for i_5 in cutlass.range_constexpr(8):
        v__5 = tl.make_tensor_at_offset(scores.iterator, (i_5 * 4), (4,), div_by=4).load()
        _cast = tl.make_rmem_tensor((4,), cutlass.Float16)
        _cast.store(tl.cast_tensor(v__5, cutlass.Float16))
        tl.make_tensor_at_offset(weights.iterator, (i_5 * 4), (4,), div_by=4).store(_cast.load())
      for i_6 in cutlass.range_constexpr(16):
        __10 = tl.make_rmem_tensor((2,), cutlass.Float32)
        __10.store(tl.make_tensor_at_offset(result.iterator, (i_6 * 2), (2,), div_by=2).load() * tl.make_filled_tensor((2,), cutlass.Float32(correction[(i_6 & 1)])).load())
        tl.make_tensor_at_offset(result.iterator, (i_6 * 2), (2,), div_by=2).store(__10.load())
      tl.mbarrier_wait((mbarrier + ((step_1 & 1) + 2)), cutlass.Int32(((step_1 & 3) >> 1)))
      desc_b_1 = tl.GmmaDescriptor()
      tl.initialize_wgmma_descriptor(1, 0, 64, desc_b_1, (tl.recast_ptr(v.iterator, dtype=cutlass.Float16) + 0))
      tl.increase_descriptor_offset(desc_b_1, ((step_1 & 1) * 8192))
      tl.warpgroup_arrive()
      for ki_1 in cutlass.range_constexpr(4):
        tl.wgmma_rs("fp16", "fp16", "fp32", 64, 64, 16, True, 1, 1, weights.iterator + (ki_1 * 8), (desc_b_1 + cutlass.Int32(((ki_1 * 2048) >> 4))), result.iterator + 0, 1)
      tl.warpgroup_commit_batch()
      tl.warpgroup_wait(0)
      tl.mbarrier_arrive((mbarrier + ((step_1 & 1) + 6)))
    for i_7 in cutlass.range_constexpr(16):
      __11 = tl.make_rmem_tensor((2,), cutlass.Float32)
      __11[0] = tl.divf(tl.make_tensor_at_offset(result.iterator, (i_7 * 2), (2,), div_by=2).load()[0], tl.make_filled_tensor((2,), cutlass.Float32(total[(i_7 & 1)])).load()[0])
      __11[1] = tl.divf(tl.make_tensor_at_offset(result.iterator, (i_7 * 2), (2,), div_by=2).load()[1], tl.make_filled_tensor((2,), cutlass.Float32(total[(i_7 & 1)])).load()[1])
      tl.make_tensor_at_offset(result.iterator, (i_7 * 2), (2,), div_by=2).store(__11.load())
    for i_8 in cutlass.range_constexpr(16):
      O_local_cast = tl.make_rmem_tensor((2),cutlass.Float16)
      v__6 = tl.make_tensor_at_offset(result.iterator, (i_8 * 2), (2,), div_by=2).load()
      _cast_1 = tl.make_rmem_tensor((2,), cutlass.Float16)
      _cast_1.store(tl.cast_tensor(v__6, cutlass.Float16))
      tl.make_tensor_at_offset(O_local_cast.iterator, 0, (2,), div_by=2).store(_cast_1.load())
      tl.make_tensor_at_offset(O.iterator, ((((((((blockIdx.x * 32768) + (cutlass.Int32((threadIdx.x >> 5)) * 8192)) + ((i_8 & 1) * 4096)) + (cutlass.Int32(((threadIdx.x & 31) >> 2)) * 512)) + (blockIdx.y * 64)) + (cutlass.Int32((i_8 >> 1)) * 8)) + ((threadIdx.x & 3) * 2)) - 32768), (2,), div_by=2).store(tl.make_tensor_at_offset(O_local_cast.iterator, 0, (2,), div_by=2).load())
