# SPDX-License-Identifier: Apache-2.0
"""Jit functions as methods: the instance is a part of the configuration, by its value."""

import dataclasses
import enum
import functools
import inspect
import pickle
import unittest

import kmux
import numpy as np
import programs

SOURCE = "void scale(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = FACTOR * x[i]; }"


def described(b, factor):
    n = b.symbol("n")
    b.input("x", [n])
    y = b.empty("y", "float32", [n])
    b.variant("c", sources={"scale.c": SOURCE}, defines={"FACTOR": factor})
    b.launch("scale", ["x", y, n])
    return y


@dataclasses.dataclass
class Scale:
    """Methods of a class whose values are compared."""

    factor: int = 2
    made = []

    @kmux.jit(target="cpu")
    def lazy(self, tile=1):
        self.made.append((self.factor, tile))
        return programs.scale(f"{self.factor * tile} * x[i]")

    @kmux.jit(target="cpu")
    def eager(self, b: kmux.JitBuilder, x, *, tile=1):
        self.made.append((self.factor, tile))
        return described(b, self.factor * tile)

    @staticmethod
    @kmux.jit(target="cpu")
    def static(tile=1):
        return programs.scale(f"{tile} * x[i]")

    @property
    @kmux.jit(target="cpu")
    def whole(self):
        return programs.scale(f"{self.factor} * x[i]")

    of_five = functools.partialmethod(lazy, 5)


class Plain:
    """An object of it may hold anything."""

    @kmux.jit(target="cpu")
    def lazy(self, tile=1):
        return programs.scale(f"{tile} * x[i]")

    @kmux.jit(target="cpu")
    def eager(self, b: kmux.JitBuilder, x, *, tile=1):
        return described(b, tile)

    @kmux.jit(target="cpu", mode="eager")
    def unknown(self, b, x):
        return described(b, 1)

    outside = kmux.jit(target="cpu")(lambda: programs.scale())


class Colour(enum.Enum):
    RED = 3

    @kmux.jit(target="cpu")
    def scaled(self):
        return programs.scale(f"{self.value} * x[i]")


def value(kernel):
    return float(kernel(np.ones(1, "float32"), 1.0)[0])


def ones():
    return np.ones(3, "float32")


class JitMethod(unittest.TestCase):
    def setUp(self):
        Scale.made.clear()

    def test_a_lazy_method_is_given_its_instance(self):
        scale = Scale()
        self.assertEqual([value(scale.lazy()), value(scale.lazy(5)), value(scale.lazy(tile=7))], [2, 10, 14])
        self.assertEqual([value(scale.of_five()), value(scale.whole), value(scale.static(4)), value(Colour.RED.scaled())], [10, 2, 4, 3])
        self.assertEqual((value(Scale.lazy(Scale(3), 2)), value(Scale.lazy(self=Scale(3), tile=2))), (6, 6))

    def test_an_eager_method_is_given_its_instance(self):
        scale = Scale(3)
        for _ in range(2):
            self.assertEqual([scale.eager(ones())[0], scale.eager(ones(), tile=2)[0]], [3, 6])
        self.assertEqual(scale.eager.compile(ones(), tile=5)(ones())[0], 15)

    def test_instances_are_compared_by_their_values_now(self):
        scale = Scale(11)
        self.assertIs(scale.lazy(), Scale(11).lazy())
        scale.eager(ones()), Scale(11).eager(ones())
        self.assertEqual(Scale.made, [(11, 1), (11, 1)])  # one of each
        scale.factor = 12
        self.assertEqual((value(scale.lazy()), scale.eager(ones())[0]), (12, 12))

    def test_the_rest_of_a_function_has_the_instance_too(self):
        scale = Scale(4)
        self.assertIn("8 * x[i]", scale.lazy.program(2).files["scale.c"])
        self.assertIn('"FACTOR=8"', scale.eager.program(ones(), tile=2).to_json())
        self.assertIn('[["factor",4]]', scale.lazy.cache_key(2))
        self.assertIn('[["factor",4]]', scale.eager.cache_key(tile=2))
        self.assertEqual([value(each) for each in scale.lazy.par_compile([{"tile": 2}, (3,)])], [8, 12])
        self.assertEqual([each(ones())[0] for each in scale.eager.par_compile([ones()], [{"tile": 2}, {}])], [8, 4])
        self.assertEqual((scale.lazy.name, scale.eager.__name__), ("lazy", "eager"))
        self.assertEqual(str(inspect.signature(scale.lazy)), "(tile=1)")
        self.assertEqual(str(inspect.signature(scale.eager)), "(x, *, tile=1)")

    def test_configurations_that_are_left_out_are_said_where_they_are_compiled(self):
        for compile_all in (lambda: Scale(4).lazy.par_compile([("no",)], ignore_error=True), lambda: Scale("no").eager.par_compile([ones()], [{}], ignore_error=True)):
            with self.assertWarnsRegex(kmux.CompileWarning, "is left out") as caught:
                compile_all()
            self.assertEqual(caught.filename, __file__)

    def test_methods_pickle_with_their_instance(self):
        scale = Scale(6)
        self.assertEqual(value(pickle.loads(pickle.dumps(scale.lazy))()), 6)
        self.assertEqual(pickle.loads(pickle.dumps(scale.eager))(ones())[0], 6)

    def test_an_instance_that_has_no_value_is_refused(self):
        why = "parameter 'self' holds a Plain .*It is a method of Plain: make Plain a dataclass, .* or decorate a function outside"
        for call in (lambda: Plain().lazy(5), lambda: Plain().lazy(), lambda: Plain().eager(ones())):
            with self.assertRaisesRegex(TypeError, why):
                call()

    def test_a_function_that_takes_no_instance_is_refused_as_pythons_are(self):
        with self.assertRaisesRegex(TypeError, "too many positional arguments"):
            Plain().outside()
        self.assertEqual(value(Plain.outside()), 1)

    def test_a_class_has_no_value(self):
        class Maker:
            @classmethod
            @kmux.jit(target="cpu")
            def made(cls, tile=1):
                return programs.scale()

        for call in (Maker.made, Maker().made):
            with self.assertRaisesRegex(TypeError, "parameter 'cls' holds a type"):
                call(5)

    def test_a_method_without_its_instance_is_named_as_one(self):
        with self.assertRaisesRegex(TypeError, "without its first parameter 'self' .*Call it on an instance"):
            Scale.eager(ones())

    def test_a_builder_that_is_not_annotated_may_be_either(self):
        with self.assertRaisesRegex(TypeError, "'unknown' is an attribute of class Plain .*Annotate the builder as kmux.JitBuilder"):
            Plain().unknown(ones())

    def test_an_eager_function_that_begins_with_the_builder_takes_no_instance(self):
        class Layer:
            run = kmux.jit(target="cpu")(Scale.eager.function.__get__(Scale(9)))

        self.assertEqual(Layer().run(ones())[0], 9)


if __name__ == "__main__":
    unittest.main()
