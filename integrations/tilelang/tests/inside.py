"""kmux inside TileLang, on the CPU: what TileLang's documents say of a compiled kernel, run by kmux.

Exits with 77 (a counted skip) where TileLang or kmux's library cannot be imported.
"""

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import kmux_paths  # noqa: F401, first: the others are found by it

import kmux
import kmux_tilelang
import tilelang
import torch
import tvm_ffi
from inside_kernels import add, add_lazily, double_eagerly, filled_by_host, matmul, never_launched, packed, shared_out
from kmux_tilelang.backend import compilation, jit_kernel, registry
from kmux_tilelang.backend import own as own_kernels
from tilelang import tvm

_SM_90A = {"kind": "cuda", "arch": "sm_90a"}


class Inside(unittest.TestCase):
    options: dict[str, bool] = {}

    def setUp(self):
        kmux_tilelang.install(**self.options)
        self.addCleanup(kmux_tilelang.uninstall)


class Kernels(Inside):
    def test_run_by_name(self):
        kernel = tilelang.compile(add(64), out_idx=-1, target="c", execution_backend="kmux")
        a, b = torch.randn(64), torch.randn(64)
        made = kernel(a, b)
        self.assertIsInstance(made, torch.Tensor)
        torch.testing.assert_close(made, a + b)
        self.assertEqual((kernel.execution_backend, kernel.out_idx, len(kernel.params)), ("kmux", [2], 3))
        self.assertEqual(kernel.adapter.kernel.backend, "cpu")

    def test_for_llvm_are_lowered_as_c(self):
        kernel = tilelang.compile(add(64), out_idx=-1, target="llvm", execution_backend="kmux")
        a, b = torch.randn(64), torch.randn(64)
        torch.testing.assert_close(kernel(a, b), a + b)
        self.assertEqual((kernel.target.kind.name, kernel.adapter.kernel.backend), ("llvm", "cpu"))
        self.assertIn("int32_t add_kernel(", kernel.get_kernel_source())

    def test_write_into_what_is_passed(self):
        kernel = tilelang.compile(add(64), target="c", execution_backend="kmux:cpu")
        a, b, c = torch.randn(64), torch.randn(64), torch.empty(64)
        self.assertIsNone(kernel(a, b, c))
        torch.testing.assert_close(c, a + b)

    def test_run_lazily_and_eagerly(self):
        a = torch.randn(4, 32)
        torch.testing.assert_close(add_lazily(32)(a[0], a[1]), a[0] + a[1])
        torch.testing.assert_close(double_eagerly(a), 2 * a)
        torch.testing.assert_close(double_eagerly(a[:2]), 2 * a[:2])  # one kernel for every extent

    def test_return_lists_of_several(self):
        kernel = tilelang.compile(add(64), out_idx=[1, 2], target="c", execution_backend="kmux")
        made = kernel(torch.ones(64))
        self.assertIsInstance(made, list)
        self.assertEqual([type(tensor) for tensor in made], [torch.Tensor] * 2)

    def test_give_torch_tensors_without_being_given_any(self):
        made = tilelang.compile(filled_by_host(8), target="c", execution_backend="kmux")(3.5)
        torch.testing.assert_close(made, torch.full((8,), 3.5))

    def test_leave_out_idx_as_it_was(self):
        out_idx = [-1]
        tilelang.compile(add(64), out_idx=out_idx, target="c", execution_backend="kmux")
        self.assertEqual(out_idx, [-1])

    def test_are_lowered_once(self):
        module = sys.modules["tilelang.engine.lower"]
        original = module.lower_to_host_device_ir
        with mock.patch.object(module, "lower_to_host_device_ir", wraps=original) as lowering, _without_caches():
            tilelang.compile(add(48), target="c", execution_backend="kmux")
            self.assertEqual(lowering.call_count, 1)

    def test_are_kept(self):
        made = [tilelang.compile(add(64), target="c", execution_backend="kmux") for _ in range(2)]
        self.assertIs(made[0], made[1])

    def test_compile_in_parallel(self):
        kernels = tilelang.par_compile([add(n) for n in (16, 32)], target="c", execution_backend="kmux", num_workers=2)
        for n, kernel in zip((16, 32), kernels, strict=True):
            c = torch.empty(n)
            kernel(torch.ones(n), torch.ones(n), c)
            torch.testing.assert_close(c, torch.full((n,), 2.0))

    def test_are_what_profilers_call(self):
        kernel = tilelang.compile(matmul(32), out_idx=[2], target="c", execution_backend="kmux")
        profiler = kernel.get_profiler()
        a, b = torch.randn(32, 32), torch.randn(32, 32)
        torch.testing.assert_close(profiler.adapter(a, b), a @ b)
        self.assertEqual((profiler.result_idx, len(profiler.params)), ([2], 3))


