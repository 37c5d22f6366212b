#! kmux
#! kernel gemm(a: f16[m: i32, k: i32] align 16, b: f16[n: i32, k] align 16, out c: f16[m, n])
#!   description "a matrix product by TMA and wgmma; maps, layouts and the product's atom are made by a host function"
#!   reference "c = a @ b.T, sums in float32"
#!   example m = 4096, n = 4096, k = 4096
#!   flops 2 * m * n * k
#!   bytes 2 * (m * k + n * k + m * n)
#!   requires arch "sm_90a"
#!   assert floormod(k, 8) == 0, "rows of a and b are multiples of 16 bytes"
#!   launch gemm(a, b, c)
"""A block of two warpgroups a tile of c; the first warp also fetches, three steps of k ahead."""
import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
import cutlass.pipeline as pipeline
import cutlass.utils.hopper_helpers as hopper
from cutlass.cute.nvgpu import cpasync, warpgroup

STAGES = 4


class Gemm:
    def __init__(self, tile):
        self.tile = tile  # of m, n and k

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, stream: cuda.CUstream):
        rows, columns, depth = self.tile
        layout = cutlass.utils.LayoutEnum.from_tensor
        mma = hopper.make_trivial_tiled_mma(
            a.element_type, b.element_type, layout(a).sm90_mma_major_mode(), layout(b).sm90_mma_major_mode(),
            cutlass.Float32, (rows // 64, 1, 1), (64, columns),
        )
        of_a = hopper.make_smem_layout_a(layout(a), self.tile, a.element_type, STAGES)
        of_b = hopper.make_smem_layout_b(layout(b), self.tile, b.element_type, STAGES)
        op = cpasync.CopyBulkTensorTileG2SOp()
        fetch_a, map_a = cpasync.make_tiled_tma_atom(op, a, cute.slice_(of_a, (None, None, 0)), (rows, depth))
        fetch_b, map_b = cpasync.make_tiled_tma_atom(op, b, cute.slice_(of_b, (None, None, 0)), (columns, depth))
        grid = [cute.ceil_div(c.shape[0], rows), cute.ceil_div(c.shape[1], columns), 1]
        self.kernel(fetch_a, map_a, fetch_b, map_b, c, mma, of_a, of_b).launch(
            grid=grid, block=[mma.size, 1, 1], cluster=[1, 1, 1], stream=stream
        )

    @cute.kernel
    def kernel(
        self,
        fetch_a: cute.CopyAtom,
        map_a: cute.Tensor,
        fetch_b: cute.CopyAtom,
        map_b: cute.Tensor,
        c: cute.Tensor,
        mma: cute.TiledMma,
        of_a: cute.ComposedLayout,
        of_b: cute.ComposedLayout,
    ):
        rows, columns, depth = self.tile
        thread, warp = cute.arch.thread_idx()[0], cute.arch.make_warp_uniform(cute.arch.warp_idx())
        row, column, _ = cute.arch.block_idx()
        shared = cutlass.utils.SmemAllocator()
        barriers = shared.allocate_array(cutlass.Int64, 2 * STAGES)
        in_a = shared.allocate_tensor(c.element_type, of_a.outer, 1024, of_a.inner)
        in_b = shared.allocate_tensor(c.element_type, of_b.outer, 1024, of_b.inner)
        stage_bytes = (rows + columns) * depth * c.element_type.width // 8
        steps_ahead = pipeline.PipelineTmaAsync.create(
            num_stages=STAGES,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, mma.size // 32),
            tx_count=stage_bytes,
            barrier_storage=barriers,
            cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
        )
        alone = cute.make_layout(1)
        tiles_a = cute.group_modes(cute.local_tile(map_a, (rows, depth), (row, None)), 0, 2)
        tiles_b = cute.group_modes(cute.local_tile(map_b, (columns, depth), (column, None)), 0, 2)
        to_a, from_a = cpasync.tma_partition(fetch_a, 0, alone, cute.group_modes(in_a, 0, 2), tiles_a)
        to_b, from_b = cpasync.tma_partition(fetch_b, 0, alone, cute.group_modes(in_b, 0, 2), tiles_b)
        mine = mma.get_slice(thread)
        x, y = mma.make_fragment_A(mine.partition_A(in_a)), mma.make_fragment_B(mine.partition_B(in_b))
        tile_c = cute.local_tile(c, (rows, columns), (row, column))
        places = cute.local_tile(cute.make_identity_tensor(c.shape), (rows, columns), (row, column))
        to_c, place = mine.partition_C(tile_c), mine.partition_C(places)
        total = cute.make_rmem_tensor(to_c.shape, cutlass.Float32)

        steps = cute.size(tiles_a, mode=[1])
        ahead = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, STAGES)
        now = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, STAGES)
        if warp == 0:
            for _ in cutlass.range(cutlass.min(steps, STAGES - 1), unroll=1):
                steps_ahead.producer_acquire(ahead)
                barrier = steps_ahead.producer_get_barrier(ahead)
                cute.copy(fetch_a, from_a[None, ahead.count], to_a[None, ahead.index], tma_bar_ptr=barrier)
                cute.copy(fetch_b, from_b[None, ahead.count], to_b[None, ahead.index], tma_bar_ptr=barrier)
                steps_ahead.producer_commit(ahead)
                ahead.advance()
        total.fill(0.0)
        mma.set(warpgroup.Field.ACCUMULATE, True)
        for _ in cutlass.range(steps, unroll=1):
            steps_ahead.consumer_wait(now)
            warpgroup.fence()
            for k in cutlass.range_constexpr(cute.size(x, mode=[2])):
                cute.gemm(mma, total, x[None, None, k, now.index], y[None, None, k, now.index], total)
            warpgroup.commit_group()
            warpgroup.wait_group(0)
            steps_ahead.consumer_release(now)
            now.advance()
            if warp == 0 and ahead.count < steps:
                steps_ahead.producer_acquire(ahead)
                barrier = steps_ahead.producer_get_barrier(ahead)
                cute.copy(fetch_a, from_a[None, ahead.count], to_a[None, ahead.index], tma_bar_ptr=barrier)
                cute.copy(fetch_b, from_b[None, ahead.count], to_b[None, ahead.index], tma_bar_ptr=barrier)
                steps_ahead.producer_commit(ahead)
                ahead.advance()
        for i in cutlass.range_constexpr(cute.size(total)):
            if cute.elem_less(place[i], c.shape):
                to_c[i] = total[i].to(c.element_type)


gemm = Gemm((128, 128, 64))
