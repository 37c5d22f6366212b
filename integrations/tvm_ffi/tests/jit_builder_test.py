# SPDX-License-Identifier: Apache-2.0
"""What a JitBuilder takes: dtypes, extents, numbers of NumPy, and what it refuses by name."""

import fractions
import unittest

import kmux
import numpy as np

FILL = "void fill(int* y, int value, long long n) { for (long long i = 0; i < n; ++i) y[i] = value; }"
SPREAD = "__global__ void spread(int* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }"


def described(describe):
    """The program of a function of one tensor of four floats, which `describe` describes."""

    @kmux.jit(target="cpu")
    def made(b: kmux.JitBuilder, x):
        return describe(b)

    return made.program(np.ones(4, "float32"))


def spread(**how):
    """What a launch of `how` writes: the number of its block for each thread."""

    @kmux.jit(target="cpu")
    def run(b: kmux.JitBuilder, x):
        b.input("x", [b.symbol("n")])
        y = b.empty("y", "int32", [4])
        b.variant("cuda", sources={"spread.cu": SPREAD})
        b.launch("spread", [y], **how)
        return y

    return run(np.ones(4, "float32")).tolist()


def filled(*arguments):
    """Four numbers that `fill` writes, from these arguments after the first."""

    @kmux.jit(target="cpu")
    def run(b: kmux.JitBuilder, x):
        b.input("x", [b.symbol("n")])
        y = b.empty("y", "int32", [4])
        b.variant("c", sources={"fill.c": FILL})
        b.launch("fill", [y, *arguments, {"expr": np.int64(4), "dtype": np.int64}])
        return y

    return run(np.ones(4, "float32")).tolist()


class JitBuilder(unittest.TestCase):
    def test_a_dtype_that_is_none_is_refused_where_no_tensor_has_one(self):
        wanted = "None is not a dtype .a NoneType.. Write it as a word"
        for declare in (
            lambda b: b.empty("y", None, [4]),
            lambda b: b.buffer("x", [4], None),
            lambda b: b.symbol("n", None),
        ):
            with self.assertRaisesRegex(TypeError, wanted):
                described(declare)

    def test_dtypes_are_words_or_dtypes_everywhere(self):
        def describe(b):
            n = b.symbol("n", np.int32)
            b.buffer("x", [n], np.float32)
            b.variant("c", sources={"f.c": "void f(int n, signed char c) {}"})
            b.launch("f", [n, {"expr": 1, "dtype": np.dtype("int8")}])

        self.assertIn('{"dtype":"int8","expr":1}', described(describe).to_json())

    def test_one_extent_needs_no_list(self):
        for grid in (2, np.int64(2), [2], (2,), [np.int64(2)], np.uint8(2), kmux.Expr(["-", "n", np.int64(2)])):
            self.assertEqual(spread(grid=grid, block=np.int32(2)), [0, 0, 1, 1], grid)

    def test_what_is_no_extent_is_refused_by_name(self):
        for grid in (True, np.True_, 1.0, np.float32(1), [2, None], {"x": 2}):
            with self.assertRaisesRegex(TypeError, "grid of launch 'spread' is .* .extents are integers, names and expressions."):
                spread(grid=grid, block=2)

    def test_numbers_of_numpy_are_numbers(self):
        for seven in (7, np.int64(7), np.uint8(7), np.array(7), {"expr": np.int32(7)}):
            self.assertEqual(filled(seven), [7, 7, 7, 7])

        def describe(b):
            n = b.symbol("n")
            b.buffer("x", [n + np.int64(0)], "float32", strides=[np.int64(1)], alignment_bytes=np.int64(4), nullable=np.False_)
            b.variant("c", sources={"f.c": "void f(long long n, void* w) {}"}, settings={"fast_math": np.True_})
            b.check(["<", n, np.int64(100)], "few")
            b.workspace("w", np.int64(256), np.int32(256))
            b.let("m", n * np.int16(2))
            b.step({"fill": {"target": {"name": "w"}, "bytes": np.int64(256), "value": np.uint8(0)}})
            b.launch("f", ["m", "w"])

        self.assertIn('"fast_math":true', described(describe).to_json())

    def test_numbers_that_no_program_has_are_refused_by_place(self):
        for number in (1.5, np.float32(1.5), fractions.Fraction(3, 2), 2j):
            with self.assertRaisesRegex(TypeError, r"^argument 1 of launch 'fill' is .* .a program has integer constants alone.. Give the source a macro"):
                filled(number)
            with self.assertRaisesRegex(TypeError, "^member 0 of member 1 of argument 1 of launch 'fill' is "):
                filled((1, (number,)))

    def test_documents_of_programs_take_numbers_of_numpy(self):
        launch = {"kernel": "fill", "args": [{"tensor": "y"}, {"expr": np.int32(7)}, {"expr": np.int64(4), "dtype": "int64"}]}
        document = {
            "name": "fill",
            "signature": {"params": [{"name": "y", "buffer": {"dtype": "int32", "shape": [np.int64(4)]}}], "outputs": ["y"]},
            "variants": [{"dialect": "c", "sources": [{"path": "fill.c"}], "body": {"steps": [{"launch": launch}]}}],
        }
        self.assertEqual(np.from_dlpack(kmux.compile(kmux.program(document, {"fill.c": FILL}), target="cpu")()).tolist(), 4 * [7])
        document["name"] = {1}
        with self.assertRaisesRegex(TypeError, "^a document has .1. .of type set"):
            kmux.program(document, {"fill.c": FILL})


if __name__ == "__main__":
    unittest.main()