class Answers(Inside):
    def kernel(self):
        return tilelang.compile(add(64), out_idx=[2], target="c", execution_backend="kmux")

    def test_say_what_runs(self):
        kernel = self.kernel()
        self.assertIn("int32_t add_kernel(", kernel.get_kernel_source())
        self.assertEqual(kernel.kernel_source, kernel.get_kernel_source())
        self.assertIn("kmux", kernel.get_host_source())
        self.assertIn("add_kernel", kernel.adapter.get_kernel_source(kernel_only=False))
        self.assertTrue(kernel.prim_func.same_as(kernel.adapter.prim_func))
        self.assertIn("compute_scope", str(kernel.artifact.host_mod))

    def test_write_sources_and_a_library(self):
        with tempfile.TemporaryDirectory() as folder:
            self.kernel().export_sources(kernel_path=f"{folder}/k.cpp", host_path=f"{folder}/h.cpp")
            self.assertIn("add_kernel", Path(folder, "k.cpp").read_text())
            self.kernel().export_library(f"{folder}/made/add.so")
            c = torch.empty(64)
            tvm_ffi.load_module(f"{folder}/made/add.so")["add"](torch.ones(64), torch.ones(64), c)
        torch.testing.assert_close(c, torch.full((64,), 2.0))

    def test_have_tilelangs_own_executable(self):
        adapter, own = self.kernel().adapter, mock.Mock()
        with mock.patch.object(own_kernels.tilelang.cache, "cached", return_value=own) as cached:
            executable = adapter.get_exportable_executable()
            cached.assert_not_called()
            self.assertIs(executable.jit, own.adapter.get_exportable_executable().jit)
        self.assertEqual(cached.call_args.kwargs["execution_backend"], "tvm_ffi")
        with tempfile.TemporaryDirectory() as folder:
            executable.export_library(f"{folder}/add.so")
            self.assertTrue(Path(folder, "add.so").exists())

    def test_are_saved_and_loaded_as_the_autotuner_does(self):
        kernel = self.kernel()
        with tempfile.TemporaryDirectory() as folder:
            saved = shutil.copy(kernel.adapter.libpath, folder)
            loaded = jit_kernel.JITKernel.from_database(
                func=kernel.prim_func, host_kernel_source=kernel.get_host_source(), device_kernel_source=kernel.kernel_source,
                kernel_lib_path=saved, params=kernel.params, target=kernel.target, target_host=kernel.target_host,
                out_idx=[2], execution_backend="kmux",
            )  # fmt: skip
        a = torch.randn(64)
        torch.testing.assert_close(loaded(a, a), 2 * a)
        self.assertEqual(loaded.get_kernel_source().rstrip(), kernel.get_kernel_source().rstrip())

    def test_to_wrong_calls_are_errors_of_every_type_that_tilelang_raises(self):
        kernel, a = self.kernel(), torch.ones(64)
        for arguments, text in (
            ((a,), "Kernel expected 2 inputs, but 1 are provided"),
            ((a, a.half()), 'parameter "B" has dtype float16'),
            ((a, a[:32]), 'parameter "B"'),
            ((a, 3), 'parameter "B"'),
        ):
            for kind in (RuntimeError, ValueError, TypeError):
                with self.assertRaisesRegex(kind, text):
                    kernel(*arguments)

    def test_to_wrong_calls_without_outputs_are_such_errors_too(self):
        kernel, a = tilelang.compile(add(64), target="c", execution_backend="kmux"), torch.ones(64)
        for arguments, text in (((a, a), "expected 3 arguments"), ((a, "b", a), 'parameter "B" is a str'), ((a, a, a[:2]), '"C"')):
            for kind in (RuntimeError, ValueError, TypeError):
                with self.assertRaisesRegex(kind, text):
                    kernel(*arguments)

    def test_to_outputs_that_are_none_are_errors(self):
        for out_idx, text in (([3], "out of range"), ([0, 0], "duplicate"), (-4, "out of range")):
            with self.assertRaisesRegex(ValueError, text):
                tilelang.compile(add(64), out_idx=out_idx, target="c", execution_backend="kmux")

    def test_to_other_names_are_tilelangs(self):
        with self.assertRaisesRegex(ValueError, "Invalid execution backend 'kmux:vax'.*Allowed: .*kmux, kmux:"):
            tilelang.compile(add(64), target="c", execution_backend="kmux:vax")
        kernel = tilelang.compile(add(64), target="c", execution_backend="cython")
        self.assertFalse(isinstance(kernel.adapter, jit_kernel.KmuxAdapter))


