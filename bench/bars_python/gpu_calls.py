"""Calls with arrays of NumPy and with torch tensors on a GPU, beside TVM-FFI's own and TileLang's."""

import ctypes
import importlib.util
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from bar import BAR, Skipped, at_most

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CALLS = 100  # in a burst: fewer than the driver's queue holds
ROUNDS = 501
N = 1024
BLOCK = 256

C = """
void add(const float* a, const float* b, float* c, long long n) {
  for (long long i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
"""
CUDA = """
extern "C" __global__ void add(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""


def add_program(path, source, dialect, **launch):
    import kmux

    arguments = [{"tensor": name} for name in "abc"] + [{"expr": "n", "dtype": "int64"}]
    return kmux.program(
        {
            "name": "add",
            "signature": {
                "params": [{"name": name, "buffer": {"dtype": "float32", "shape": ["n"]}} for name in "abc"],
                "outputs": ["c"],
                "symbols": [{"name": "n"}],
            },
            "variants": [
                {
                    "dialect": dialect,
                    "sources": [{"path": path}],
                    "body": {"steps": [{"launch": {"kernel": "add", "args": arguments, **launch}}]},
                }
            ],
        },
        {path: source},
    )


def nothing():
    """A function of TVM-FFI that looks at nothing."""
    import tvm_ffi

    return tvm_ffi.get_global_func("testing.nop")


def nanoseconds(function, arguments):
    """Of one of CALLS calls."""
    turns = range(CALLS)
    begin = time.perf_counter_ns()
    for _ in turns:
        function(*arguments)
    return (time.perf_counter_ns() - begin) / CALLS


def in_turns(*bursts, settle=lambda: None):
    """The median of each of `bursts`, which take turns; `settle` comes before each."""
    rounds = []
    for _ in range(ROUNDS):
        times = []
        for burst in bursts:
            settle()
            times.append(burst())
        rounds.append(times)
    rounds = rounds[ROUNDS // 10 :]  # the first ones warm up
    medians = [statistics.median(times) for times in zip(*rounds)]
    print("  " + " against ".join(f"{median:.0f} ns" for median in medians), file=sys.stderr)
    return medians


def bursts_of(arguments, *functions):
    return [lambda function=function: nanoseconds(function, arguments) for function in functions]


def python_cpu_call():
    import kmux
    import numpy

    kernel = kmux.compile(add_program("add.c", C, "c"), target="cpu")
    kernel.await_best()
    arrays = [numpy.zeros(4, "float32") for _ in range(3)]
    ours, theirs = in_turns(*bursts_of(arrays, kernel, nothing()))
    return ours / theirs


def missing_packages(*names):
    """Why what needs these packages cannot run here; empty if it can."""
    for name in names:
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    return ""


def missing_device(*names):
    if reason := missing_packages("torch", *names):
        return reason
    import torch

    return "" if torch.cuda.is_available() else "torch finds no device"


def raw_launcher(folder):
    library = pathlib.Path(folder) / "raw_launch.so"
    source = pathlib.Path(__file__).resolve().parent / "raw_launch.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def device_function(kernel, name):
    """The function in the code that a kernel was compiled to. Source: CUDA Driver API, module management."""
    driver = ctypes.CDLL("libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    for code in (
        driver.cuModuleLoadData(ctypes.byref(module), kernel.files["artifact/code"]),
        driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()),
    ):
        if code:
            raise RuntimeError(f"the driver answers {code}")
    return function


def python_over_noop_plus_raw():
    import kmux
    import torch
    import tvm_ffi

    program = add_program("add.cu", CUDA, "cuda", grid=[["ceildiv", "n", BLOCK]], block=[BLOCK])
    kernel = kmux.compile(program, execution_backend="nvrtc")
    kernel.await_best()
    tensors = [torch.ones(N, device="cuda") for _ in range(3)]
    kernel(*tensors)
    function = device_function(kernel, "add")
    addresses = (ctypes.c_void_p * 3)(*(tensor.data_ptr() for tensor in tensors))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    with tempfile.TemporaryDirectory() as folder:
        library = raw_launcher(folder)
        launcher = ctypes.CDLL(str(library))
        launcher.raw_launch_ns.restype = ctypes.c_double
        launch = (function, N // BLOCK, BLOCK, addresses, ctypes.c_longlong(N), stream)

        def raw():
            elapsed = launcher.raw_launch_ns(*launch, CALLS)
            if elapsed < 0:
                raise RuntimeError("a bare launch failed")
            return elapsed

        if launcher.raw_launch_prepare(*launch) != 0:
            raise RuntimeError("there is no cuLaunchKernel")
        in_python = tvm_ffi.load_module(str(library))["raw_launch"]
        bursts = bursts_of(tensors, kernel, nothing(), in_python)
        ours, noop, through_python, bare = in_turns(*bursts, raw, settle=torch.cuda.synchronize)
    print(f"  over a bare launch that is called from Python: {ours - through_python:.0f} ns", file=sys.stderr)
    if not torch.equal(tensors[2], tensors[0] + tensors[1]):
        raise RuntimeError("the kernel computes something else")
    return (ours - noop - bare) / 1000


def python_vs_tilelang():
    sys.path.insert(0, str(ROOT / "integrations" / "tilelang"))
    import kmux
    import tilelang
    import torch
    from kmux_tilelang.export import export
    from kmux_tilelang.kernel import load_kernel

    spec = f"{ROOT}/integrations/tilelang/kernels/pointwise.py:add_tiles"
    arguments = {"N": N, "block": BLOCK}
    theirs = tilelang.compile(load_kernel(spec, arguments).function, target="cuda", execution_backend="tvm_ffi")
    with tempfile.TemporaryDirectory() as folder:
        program = kmux.load_program(export(spec, folder, targets=["cuda"], arguments=arguments, embed_headers=True))
    ours = kmux.compile(program, execution_backend="nvrtc")
    ours.await_best()
    tensors = [torch.ones(N, device="cuda") for _ in range(3)]
    theirs(*tensors)
    expected = tensors[2].clone()
    ours(*tensors)
    if not torch.equal(tensors[2], expected):
        raise RuntimeError("the two kernels differ")
    ours, theirs = in_turns(*bursts_of(tensors, ours, theirs), settle=torch.cuda.synchronize)
    return ours / theirs


def unless(missing, measure):
    """`measure`, which is skipped for the reason that `missing` returns."""

    def measured():
        if reason := missing():
            raise Skipped(reason)
        return measure()

    return measured


# A kernel with three NumPy arrays / a function of TVM-FFI that does nothing with them.
BAR("python_cpu_call", "ratio", at_most(1.3), unless(lambda: missing_packages("numpy"), python_cpu_call))

# A kernel with three torch tensors on a GPU, less a function that does nothing, less a bare launch in a loop of C.
BAR("python_over_noop_plus_raw", "us", at_most(0.2), unless(missing_device, python_over_noop_plus_raw))

# The same TileLang kernel through kmux / through TileLang's tvm_ffi.
BAR("python_vs_tilelang", "ratio", at_most(0.65), unless(lambda: missing_device("tilelang"), python_vs_tilelang))
