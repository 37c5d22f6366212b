import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import traceback
import unittest

import numpy

import kmux

_SAXPY = """
__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
_SIGNATURE = "saxpy(a: f32, x: f32[n], y: inout f32[n])"
_SCALE = "void scale(const float* x, float* y, long long n) { for (long long i = 0; i < n; ++i) y[i] = 2 * x[i]; }"


# What a process of its own does: argument 1 is "wait" for one that waits for the best tier.
_PROCESS = f"""
import sys, kmux, numpy
saxpy = kmux.kernel({_SAXPY!r}, {_SIGNATURE!r}, grid="ceildiv(n, 256)", block=256)
x, y = numpy.arange(5, dtype="float32"), numpy.ones(5, "float32")
saxpy(2.0, x, y)
if "wait" in sys.argv:
    saxpy.compile(x).await_best()
print(*y)
"""
# A kernel that runs over a CUDA driver which computes nothing: arrays of its device come from a kernel that returns one.
_ON_A_DEVICE = f"""
import kmux
source = {_SAXPY!r} + "__global__ void ones(float* x, int n) {{ if (threadIdx.x < n) x[threadIdx.x] = 1; }}"
ones = kmux.kernel(source, "ones(n: i64, out x: f32[n])", grid=1, block=256, args="x, i32(n)", target="cuda", execution_backend="nvrtc")
saxpy = kmux.kernel(source, {_SIGNATURE!r}, grid="ceildiv(n, 256)", block=256, execution_backend="nvrtc")
if "-> none" in (found := str(kmux.resolve(saxpy.program, target="cuda", execution_backend="nvrtc"))):
    raise SystemExit(print(found))
x, y = ones(8), ones(8)
saxpy(2.0, x, y)
print(saxpy.compile(x).backend, x.device)
"""
_WHAT_IT_TAKES = _ON_A_DEVICE + """
kernel = saxpy.compile(x)
(attributes,) = kernel.attributes
print(attributes["kernel"], attributes["registers"] > 0, attributes["max_threads"])
print(kernel.occupancy(256), kernel.occupancy(threads=1024, dynamic_shared_bytes=200 << 10, kernel="saxpy"))
for arguments in ({"threads": 2048}, {"threads": 256, "kernel": "other"}):
    try:
        kernel.occupancy(**arguments)
    except ValueError as error:
        print(error)
