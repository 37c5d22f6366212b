"""Compiles several programs at the same time and follows them."""

import pathlib

import kmux
import numpy as np

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"

# [par_compile.begin]
paths = [PROGRAMS / name / f"{name}.kmux.json" for name in ("scale", "gemm")]


def report(event: kmux.CompileEvent) -> None:
    if event.step == "done":
        print(f"{event.done} of {event.total}: {event.program}")


scale, gemm = kmux.par_compile(paths, target="cpu", num_workers=2, progress=report)
# [par_compile.end]

a = np.eye(3, dtype="float32")
print(gemm(a, 2 * a))
