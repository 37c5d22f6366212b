#!/usr/bin/env python3
"""gpu_cases.py --build build/device [--out FOLDER]: what strangers run first, on a machine with a GPU, through each backend.

The examples of README and docs, the kernels of examples/kernels, and the programs of tests/strangers (names of kernels,
values, whole sources) run through nvrtc, cuda and, on the same machine, cpu; each compares its result. Prints a line for each that
fails and the bars `cases_on_nvrtc_failed`, `cases_on_cuda_failed` and `readme_on_gpu_failed`; exit 1 if one is not 0.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/bars"))
import bar  # noqa: E402
from bar import BAR, at_most  # noqa: E402

BACKENDS = ("nvrtc", "cuda", "cpu")
LONGEST = 560  # seconds that a case may take: each form of a name is compiled by nvcc, several at once
STRANGERS = ROOT / "tests" / "strangers"


class Case:
    """A command, the variables that it has besides, and what it must print (exit code 0 as well)."""

    def __init__(self, name, command, expected="", **variables):
        self.name, self.command, self.expected, self.variables = name, [str(word) for word in command], expected, variables

    def problem(self, environment):
        """What is wrong with a run of it, or nothing."""
        try:
            done = subprocess.run(self.command, capture_output=True, text=True, errors="replace", cwd=ROOT, timeout=LONGEST,
                                  env={**environment, **self.variables}, check=False)
        except subprocess.TimeoutExpired as late:  # what was done until then is said
            return f"not done after {LONGEST} s: {(late.stdout or b'').decode(errors='replace')[-500:]}"
        text = done.stdout + done.stderr
        if done.returncode != 0:
            return f"exit code {done.returncode}: {text[-1500:]}"
        return "" if re.search(self.expected, text) else f"not '{self.expected}': {text[-500:]}"


def python(path, *words):
    return [sys.executable, "-B", path, *words]


def cases_of(build, backend):
    """The project's own cases: kernels that have a reference, and programs that check themselves."""
    kmux = build / "bin/kmux"
    kernels = ROOT / "examples" / "kernels"
    yield from (Case(f"kernels/{source.stem}", python(kernels / "kernels_test.py", kmux, source.stem, "--backend", backend))
                for source in sorted(kernels.glob("*.cu")))
    yield from (Case(f"values/{source.stem}", python(STRANGERS / "values/run_values.py", "--kmux", kmux, "--backend", backend, source))
                for source in sorted((STRANGERS / "values").glob("*.cu")))
    yield Case("sources", python(STRANGERS / "run_sources.py", kmux, "--backend", backend))
    yield Case("names", [build / "tests/kernel_name_forms", "--device", "--backend", backend], r"kernel_name_forms_failed 0\b")


def shown_in_pages(build):
    """What README and docs show: on the backend that is named, and on the one that `auto` takes."""
    kmux, saxpy = build / "bin/kmux", ROOT / "examples/kernels/saxpy.cu"
    for backend in BACKENDS:
        named = {"KMUX_EXECUTION_BACKEND": backend}
        yield Case(f"saxpy.cpp/{backend}", [build / "examples/saxpy"], rf"y = 1 \.\. 9 on {backend}\b", **named)
        yield Case(f"portable.cpp/{backend}", [build / "examples/portable", ROOT / "examples/portable/saxpy.kmux.json"],
                   f"(?m)^{backend}: z = 1 3 5 7", **named)
        yield Case(f"run/{backend}", [kmux, "run", saxpy, "--backend", backend, "--time"], r"GB/s")
        yield Case(f"export/{backend}", [kmux, "export", saxpy, "--backend", backend, "-o", build / f"saxpy_{backend}.so", "--force"])
    yield Case("bench", [kmux, "bench", saxpy, "--backends", ",".join(BACKENDS), "--time", "0.3", "--fail-if", "failed", "--fail-if", "wrong"])
    yield Case("saxpy.cpp/auto", [build / "examples/saxpy"], r"y = 1 \.\. 9 on (nvrtc|cuda)\b")
    yield Case("run/auto", [kmux, "run", saxpy])
    yield Case("quickstart.cpp", python(ROOT / "examples/quickstart_test.py", build / "examples/quickstart", ROOT / "examples/programs/gemm"))
    for example, expected in (("jit_lazy", "y = 3 5 7"), ("jit_eager", "24 48 24"), ("par_compile", "y = 0 5 10")):
        yield Case(f"{example}.cpp", [build / "examples" / example], expected)
    for example, expected in (("saxpy", r"1\. 3\. 5\. 7\. 9\."), ("quickstart", r"0\. 3\. 6\. 9"), ("jit_eager", "72"), ("row_sum", r"5\. 5"), ("jit_function", r"3\. 5\. 7"),
                              ("par_compile", "2 of 2")):
        yield Case(f"{example}.py", python(ROOT / f"examples/python/{example}.py"), expected)
    yield Case("arrays of torch and cupy", python(ROOT / "integrations/tvm_ffi/tests/device/device_test.py"), r"(?m)^OK$")


def environment_of(build, cache):
    return {**os.environ, "KMUX_CACHE_DIR": str(cache), "KMUX_PLUGIN_PATH": str(build / "lib/kmux/plugins"),
            "PYTHONPATH": str(build / "python"), "KMUX_TVM_FFI_LIBRARY": str(build / "lib/libkmux_tvm_ffi.so"),
            "LD_LIBRARY_PATH": f"{build / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}"}


def failed(group, cases, environment, processes):
    """How many of `cases` fail; prints each of them."""
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        runs = [(case, pool.submit(case.problem, environment)) for case in cases]
        problems = [(case.name, run.result()) for case, run in runs if run.result()]
    for name, problem in problems:
        print(f"FAILED {group} {name}: {problem}", flush=True)
    print(f"{group}: {len(problems)} of {len(runs)} failed", flush=True)
    return len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu_cases.out"))
    parser.add_argument("--backends", nargs="*", default=BACKENDS)
    parser.add_argument("--processes", type=int, default=min(8, os.cpu_count() or 1))
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    environment = environment_of(build, arguments.out.resolve() / "cache")

    def cases_on(backend):
        return lambda: failed(backend, cases_of(build, backend), environment, arguments.processes)

    # Kernels of examples/kernels and tests/strangers that fail through nvrtc on a GPU, compared with their references.
    BAR("cases_on_nvrtc_failed", "cases", at_most(0), cases_on("nvrtc"))

    # The same through nvcc.
    BAR("cases_on_cuda_failed", "cases", at_most(0), cases_on("cuda"))

    # The same on the processor of that machine.
    BAR("cases_on_cpu_failed", "cases", at_most(0), cases_on("cpu"))

    # Examples of README and docs that fail through nvrtc, cuda, cpu or auto on a machine with a GPU.
    BAR("readme_on_gpu_failed", "cases", at_most(0), lambda: failed("pages", shown_in_pages(build), environment, arguments.processes))
    return bar.main([f"cases_on_{backend}_failed" for backend in arguments.backends] + ["readme_on_gpu_failed"])


if __name__ == "__main__":
    sys.exit(main())
