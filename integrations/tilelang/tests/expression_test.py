"""kmux_tilelang.expression"""

import itertools
import operator
import unittest

from kmux_tilelang.error import UnsupportedError, UsageError
from kmux_tilelang.expression import from_text, from_tir, linear_in, product, variables_of
from tir import binary, call, imm, node, var


MEANING = {"+": operator.add, "-": operator.sub, "*": operator.mul, "<<": operator.lshift, "&": operator.and_, "^": operator.xor, "<": operator.lt}
EDGES = {bits: (0, 1, 5, (1 << bits) - 2, (1 << bits) - 1) for bits in (8, 16, 32)}


def value_of(expression, names):
    """What the dispatch IR computes: integers of int64, where nothing wraps."""
    if not isinstance(expression, list):
        return names.get(expression, expression)
    head, *operands = expression
    value = int(MEANING[head](*(value_of(operand, names) for operand in operands)))
    if not -(2**63) <= value < 2**63:
        raise OverflowError(expression)
    return value


def unsigned(head, a, b, bits):
    """An operator on variables of an unsigned type."""
    a, b = var(a, f"uint{bits}"), var(b, f"uint{bits}")
    if head == "<<":
        return call("shift_left", a, b, dtype=f"uint{bits}")
    return binary({"+": "Add", "-": "Sub", "*": "Mul"}[head], a, b, f"uint{bits}")


class FromTir(unittest.TestCase):
    def test_keeps_constants_and_names(self):
        self.assertEqual(from_tir(imm(5)), 5)
        self.assertEqual(from_tir(var("n")), "n")
        self.assertEqual(from_tir(True), 1)

    def test_has_each_binary_operator(self):
        spelled = {"Add": "+", "FloorDiv": "floordiv", "FloorMod": "floormod", "Div": "truncdiv", "Mod": "truncmod"}
        spelled |= {"Min": "min", "Max": "max", "EQ": "==", "LT": "<", "And": "and", "Or": "or"}
        for kind, head in spelled.items():
            self.assertEqual(from_tir(binary(kind, var("n"), imm(4))), [head, "n", 4])

    def test_has_not_select_and_cast(self):
        self.assertEqual(from_tir(node("Not", a=var("b"))), ["not", "b"])
        select = node("Select", condition=var("c"), true_value=imm(1), false_value=imm(2))
        self.assertEqual(from_tir(select), ["select", "c", 1, 2])
        self.assertEqual(from_tir(node("Cast", value=var("n"), dtype="int32")), ["cast", "int32", "n"])

    def test_drops_a_cast_to_what_all_expressions_are(self):
        self.assertEqual(from_tir(node("Cast", value=var("n"), dtype="int64")), "n")

    def test_unsigned_arithmetic_wraps(self):
        for bits, head in itertools.product(EDGES, ("+", "-", "*", "<<")):
            made = from_tir(unsigned(head, "a", "b", bits))
            for a, b in itertools.product(EDGES[bits], EDGES[bits]):
                wanted = MEANING[head](a, min(b, 63)) % (1 << bits) if head == "<<" else MEANING[head](a, b) % (1 << bits)
                if (head == "<<" and b >= bits) or (head == "*" and a * b >= 2**63):
                    continue  # undefined in TIR; outside int64, an error of the call
                self.assertEqual(value_of(made, {"a": a, "b": b}), wanted, (head, bits, a, b))

    def test_a_comparison_sees_what_wrapped(self):
        difference = binary("Sub", var("s", "uint32"), imm(5), "uint32")
        guard = from_tir(binary("LT", difference, imm(100), "bool"))
        self.assertEqual([value_of(guard, {"s": s}) for s in (50, 3)], [1, 0])

    def test_uint64_that_would_wrap_is_an_error(self):
        self.assertEqual(from_tir(unsigned("-", "a", "b", 64)), ["cast", "uint64", ["-", "a", "b"]])

    def test_signed_arithmetic_stays_as_it_is(self):
        self.assertEqual(from_tir(binary("Sub", var("a"), var("b"))), ["-", "a", "b"])

    def test_bitwise_not_is_an_exclusive_or(self):
        self.assertEqual(from_tir(call("bitwise_not", var("n"))), ["^", "n", -1])
        for bits, values in EDGES.items():
            made = from_tir(call("bitwise_not", var("n", f"uint{bits}"), dtype=f"uint{bits}"))
            self.assertEqual([value_of(made, {"n": n}) for n in values], [(1 << bits) - 1 - n for n in values])

    def test_has_calls(self):
        self.assertEqual(from_tir(call("shift_right", var("n"), imm(5))), [">>", "n", 5])
        self.assertEqual(from_tir(call("if_then_else", var("c"), imm(1), imm(2))), ["select", "c", 1, 2])
        self.assertEqual(from_tir(call("likely", var("c"))), "c")

    def test_replaces_names(self):
        self.assertEqual(from_tir(binary("Add", var("t"), imm(1)), {"t": ["*", "n", 2]}), ["+", ["*", "n", 2], 1])

    def test_refuses_what_it_does_not_know(self):
        with self.assertRaisesRegex(UnsupportedError, r"\(Call\) has no counterpart.*scalar parameter"):
            from_tir(call("sqrt", var("n")))
        with self.assertRaisesRegex(UnsupportedError, r"\(Var\) has no counterpart"):
            from_tir(binary("GT", var("scale", "float32"), imm(0)))
        with self.assertRaisesRegex(UnsupportedError, r"\(Cast\) has no counterpart"):
            from_tir(node("Cast", value=var("n"), dtype="float32"))

    def test_lists_variables_from_left_to_right(self):
        expression = binary("Add", var("b"), binary("Mul", var("a"), var("b")))
        self.assertEqual([variable.name for variable in variables_of(expression)], ["b", "a", "b"])


class Product(unittest.TestCase):
    def test_computes_numbers_and_keeps_names(self):
        self.assertEqual(product([2, 3]), 6)
        self.assertEqual(product(["m", 1]), "m")
        self.assertEqual(product([2, "m", 3, "n"]), ["*", ["*", "m", "n"], 6])
        self.assertEqual(product([["*", "m", 1024], 4]), ["*", "m", 4096])
        self.assertEqual(product([]), 1)


class LinearIn(unittest.TestCase):
    def test_names_what_a_dimension_carries(self):
        for value in ("n", ["*", "n", 4], ["+", ["*", 2, "n"], 1], ["-", "n", 1]):
            self.assertEqual(linear_in(value), "n")
        for value in (4, ["*", "n", "m"], ["floordiv", "n", 2], ["+", "n", "n"], ["max", "n", 4]):
            self.assertEqual(linear_in(value), "")


class FromText(unittest.TestCase):
    def test_computes_constant_parts(self):
        self.assertEqual(from_text("2 * M * N", {"M": 3, "N": 4}), 24)
        self.assertEqual(from_text("m * (N // 4) + N % 3", {"N": 16}), ["+", ["*", "m", 4], 1])

    def test_has_calls(self):
        self.assertEqual(from_text("ceildiv(m, 128) * min(n, 8)"), ["*", ["ceildiv", "m", 128], ["min", "n", 8]])
        self.assertEqual(from_text("ceildiv(7, 2)"), 4)

    def test_refuses_the_rest(self):
        for text, part in {"m / 2": "'m / 2' is not understood", "2 *": "not an expression", "1.5": "not understood",
                           "f(m)": "not understood", "min(m)": "not understood"}.items():  # fmt: skip
            with self.assertRaisesRegex(UsageError, part):
                from_text(text)
