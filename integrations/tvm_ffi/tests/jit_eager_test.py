"""Functions of tensors (C1.4)."""

import os
import tempfile
import threading
import unittest

import kmux
import numpy as np
import tvm_ffi

SOURCE = """
void fill(const float* x, float* y, long long m) {
  for (long long i = 0; i < m * N; ++i) y[i] = FACTOR * x[i];
}
"""
calls = []


@kmux.jit
def scale(b: kmux.JitBuilder, x, *, factor=2):
    calls.append((tuple(x.shape), factor))
    n = b.constant("n")
    m = b.symbol("m")
    taken = b.input("x", (m, n))
    y = b.empty("y", taken.dtype, (m, n))
    b.variant("c", sources={"fill.c": SOURCE}, defines={"N": n, "FACTOR": factor})
    b.launch("fill", [taken, y, m])
    return y


@kmux.jit
def optional(b: kmux.JitBuilder, x, y=None):
    calls.append("optional")
    n = b.symbol("n")
    taken = b.buffer("x", [n], "float32")
    b.buffer("y", [n], "float32", nullable=True)
    z = b.empty("z", x.dtype, [n])
    source = "void copy(const float* x, float* z, long long n) { for (long long i = 0; i < n; ++i) z[i] = x[i]; }"
    b.variant("c", sources={"copy.c": source})
    b.launch("copy", [taken, z, n])
    return z


@kmux.jit
def add(b: kmux.JitBuilder, x, y=None, z=None, *, keeps=False):
    """x + y - z, of those that are given; with `keeps` z is declared although it is None."""
    calls.append("add")
    n, m = b.symbol("n"), b.constant("m")
    taken = [b.input("x", [n, m])]
    if y is not None:
        taken.append(b.input("y", [n, m]))
    if z is not None or keeps:
        taken.append(b.buffer("z", [n, m], "float32", nullable=keeps))
    s = b.empty("s", "float32", [n, m])
    parts = ["x[i]", *(["+ y[i]"] if y is not None else []), *(["- z[i]"] if z is not None else [])]
    parameters = ", ".join(f"const float* {each.name}" for each in taken)
    source = f"void add({parameters}, float* s, int n) {{ for (int i = 0; i < n; ++i) s[i] = {' '.join(parts)}; }}"
    b.variant("c", sources={"add.c": source})
    b.launch("add", [*taken, s, n * m])
    return s


def of_kind(x, *, kind):
    """An array of this kind that a kernel made; nothing is in it."""

    @kmux.jit
    def make(b: kmux.JitBuilder, x):
        b.input("x", [b.symbol("n")])
        made = b.empty("z", kind, [4])
        b.variant("c", sources={"none.c": "void none(void) {}"})
        b.launch("none", [])
        return made

    return make(x)


def ones(*shape):
    return np.ones(shape, "float32")


