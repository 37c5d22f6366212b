"""What TileLang offers around a kernel, with kmux inside, on the CPU: autotuner, caches, profiler, carver, show_source.

Exits with 77 (a counted skip) where TileLang or kmux's library cannot be imported.
"""

import contextlib
import inspect
import io
import os
import sys
import tempfile
import time
import unittest
from unittest import mock

import kmux_paths  # noqa: F401, first: the others are found by it

import kmux_tilelang
import tilelang
import tilelang.profiler
import torch
from inside_kernels import add, matmul, tuned
from kmux_tilelang.backend.adapter import KmuxAdapter
from tilelang.autotuner import AutoTuner

_H100 = {
    "platform": "CUDA", "name": "H100", "sm_version": 90, "compute_capability": "90", "compute_max_core": 132, "warp_size": 32,
    "smem_cap": 48 << 10, "max_smem_usage": 96 << 10, "reg_cap": 65536, "sm_partition": 4, "l2_cache_size_bytes": 50 << 20,
    "transaction_size": [32, 128], "bandwidth": [750, 12080], "available_tensor_instructions": None,
}  # fmt: skip


def _seconds(function, *_, **__):
    """Stands for TileLang's measuring, which wants a GPU."""
    begin = time.perf_counter()
    function()
    return 1000 * (time.perf_counter() - begin)


class Tools(unittest.TestCase):
    def setUp(self):
        kmux_tilelang.install(default=True, strict=True)
        self.addCleanup(kmux_tilelang.uninstall)


class Autotuner(Tools):
    def setUp(self):
        super().setUp()
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(contextlib.chdir(folder))  # it writes autotuner.log
        self.enterContext(mock.patch.dict(os.environ, TILELANG_CACHE_DIR=f"{folder}/cache"))
        self.enterContext(mock.patch.object(tilelang.profiler, "do_bench", _seconds))
        self.addCleanup(AutoTuner._memory_cache.clear)

    def tuned(self):
        """The best of three, and what was made for each to be measured with."""
        inputs = mock.Mock(side_effect=lambda *_, **__: [torch.ones(64)])  # TileLang would make them on a GPU
        configs = [{"block": block} for block in (4, 8, 16)]
        with mock.patch.object(tilelang.profiler.Profiler, "_get_inputs", inputs):
            tune = tilelang.autotune(configs=configs, warmup=1, rep=1)
            return tune(tilelang.jit(out_idx=[-1], target="c")(tuned))(64), inputs.call_count

    def test_measures_what_kmux_compiled(self):
        before = kmux_tilelang.report().compiled["cpu"]
        kernel, measured = self.tuned()
        self.assertEqual((kmux_tilelang.report().compiled["cpu"] - before, measured), (3, 3))
        self.assertIsInstance(kernel.adapter, KmuxAdapter)
        self.assertIn(kernel.config["block"], (4, 8, 16))
        self.assertGreater(kernel.latency, 0)
        self.assertEqual(kernel(torch.ones(64)).tolist(), [2] * 64)

    def test_finds_again_what_it_has_kept(self):
        first, _ = self.tuned()
        AutoTuner._memory_cache.clear()
        again, measured = self.tuned()
        self.assertEqual((again.config, measured), (first.config, 0))
        self.assertIsInstance(again.adapter, KmuxAdapter)
        self.assertEqual(again(torch.ones(64)).tolist(), [2] * 64)


class Measuring(Tools):
    @unittest.skipUnless("wall" in str(inspect.signature(tilelang.profiler.do_bench)), "needs a TileLang that measures with a clock (this one measures on GPUs alone)")
    def test_by_the_clock_is_of_the_kernel(self):
        profiler = tilelang.compile(matmul(32), out_idx=[2], target="c").get_profiler()
        inputs = [torch.randn(32, 32), torch.randn(32, 32)]
        self.assertGreater(profiler.do_bench(input_tensors=inputs, backend="wall", n_warmup=1, n_repeat=3), 0)

    def test_takes_the_inputs_that_it_is_given(self):
        profiler, calls = tilelang.compile(matmul(32), out_idx=[2], target="c").get_profiler(), []

        def bench(function, **_):
            calls.append(function())
            return 1.5

        a, b = torch.randn(32, 32), torch.randn(32, 32)
        with mock.patch.object(tilelang.profiler, "do_bench", bench):
            self.assertEqual(profiler.do_bench(input_tensors=[a, b]), 1.5)
        torch.testing.assert_close(calls[0], a @ b)


class Caches(Tools):
    def test_are_asked_as_tilelang_is(self):
        kernel = tilelang.cache.cached(add(33), out_idx=[2], target="c")
        self.assertIsInstance(kernel.adapter, KmuxAdapter)
        self.assertIs(tilelang.cache.cached(add(33), out_idx=[2], target="c"), kernel)
        self.assertEqual(kernel(torch.ones(33), torch.ones(33)).tolist(), [2] * 33)


class Sources(Tools):
    def shown(self, which):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            tilelang.compile(add(34), target="c").show_source(which)
        return printed.getvalue()

    def test_are_shown(self):
        self.assertIn("int32_t add_kernel(", self.shown("kernel"))
        self.assertIn("kmux", self.shown("host"))
        for text in ("int32_t add_kernel(", "kmux"):
            self.assertIn(text, self.shown("both"))


class Carver(Tools):
    def test_recommends_as_it_does_without(self):
        from tilelang.carver.arch import CUDA
        from tilelang.carver.template import ElementwiseTemplate

        arch = CUDA.__new__(CUDA)  # its constructor asks a device
        vars(arch).update(_H100, target=tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_90a"}))

        def recommended():
            template = ElementwiseTemplate(shape=[1024, 1024], dtype="float32").with_arch(arch)
            return [str(hint) for hint in template.recommend_hints(topk=3)]

        inside = recommended()
        kmux_tilelang.uninstall()
        self.assertEqual((inside, len(inside)), (recommended(), 3))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
