#! kmux
#! kernel softmax(x: f32[rows: i32, columns: i32], out y: f32[rows, columns])
#!   description "softmax of each row; the host function chooses how many threads a row gets"
#!   reference "y = softmax(x, 1)"
#!   example rows = 4096, columns = 4096
#!   bytes rows * columns * 12
#!   launch softmax(x, y)
"""A block a row, which is read three times: for its greatest element, for its sum, and for the result."""
import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute

LOG2_E = 1.4426950408889634


@cute.jit
def over_warp(value: cutlass.Float32, is_greatest: cutlass.Constexpr):
    for step in cutlass.range_constexpr(5):
        other = cute.arch.shuffle_sync_bfly(value, offset=1 << step)
        value = cute.arch.fmax(value, other) if is_greatest else value + other
    return value


@cute.jit
def over_block(value: cutlass.Float32, shared: cute.Tensor, is_greatest: cutlass.Constexpr):
    """The greatest, or the sum, of a value of each thread."""
    lane, warp = cute.arch.lane_idx(), cute.arch.warp_idx()
    value = over_warp(value, is_greatest)
    if lane == 0:
        shared[warp] = value
    cute.arch.barrier()
    value = -cutlass.Float32.inf if is_greatest else cutlass.Float32(0)
    if lane < cute.size(shared):
        value = shared[lane]
    cute.arch.barrier()
    return over_warp(value, is_greatest)


@cute.kernel
def softmax_row(x: cute.Tensor, y: cute.Tensor, warps: cutlass.Constexpr):
    thread, row = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
    shared = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(warps))
    columns = x.shape[1]
    greatest = -cutlass.Float32.inf
    for i in cutlass.range(thread, columns, 32 * warps):
        greatest = cute.arch.fmax(greatest, x[row, i])
    greatest = over_block(greatest, shared, True)
    total = cutlass.Float32(0)
    for i in cutlass.range(thread, columns, 32 * warps):
        total += cute.arch.exp2((x[row, i] - greatest) * LOG2_E)
    total = over_block(total, shared, False)
    for i in cutlass.range(thread, columns, 32 * warps):
        y[row, i] = cute.arch.exp2((x[row, i] - greatest) * LOG2_E) / total


@cute.jit
def softmax(x: cute.Tensor, y: cute.Tensor, stream: cuda.CUstream):
    rows, columns = x.shape
    if columns <= 1024:
        softmax_row(x, y, 4).launch(grid=[rows, 1, 1], block=[128, 1, 1], stream=stream)
    else:
        softmax_row(x, y, 16).launch(grid=[rows, 1, 1], block=[512, 1, 1], stream=stream)
