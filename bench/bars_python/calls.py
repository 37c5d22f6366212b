"""Imports, first calls and calls with NumPy arrays. What they are made of goes to stderr."""

import ctypes
import importlib.util
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from bar import BAR, Skipped, at_most

PROCESSES = 15
ROUNDS = 101
CALLS = 1000
N = 1024

FIRST_CALL = '''
import time
import numpy, kmux
x, y = numpy.arange(1000, dtype="float32"), numpy.ones(1000, "float32")
begin = time.perf_counter()
saxpy = kmux.kernel(
    """__global__ void saxpy(float a, const float* x, float* y, int n) {
         const int i = blockIdx.x * blockDim.x + threadIdx.x;
         if (i < n) y[i] += a * x[i];
       }""",
    "saxpy(a: f32, x: f32[n], y: inout f32[n])", grid="ceildiv(n, 256)", block=256, execution_backend="cpu",
)
saxpy(2.0, x, y)
end = time.perf_counter()
assert (y == 2 * x + 1).all()
print((end - begin) * 1000)
'''
C = """
void saxpy(const float* x, const float* y, float* z, float a, long long n) {
  for (long long i = 0; i < n; ++i) z[i] = a * x[i] + y[i];
}
"""


def needs_kmux(measure):
    """`measure`, which is skipped where a package or a compiler is not there."""

    def measured():
        for module in ("numpy", "tvm_ffi", "kmux"):
            if importlib.util.find_spec(module) is None:
                raise Skipped(f"needs {module}, which {sys.executable} does not have")
        if shutil.which("cc") is None:
            raise Skipped("needs cc")
        return measure()

    return measured


def median_of_processes(script, folder):
    """Milliseconds that `script` prints in new processes; the first of them fills what is warm in the others."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment.pop("KMUX_DISABLE_CACHE", None)
    environment |= {"PYTHONPYCACHEPREFIX": f"{folder}/bytecode", "KMUX_CACHE_DIR": f"{folder}/cache"}

    def once():
        done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return float(done.stdout)

    once()
    return statistics.median(once() for _ in range(PROCESSES))


def importing(module):
    return (
        f"import time\nbegin = time.perf_counter()\nimport {module}\nprint((time.perf_counter() - begin) * 1000)"
    )


def import_ms():
    with tempfile.TemporaryDirectory() as folder:
        for module in ("numpy", "tvm_ffi"):
            print(f"  import {module}: {median_of_processes(importing(module), folder):.1f} ms", file=sys.stderr)
        return median_of_processes(importing("kmux"), folder)


def kernel_first_call_ms():
    with tempfile.TemporaryDirectory() as folder:
        return median_of_processes(FIRST_CALL, folder)


def native():
    """The same C, by the C compiler."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = pathlib.Path(folder, "saxpy.c"), pathlib.Path(folder, "saxpy.so")
        source.write_text(C)
        subprocess.run(["cc", "-O3", "-march=native", "-shared", "-fPIC", "-o", library, source], check=True)
        saxpy = ctypes.CDLL(str(library)).saxpy
    saxpy.restype = None
    return saxpy


def nanoseconds(function, arguments):
    begin = time.perf_counter()
    for _ in range(CALLS):
        function(*arguments)
    return (time.perf_counter() - begin) / CALLS * 1e9


def python_call_over_ctypes():
    import numpy

    import kmux

    x, y, z = (numpy.full(N, value, "float32") for value in (3, 4, 0))
    ours = kmux.kernel(C, "saxpy(a: f32, x: f32[n], y: f32[n], z: inout f32[n])", args="x, y, z, a, n: i64")
    theirs = native()

    def converting(a, x, y, z):
        pointers = (ctypes.c_void_p(array.ctypes.data) for array in (x, y, z))
        theirs(*pointers, ctypes.c_float(a), ctypes.c_longlong(z.size))

    arrays = (2.0, x, y, z)
    ready = (*(ctypes.c_void_p(array.ctypes.data) for array in (x, y, z)), ctypes.c_float(2), ctypes.c_longlong(N))
    contest = {"kmux": (ours, arrays), "ctypes": (theirs, ready), "ctypes that converts": (converting, arrays)}
    for function, arguments in contest.values():
        z.fill(0)
        function(*arguments)
        assert (z == 10).all()
    times = {name: [] for name in contest}
    for _ in range(ROUNDS):  # in turns
        for name, call in contest.items():
            times[name].append(nanoseconds(*call))
    for name, values in times.items():
        print(f"  {name}: {statistics.median(values):.0f} ns", file=sys.stderr)
    return statistics.median(a / b for a, b in zip(times["kmux"], times["ctypes"]))


# `import kmux` in a new process: its files in the page cache and compiled to byte code.
BAR("import_ms", "ms", at_most(150), needs_kmux(import_ms))

# From `kmux.kernel` of a saxpy on backend cpu to its first result, in a new process with the kernel in the cache on disk.
BAR("kernel_first_call_ms", "ms", at_most(3), needs_kmux(kernel_first_call_ms))

# z = a * x + y over three NumPy arrays of 1,024 / a C function through ctypes whose five arguments were made before.
BAR("python_call_over_ctypes", "ratio", at_most(1.5), needs_kmux(python_call_over_ctypes))
