"""kmux_tilelang.signature"""

import unittest

from kmux_tilelang.error import UnsupportedError, UsageError
from kmux_tilelang.signature import check_carriers, difference, names_of, outputs_at, signature_of
from tir import binary, buffer, function, imm, var


def param_of(made, used=("A",), outputs=()):
    return signature_of(function(made), outputs, set(used))["params"][0]


class Signature(unittest.TestCase):
    def test_has_buffers_scalars_and_pointers_in_order(self):
        n = var("n")
        made = function(
            buffer("A", [n, imm(4)]), var("s", "float32"), var("p", "handle"), buffer("B", [], dtype="int8")
        )
        self.assertEqual(
            signature_of(made, ["B"], {"A"}),
            {
                "params": [
                    {"name": "A", "buffer": {"dtype": "float32", "shape": ["n", 4]}},
                    {"name": "s", "scalar": {"dtype": "float32"}},
                    {"name": "p", "pointer": {}},
                    {"name": "B", "buffer": {"dtype": "int8"}},
                ],
                "outputs": ["B"],
                "symbols": [{"name": "n", "dtype": "int32"}],
            },
        )

    def test_omits_strides_without_gaps(self):
        m, n = var("m"), var("n")
        self.assertNotIn("strides", param_of(buffer("A", [m, imm(2), imm(3)], [imm(6), imm(3), imm(1)]))["buffer"])
        self.assertNotIn("strides", param_of(buffer("A", [m, n], [n, imm(1)]))["buffer"])
        self.assertEqual(param_of(buffer("A", [m, n], [imm(8), imm(1)]))["buffer"]["strides"], [8, 1])

    def test_orders_symbols_of_shapes_before_those_of_strides(self):
        a = buffer("A", [var("m"), var("k", "int64")], [var("pitch"), imm(1)])
        b = buffer("B", [binary("Mul", var("n"), imm(4)), var("m")])
        symbols = signature_of(function(a, b), [], {"A", "B"})["symbols"]
        self.assertEqual([symbol["name"] for symbol in symbols], ["m", "k", "n", "pitch"])
        self.assertNotIn("dtype", symbols[1])  # int64 is the default

    def test_takes_a_symbol_that_is_a_scalar_from_the_scalar(self):
        n = var("n")
        self.assertNotIn("symbols", signature_of(function(n, buffer("A", [n])), [], {"A"}))

    def test_lets_a_buffer_be_null_that_no_launch_uses(self):
        self.assertTrue(param_of(buffer("A", [imm(4)]), used=())["buffer"]["nullable"])
        self.assertNotIn("nullable", param_of(buffer("A", [imm(4)]), used=(), outputs=["A"])["buffer"])

    def test_lets_no_buffer_be_null_that_alone_carries_a_symbol(self):
        n, m = var("n"), var("m")
        made = signature_of(function(buffer("A", [n]), buffer("B", [n]), buffer("C", [m]), buffer("D", [imm(4)])), [], {"C"})
        nullable = {p["name"] for p in made["params"] if "nullable" in p["buffer"]}
        self.assertEqual(nullable, {"B", "D"})

    def test_takes_what_hardware_makes_of_a_type_as_that_type(self):
        for given, passed in {"custom[tfloat32]": "float32", "float8_e4m3": "float8_e4m3fn", "int8": "int8"}.items():
            self.assertEqual(param_of(buffer("A", [imm(4)], dtype=given))["buffer"]["dtype"], passed)

    def test_refuses_an_element_offset(self):
        with self.assertRaisesRegex(UnsupportedError, "'A' has an element offset"):
            param_of(buffer("A", [imm(4)], offset=2))

    def test_refuses_an_output_that_is_no_buffer(self):
        with self.assertRaisesRegex(UsageError, "output 'C' is not a buffer parameter. Buffers: A"):
            param_of(buffer("A", [imm(4)]), outputs=["C"])

    def test_aligns_buffers_as_kernels_want_them(self):
        made = signature_of(function(buffer("A", [imm(4)]), buffer("B", [imm(4)]), var("s")), [], {"A"}, {"A": 16, "B": 0})
        self.assertEqual([p.get("buffer", {}).get("alignment_bytes") for p in made["params"]], [16, None, None])


class Carriers(unittest.TestCase):
    def check(self, *parameters, used=("A", "B"), outputs=()):
        check_carriers(signature_of(function(*parameters), outputs, set(used)))

    def test_are_dimensions_and_strides_of_inputs(self):
        n, pitch = var("n"), var("pitch")
        self.check(buffer("A", [binary("Mul", n, imm(4)), imm(8)], [pitch, imm(1)]), buffer("B", [n]), outputs=["B"])
        self.check(n, buffer("A", [n]), outputs=["A"])  # a scalar needs none

    def test_are_missed_by_name(self):
        n, m = var("n"), var("m")
        with self.assertRaisesRegex(UnsupportedError, "symbol 'n' cannot be solved .*integer scalar parameter"):
            self.check(buffer("A", [n]), outputs=["A"])
        self.check(buffer("A", [imm(4)]), buffer("B", [n]), used=["A"])  # B must be passed, since it has n
        with self.assertRaisesRegex(UnsupportedError, "symbol 'm'"):
            self.check(buffer("A", [n, binary("Mul", n, m)]))


class NamesOf(unittest.TestCase):
    def test_are_those_of_parameters_and_symbols(self):
        self.assertEqual(names_of(function(buffer("A", [var("n")]), var("s"))), {"A", "n", "s"})


class Difference(unittest.TestCase):
    def test_is_the_first_place(self):
        one = signature_of(function(buffer("A", [var("n")]), var("s")), ["A"], {"A"})
        self.assertEqual(difference(one, one), "")
        other = signature_of(function(buffer("A", [var("n")]), var("s", "int64")), ["A"], {"A"})
        expected = 'params: {"name":"s","scalar":{"dtype":"int64"}} instead of {"name":"s","scalar":{"dtype":"int32"}}'
        self.assertEqual(difference(one, other), expected)
        self.assertEqual(difference(one, {**one, "outputs": []}), 'outputs: null instead of "A"')


class OutputsAt(unittest.TestCase):
    made = function(buffer("A", [imm(4)]), var("s"), buffer("C", [imm(4)]))

    def test_counts_from_either_end(self):
        self.assertEqual(outputs_at(self.made, [-1, 0]), ["C", "A"])

    def test_refuses_positions_that_do_not_exist_or_repeat(self):
        for out_idx in ([3], [-4], [2, -1]):
            with self.assertRaisesRegex(UsageError, "does not fit 3 parameters"):
                outputs_at(self.made, out_idx)