class JitEager(unittest.TestCase):
    def setUp(self):
        calls.clear()

    def test_compiles_for_tensors_and_runs(self):
        y = scale(ones(3, 2))
        self.assertIsInstance(y, np.ndarray)
        np.testing.assert_array_equal(y, np.full((3, 2), 2))
        np.testing.assert_array_equal(scale(ones(3, 2), factor=5), np.full((3, 2), 5))

    def test_a_form_that_was_seen_does_not_run_the_function(self):
        for _ in range(3):
            scale(ones(4, 3), factor=7)
        self.assertEqual(calls, [((4, 3), 7)])
        scale(ones(5, 3), factor=7)
        self.assertEqual(calls, [((4, 3), 7), ((5, 3), 7)])

    def test_a_default_counts_with_the_value_that_it_has_now(self):
        factors = [1]

        @kmux.jit(target="cpu")
        def scaled(b: kmux.JitBuilder, x, *, factor=1, factors=factors):
            return scale.function(b, x, factor=factor * sum(factors))

        self.assertEqual(scaled(ones(1, 1)), 1)
        factors.append(2)
        self.assertEqual([scaled(ones(1, 1)), scaled(ones(1, 1), factor=2), scaled(ones(1, 1), factors=[1])], [3, 6, 1])

    def test_symbols_share_a_kernel_and_constants_do_not(self):
        kernels = {scale.compile(ones(*shape)).source for shape in ((2, 5), (3, 5))}
        self.assertEqual(len(kernels), 1)
        self.assertNotEqual(scale.program(ones(2, 5)).digest, scale.program(ones(2, 6)).digest)
        self.assertEqual(scale.program(ones(2, 5)).digest, scale.program(ones(9, 5)).digest)

    def test_tensors_that_are_left_out_have_their_defaults(self):
        np.testing.assert_array_equal(optional(ones(3)), ones(3))
        np.testing.assert_array_equal(optional(ones(3)), optional(ones(3), None))
        self.assertEqual(calls, ["optional"])
        self.assertIsNotNone(optional.par_compile([ones(3)], [{}])[0])
        with self.assertRaisesRegex(TypeError, "missing a required argument: 'x'"):
            optional()

    def test_none_by_default_is_absent_unless_it_is_declared(self):
        x, y, z = 9 * ones(2, 3), 2 * ones(2, 3), 5 * ones(2, 3)
        forms = (((x,), 9), ((x, None), 9), ((x, y), 11), ((x, y, z), 6), ((x, None, z), 4), ((x, None, None), 9))
        for _ in range(2):
            for tensors, expected in forms:
                self.assertEqual(add(*tensors)[1, 2], expected, expected)
        self.assertEqual(calls, 4 * ["add"])  # once for each of x, x y, x y z and x z
        self.assertEqual(add(x, keeps=True)[0, 0], 9)
        self.assertEqual(add(x[:1], None, z[:1])[0, 0], 4)
        self.assertEqual([len(add.compile(*tensors).signature["params"]) for tensors, _ in forms], [2, 2, 3, 4, 3, 2])
        self.assertEqual(add.compile(x, keeps=True)(x, None)[0, 0], 9)

    def test_absent_tensors_are_left_out_of_several_configurations(self):
        x, z = 9 * ones(2, 2), 5 * ones(2, 2)
        one, other = add.par_compile([x], [{}, {"keeps": True}])
        self.assertEqual((one(x)[0, 0], other(x, None)[0, 0]), (9, 9))
        (both,) = add.par_compile([x, None, z], [{}])
        self.assertEqual(both(x, z)[0, 0], 4)
        calls.clear()
        self.assertEqual((add(x)[0, 0], add(x, keeps=True)[0, 0], add(x, None, z)[0, 0], calls), (9, 9, 4, []))

    def test_none_for_a_tensor_that_has_another_default_is_refused(self):
        @kmux.jit
        def taken(b: kmux.JitBuilder, x, y):
            b.variant("c", sources={"d.c": "void d(const float* x) {}"})
            b.launch("d", [b.input("x", [b.symbol("n")])])

        with self.assertRaisesRegex(ValueError, "the call gives 2 tensors .the function takes 1."):
            taken(ones(3), None)
        with self.assertRaisesRegex(ValueError, '"x" is given a null tensor .it is not nullable.'):
            taken(None, None)

    def test_a_dtype_is_a_word_or_a_dtype(self):
        for kind in ("float32", np.dtype("float32"), np.float32, tvm_ffi.dtype("float32")):
            self.assertEqual(of_kind(ones(3), kind=kind).dtype, "float32")
        self.assertEqual(of_kind(ones(3), kind=np.bool_).dtype, "bool")
        with self.assertRaisesRegex(TypeError, "3 is not a dtype .a int.. Write it as a word"):
            of_kind(ones(3), kind=3)

    def test_par_compile_reports_progress(self):
        class Enough(Exception):
            pass

        events = []
        scale.par_compile([ones(2, 2)], [{"factor": 31}, {"factor": 32}], progress=events.append)
        self.assertEqual({event.index for event in events if event.step == "done"}, {0, 1})
        self.assertEqual({event.total for event in events}, {2})

        def fail(event):
            raise Enough

        with self.assertRaises(Enough):
            scale.par_compile([ones(2, 2)], [{"factor": 33}], progress=fail)

    def test_par_compile_names_what_it_does_not_take(self):
        for configuration in ((8,), 8):
            with self.assertRaisesRegex(TypeError, r"configuration 1 of par_compile is \(?8.* .each is a dict of keywords"):
                scale.par_compile([ones(2, 2)], [{"factor": 3}, configuration])
        with self.assertRaisesRegex(TypeError, "'scale' has no option 'workers' .it has num_workers, ignore_error, memory_budget, timeout, progress."):
            scale.par_compile([ones(2, 2)], [{}], workers=3)

    def test_par_compile_takes_lists_alone(self):
        for configurations in ({"factor": 3}, "factor", 3, None):
            with self.assertRaisesRegex(TypeError, "configurations are .* .a list of dicts is wanted.. Put it into a list"):
                scale.par_compile([ones(2, 2)], configurations)
        for tensors in (ones(2, 2), None, b"x"):  # the rows of an array would be tensors
            with self.assertRaisesRegex(TypeError, "tensors are .* .a list of arrays is wanted."):
                scale.par_compile(tensors, [{}])

    def test_a_string_is_no_list(self):
        def use(b, how):
            made = b.input("x", "mn" if how == "shape" else ["n"])
            b.variant("c", sources={"d.c": "void d(float* x) {}"}, requires={"features": "tma"} if how == "features" else None)
            b.launch("d", "x" if how == "args" else [made])

        for how, shown in (("shape", "a shape is 'mn'"), ("features", "features is 'tma'"), ("args", "args is 'x'")):

            @kmux.jit
            def given(b: kmux.JitBuilder, x, *, how=how):
                use(b, how)

            with self.assertRaisesRegex(TypeError, f"{shown} .a str, whose letters would be taken one by one"):
                given.program(ones(3))

    def test_gives_tensors_for_tensors(self):
        self.assertIsInstance(scale(tvm_ffi.from_dlpack(ones(2, 2))), tvm_ffi.Tensor)

    def test_writes_into_what_it_is_given(self):
        @kmux.jit
        def twice(b: kmux.JitBuilder, x):
            n = b.symbol("n")
            b.inout("x", [n])
            b.variant("c", sources={"d.c": "void d(float* x, int n) { for (int i = 0; i < n; ++i) x[i] *= 2; }"})
            b.launch("d", ["x", {"expr": "n", "dtype": "int32"}])

        x = ones(4)
        self.assertIsNone(twice(x))
        np.testing.assert_array_equal(x, [2, 2, 2, 2])
        for expected in (4, 8):  # a call whose form was seen launches once, too
            self.assertIsNone(twice(x))
            np.testing.assert_array_equal(x, 4 * [expected])

    def test_puts_structures_together(self):
        @kmux.jit
        def viewed(b: kmux.JitBuilder, x):
            n = b.symbol("n")
            x = b.inout("x", [n])
            source = "struct Inner { int a; char b; }; struct View { float* x; struct Inner in; }; void d(struct View v) { v.x[v.in.a] = v.in.b; }"
            b.variant("c", sources={"d.c": source})
            b.launch("d", [(x, (n - 1, {"expr": 7, "dtype": "int8"}))])

        x = ones(4)
        viewed(x)
        np.testing.assert_array_equal(x, [1, 1, 1, 7])

    def test_returns_several(self):
        @kmux.jit
        def ends(b: kmux.JitBuilder, x):
            n = b.symbol("n")
            b.input("x", [n])
            first, last = b.empty("first", "float32", []), b.empty("last", "float32", [])
            source = "void e(const float* x, float* a, float* b, int last) { *a = x[0]; *b = x[last]; }"
            b.variant("c", sources={"e.c": source})
            b.check(n > 0, "there is one")
            b.launch("e", ["x", first, last, n - 1])
            return last, first

        last, first = ends(np.arange(5, dtype="float32"))
        self.assertEqual((float(last), float(first)), (4, 0))
        with self.assertRaisesRegex(ValueError, "there is one"):
            ends(ones(0))

    def test_constants_are_solved_for_and_are_numbers_in_bodies(self):
        seen = []

        @kmux.jit
        def halves(b: kmux.JitBuilder, x):
            n, m = b.constant("n"), b.symbol("m")
            b.input("x", (m, n * 2 + 1))
            y = b.empty("y", "int32", [1])
            b.variant("c", sources={"h.c": "void h(const float* x, int* y, int n, int f) { *y = n * 100 + f; }"})
            b.launch("h", ["x", y, n * 3, n])
            seen.append((n.value, int(n), f"{n:03}"))
            return y

        self.assertEqual((halves(ones(2, 9))[0], seen), (1204, [(4, 4, "004")]))
        with self.assertRaisesRegex(ValueError, "dimension 1 of parameter"):
            halves(ones(2, 8))

    def test_names_every_problem_and_the_call(self):
        @kmux.jit
        def wrong(b: kmux.JitBuilder, x, y, *, tile=1):
            k = b.constant("k")
            b.input("x", [k])
            b.input("y", [k], "float64")
            b.variant("c", sources={"w.c": ""})
            b.launch("w", [])

        with self.assertRaises(ValueError) as caught:
            wrong(ones(2), ones(3))
        text = str(caught.exception) + "".join(getattr(caught.exception, "__notes__", []))
        self.assertIn('dimension 0 of parameter "y" is 3, not 2 (k = 2 from "x")', text)
        self.assertIn('parameter "y" is float64', text)
        self.assertIn("in jit function wrong(x=float32[2], y=float32[3], tile=1)", text)

    def test_checks_arguments(self):
        with self.assertRaisesRegex(TypeError, "Did you mean 'factor'"):
            scale(ones(2, 2), fctor=2)
        with self.assertRaisesRegex(TypeError, "jit function 'scale': missing a required argument: 'x'"):
            scale()
        with self.assertRaisesRegex(TypeError, "for a tensor"):
            scale(3)
        with self.assertRaisesRegex(ValueError, "out_idx is only supported in lazy mode"):
            kmux.jit(out_idx=0)(scale.function)(ones(2, 2))
        with self.assertRaisesRegex(TypeError, "it returned an object of type int"):
            kmux.jit(mode="eager")(lambda b: 3)()

    def test_the_mode_is_that_of_the_function(self):
        self.assertIsInstance(scale, kmux.JitEager)
        self.assertIsInstance(kmux.jit(mode="eager")(scale.function), kmux.JitEager)
        with self.assertRaisesRegex(ValueError, "mode 'lazy' .* contradicts the function"):
            kmux.jit(mode="lazy")(scale.function)
        with self.assertRaisesRegex(ValueError, "mode 'eagre' is not auto, lazy or eager"):
            kmux.jit(mode="eagre")(scale.function)

    def test_an_expression_is_no_bool(self):
        with self.assertRaisesRegex(TypeError, "is not a bool"):
            bool(kmux.Expr("n") > 1)

    def test_compiles_several_configurations_at_once(self):
        x = ones(2, 4)
        kernels = scale.par_compile((x,), [{"factor": 11}, {"factor": 12}], num_workers=2)
        self.assertEqual([kernel(x)[0, 0] for kernel in kernels], [11, 12])
        calls.clear()
        self.assertEqual(scale(x, factor=12)[0, 0], 12)
        self.assertEqual(calls, [])
        with self.assertWarnsRegex(kmux.CompileWarning, "factor='no'.* is left out"):
            bad, good = scale.par_compile((x,), [{"factor": "no"}, {"factor": 13}], ignore_error=True)
        self.assertEqual((bad, good(x)[0, 0]), (None, 13))

    def test_writes_debug_files(self):  # C1.3
        with tempfile.TemporaryDirectory() as folder:
            traced = kmux.jit(debug_root_path=folder)(scale.function)
            traced(ones(2, 2))
            (name,) = os.listdir(folder)
            found = set(os.listdir(os.path.join(folder, name)))
            self.assertLessEqual({"program", "config.json", "function.txt", "launcher-cpu.txt"}, found)

    def test_is_called_from_many_threads(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(scale(ones(6, 6), factor=9)[0, 0])) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [9] * 8)


if __name__ == "__main__":
    unittest.main()
