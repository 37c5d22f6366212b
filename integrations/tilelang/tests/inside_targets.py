"""kmux inside TileLang for targets that this machine has no device for: what is compiled, handed over, refused.

Exits with 77 (a counted skip) where TileLang or kmux's library cannot be imported.
"""

import json
import os
import sys
import unittest
from unittest import mock

import kmux_paths  # noqa: F401, first: the others are found by it

import kmux
import kmux_tilelang
import tilelang
import torch
from inside_kernels import add, add_by_threads, in_clusters, widened
from kmux_tilelang.backend import jit_kernel

_SM_90A = {"kind": "cuda", "arch": "sm_90a"}
_CUTEDSL = {"kind": "cutedsl", "arch": "sm_90a"}
_PRESENT = torch.cuda.is_available() or torch.backends.mps.is_available()


class Inside(unittest.TestCase):
    options: dict[str, bool] = {}

    def setUp(self):
        kmux_tilelang.install(**self.options)
        self.addCleanup(kmux_tilelang.uninstall)
        self.enterContext(mock.patch.dict(os.environ, TILELANG_DISABLE_CACHE="1"))


class WithoutDevice(Inside):
    options = {"strict": True}

    @unittest.skipIf(_PRESENT, "needs a machine without a device of torch's (this one has one)")
    def test_become_programs_that_a_call_would_compile(self):
        for target, dialect, arch, text in (
            (_SM_90A, "cuda", "sm_90a", "__global__ void __launch_bounds__(128"),
            ({"kind": "hip", "mcpu": "gfx942"}, "hip", "gfx942", "__global__ void __launch_bounds__(128"),
            ({"kind": "hip", "mcpu": "gfx1100"}, "hip", "gfx1100", "__global__ void __launch_bounds__(128"),
            ("metal", "msl", "", "void add_by_threads_kernel("),
            (_CUTEDSL, "cutedsl", "sm_90a", "@cute.kernel\ndef add_by_threads_kernel("),
        ):
            with self.subTest(target=str(target)):
                kernel = tilelang.compile(add_by_threads(1024), out_idx=-1, target=target, execution_backend="kmux")
                self.assertIsInstance(kernel.adapter, jit_kernel.KmuxAdapter)
                self.assertIn(text, kernel.get_kernel_source())
                (variant,) = json.loads(kernel.adapter.program.to_json())["variants"]
                requires = {"requires": {"arch": [arch]}} if arch else {}
                self.assertEqual({key: variant[key] for key in ("dialect", "requires") if key in variant}, {"dialect": dialect, **requires})
                self.assertEqual((kernel.execution_backend, kernel.out_idx, len(kernel.params)), ("kmux", [2], 3))

    @unittest.skipIf(_PRESENT, "needs a machine without a device of torch's (this one has one)")
    def test_say_at_a_call_what_is_missing(self):
        kernel = tilelang.compile(add_by_threads(1024), target="metal", execution_backend="kmux")
        with self.assertRaises((kmux.UnavailableError, kmux.UnsupportedError)):
            kernel(*[torch.zeros(1024)] * 3)


class ForOtherProcessors(Inside):
    options = {"strict": True}

    def test_are_not_compiled_for_this_one(self):
        with self.assertRaisesRegex(kmux.UnsupportedError, "target 'llvm' asks for mcpu, and kmux compiles for this machine"):
            tilelang.compile(add(16), target={"kind": "llvm", "mcpu": "znver4"}, execution_backend="kmux")


class OfOtherDialects(Inside):
    """A program has the dialect of its target alone: Python of CuTe DSL is another target of TileLang's."""

    def test_fall_back_from_a_backend_that_reads_another(self):
        with self.assertLogs("kmux_tilelang", "WARNING") as log:
            kernel = tilelang.compile(add_by_threads(1024), target=_SM_90A, execution_backend="kmux:cutedsl")
        self.assertIn("takes dialect cutedsl, not 'cuda'", log.output[0])
        self.assertEqual(kernel.execution_backend, "tvm_ffi")


class ThatTileLangMiscomputes(Inside):
    """TileLang's own adapter would run the same text."""

    def test_are_errors_that_say_why(self):
        for function, why in ((in_clusters(), "wgmma computes something else in clusters"), (widened(4096), "are unsigned")):
            with self.assertRaisesRegex(kmux.UnsupportedError, f"would compute other values than it says: .*{why}"):
                tilelang.compile(function, target=_CUTEDSL, execution_backend="kmux")
        self.assertEqual(kmux_tilelang.report().fallbacks, {})

    def test_run_where_a_backend_of_tilelangs_is_named(self):
        kernel = tilelang.compile(widened(4096), target=_CUTEDSL, execution_backend="cutedsl")
        self.assertEqual(kernel.execution_backend, "cutedsl")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
