"""export_all.py DIR: exports every kernel of this folder to DIR/<name>/.

Needs TileLang and CuTe DSL: pip install tilelang==0.1.15 nvidia-cutlass-dsl.
"""

import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(_FOLDER.parent))

from kmux_tilelang import export  # noqa: E402

_EVERYWHERE = ("c", "cuda:sm_90a", "hip:gfx942", "metal", "cutedsl:sm_90a")

# The kernels of each file, by targets.
_KERNELS = {
    # Every thread of HIP's would compute the whole of these: too slow, and in place wrong.
    ("c",): {"gemm": ["gemm", "gemm_dynamic"], "reduction": ["normalize_columns"]},
    ("c", "hip:gfx90a"): {
        "elementwise": ["scale", "affine", "add_half"],
        "reduction": ["row_sum", "softmax", "extremes"],
        "layout": ["unpack_bytes", "pack_rows", "copy_without_bias"],
    },
    # wgmma in clusters.
    ("cuda:sm_90a",): {"tensor_core": ["gemm_f16_cluster"]},
    ("metal",): {"threadgroups": ["gemm_simdgroup", "softmax_shared", "reverse_blocks"]},
    ("cuda:sm_90a", "cutedsl:sm_90a"): {
        "pointwise": ["add_tiles", "affine_tiles", "widen_bytes"],
        "tensor_core": ["gemm_f16", "gemm_f16_dynamic", "gemm_f16_split"],
        "attention": ["flash_attention"],
        "convolution": ["conv2d"],
        "launches": ["look_up", "grid_barrier", "overlap"],
        "host_programs": ["column_sums", "relax"],
    },
    _EVERYWHERE: {"pointwise": ["add_anywhere"]},
}


def export_all(output: Path) -> None:
    """Exports all kernels into folders of `output`, in one process: importing TileLang takes longer than a kernel."""
    for targets, files in _KERNELS.items():
        for file, kernels in files.items():
            for kernel in kernels:
                print(export(f"{_FOLDER / file}.py:{kernel}", output / kernel, targets=targets))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: export_all.py DIR")
    export_all(Path(sys.argv[1]))
