"""Lowers and exports kernels of every kind with whatever release of TileLang runs this: texts differ from release to release, so
that the programs are validated, and asked for what they must have, instead of compared byte for byte.

Usage: releases.py REPOSITORY; exits with 77 (a counted skip) where TileLang or kmux cannot be imported.
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import kmux_paths  # first: the others are found by it

sys.path.insert(0, str(kmux_paths.TESTS.parent / "kernels"))

from kmux_tilelang import export  # noqa: E402
from kmux_tilelang.lower import version  # noqa: E402

_KERNELS = kmux_paths.TESTS.parent / "kernels"
# File and kernel, target, and texts that the program has.
_CASES = [
    ("tensor_core", "gemm_f16_dynamic", "cuda", ['"tensor_maps"', '"tiled"', '"dynamic_smem_bytes"']),
    ("tensor_core", "gemm_f16_cluster", "cuda", ['"cluster":[2']),
    ("convolution", "conv2d", "cuda", ['"im2col"']),
    ("attention", "flash_attention", "cuda", ['"tensor_maps"']),
    ("pointwise", "affine_tiles", "cuda:sm_80", ['"sm_80"']),
    ("tensor_core", "gemm_f16_split", "cutedsl", ['"tensor_maps"', '"workspaces"', '"dialect":"cutedsl"']),
    ("pointwise", "widen_bytes", "cutedsl", [f"tilelang=={version()}"]),
    ("host_programs", "relax", "cutedsl", ['"for"', '"if"', '"workspaces"', '"asserts"']),
    ("host_programs", "relax", "cuda", ['"for"', '"if"', '"workspaces"', '"asserts"']),
    ("host_programs", "column_sums", "cuda", ['"fill"']),
    ("launches", "look_up", "cuda", ['"l2_windows"']),
    ("launches", "grid_barrier", "cuda", ['"cooperative":true']),
    ("launches", "overlap", "cuda", ['"programmatic_serialization":true']),
    ("reduction", "softmax", "hip:gfx942", ['"dialect":"hip"', '"gfx942"']),
    ("pointwise", "add_anywhere", "hip:gfx1100", ['"gfx1100"']),
    ("pointwise", "add_anywhere", "metal", ['"dialect":"msl"']),
    ("threadgroups", "softmax_shared", "metal", ['"packed_values":true']),
    ("threadgroups", "gemm_simdgroup", "metal", ['"dialect":"msl"']),
    ("gemm", "gemm_dynamic", "c", ['"returns":"int32"', '"symbols"']),
    ("layout", "pack_rows", "llvm", ['"dialect":"c"']),
]


class Kernels(unittest.TestCase):
    def test_of_every_kind_become_valid_programs(self):
        for file, kernel, target, texts in _CASES:
            with self.subTest(kernel=kernel, target=target), tempfile.TemporaryDirectory() as folder:
                made = export(f"{_KERNELS / file}.py:{kernel}", folder, targets=[target])
                document = json.dumps(json.loads(made.read_text()), separators=(",", ":"))
                for text in texts:
                    self.assertIn(text, document)
                self.assertIn(f'"origin":"TileLang {version()}"', document)


if __name__ == "__main__":
    print("TileLang", version())
    unittest.main(argv=sys.argv[:1])