class ByDefault(Inside):
    options = {"default": True}

    def test_runs_what_names_no_backend(self):
        self.assertEqual(tilelang.compile(add(64), target="c").execution_backend, "kmux")

    def test_says_what_it_took(self):
        before = kmux_tilelang.report().compiled["cpu"]
        with _without_caches():
            tilelang.compile(add(40), target="c")
        self.assertEqual(kmux_tilelang.report().compiled["cpu"], before + 1)
        self.assertRegex(str(kmux_tilelang.report()), r"kmux compiled \d+ kernels \(.*on cpu\)")


class Refusals(Inside):
    """By a backend of kmux that has no such target."""

    def refused(self):
        with _without_caches():
            return tilelang.compile(add(24), out_idx=[2], target="c", execution_backend="kmux")

    def setUp(self):
        self.enterContext(mock.patch.object(jit_kernel, "program_of", side_effect=kmux.UnsupportedError("no such launch")))
        super().setUp()

    def test_fall_back_to_tilelang(self):
        with self.assertLogs("kmux_tilelang", "WARNING") as log:
            kernel = self.refused()
            self.refused()
        self.assertEqual(len(log.output), 1)
        self.assertIn("kernel 'add' runs without kmux: no such launch", log.output[0])
        self.assertEqual(kmux_tilelang.report().fallbacks, {"add": {"no such launch": 2}})
        a = torch.randn(24)
        torch.testing.assert_close(kernel(a, a), 2 * a)
        self.assertNotEqual(kernel.execution_backend, "kmux")


class Strictly(Refusals):
    options = {"strict": True}

    def test_fall_back_to_tilelang(self):
        with self.assertRaisesRegex(kmux.UnsupportedError, "kernel 'add' cannot run with kmux: no such launch"):
            self.refused()


class WithoutPlugin(Inside):
    """Where kmux is installed without a plugin for the target."""

    def test_falls_back(self):
        with (
            mock.patch.object(compilation, "kmux_target", lambda target: "elsewhere"),
            self.assertLogs("kmux_tilelang", "WARNING") as log,
            _without_caches(),
        ):
            kernel = tilelang.compile(add(25), out_idx=[2], target="c", execution_backend="kmux")
        self.assertIn("kernel 'add' runs without kmux: No backend registered for target kind 'elsewhere'", log.output[0])
        a = torch.randn(25)
        torch.testing.assert_close(kernel(a, a), 2 * a)

    def test_is_told_from_a_wrong_name(self):
        with self.assertRaisesRegex(ValueError, "Invalid execution backend 'cuda' for target 'cpu'"):
            tilelang.compile(add(26), out_idx=[2], target="c", execution_backend="kmux:cuda")


class WithoutBlocks(Inside):
    """A grid of which nothing is ever launched: TileLang says so, in its own time."""

    options = {"strict": True}

    def test_are_not_taken(self):
        with self.assertRaisesRegex(kmux.UnsupportedError, "The grid of 'never_kernel' has no blocks"):
            tilelang.compile(never_launched(), target=_SM_90A, execution_backend="kmux")


