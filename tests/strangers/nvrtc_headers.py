#!/usr/bin/env python3
"""Counts the headers of C, C++ and CUDA's runtime that a kernel cannot use: nvrtc_headers.py KMUX [--backend nvrtc] [--run].

Each header alone, all together, and those beside CCCL's. Without --run the kernels are compiled only, which needs no device; with it
what they compute is compared. The last line is the bar.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from header_uses import SAME, USES, source  # noqa: E402

CCCL = ["array", "cfloat", "climits", "cmath", "complex", "cstdint", "limits", "tuple", "type_traits", "utility"]
OF_HOST = ["chrono", "iostream", "map", "string", "vector"]  # a source may include them where its kernels use none


def programs():
    """(name, text, how many values) of each program."""
    for header in [*USES, *SAME]:
        yield (header or "no header", *source([header]))
    everything = [header for header in USES if header]
    yield ("all", *source(everything))
    yield ("all in the other order", *source(everything[::-1]))
    beside = "\n".join(f"#include <cuda/std/{name}>" for name in CCCL)
    yield ("all before cuda/std", *source(everything, beside))
    text, count = source(everything)
    yield ("all behind cuda/std", text.replace("#include", beside + "\n#include", 1), count)
    text, count = source([])
    yield ("headers for the host", "".join(f"#include <{name}>\n" for name in OF_HOST) + text, count)


def wrong_values(text, data):
    """The expressions of the program `text` that are not true, by the int32 for each at the end of the .npy file `data`."""
    expressions = re.findall(r"^  ok\[\d+\] = \((.*)\);$", text, re.MULTILINE)
    values = data[-4 * len(expressions):]
    return [f"ok[{i}], {one}" for i, one in enumerate(expressions) if int.from_bytes(values[4 * i:4 * i + 4], "little") != 1]


def failure(options, folder, number, program):
    """Why a program fails, or nothing."""
    _, text, _ = program
    at = folder / f"p{number}.cu"
    at.write_text(text, encoding="utf-8")
    if options.run:
        out = folder / f"p{number}.npy"
        command = [options.kmux, "run", str(at), "--backend", options.backend, "--scalar", "n=1", "--out", f"ok={out}"]
    else:
        command = [options.kmux, "compile", str(at), "--backend", options.backend, "--target", options.target]
    result = subprocess.run(command + ["--no-cache"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return (result.stderr or result.stdout).strip().splitlines()[0]
    wrong = wrong_values(text, out.read_bytes()) if options.run else []
    return "wrong: " + "; ".join(wrong) if wrong else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kmux")
    parser.add_argument("--backend", default="nvrtc")
    parser.add_argument("--target", default="cuda:sm_90")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.processes) as pool:
        tried = list(programs())
        why = pool.map(lambda one: failure(options, pathlib.Path(folder), *one), enumerate(tried))
        for program, reason in zip(tried, why):
            failed += bool(reason)
            if reason:
                print(f"{program[0]}: {reason}")
    print(f"{options.backend}_headers_tried {len(tried)}\n{options.backend}_headers_failed {failed}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