"""


def run(script, *words, **environment):
    words = [sys.executable, "-B", "-c", script, *words]
    return subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300, check=True).stdout


def note_of(error):
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


class SourceKernel(unittest.TestCase):
    def check(self, saxpy):
        x, y = numpy.arange(1000, dtype="float32"), numpy.ones(1000, "float32")
        for _ in range(2):
            saxpy(2.0, x, y)
        numpy.testing.assert_array_equal(y, 4 * x + 1)

    def test_is_a_source_and_a_line(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        self.check(saxpy)
        self.check(pickle.loads(pickle.dumps(saxpy)))
        self.assertEqual(list(saxpy.program.files), ["kernel.cu"])
        self.assertEqual(repr(saxpy), "<kmux.SourceKernel 'saxpy'>")

    def test_takes_arguments_by_their_names(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        minus = "void minus(const float* x, const float* y, float* z, int n) { for (int i = 0; i < n; ++i) z[i] = x[i] - y[i]; }"
        subtract = kmux.kernel(minus, "minus(x: f32[n], y: f32[n], out z: f32[n])")
        x, y, z = numpy.full(5, 3, "float32"), numpy.ones(5, "float32"), numpy.zeros(5, "float32")
        for call in (saxpy, saxpy.launch, saxpy.compile(x)):
            call(2.0, y=z, x=x)
        numpy.testing.assert_array_equal(z, numpy.full(5, 18))
        for call in (subtract, subtract.compile(x), subtract.launch, subtract.compile(x).launch):
            numpy.testing.assert_array_equal(numpy.from_dlpack(call(y=y, x=x)), x - y)
            self.assertIsNone(call(x, z=z, y=y))
            numpy.testing.assert_array_equal(z, x - y)
        for refused, message in (
            (lambda: saxpy(2.0, x, Y=y), "there is no parameter \"Y\" .they are a, x, y.. Did you mean 'y'. Pass one of these"),
            (lambda: saxpy(2.0, x, x=y), 'parameter "x" is given by position and by name. Pass it once'),
            (lambda: saxpy(2.0, y=y), 'parameter "x" is not given .they are a, x, y.. Pass one of each'),
            (lambda: subtract(y=y), 'parameter "x" is not given .they are x, y, z.'),
            (lambda: subtract.launch(x, w=y), 'there is no parameter "w" .they are x, y, z.'),
            (lambda: saxpy(a=2.0, x=x, y=y.astype("float64")), 'parameter "y" has dtype float64'),
        ):
            with self.assertRaisesRegex(TypeError, message):
                refused()

    def test_returns_outputs_of_the_host(self):
        scale = kmux.kernel(_SCALE, "scale(x: f32[n], out y: f32[n])", args="x, y, n: i64")
        numpy.testing.assert_array_equal(scale(numpy.ones(5, "float32")), numpy.full(5, 2, "float32"))
        self.assertEqual(list(scale.program.files), ["kernel.c"])

    def test_runs_no_python_code_in_a_call_that_only_writes(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        x = numpy.ones(4, "float32")
        self.check(saxpy)
        frames = []
        sys.setprofile(lambda frame, event, function: frames.append(frame) if event == "call" else None)
        try:
            saxpy(1.0, x, x.copy())
        finally:
            sys.setprofile(None)
        self.assertEqual([frame.f_code.co_name for frame in frames], [])

    def test_an_error_of_the_compiler_is_what_a_call_raises(self):
        broken = kmux.kernel("void broken(float* x, long long n) { nonsense; }", "broken(x: inout f32[n])", args="x, n: i64")
        for _ in range(2):
            with self.assertRaisesRegex(kmux.CompileError, "nonsense") as caught:
                broken(numpy.ones(4, "float32"))
            self.assertIn("undeclared identifier 'nonsense'", caught.exception.log)
            shown = "".join(traceback.format_exception(type(caught.exception), caught.exception, caught.exception.__traceback__))
            self.assertNotIn("kernel_function.cpp", shown)

    def test_returns_what_the_caller_makes_an_output(self):
        scale = kmux.kernel(_SCALE, "scale(x: f32[n], y: f32[n])", args="x, y, n: i64", out_idx=-1)
        numpy.testing.assert_array_equal(scale(numpy.ones(5, "float32")), numpy.full(5, 2, "float32"))

    def test_takes_all_of_a_program(self):
        self.check(kmux.kernel(_SAXPY, f"""
            kernel {_SIGNATURE}
              launch saxpy<<<[ceildiv(n, 128), 1], 128>>>(a, x, y, n)
            """))

    def test_launches_several_kernels_in_the_order_of_its_text(self):
        source = """
            __global__ void square(const float* x, float* squares, int n) {
              const int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) squares[i] = x[i] * x[i];
            }
            __global__ void add(const float* squares, float* y, int n, int step) {
              const int i = blockIdx.x * blockDim.x + threadIdx.x;
              if (i < n) y[i] = 10 * y[i] + squares[i] + step;
            }
            """
        text = """
            kernel squares(x: f32[n], y: inout f32[n])
              workspace squares: 4 * n bytes
              launch square<<<ceildiv(n, 128), 128>>>(x, squares, n)
              launch add<<<ceildiv(n, 64), 64>>>(squares, y, n, 1)
              for step in 2 .. 4
                launch add<<<ceildiv(n, 64), 64>>>(squares, y, n, step)
            """
        squares = kmux.kernel(source, text)
        for n in (1, 1000):
            x, y = numpy.arange(n, dtype="float32") % 10, numpy.zeros(n, "float32")
            squares(x, y)
            numpy.testing.assert_array_equal(y, 111 * x**2 + 123)

    def test_says_which_dialect_it_guessed(self):
        guessed = r"\(guessed from its source: dialect= names another\)"
        for source, signature, how, said in (
            (_SAXPY, _SIGNATURE, {"grid": 1, "block": 1}, rf"kernel 'saxpy' is in dialect cuda {guessed}"),
            (_SCALE, "scale(x: f32[n], out y: f32[n])", {}, rf"kernel 'scale' is in dialect c {guessed}"),
            (_SAXPY, _SIGNATURE, {"grid": 1, "block": 1, "dialect": "hip"}, r"kernel 'saxpy' is in dialect hip \(given\)"),
        ):
            with self.assertLogs("kmux", "INFO") as caught:
                kmux.kernel(source, signature, **how)
            self.assertRegex(caught.output[0], said)
        with tempfile.TemporaryDirectory() as folder:
            for name, said in (("a.hip", r"hip \(by the name of its file\)"), ("a.txt", f"cuda {guessed}")):
                pathlib.Path(folder, name).write_text(_SAXPY)
                with self.assertLogs("kmux", "INFO") as caught:
                    kmux.kernel(pathlib.Path(folder, name), _SIGNATURE, grid=1, block=1)
                self.assertRegex(caught.output[0], f"is in dialect {said}")

    def test_finds_headers_beside_and_above_the_source(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (
                ("src/near.h", '#include "../inc/far.h"\n'),
                ("inc/far.h", "#define FACTOR 3\n"),
                ("src/a.cu", '#include "near.h"\n__global__ void f(float* x) { x[0] *= FACTOR; }\n'),
            ):
                (path := pathlib.Path(folder, name)).parent.mkdir(exist_ok=True)
                path.write_text(text)
            pathlib.Path(folder, "src/b.cu").write_text(f"//! kmux\n//! kernel f(inout x: f32[1])\n//!   launch f<<<1, 1>>>(x)\n{text}")
            for kernel in (
                kmux.kernel(path, "f(x: inout f32[1])", grid=1, block=1, target="cpu"),
                kmux.kernel(pathlib.Path(folder, "src/b.cu"), target="cpu"),
            ):
                x = numpy.full(1, 2, "float32")
                kernel(x)
                self.assertEqual(x[0], 6)
            with self.assertRaisesRegex(kmux.CompileError, "near.h"):
                kmux.kernel(text, "f(x: inout f32[1])", grid=1, block=1, target="cpu")(x)

    def test_compiles_nothing_in_a_second_process(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = str(pathlib.Path(folder, "trace.json"))
            environment = {"KMUX_CACHE_DIR": folder, "KMUX_DISABLE_CACHE": "0", "KMUX_TRACE": trace}

            def stages(*words):
                self.assertEqual(run(_PROCESS, *words, **environment), "1.0 3.0 5.0 7.0 9.0\n")
                events = json.loads(pathlib.Path(trace).read_text())
                return {event["name"] for event in (events["traceEvents"] if isinstance(events, dict) else events)}

            self.assertIn("build", stages("wait"))
            second = stages()
            self.assertIn("cache hit", second)
            self.assertFalse(second & {"build", "wrap"}, second)

    def test_runs_on_any_backend(self):
        loop = "void saxpy(float a, const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] += a * x[i]; }"
        over_blocks = {"grid": "ceildiv(n, 256)", "block": 256}
        for source, how in (
            (loop, {"options": {"engine": "clang"}}),
            (loop, {"options": {"engine": "host"}}),
            (_SAXPY, over_blocks),
            (_SAXPY, {"dialect": "hip", **over_blocks}),
        ):
            with self.subTest(source=source, how=how):
                saxpy = kmux.kernel(source, _SIGNATURE, execution_backend="cpu", **how)
                self.check(saxpy)
                self.assertEqual(saxpy.compile(numpy.ones(1)).backend, "cpu")

    def run_on_a_device(self, script):
        driver = os.environ.get("KMUX_TEST_FAKE_CUDA", "")
        if not pathlib.Path(driver, "libcuda.so.1").is_file():
            self.skipTest("needs the CUDA driver of tests/fakes")
        path = os.pathsep.join(filter(None, (driver, os.environ.get("LD_LIBRARY_PATH"))))
        done = run(script, LD_LIBRARY_PATH=path)
        if "NVRTC" in done or ("-> none" in done and "  nvrtc  " not in done):
            self.skipTest(f"needs NVRTC and backend nvrtc ({done.strip()})")
        return done

    def test_runs_on_a_device_of_cuda(self):
        self.assertEqual(self.run_on_a_device(_ON_A_DEVICE), "nvrtc cuda:0\n")

    def test_tells_what_its_kernels_take_and_their_occupancy(self):
        done = self.run_on_a_device(_WHAT_IT_TAKES)
        self.assertIn("saxpy True 1024\n", done)
        self.assertIn("{'blocks': 8, 'limit': 'threads', 'part': 1.0} {'blocks': 1, 'limit': 'shared memory', 'part': 0.5}\n", done)
        self.assertIn('kernel "saxpy" has no blocks of 2048 threads', done)
        self.assertIn('no kernel is called "other" (the program has saxpy). Give occupancy() one of them as kernel=.', done)

    def test_takes_files(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "saxpy.cu")
            file.write_text(_SAXPY)
            self.check(kmux.kernel(file, _SIGNATURE, grid="ceildiv(n, 256)", block=[256]))
            file.write_text(f"//! kmux\n//! kernel {_SIGNATURE}\n//!   launch saxpy<<<ceildiv(n, 64), 64>>>(a, x, y, n)\n" + _SAXPY)
            self.check(kmux.kernel(str(file)))
            self.check(kmux.kernel(file.read_text()))

    def test_takes_a_template_by_its_arguments(self):
        source = "template <class T> __global__ void twice(T* x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
        twice = kmux.kernel(source, "twice(x: inout f32[n])", grid=1, block=32, name="twice<float>")
        x = numpy.ones(32, "float32")
        twice(x)
        self.assertEqual(x.sum(), 64)

    def test_names_a_read_only_array(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        scale = kmux.kernel(_SCALE, "scale(x: f32[n], out y: f32[n])", args="x, y, n: i64")
        x, fixed = numpy.ones(5, "float32"), numpy.ones(5, "float32")
        fixed.flags.writeable = False
        written = '"y" is a read-only NumPy array .the kernel writes it.. Pass a copy'
        for call in (saxpy, saxpy.launch, saxpy.compile(x)):
            for arguments, named in (((2.0, x, fixed), {}), ((2.0,), {"x": x, "y": fixed})):
                with self.assertRaisesRegex(ValueError, f'kernel "saxpy": parameter {written}'):
                    call(*arguments, **named)
            call(2.0, fixed, x)
        for call in (scale, scale.launch, scale.compile(x), scale.compile(x).launch):
            with self.assertRaisesRegex(ValueError, f'kernel "scale": parameter {written}'):
                call(x, fixed)
            call(fixed, x)
            call(fixed)
        numpy.testing.assert_array_equal(fixed, numpy.ones(5))

    def test_is_refused_with_a_caret(self):
        with self.assertRaises(ValueError) as caught:
            kmux.kernel(_SAXPY, "saxpy(a: f33, x: f32[n])", grid=1, block=1)
        self.assertIn("f33", str(caught.exception))
        self.assertIn("^", str(caught.exception))
        with self.assertRaisesRegex(ValueError, '"fort-ran" is not a dialect that kernels are written in'):
            kmux.kernel(_SAXPY, _SIGNATURE, grid=1, block=1, dialect="fort-ran")

    def test_needs_what_a_launch_needs(self):
        for given, lacking in (({}, "no grid and no block"), ({"block": 1}, "no grid"), ({"grid": 1}, "no block")):
            with self.assertRaisesRegex(ValueError, f'the kernel has {lacking} .a kernel of dialect "cuda" is launched over both.'):
                kmux.kernel(_SAXPY, _SIGNATURE, **given)
        with self.assertRaisesRegex(ValueError, "the kernel has no signature"):
            kmux.kernel(_SAXPY, grid=1, block=1)
        with self.assertRaisesRegex(TypeError, r"grid is 2.0 .extents are integers, or expressions as text."):
            kmux.kernel(_SAXPY, _SIGNATURE, grid=8 / 4, block=1)

    def test_integers_of_numpy_are_integers(self):
        self.check(kmux.kernel(_SAXPY, _SIGNATURE, grid=[numpy.int32(4), 1], block=numpy.int64(256)))
        for position in (numpy.int64(-1), [numpy.int8(2)]):
            saxpy = kmux.kernel(_SAXPY, _SIGNATURE.replace("inout ", ""), grid=1, block=256, out_idx=position)
            self.assertEqual(saxpy.signature["outputs"], ["y"])
            self.assertEqual(saxpy(2.0, numpy.ones(8, "float32")).shape, (8,))

    def test_extents_are_numbers_or_expressions(self):
        for grid, shown in ((True, "True"), (numpy.True_, "True"), ([], r"\[\]"), ([1, False], r"\[1, False\]"), ([numpy.False_], r"\[False\]"), (numpy.float32(2), "a float32"), ({}, "a dict")):
            with self.assertRaisesRegex(TypeError, f"grid is {shown} .extents are integers, or expressions as text"):
                kmux.kernel(_SAXPY, _SIGNATURE, grid=grid, block=1)

    def test_a_wrong_option_is_found_before_a_call(self):
        with self.assertRaisesRegex(TypeError, "no option 'executon_backend'.*Did you mean 'execution_backend'"):
            kmux.kernel(_SAXPY, _SIGNATURE, grid=1, block=1, executon_backend="cpu")
        with self.assertRaisesRegex(TypeError, "no option 'gird' .kmux.kernel takes grid, block, .*Did you mean 'grid'"):
            kmux.kernel(_SAXPY, _SIGNATURE, gird=1, block=1)
        with self.assertRaisesRegex(TypeError, "no option 'threads' "):
            kmux.kernel(_SAXPY, _SIGNATURE, grid=1, threads=256)

    def test_an_error_of_the_signature_has_the_lines_that_were_written(self):
        with self.assertRaises(ValueError) as raised:
            kmux.kernel(_SAXPY, "saxpy(float a, const float* x, float* y, int n)", grid=1, block=1)
        self.assertIn("'signature' has an error at 1:7: this is a signature of C (", str(raised.exception))
        self.assertIn("\n    saxpy(float a, const float* x,", note_of(raised.exception))
        for how, name, place in (
            ({"grid": "ceildiv(m, 256)", "block": 256}, "grid", "1:9"), ({"grid": [1, "m"], "block": 256}, "grid", "1:5"),
            ({"grid": 1, "block": "m"}, "block", "1:1"), ({"grid": 1, "block": 1, "dynamic_smem_bytes": "4 * m"}, "dynamic_smem_bytes", "1:5"),
            ({"grid": 1, "block": 1, "args": "a, x, y, m"}, "args", "1:10"),
        ):  # fmt: skip
            with self.assertRaisesRegex(ValueError, f"'{name}' has an error at {place}: no \"m\" in scope"):
                kmux.kernel(_SAXPY, _SIGNATURE, **how)
        with self.assertRaisesRegex(ValueError, "'signature' has an error at 3:21: no \"m\" in scope"):
            kmux.kernel(_SAXPY, f"kernel {_SIGNATURE}\n  # all of it\n  launch saxpy<<<1, m>>>(a, x, y, n)")

    def test_a_source_is_a_text_or_a_file(self):
        with self.assertRaisesRegex(TypeError, "'bytes' is not a source"):
            kmux.kernel(_SAXPY.encode(), _SIGNATURE, grid=1, block=1)
        with self.assertRaisesRegex(FileNotFoundError, "saxpi.cu") as caught:
            kmux.kernel("saxpi.cu", _SIGNATURE, grid=1, block=1)
        self.assertIn("is taken for the path of a file", note_of(caught.exception))

    def test_takes_macros(self):
        source = "void f(float* x, long long n) { for (long long i = 0; i < n; ++i) x[i] = VALUE + ON + sizeof(TEXT); }"
        how = {"args": "x, n: i64", "target": "cpu"}
        for signature in ("f(x: inout f32[n])", "f(x: inout f32[n])\n  flops n"):
            made = kmux.kernel(source, signature, defines={"VALUE": 3, "ON": True, "TEXT": '"a\\"b"'}, **how)
            x = numpy.zeros(2, "float32")
            made(x)
            self.assertEqual(x.tolist(), [8, 8])
            self.assertIn('//!   defines "VALUE=3", "ON=1", "TEXT=', made.program.files["kernel.c"])
            settings = json.loads(made.program.to_json())["variants"][0]["settings"]
            self.assertEqual(settings["defines"], ["VALUE=3", "ON=1", 'TEXT="a\\"b"'])
        self.assertNotIn("defines", kmux.kernel(source, "f(x: inout f32[n])", defines={}, **how).program.files["kernel.c"])
        whole = "kernel f(x: inout f32[n])\n  launch f(x, n: i64)"
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "f.c")
            path.write_text(made.program.files["kernel.c"])
            for given in ((source, whole), (made.program.files["kernel.c"],), (path,)):
                with self.assertRaisesRegex(ValueError, 'defines are given .the program is whole, .*Write them there'):
                    kmux.kernel(*given, defines={"VALUE": 3})
        for defines, kind, message in (
            ({"V": "1\n2"}, ValueError, r"define 'V=1\\n2' has several lines"),
            ({"V W": 1}, ValueError, "V W=1"),
            (["V"], TypeError, r"defines are \['V'\] .a dict of macros"),
            ({1: 2}, TypeError, "a dict of macros"),
        ):
            with self.assertRaisesRegex(kind, message):
                kmux.kernel(source, "f(x: inout f32[n])", defines=defines, **how)
        with self.assertRaisesRegex(TypeError, "Did you mean 'defines'"):
            kmux.kernel(source, "f(x: inout f32[n])", define={"V": 1}, **how)

    def test_says_why_it_is_compiled_for_a_device(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid=1, block=1, execution_backend="metal")
        with self.assertRaises((ValueError, kmux.Error)) as caught:
            saxpy(1.0, numpy.ones(2, "float32"), numpy.ones(2, "float32"))
        self.assertRegex(str(caught.exception), r"\n  compiled for: host, where the first array of the call is$")

    def test_takes_the_dialect_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "saxpy.hip")
            file.write_text(_SAXPY)
            made = kmux.kernel(file, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
            self.assertEqual(json.loads(made.program.to_json())["variants"][0]["dialect"], "hip")

    def test_a_wrong_call_is_its_own_error(self):
        saxpy = kmux.kernel(_SAXPY, _SIGNATURE, grid="ceildiv(n, 256)", block=256)
        x = numpy.ones(8, "float32")
        saxpy(1.0, x, x.copy())
        with self.assertRaisesRegex(ValueError, "n"):
            saxpy(1.0, x, numpy.ones(9, "float32"))
        with self.assertRaises(TypeError):
            saxpy(1.0, x)


if __name__ == "__main__":
    unittest.main()
