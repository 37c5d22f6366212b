# SPDX-License-Identifier: Apache-2.0
"""kmux.torch.op over a stand-in for torch: what is refused is not registered, and gradients are of what was given."""

import importlib
import sys
import types
import unittest
from unittest import mock

import kmux

_SOURCE = "void f(const float* x, const float* z, float* y, long long n) {}"


class Operator:
    def __init__(self, name):
        self.name, self.registered = name, {}

    def __call__(self, *arguments):
        return tuple(f"gradient of {self.name}" for _ in range(2))

    def register_fake(self, function):
        self.registered["fake"] = function

    def register_autograd(self, function, setup_context):
        self.registered |= {"backward": function, "setup": setup_context}


class Context:
    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors


class Operators(unittest.TestCase):
    def setUp(self):
        self.made = []

        def custom_op(name, call, mutates_args, schema):
            self.made.append(Operator(name))
            return self.made[-1]

        torch = types.ModuleType("torch")
        torch.Tensor, torch.float32, torch.library = object, "float32", types.SimpleNamespace(custom_op=custom_op)
        patch = mock.patch.dict(sys.modules, torch=torch)
        patch.start()
        self.addCleanup(patch.stop)
        self.op = importlib.import_module("kmux.torch").op
        self.addCleanup(lambda: kmux.__dict__.pop("torch", None))
        self.addCleanup(sys.modules.pop, "kmux.torch")

    def kernel(self, signature, args="x, z, y, n: i64"):
        return kmux.kernel(_SOURCE, signature, args=args, target="cpu")

    def test_what_is_refused_is_not_registered(self):
        forward = self.kernel("f(x: f32[n], z: f32[n], y: out f32[n])")
        writes = self.kernel("f(x: f32[n], z: f32[n], y: inout f32[n])")
        eighths = self.kernel("f(x: f32[n], z: f32[n], y: out float8_e4m3fn[n])")
        packed = [self.kernel(f"f(x: {x}[n], z: f32[n], y: out {y}[n])") for x, y in (("int4", "f32"), ("f32", "float4_e2m1fn"))]
        for kernel, backward, message in (
            (packed[0], None, "a tensor 'x' of dtype int4 .torch has no tensor whose elements share a byte.. Declare it as uint8"),
            (packed[1], None, "a tensor 'y' of dtype float4_e2m1fn .torch has no tensor"),
            (forward, packed[0], "a tensor 'x' of dtype int4"),
            (forward, self.kernel("f(x: f32[n], z: f32[n], other: out f32[n])", "x, z, other, n: i64"), "returns 'other'"),
            (forward, self.kernel("f(x: f32[n], q: f32[n], grad_x: out f32[n])", "x, q, grad_x, n: i64"), "a parameter 'q'"),
            (forward, writes, "returns nothing"),
            (writes, forward, "writes y in place .torch differentiates no operator that does."),
            (eighths, None, "'y' of dtype float8_e4m3fn .this torch has no such dtype."),
        ):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                self.op("my::f", kernel, backward=backward)
            self.assertEqual(self.made, [])

    def test_a_parameter_that_was_not_given_has_no_gradient(self):
        forward = self.kernel("f(x: f32[n], z: f32[n], y: out f32[n])")
        both = kmux.kernel(
            "void b(const float* grad_y, float* grad_x, float* grad_z, long long n) {}",
            "b(grad_y: f32[n], grad_x: out f32[n], grad_z: out f32[n])", args="grad_y, grad_x, grad_z, n: i64", target="cpu",
        )  # fmt: skip
        made = self.op("my::f", forward, backward=both)
        self.assertEqual([each.name for each in self.made], ["my::f", "my::f_backward"])
        context, gradient = Context(), mock.Mock()
        for given, expected in (((1, 2), [False, False]), ((1, None), [False, True])):
            made.registered["setup"](context, given, 3)
            self.assertEqual([one is None for one in made.registered["backward"](context, gradient)], expected)


if __name__ == "__main__":
    unittest.main()
