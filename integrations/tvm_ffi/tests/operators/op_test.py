"""Kernels as operators of torch, by torch's own checks of operators. Needs torch; exits with 77 (a counted skip) without."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

try:
    import torch
except ImportError as error:
    print(f"needs torch ({error})")
    sys.exit(77)

import kmux
from programs import buffer, ends, launch, scale


def _compiled(program):
    return kmux.compile(program, target="cpu")


def _rows():
    """y[r] = factor * sum of row r of x, of strides; last[1] = n."""
    document = {
        "name": "rows",
        "signature": {
            "params": [
                {"name": "x", "buffer": {"dtype": "float32", "shape": [["*", "m", 2], "n"], "strides": ["n", 1]}},
                {"name": "factor", "scalar": {"dtype": "float32"}},
                {"name": "extra", "scalar": {"dtype": "int32"}},
                buffer("y", ["m", ["+", ["ceildiv", "n", 2], "extra"]]),
                buffer("last", [["max", "m", 3]], "int64"),
            ],
            "outputs": ["y", "last"],
            "symbols": [{"name": "m"}, {"name": "n"}],
        },
        "variants": [
            {
                "dialect": "c",
                "sources": [{"path": "rows.c"}],
                "body": launch(
                    "rows",
                    [
                        {"tensor": "y"},
                        {"tensor": "last"},
                        {"scalar": "factor"},
                        {"expr": ["*", "m", ["+", ["ceildiv", "n", 2], "extra"]], "dtype": "int64"},
                        {"expr": ["max", "m", 3], "dtype": "int64"},
                    ],
                ),
            }
        ],
    }
    source = """void rows(float* y, long long* last, float factor, long long n, long long m) {
  for (long long i = 0; i < n; ++i) y[i] = factor;
  for (long long i = 0; i < m; ++i) last[i] = m;
}"""
    return kmux.program(document, {"rows.c": source})


def _gradient():
    """grad_x = factor * grad_y, the gradient of `scale`."""
    return scale(outputs=["grad_x"], names=("grad_y", "grad_x"))


class Operators(unittest.TestCase):
    def test_return_what_the_kernel_does(self):
        op = kmux.torch.op("kmux_test::scale", _compiled(scale()))
        x = torch.arange(5.0)
        self.assertEqual(str(op._opoverload._schema), "kmux_test::scale(Tensor x, float factor) -> Tensor")
        torch.testing.assert_close(op(x, 3.0), 3 * x)
        torch.testing.assert_close(torch.ops.kmux_test.scale(x, 2.0), 2 * x)
        torch.library.opcheck(op, (x, 3.0))

    def test_write_what_is_named(self):
        kernel = _compiled(scale(outputs=()))
        op = kmux.torch.op("kmux_test::scale_into", kernel, mutates=["y"])
        x, y = torch.arange(5.0), torch.zeros(5)
        op(x, y, 3.0)
        torch.testing.assert_close(y, 3 * x)
        torch.library.opcheck(op, (x, y, 3.0))
        with self.assertRaisesRegex(ValueError, "changes nothing .* or name it in 'mutates': there are x, y."):
            kmux.torch.op("kmux_test::unnamed", kernel)
        with self.assertRaisesRegex(ValueError, "no tensor 'z' among its arguments .* Name what it writes of x, y."):
            kmux.torch.op("kmux_test::misnamed", kernel, mutates=["z"])

    def test_write_what_the_signature_has_as_inout(self):
        source = """void axpy(float a, const float* x, float* y, float* z, long long n) {
          for (long long i = 0; i < n; ++i) { y[i] += a * x[i]; z[i] = y[i]; }
        }"""
        axpy = kmux.kernel(source, "axpy(a: f32, x: f32[n], y: inout f32[n], z: out f32[n])", args="a, x, y, z, n: i64")
        op = kmux.torch.op("kmux_test::axpy", axpy)
        self.assertEqual(
            str(op._opoverload._schema), "kmux_test::axpy(float a, Tensor x, Tensor(a2!) y) -> Tensor"
        )
        x, y = torch.arange(5.0), torch.ones(5)
        torch.testing.assert_close(op(2.0, x, y), y)
        torch.testing.assert_close(y, 2 * x + 1)
        torch.library.opcheck(op, (2.0, x, y))
        named = kmux.torch.op("kmux_test::named_axpy", axpy, mutates=["y"])
        self.assertIn("(a2!) y", str(named._opoverload._schema))
        with self.assertRaisesRegex(ValueError, "'mutates' lacks y .the signature has that as `inout`."):
            kmux.torch.op("kmux_test::other_axpy", axpy, mutates=["x"])

    def test_are_of_kernels_and_have_two_names(self):
        with self.assertRaisesRegex(TypeError, "'function' is not a kernel"):
            kmux.torch.op("kmux_test::no_kernel", lambda x: x)
        with self.assertRaisesRegex(ValueError, "'scale' has no namespace .* Write 'my::scale'"):
            kmux.torch.op("scale", _compiled(scale()))

    def test_take_outputs_by_position(self):
        source = "void twice(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = 2 * x[i]; }"
        twice = kmux.kernel(source, "twice(x: f32[n], y: f32[n])", args="x, y, n: i64", out_idx=-1)
        op = kmux.torch.op("kmux_test::twice", twice)
        torch.testing.assert_close(op(torch.arange(5.0)), 2 * torch.arange(5.0))
        torch.library.opcheck(op, (torch.arange(5.0),))

    def test_have_the_shapes_of_the_signature(self):
        op = kmux.torch.op("kmux_test::rows", _compiled(_rows()))
        x = torch.ones(4, 5)
        for fake, real in zip(torch.ops.kmux_test.rows(x.to("meta"), 2.0, 1), op(x, 2.0, 1), strict=True):
            self.assertEqual((fake.shape, fake.dtype, fake.stride()), (real.shape, real.dtype, real.stride()))
        torch.library.opcheck(op, (x, 2.0, 1))

    def test_take_addresses(self):
        memory = torch.zeros(1)
        made = kmux.torch.op("kmux_test::ends", _compiled(ends()))(torch.arange(4.0), memory.data_ptr())
        self.assertEqual([*(tensor.item() for tensor in made), memory.item()], [3, 0, 7])

    def test_are_compiled_whole(self):
        op = kmux.torch.op("kmux_test::graph_scale", _compiled(scale()))
        whole = torch.compile(lambda x: op(x + 1, 3.0).sum(), fullgraph=True, backend="aot_eager", dynamic=True)
        for n in (4, 7):
            self.assertEqual(whole(torch.ones(n)).item(), 6 * n)

    def test_have_gradients(self):
        op = kmux.torch.op("kmux_test::scale_twice", _compiled(scale()), backward=_compiled(_gradient()))
        x = torch.arange(5.0, requires_grad=True)
        (op(x, 3.0) * torch.arange(5.0)).sum().backward()
        torch.testing.assert_close(x.grad, 3 * torch.arange(5.0))
        torch.library.opcheck(op, (x, 3.0))
        with self.assertRaisesRegex(ValueError, "the backward kernel has a parameter 'x'"):
            kmux.torch.op("kmux_test::no_gradient", _compiled(_gradient()), backward=_compiled(scale()))


class LazyViews(unittest.TestCase):
    """Views of torch whose memory does not hold their values: conjugated or negated when they are read."""

    def setUp(self):
        source = "void copied(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = x[i]; }"
        self.copied = kmux.kernel(source, "copied(x: f32[n], y: inout f32[n])", args="x, y, n: i64", target="cpu")
        self.pairs = kmux.kernel(
            source, "pairs(x: complex64[n], y: out complex64[n])", name="copied", args="x, y, 2 * n: i64", target="cpu"
        )

    def refused(self, kernel, message, *arguments):
        made = kernel.compile()
        for call in (kernel, kernel.launch, made, made.launch):
            with self.assertRaisesRegex(TypeError, f"kernel .*: parameter {message}"):
                call(*arguments)

    def test_are_refused_by_the_name_of_the_parameter(self):
        conjugated, y = torch.tensor([1 + 2j]).conj(), torch.zeros(1)
        self.refused(self.pairs, r'"x" is a torch.Tensor that is conjugated .*Pass x.resolve_conj\(\)', conjugated)
        self.refused(self.pairs, '"x" is a torch.Tensor that is conj', torch.nn.Parameter(conjugated))
        self.refused(self.pairs, '"x" is a torch.Tensor that is neg', torch._neg_view(torch.tensor([1 + 2j])))
        self.refused(self.copied, r'"x" is a torch.Tensor that is negated .*Pass x.resolve_neg\(\)', conjugated.imag, y)
        self.refused(self.copied, '"y" is a torch.Tensor that is negated', y, torch._neg_view(torch.ones(1)))
        with self.assertRaisesRegex(TypeError, "conjugated"):
            self.pairs.compile().tune(conjugated)

    def test_are_taken_once_resolved(self):
        conjugated, y = torch.tensor([1 + 2j]).conj(), torch.zeros(1)
        self.assertEqual(self.pairs(conjugated.resolve_conj()).item(), 1 - 2j)
        self.assertEqual(self.pairs(conjugated.conj()).item(), 1 + 2j)
        self.copied(conjugated.imag.resolve_neg(), y)
        self.assertEqual(y.item(), -2)
        op = kmux.torch.op("kmux_test::pairs", self.pairs)
        self.assertEqual(op(conjugated).item(), 1 - 2j)  # torch resolves the arguments of operators

    def test_are_looked_for_in_memory(self):
        from kmux import _torch_views

        place = _torch_views.place_of(torch)
        self.assertIsNotNone(place, "each call takes Python code with this torch: see _torch_views.py")
        self.assertEqual(place.bits.bit_count(), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])  # what runs it names a folder
