#! kmux
#! kernel add(a: f32[m: i32, n: i32] align 16, b: f32[m, n] align 16, out c: f32[m, n] align 16)
#!   description "the sum of two matrices; layouts and copies are made by a host function"
#!   reference "c = a + b"
#!   example m = 4096, n = 4096
#!   flops m * n
#!   bytes m * n * 12
#!   launch add(a, b, c)
"""Tiles of 16 x 256 elements, 4 x 4 of them a thread; what lies outside of the matrices is neither read nor written."""
import cutlass
import cutlass.cute as cute


@cute.kernel
def add_tiles(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, places: cute.Tensor, end: cute.Shape, copy: cute.TiledCopy):
    tile = ((None, None), cute.arch.block_idx()[0])
    mine = copy.get_slice(cute.arch.thread_idx()[0])
    from_a, from_b = mine.partition_S(a[tile]), mine.partition_S(b[tile])
    to_c, place = mine.partition_D(c[tile]), mine.partition_S(places[tile])
    inside = cute.make_rmem_tensor(place.shape, cutlass.Boolean)
    for i in cutlass.range_constexpr(cute.size(inside)):
        inside[i] = cute.elem_less(place[i], end)
    x, y = cute.make_fragment_like(from_a), cute.make_fragment_like(from_b)
    cute.copy(copy, from_a, x, pred=inside)
    cute.copy(copy, from_b, y, pred=inside)
    x.store(x.load() + y.load())
    cute.copy(copy, x, to_c, pred=inside)


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    threads = cute.make_ordered_layout((4, 64), order=(1, 0))
    values = cute.make_ordered_layout((4, 4), order=(1, 0))
    tiler, _ = cute.make_layout_tv(threads, values)
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), a.element_type)
    copy = cute.make_tiled_copy_tv(atom, threads, values)
    places = cute.zipped_divide(cute.make_identity_tensor(c.shape), tiler)
    tiles = [cute.zipped_divide(matrix, tiler) for matrix in (a, b, c)]
    add_tiles(*tiles, places, c.shape, copy).launch(
        grid=[cute.size(places, mode=[1]), 1, 1], block=[cute.size(threads), 1, 1]
    )
