import inspect
import pickle
import sys
import threading
import unittest
from datetime import timedelta

import kmux
import numpy as np
import programs
import tvm_ffi


def compiled(program=None, **options):
    return kmux.compile(program or programs.scale(), target="cpu", **options)


class Refusal(Exception):
    """Neither a TypeError nor a ValueError."""


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scale = compiled()
        cls.x = np.arange(4, dtype="float32")

    def test_returns_the_outputs_that_it_allocates(self):
        y = self.scale(self.x, 2.0)
        np.testing.assert_array_equal(y, [0, 2, 4, 6])

    def test_gives_numpys_arrays_for_numpys(self):  # C3.10
        y = self.scale(self.x, 2.0)
        self.assertIsInstance(y, np.ndarray)
        y += 1
        np.testing.assert_array_equal(y + self.x, [1, 4, 7, 10])
        self.assertEqual((len(y), y[1], y.dtype), (4, 3, np.dtype("float32")))
        high, low = compiled(programs.ends())(self.x, np.zeros(1, "float32").ctypes.data)
        self.assertEqual((high.shape, float(high), float(low)), ((), 3, 0))
        self.assertEqual(self.scale(np.zeros(0, "float32"), 2.0).shape, (0,))

    def test_gives_tensors_of_tvm_ffi_for_those(self):
        x = tvm_ffi.from_dlpack(self.x)
        self.assertIsInstance(self.scale(x, 2.0), tvm_ffi.Tensor)
        self.assertIsInstance(self.scale.launch(self.x, 2.0), tvm_ffi.Tensor)

    def test_is_pickled_by_its_program(self):  # C3.10
        kernel = pickle.loads(pickle.dumps(compiled(compile_flags="-DA=1", options={"tier": "full"})))
        self.assertIsInstance(kernel, kmux.Kernel)
        np.testing.assert_array_equal(kernel(self.x, 2.0), [0, 2, 4, 6])
        self.assertEqual(kernel.tier, "full")
        for each in kmux.par_compile([programs.scale()], target="cpu"):
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(each))(self.x, 2.0), [0, 2, 4, 6])
        with self.assertRaisesRegex(TypeError, "kernel 'scale' cannot be pickled"):
            pickle.dumps(kmux.Kernel._of(compiled()))

    def test_writes_into_outputs_that_are_given(self):
        y = np.zeros(4, "float32")
        self.assertIsNone(self.scale(self.x, y, 3))
        np.testing.assert_array_equal(y, [0, 3, 6, 9])

    def test_outputs_outlive_their_kernel(self):
        y = np.from_dlpack(compiled()(self.x, 2.0))
        np.testing.assert_array_equal(y, [0, 2, 4, 6])

    def test_returns_several_outputs_in_order_and_takes_addresses(self):
        seen = np.zeros(1, "float32")
        high, low = compiled(programs.ends())(self.x + 1, seen.ctypes.data)
        self.assertEqual((np.from_dlpack(high).item(), np.from_dlpack(low).item(), seen[0]), (4.0, 1.0, 7.0))

    def test_takes_outputs_by_position(self):
        kernel = compiled(programs.scale(outputs=()), out_idx=[1])
        np.testing.assert_array_equal(np.from_dlpack(kernel(self.x, 2.0)), [0, 2, 4, 6])

    def test_takes_one_output_as_an_int(self):  # C2.9
        kernel = compiled(programs.scale(outputs=()), out_idx=1)
        np.testing.assert_array_equal(np.from_dlpack(kernel(self.x, 2.0)), [0, 2, 4, 6])
        with self.assertRaisesRegex(TypeError, "option 'out_idx' is a bool that is not a list of ints"):
            compiled(programs.scale(outputs=()), out_idx=True)
        for wrong in (np.True_, [np.True_], np.array([1]), [np.array([1])]):
            with self.assertRaisesRegex(TypeError, "option 'out_idx' is a .* that is not a list of ints"):
                compiled(programs.scale(outputs=()), out_idx=wrong)

    def test_counts_the_arguments_of_a_kernel_without_outputs(self):  # C3.10
        kernel = compiled(programs.scale(outputs=()))
        with self.assertRaisesRegex(TypeError, r"expected 3 arguments, got 1 \(they are x, y, factor\)"):
            kernel(self.x)

    def test_takes_numbers_of_numpy_and_tensors_of_tvm_ffi(self):
        y = self.scale(tvm_ffi.from_dlpack(self.x), np.float32(2))
        np.testing.assert_array_equal(np.from_dlpack(y), [0, 2, 4, 6])

    def test_takes_views(self):
        y = self.scale(np.arange(8, dtype="float32")[2:6], 1)
        np.testing.assert_array_equal(np.from_dlpack(y), [2, 3, 4, 5])

    def test_refuses_a_wrong_type(self):
        for arguments, message in (
            # C3.10: both numbers that are right, and the types by Python's names
            ((self.x,), r"expected 2 or 3 arguments, got 1 \(they are x, factor; or, with outputs, x, y, factor\)"),
            ((self.x, "two"), 'parameter "factor" is a str'),
            ((self.x, "a longer string"), 'parameter "factor" is a str'),
            (([1.0], 2.0), 'parameter "x" is a list'),
            (({}, 2.0), 'parameter "x" is a dict'),
            ((self.x.astype("float64"), 2.0), "dtype float64"),
            ((2.0, self.x), 'parameter "x" is the number 2'),
            ((None, 2.0), 'parameter "x" is null'),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message):
                self.scale(*arguments)

    def test_refuses_a_wrong_value(self):
        for arguments, message in (
            ((self.x, np.zeros(3, "float32"), 2.0), r"shape\[0\] = 3"),
            ((self.x[::2], 2.0), "contiguous"),
            ((self.x, 10**400), "an integer beyond the largest double"),
        ):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                self.scale(*arguments)

    def test_raises_what_its_owner_promised(self):
        kernel = compiled()
        kernel.raise_for_arguments(Refusal)
        swapped, fixed = self.x.astype(">f4"), self.x.copy()
        fixed.flags.writeable = False
        for arguments in (
            (), (self.x, "a"), (self.x, self.x[:2].copy(), 2.0), (self.x[None], 2.0), (self.x, 10**400), (swapped, 2.0), (self.x, fixed, 2.0),
        ):  # fmt: skip
            with self.subTest(arguments), self.assertRaises(Refusal):
                kernel.launch(*arguments)
        with self.assertRaises(TypeError):
            compiled().launch(self.x, "a")
        with self.assertRaisesRegex(TypeError, "this is not a kernel"):
            kmux.Kernel.raise_for_arguments(tvm_ffi.convert(print), Refusal)
        for wrong in (3, "ValueError", ValueError(), int, KeyboardInterrupt, None):
            with self.assertRaisesRegex(TypeError, "error is .* .a class of exceptions is wanted.. Pass one, such as ValueError"):
                kernel.raise_for_arguments(wrong)

    def test_owners_may_promise_classes_of_one_name(self):
        def promised():
            class Local(Exception):
                pass

            kernel = compiled()
            kernel.raise_for_arguments(Local)
            return kernel, Local

        for kernel, local in [promised(), promised()]:
            with self.assertRaises(local):
                kernel.launch(self.x, "a")

    def test_a_message_begins_with_the_problem(self):
        with self.assertRaises(TypeError) as caught:
            self.scale(self.x)
        self.assertTrue(str(caught.exception).startswith('kernel "scale": expected'), caught.exception)

    def test_sets_constants(self):
        source = """
            __constant__ float weights[2];
            extern "C" __global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x % 2]; }
            """
        text = "kernel weigh(x: inout f32[4])\n  constant weights: f32[2]\n  launch weigh<<<1, 4>>>(x)"
        kernel, x = compiled(kmux.kernel(source, text).program), np.ones(4, "float32")
        with self.assertRaisesRegex(ValueError, "weights"):
            kernel(x)
        for weights in ([2, 3], [0.5, 1]):
            kernel.set_constant("weights", np.array(weights, "float32"))
            kernel(x)
        np.testing.assert_array_equal(x, [1, 3, 1, 3])
        with self.assertRaisesRegex(ValueError, "weight"):
            kernel.set_constant("weight", np.zeros(2, "float32"))
        with self.assertRaisesRegex(ValueError, r"weights"):
            kernel.set_constant("weights", np.zeros(3, "float32"))

    def frames_of(self, call):
        """The names of Python's functions that a call runs; the first one may look into types."""
        y, frames = np.zeros(4, "float32"), []
        call(self.x, y, 3)
        sys.setprofile(lambda frame, event, _: frames.append(frame.f_code.co_name) if event == "call" else None)
        try:
            self.assertIsNone(call(self.x, y, 3))
        finally:
            sys.setprofile(None)
        np.testing.assert_array_equal(y, [0, 3, 6, 9])
        return set(frames) - {"assertIsNone"}

    def test_a_launch_runs_no_python(self):
        self.assertEqual(self.frames_of(self.scale.launch), set())

    def test_a_call_with_its_outputs_runs_no_more_than_its_own(self):
        self.assertEqual(self.frames_of(self.scale), {"__call__"})

    def test_is_called_from_many_threads(self):
        results = [None] * 8

        def call(place):
            for _ in range(200):
                results[place] = np.from_dlpack(self.scale(self.x, place))[3]

        threads = [threading.Thread(target=call, args=(place,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [3.0 * place for place in range(8)])

    def test_tells_what_it_is(self):
        kernel = self.scale
        self.assertEqual((kernel.name, kernel.backend), ("scale", "cpu"))
        self.assertTrue(kernel.target.startswith("cpu"))
        self.assertEqual(str(kernel.device), "cpu:0")
        self.assertEqual([param["name"] for param in kernel.signature["params"]], ["x", "y", "factor"])
        self.assertIn("void scale", kernel.source)
        self.assertIn("scale", kernel.launcher)
        self.assertEqual(kernel.resolution.backend, "cpu")
        self.assertIn("launcher", kernel.files)
        self.assertIn("scale", repr(kernel))
        kernel.warm()
        kernel.await_best(timeout=timedelta(seconds=60))
        kernel.await_best(60)
        with self.assertRaisesRegex(TypeError, "'timeout' is a str that is not a number of seconds"):
            kernel.await_best(timeout="soon")
        self.assertIn(kernel.tier, ("fast", "full"))

    def test_has_the_signature_of_its_program(self):
        source = "void f(const float* x, float* y, float* z, float a, long long n) {}"
        made = kmux.kernel(source, "f(x: f32[2 * n], y: out f32[n, 4], z: inout f32[max(n, 2)], a: f32)", args="x, y, z, a, n: i64", target="cpu")
        shown = "(x: float32[(2 * n)], z: inout float32[max(n, 2)], a: float32, *, y: float32[n, 4] = None) -> float32[n, 4]"
        for kernel in (made, made.compile()):
            self.assertEqual(str(inspect.signature(kernel)), shown)
        writes = kmux.kernel(source.replace(" f(", " g("), "g(x: f32[n], y: inout f32[n], z: inout f32[n], a: f32)", args="x, y, z, a, n: i64")
        self.assertEqual(list(inspect.signature(writes).parameters), ["x", "y", "z", "a"])
        inspect.signature(writes).bind(1, 2, 3, a=4)
        self.assertEqual((type(writes).__doc__, type(writes).__name__), (kmux.SourceKernel.__doc__, "SourceKernel"))
        self.assertEqual((type(writes.compile()).__doc__, type(writes.compile()).__name__), (kmux.Kernel.__doc__, "Kernel"))
        self.assertIn("arrays", inspect.getdoc(writes))

    def test_has_a_signature_with_names_that_python_has_not(self):
        source = "void f(const float* x, float from_, float from, float b, float* lambda) { *lambda = from * b + from_; }"
        made = kmux.kernel(source, "f(x: f32[n], from_: f32, from: f32, b: f32, lambda: out f32[1])", args="x, from_, from, b, lambda", target="cpu")
        for kernel in (made, made.compile()):
            shown = "(x: float32[n], from_: float32, from__: float32, /, b: float32, *, lambda_: float32[1] = None) -> float32[1]"
            self.assertEqual(str(inspect.signature(kernel)), shown)
            self.assertEqual(kernel(self.x, 1.0, 2.0, b=3.0)[0], 7)
            self.assertEqual(kernel(self.x, 1.0, b=3.0, **{"from": 2.0})[0], 7)

    def test_cannot_be_tuned_under_another_policy(self):
        with self.assertRaisesRegex(ValueError, "measured"):
            self.scale.tune(self.x, np.zeros(4, "float32"), 2.0)

    def test_numbers_are_no_arrays(self):
        for seconds in (np.ones(2), np.True_, True, "2"):
            with self.assertRaisesRegex(TypeError, "seconds is an? .* .a number is wanted."):
                self.scale.tune(self.x, np.zeros(4, "float32"), 2.0, seconds=seconds)
        for device in (np.array([0]), np.False_):
            with self.assertRaisesRegex(TypeError, "device is an? .* .an int is wanted."):
                self.scale.warm(device)

    def test_is_tuned(self):
        kernel = compiled(policy="measured")
        tuning = kernel.tune(self.x, np.zeros(4, "float32"), 2.0, seconds=0.01)
        self.assertIn("cpu", str(tuning))
        self.assertEqual(tuning.facts["candidates"][0]["backend"], "cpu")

    def test_is_made_by_compiling_alone(self):
        with self.assertRaisesRegex(TypeError, "Call kmux.compile or kmux.kernel"):
            kmux.Kernel()

    def test_another_function_is_no_kernel(self):
        other = kmux.Kernel._of(tvm_ffi.convert(lambda: None))
        with self.assertRaisesRegex(TypeError, "is not a kernel"):
            other.name


if __name__ == "__main__":
    unittest.main()
