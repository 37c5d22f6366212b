"""kmux_tilelang.kernel"""

import sys
import tempfile
import types
import unittest
from pathlib import Path

from kmux_tilelang import describe
from kmux_tilelang.error import UnsupportedError, UsageError
from kmux_tilelang.kernel import load_kernel
from tir import buffer, function, imm

MADE = function(buffer("A", [imm(4)]))


@describe(reference="A = 0", outputs=["A"])
def maker(size=4, *, kind="f"):
    return MADE


class Lazy:
    """What `tilelang.jit` makes: a callable with `get_tir` and `out_idx`."""

    out_idx = -1
    pass_configs = {"tl.enable_fast_math": True}  # noqa: RUF012
    compile_flags = "-DA -DB"

    def __call__(self, size):
        raise AssertionError("compiles")

    def get_tir(self, size):
        return MADE


def setUpModule():
    module = types.ModuleType("kmux_test_kernels")
    module.broken = lambda: 1 // 0
    module.made, module.maker, module.lazy, module.text, module.wrong = MADE, maker, Lazy(), "text", lambda: 5
    sys.modules["kmux_test_kernels"] = module


def load(name, **arguments):
    return load_kernel(f"kmux_test_kernels:{name}", arguments)


class Kernel(unittest.TestCase):
    def test_is_a_prim_func_or_what_a_function_returns(self):
        self.assertIs(load("made").function, MADE)
        kernel = load("maker", size=8)
        self.assertIs(kernel.function, MADE)
        self.assertEqual(dict(kernel.arguments), {"size": 8, "kind": "f"})
        self.assertEqual(kernel.description.outputs, ["A"])

    def test_takes_a_jit_function_without_compiling_it(self):
        self.assertEqual(load("lazy", size=4).out_idx, [-1])

    def test_keeps_pass_configs_and_compile_flags_of_function_and_decorator(self):
        MADE.attrs.update(tilelang_pass_configs={"tl.enable_fast_math": False, "x": 1}, tilelang_compile_flags=["-DC"])
        self.addCleanup(MADE.attrs.clear)
        kernel = load("lazy", size=4)
        self.assertEqual(kernel.pass_configs, {"tl.enable_fast_math": True, "x": 1})
        self.assertEqual(kernel.compile_flags, ["-DC", "-DA", "-DB"])

    def test_reads_out_idx_of_the_function_itself(self):
        MADE.attrs["tilelang_out_idx"] = [0]
        self.addCleanup(MADE.attrs.clear)
        self.assertEqual(load("made").out_idx, [0])

    def test_refuses_names_that_do_not_exist(self):
        for spec, text in {
            "gemm": "does not name a kernel", ":gemm": "does not name a kernel", "no_such_module:k": "cannot import",
            "no_such_file.py:k": "cannot import", "kmux_test_kernels:k": "has no 'k'. It has: made, lazy",
        }.items():  # fmt: skip
            with self.assertRaisesRegex(UsageError, text):
                load_kernel(spec, {})

    def test_refuses_arguments_that_do_not_fit(self):
        with self.assertRaisesRegex(UsageError, "cannot be called .*'width'.*--arg"):
            load("maker", width=3)
        with self.assertRaisesRegex(UsageError, "takes no arguments"):
            load("made", size=3)

    def test_refuses_what_is_no_prim_func(self):
        with self.assertRaisesRegex(UnsupportedError, "is not a kernel .a str."):
            load("text")
        with self.assertRaisesRegex(UnsupportedError, "gave a int, no prim_func"):
            load("wrong")

    def test_says_what_a_kernel_or_a_module_raises(self):
        with self.assertRaisesRegex(UnsupportedError, "making .*broken' raised ZeroDivisionError: integer"):
            load("broken")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kmux_broken_kernels.py"
            path.write_text("def k(:\n")
            with self.assertRaisesRegex(UsageError, "importing .* raised SyntaxError"):
                load_kernel(f"{path}:k", {})

    def test_refuses_an_unknown_field_of_a_description(self):
        with self.assertRaisesRegex(TypeError, "colour"):
            describe(colour="red")