class OfPackedElements(Inside):
    """torch has pairs of float4, and gives memory for those alone."""

    options = {"strict": True}

    def test_are_not_taken(self):
        with self.assertRaisesRegex(kmux.UnsupportedError, "torch packs several elements of buffer 'A' into a byte"):
            tilelang.compile(packed(64), out_idx=[1], target=_SM_90A, execution_backend="kmux")


class OfCountedRegisters(Inside):
    """nvcc needs no more registers than their authors counted."""

    def test_are_compiled_by_nvcc_where_it_is(self):
        for groups, present, wanted in ((3, True, "cuda"), (3, False, "auto"), (2, True, "auto")):
            adapter = tilelang.compile(shared_out(groups), target=_SM_90A, execution_backend="kmux").adapter
            with mock.patch.object(compilation, "_has_backend", lambda *_, present=present: present):
                self.assertEqual(compilation.options_of(adapter.program, adapter.request)["execution_backend"], wanted)

    def test_look_for_nvcc_by_resolving(self):
        program = tilelang.compile(shared_out(3), target=_SM_90A, execution_backend="kmux").adapter.program
        candidates = kmux.resolve(program, execution_backend="cuda", target="cuda:sm_90a").candidates
        there = any(candidate["verdict"] == "chosen" for candidate in candidates)
        self.assertEqual(compilation._has_backend(program, "cuda", "cuda:sm_90a"), there)
        self.assertFalse(compilation._has_backend(program, "cpu", "cuda:sm_90a"))


class ForOtherDevices(unittest.TestCase):
    """What torch says of this machine's device is made up."""

    def test_are_told_by_their_architecture(self):
        for arch, capability, other in (
            ("sm_90", (9, 0), False), ("sm_90a", (9, 0), False), ("sm_120", (9, 0), True), ("sm_80", (8, 6), False),
            ("sm_89", (8, 6), True), ("sm_80", (9, 0), True), ("sm_100a", (10, 3), True), ("sm_100f", (10, 3), False),
        ):  # fmt: skip
            target = tvm.target.Target({"kind": "cuda", "arch": arch})
            with (
                mock.patch.object(torch.cuda, "is_available", lambda: True),
                mock.patch.object(torch.cuda, "get_device_capability", lambda capability=capability: capability),
            ):
                self.assertEqual(jit_kernel.is_for_another_device(target), other, arch)
        self.assertFalse(jit_kernel.is_for_another_device(tvm.target.Target("cuda")))


class Installing(unittest.TestCase):
    def test_can_be_undone_and_repeated(self):
        places = {str(place): registry._specs_of(place) for place in registry._places()}
        methods = {name: getattr(jit_kernel.JITKernel, name) for name in ("get_host_source", "export_library")}
        caches = dict(tilelang.cache._dispatch_map)
        kmux_tilelang.install()
        kmux_tilelang.install(default=True, named=True)
        kmux_tilelang.uninstall()
        self.assertEqual({str(place): registry._specs_of(place) for place in registry._places()}, places)
        self.assertEqual({name: getattr(jit_kernel.JITKernel, name) for name in methods}, methods)
        self.assertEqual(tilelang.cache._dispatch_map, caches)

    def test_into_a_release_with_other_methods_is_refused_and_changes_nothing(self):
        original, caches = jit_kernel.JITKernel.get_host_source, dict(tilelang.cache._dispatch_map)
        methods = {"get_host_source": mock.Mock(), "_compiled_by_another_name": mock.Mock()}
        with (
            mock.patch.object(jit_kernel.Extension, "_methods", lambda self: methods),
            self.assertRaisesRegex(ImportError, r"its JITKernel has no _compiled_by_another_name\).*pip install tilelang=="),
        ):
            kmux_tilelang.install()
        self.assertIs(jit_kernel.JITKernel.get_host_source, original)
        self.assertEqual(tilelang.cache._dispatch_map, caches)


def _without_caches():
    """Within it nothing is found that was compiled before."""
    return mock.patch.dict(os.environ, TILELANG_DISABLE_CACHE="1")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
