"""kmux_tilelang.body, with the launches of kmux_tilelang.targets.c and .cuda"""

import unittest

from kmux_tilelang.body import BodyReader
from kmux_tilelang.error import UnsupportedError
from kmux_tilelang.targets import find_target
from tir import allocate, binary, bind, call, call_device, call_packed, device, evaluate, host, imm, node, sequence, var

ARGUMENTS = {"A": {"tensor": "A"}, "A_data": {"tensor": "B"}, "s": {"scalar": "s"}}
POINTER = var("p", "handle")


def reader(target="c", **devices):
    return BodyReader(find_target(target), devices or {"k": device(POINTER)}, ARGUMENTS, {"A", "B", "s", "n"})


def launch_of(*args):
    """A launch of kernel k on a device, with these arguments and one block."""
    return evaluate(call_packed("k", *args, imm(1)))


def on_device(*statements, params=(POINTER,)):
    return reader("cuda", k=device(*params, tags=("blockIdx.x",))).read(host(*statements))


LAUNCH = {"launch": {"kernel": "k", "args": [{"tensor": "A"}], "returns": "int32"}}


class Body(unittest.TestCase):
    def test_makes_a_launch_of_a_call_and_drops_the_check_of_its_result(self):
        check = node("AssertStmt", condition=binary("EQ", var("code"), imm(0)), message_parts=["Error"])
        call_it = call_device(
            "k", var("A_data"), var("s"), var("n"), binary("Add", var("n"), imm(1)), var("i", "int64")
        )
        made = reader(k=device(POINTER, var("s"), var("n"), var("m"), var("i", "int64")))
        self.assertEqual(
            made.read(host(bind("code", call_it), check)),
            {"steps": [{"launch": {
                "kernel": "k", "returns": "int32",
                "args": [{"tensor": "B"}, {"scalar": "s"}, {"expr": "n"}, {"expr": ["+", "n", 1]},
                         {"expr": "i", "dtype": "int64"}]}}]},
        )  # fmt: skip
        self.assertEqual(made.launched, {"B"})

    def test_knows_a_function_that_returns_nothing(self):
        body = reader(k=device(POINTER, result="void")).read(host(evaluate(call_device("k", var("A")))))
        self.assertEqual(body, {"steps": [{"launch": {"kernel": "k", "args": [{"tensor": "A"}]}}]})

    def test_keeps_lets_and_asserts(self):
        text = node("StringImm", value="not positive")
        check = node("AssertStmt", condition=binary("GT", var("n"), imm(0)), message_parts=["n is", text])
        body = reader().read(host(bind("t", binary("Mul", var("n"), imm(2))), check, evaluate(imm(0))))
        self.assertEqual(body["lets"], [{"name": "t", "value": ["*", "n", 2]}])
        self.assertEqual(body["asserts"], [{"condition": [">", "n", 0], "message": "n is not positive"}])

    def test_gives_lets_and_loops_names_of_their_own(self):
        lets = [bind("t", imm(1)), bind("t", binary("Add", var("t"), imm(2))), bind("s", imm(3))]
        made = reader(k=device(var("a"), var("b"), var("c")))
        launch = evaluate(call_device("k", var("t"), var("s"), var("n")))
        body = made.read(host(*lets, node("For", loop_var=var("n"), min=imm(0), extent=var("n"), body=launch)))
        values = [(let["name"], let["value"]) for let in body["lets"]]
        self.assertEqual(values, [("t", 1), ("t_1", ["+", "t", 2]), ("s_1", 3)])
        loop = body["steps"][0]["for"]
        self.assertEqual((loop["variable"], loop["end"]), ("n_1", "n"))
        expected = [{"expr": "t_1"}, {"expr": "s_1"}, {"expr": "n_1"}]
        self.assertEqual(loop["steps"][0]["launch"]["args"], expected)

    def test_keeps_guards_and_loops_in_order_and_inlines_their_lets(self):
        launch = evaluate(call_device("k", var("A")))
        inner = sequence(bind("t", binary("Add", var("i"), imm(1))), evaluate(call_device("k", var("t"))))
        loop = node("For", loop_var=var("i"), min=imm(2), extent=var("n"), body=inner)
        guard = node("IfThenElse", condition=var("c"), then_case=launch, else_case=loop)
        inlined = {"launch": {"kernel": "k", "args": [{"expr": ["+", "i", 1]}], "returns": "int32"}}
        expected = {"variable": "i", "begin": 2, "end": ["+", 2, "n"], "steps": [inlined]}
        self.assertEqual(
            reader(k=device(var("x"))).read(host(guard, launch))["steps"],
            [{"if": {"condition": "c", "then": [LAUNCH], "else": [{"for": expected}]}}, LAUNCH],
        )

    def test_passes_a_scalar_of_another_type_by_value(self):
        steps = on_device(launch_of(var("s", "int32")), params=(var("s", "int64"),))["steps"]
        self.assertEqual(steps[0]["launch"]["args"], [{"expr": "s", "dtype": "int64"}])

    def test_has_a_workspace_and_a_map_over_it(self):
        create = call_packed("__tvm_tensormap_create_tiled", var("W_desc", "handle"), imm(7), imm(1), var("W"),
                             var("n"), imm(4), imm(32), imm(1), imm(0), imm(0), imm(0), imm(0))  # fmt: skip
        place = bind("W_desc", call("tvm_stack_alloca", imm(16)))
        body = on_device(
            allocate("W", [var("n")]), place, evaluate(create), launch_of(var("W")), launch_of(var("W_desc"))
        )
        self.assertEqual(body["workspaces"], [{"name": "W", "bytes": ["*", "n", 4]}])
        self.assertEqual(body["tensor_maps"], [
            {"name": "W_desc", "base": {"name": "W"}, "dtype": "float32", "dims": ["n"], "strides_bytes": [],
             "tiled": {"box": [32]}}])  # fmt: skip
        arguments = [step["launch"]["args"] for step in body["steps"]]
        self.assertEqual(arguments, [[{"workspace": "W"}], [{"tensor_map": "W_desc"}]])

    def test_gives_memory_a_name_of_its_own(self):
        body = on_device(allocate("A", [imm(4)]), launch_of(var("A")))
        self.assertEqual(body["workspaces"], [{"name": "A_1", "bytes": 16}])
        self.assertEqual(body["steps"][0]["launch"]["args"], [{"workspace": "A_1"}])

    def test_gives_a_launch_the_windows_that_are_set_around_it(self):
        window = call_packed(
            "__tvm_cuda_stream_set_access_policy_window", var("A"), imm(64), node("FloatImm", value=0.5)
        )
        reset = call_packed("__tvm_cuda_stream_reset_access_policy_window")
        launch = launch_of(var("A"))
        steps = on_device(launch, evaluate(window), launch, evaluate(reset), launch)["steps"]
        windows = [step["launch"].get("l2_windows") for step in steps]
        self.assertEqual(windows, [None, [{"buffer": "A", "bytes": 64, "hit_ratio": 0.5}], None])

    def test_counts_a_buffer_that_only_a_map_uses_as_used(self):
        create = call_packed("__tvm_tensormap_create_tiled", var("A_desc", "handle"), imm(7), imm(1), var("A"),
                             var("n"), imm(4), imm(32), imm(1), imm(0), imm(0), imm(0), imm(0))  # fmt: skip
        made = reader("cuda", k=device(POINTER, tags=("blockIdx.x",)))
        made.read(host(evaluate(create), launch_of(var("A_desc"))))
        self.assertEqual(made.launched, {"A"})

    def test_has_fills_of_parameters_and_workspaces(self):
        fills = [
            evaluate(call_packed("kmux_fill", var(name), var("n"), imm(byte))) for name, byte in (("A", 7), ("W", 0))
        ]
        steps = on_device(allocate("W", [imm(4)]), *fills, launch_of(var("A")))["steps"]
        self.assertEqual(steps[0], {"fill": {"target": {"name": "A"}, "bytes": "n", "value": 7}})
        self.assertEqual(steps[1], {"fill": {"target": {"name": "W"}, "bytes": "n"}})

    def test_ignores_the_choice_of_a_device(self):
        body = on_device(evaluate(call_packed("__tvm_set_device", imm(2), imm(0))), launch_of(var("A")))
        self.assertEqual(len(body["steps"]), 1)


