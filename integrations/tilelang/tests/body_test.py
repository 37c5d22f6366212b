"""kmux_tilelang.body with kmux_tilelang.targets.c"""

import unittest

from kmux_tilelang.body import BodyReader
from kmux_tilelang.error import UnsupportedError, UsageError
from kmux_tilelang.targets import find_target, target_names
from tir import binary, bind, call, call_device, host, imm, node, sequence, var


def device(result: str = "int32"):
    return node("PrimFunc", ret_type=node("PrimType", dtype=result))


def reader(**devices):
    names = {"A": "A", "A_data": "B", "s": "s"}
    return BodyReader(find_target("c"), devices or {"k": device()}, names, {"s"})


LAUNCH = {"launch": {"kernel": "k", "args": [{"tensor": "A"}], "returns": "int32"}}


class Body(unittest.TestCase):
    def test_makes_a_launch_of_a_call_and_drops_the_check_of_its_result(self):
        check = node("AssertStmt", condition=binary("EQ", var("code"), imm(0)), message_parts=["Error"])
        call_it = call_device("k", var("A_data"), var("s"), var("n"), binary("Add", var("n"), imm(1)), var("i", "int64"))
        made = reader()
        self.assertEqual(
            made.read(host(bind("code", call_it), check)),
            {"steps": [{"launch": {
                "kernel": "k", "returns": "int32",
                "args": [{"tensor": "B"}, {"scalar": "s"}, {"expr": "n"}, {"expr": ["+", "n", 1]},
                         {"expr": "i", "dtype": "int64"}]}}]},
        )  # fmt: skip
        self.assertEqual(made.launched, {"B"})

    def test_knows_a_function_that_returns_nothing(self):
        body = reader(k=device("void")).read(host(node("Evaluate", value=call_device("k", var("A")))))
        self.assertEqual(body, {"steps": [{"launch": {"kernel": "k", "args": [{"tensor": "A"}]}}]})

    def test_keeps_lets_and_asserts(self):
        check = node("AssertStmt", condition=binary("GT", var("n"), imm(0)), message_parts=["n is", "not positive"])
        body = reader().read(host(bind("t", binary("Mul", var("n"), imm(2))), check, node("Evaluate", value=imm(0))))
        self.assertEqual(body["lets"], [{"name": "t", "value": ["*", "n", 2]}])
        self.assertEqual(body["asserts"], [{"condition": [">", "n", 0], "message": "n is not positive"}])

    def test_keeps_guards_and_loops_in_order_and_inlines_their_lets(self):
        launch = node("Evaluate", value=call_device("k", var("A")))
        inner = sequence(bind("t", binary("Add", var("i"), imm(1))), node("Evaluate", value=call_device("k", var("t"))))
        loop = node("For", loop_var=var("i"), min=imm(2), extent=var("n"), body=inner)
        guard = node("IfThenElse", condition=var("c"), then_case=launch, else_case=loop)
        inlined = {"launch": {"kernel": "k", "args": [{"expr": ["+", "i", 1]}], "returns": "int32"}}
        expected = {"variable": "i", "begin": 2, "end": ["+", 2, "n"], "steps": [inlined]}
        self.assertEqual(
            reader().read(host(guard, launch))["steps"],
            [{"if": {"condition": "c", "then": [LAUNCH], "else": [{"for": expected}]}}, LAUNCH],
        )

    def test_refuses_what_it_does_not_know(self):
        for statement in (node("While"), node("Evaluate", value=call("abort"))):
            with self.assertRaisesRegex(UnsupportedError, "has no counterpart.*T.Kernel region"):
                reader().read(host(statement))

    def test_refuses_an_assert_under_a_guard(self):
        check = node("AssertStmt", condition=var("c"), message_parts=["no"])
        with self.assertRaisesRegex(UnsupportedError, "AssertStmt"):
            reader().read(host(node("IfThenElse", condition=var("c"), then_case=check, else_case=None)))

    def test_refuses_calls_that_are_no_launch(self):
        with self.assertRaisesRegex(UnsupportedError, "'other' is called but was not generated"):
            reader().read(host(bind("code", call_device("other"))))
        with self.assertRaisesRegex(UnsupportedError, "'k' returns float32"):
            reader(k=device("float32")).read(host(bind("code", call_device("k"))))

    def test_refuses_a_host_function_without_a_compute_scope(self):
        with self.assertRaisesRegex(UnsupportedError, "no compute_scope"):
            reader().read(node("PrimFunc", body=sequence(bind("x", imm(0)))))


class Targets(unittest.TestCase):
    def test_are_found_by_name(self):
        self.assertIn("c", target_names())
        self.assertEqual(find_target("c").dialect, "c")
        with self.assertRaisesRegex(UsageError, "unknown target 'vax'. Targets: c"):
            find_target("vax")

    def test_c_hints_at_the_templates_that_a_text_includes(self):
        self.assertEqual(find_target("c").settings("int x;\n"), {"standard": "c++17"})
        text = "#include <tl_templates/cpp/common.h>\n"
        self.assertEqual(find_target("c").settings(text), {"standard": "c++17", "include_hints": ["tilelang"]})
