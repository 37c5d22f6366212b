import subprocess
import sys
import textwrap
import threading
import unittest

import numpy
import tvm_ffi

import kmux
from kmux import _function

_COPY = "void copy(const void* x, void* y, long long n) {{ __builtin_memcpy(y, x, n * {}); }}"
_SUM = """
int sum(double a, long long b, const float* x, long long rows, long long columns, long long step, double* y) {
  if (rows == 0) return 7;
  for (long long row = 0; row < rows; ++row)
    for (long long column = 0; column < columns; ++column) y[0] += a * b * x[row * step + column];
  return 0;
}
"""
_PROGRAM = """
kernel sum(a: f64, b: i64, x: f32[m, n] strides [s, 1], y: inout f64[1])
  launch sum(a, b, x, m: i64, n: i64, s: i64, y) returns int32
"""
_DTYPES = {
    "bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
    "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip


class Strange(numpy.ndarray):
    """No array of NumPy's own."""


def array(*shape, dtype="float32"):
    return numpy.arange(1, 1 + numpy.prod(shape, dtype=int)).astype(dtype).reshape(shape)


def read_only():
    made = array(2, 3)
    made.flags.writeable = False
    return made


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except Exception as error:
        return type(error), str(error)


class DirectFunction(unittest.TestCase):
    """A call that reads NumPy's arrays itself does what one through `__dlpack__` does."""

    @classmethod
    def setUpClass(cls):
        cls.sum = kmux.compile(kmux.kernel(_SUM, _PROGRAM).program, target="cpu")

    def test_is_what_kernels_are_made_of(self):
        self.assertIsNot(_function.DirectFunction, _function._PlainFunction)
        self.assertIsInstance(self.sum, _function.DirectFunction)
        self.assertIsInstance(self.sum, kmux.Kernel)
        self.assertIsInstance(kmux.kernel(_SUM, _PROGRAM), _function.DirectFunction)

    def test_takes_every_dtype(self):
        for name, dtype in _DTYPES.items():
            bits = numpy.dtype(dtype).itemsize
            copy = kmux.kernel(_COPY.format(bits), f"copy(x: {name}[n], y: inout {name}[n])", args="x, y, n: i64")
            x, y = array(5, dtype=dtype), numpy.zeros(5, dtype)
            with self.subTest(name):
                self.assertIsNone(copy(x, y))
                numpy.testing.assert_array_equal(x, y)
                with self.assertRaisesRegex(TypeError, f'"x" has dtype complex64 .expected {dtype}'):
                    copy(numpy.zeros(5, "complex64"), y)

    def test_takes_no_names_as_none(self):
        y = numpy.zeros(1)
        self.sum(2.0, 3, array(2, 3), y, **{})
        self.assertEqual(y[0], 126)
        with self.assertRaisesRegex(TypeError, "expected 4 arguments, got 1"):
            self.sum(2.0, **{})

    def test_takes_views_and_numbers(self):
        x = array(4, 6)
        for view in (x, x[:, 1:4], x[::2], x[1:2, :2], x[:, :0]):
            y = numpy.zeros(1)
            self.sum(2.0, 3, view, y)
            self.assertEqual(y[0], 6 * view.sum())

    def test_refuses_what_tvm_ffi_refuses(self):
        x, y = array(2, 3), numpy.zeros(1)
        for number, arguments in enumerate((
            (), (1.0,), (1.0, 1, x, y, y), (1.0, 1.5, x, y), (1.0, "a", x, y), ("a", 1, x, y), (1.0, 1, None, y),
            (1.0, 2**70, x, y), (1.0, 2**63, x, y), (1.0, 1, x.astype("f8"), y), (1.0, 1, x.astype(">f4"), y),
            (1.0, 1, x[0], y), (1.0, 1, x.T, y), (1.0, 1, x, array(2, dtype="f8")),
            (1.0, 1, array(*9 * [1]), y), (1.0, 1, x, [0.0]), (1.0, 1, x.astype("complex128"), y),
            (1.0, 1, x.astype(object), y), (1.0, 1, x.view([("a", "i2"), ("b", "i2")]), y),
            (1.0, 1, numpy.ndarray((2, 2), "f4", x, 0, (6, 4)), y),
        )):  # fmt: skip
            with self.subTest(number):
                kind, message = outcome(self.sum, *arguments)
                plain_kind, plain_message = outcome(tvm_ffi.Function.__call__, self.sum, *arguments)
                if plain_kind is BufferError:  # of NumPy, without the name of the parameter
                    self.assertIn(f"({plain_message.rstrip('.')}). Pass", message)
                    plain_kind, plain_message = TypeError, message
                self.assertEqual((kind, message), (plain_kind, plain_message))
                self.assertTrue(issubclass(kind, (TypeError, ValueError)), kind)

    def test_takes_read_only_arrays_which_tvm_ffi_refuses(self):
        for call in (self.sum, self.sum.launch, _function._plain_launch.__get__(self.sum)):
            y = numpy.zeros(1)
            call(2.0, 3, read_only(), y)
            self.assertEqual(y[0], 126)
        self.assertIs(outcome(tvm_ffi.Function.__call__, self.sum, 1.0, 1, read_only(), numpy.zeros(1))[0], BufferError)

    def test_takes_what_tvm_ffi_takes(self):
        for x in (array(2, 3).view(Strange), tvm_ffi.from_dlpack(array(2, 3))):
            for a, b in ((numpy.float32(2), numpy.int16(3)), (True, True), (2, 3)):
                y = numpy.zeros(1)
                self.sum(a, b, x, y)
                self.assertEqual(y[0], 21 * a * b)

    def test_raises_what_a_kernel_returns(self):
        for _ in range(2):
            with self.assertRaisesRegex(kmux.LaunchError, "7"):
                self.sum(1.0, 1, array(2, 3)[:0], numpy.zeros(1))
            y = numpy.zeros(1)
            self.sum(1.0, 1, array(2, 3), y)
            self.assertEqual(y[0], 21)

    def test_runs_in_a_thread_with_64_kib_of_stack(self):
        script = textwrap.dedent("""
            import threading, numpy, kmux
            source = "void twice(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = 2 * x[i]; }"
            given = kmux.kernel(source, "twice(x: f32[n], y: inout f32[n])", args="x, y, n: i64", target="cpu").compile()
            made = kmux.kernel(source, "twice(x: f32[n], out y: f32[n])", args="x, y, n: i64", target="cpu").compile()
            x, y = numpy.ones(4, "float32"), numpy.ones(4, "float32")
            threading.stack_size(64 * 1024)
            for call in (lambda: given(x, y), lambda: given.launch(x, y), lambda: made.launch(x)):
                thread = threading.Thread(target=call)
                thread.start()
                thread.join()
            print(y)
        """)
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, "[2. 2. 2. 2.]\n"), done.stderr)

    def test_runs_in_many_threads_at_once(self):
        sums, x = numpy.zeros((8, 1)), array(64, 64)

        def run(y):
            for _ in range(500):
                self.sum(1.0, 1, x, y)

        threads = [threading.Thread(target=run, args=(y,)) for y in sums]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        numpy.testing.assert_array_equal(sums, 500 * x.sum(dtype="f8"))