class RefusedBody(unittest.TestCase):
    def refuses(self, text, *statements, params=(POINTER,)):
        with self.assertRaisesRegex(UnsupportedError, text):
            on_device(*statements, params=params)

    def test_names_a_statement_that_it_does_not_know(self):
        for statement in (node("While"), evaluate(call("abort")), evaluate(call_packed("other"))):
            self.refuses("has no counterpart.*T.Kernel region", statement)

    def test_names_an_assert_under_a_guard(self):
        check = node("AssertStmt", condition=var("c"), message_parts=["no"])
        self.refuses("AssertStmt", node("IfThenElse", condition=var("c"), then_case=check, else_case=None))

    def test_names_memory_that_is_set_up_under_a_guard(self):
        window = call_packed("__tvm_cuda_stream_set_access_policy_window", var("A"), imm(64))
        create = call_packed("__tvm_tensormap_create_tiled", var("m"), imm(7), imm(1), var("A"))
        for statement, what in (
            (allocate("W", [imm(4)]), "workspace 'W'"),
            (evaluate(window), "L2 window 'A'"),
            (evaluate(create), "tensor map 'm'"),
        ):
            guard = node("IfThenElse", condition=var("c"), then_case=statement, else_case=None)
            self.refuses(f"{what} is set up within a condition", guard)

    def test_names_a_value_that_is_no_integer(self):
        value = node("Cast", value=var("n"), dtype="float32")
        self.refuses("computed by the host and of type float32", launch_of(value), params=(var("x", "float32"),))

    def test_names_a_map_over_something_else(self):
        create = call_packed("__tvm_tensormap_create_tiled", var("m"), imm(7), imm(1), call("address_of", var("A")))
        self.refuses("tensor map 'm' lies over .* which is not a parameter", evaluate(create))

    def test_names_calls_that_are_no_launch(self):
        with self.assertRaisesRegex(UnsupportedError, "'other' is called but was not generated"):
            reader().read(host(bind("code", call_device("other"))))
        with self.assertRaisesRegex(UnsupportedError, "'k' returns float32"):
            reader(k=device(result="float32")).read(host(bind("code", call_device("k"))))

    def test_says_that_there_is_no_compute_scope(self):
        with self.assertRaisesRegex(UnsupportedError, "no compute_scope"):
            reader().read(node("PrimFunc", body=sequence(bind("x", imm(0)))))
