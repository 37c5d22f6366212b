"""Runs programs of the corpus by the command, and compares their results with NumPy."""

import re
import subprocess
import time
from pathlib import Path

import numpy as np
from case import Case, read, stored, values_of

_UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class Failed(Exception):
    """Why a program did not give its result."""


class Runs:
    """The command `kmux` with TileLang's headers; `folder` has the programs, their inputs and results."""

    def __init__(self, kmux: Path, headers: Path, folder: Path) -> None:
        self._kmux, self._folder = kmux, folder
        self._includes = [word for path in (headers, headers / "cutlass") for word in ("--include", str(path))]

    def compile_seconds(self, case: Case) -> float:
        """Returns the time of `kmux compile` as a whole process."""
        began = time.monotonic()
        self._command("compile", case, "cpu")
        return time.monotonic() - began

    def call_seconds(self, case: Case, backend: str, *options: str) -> float:
        """Runs the program and compares its result; returns the time of the call, which the command tells.

        Errors: Failed.
        """
        random = np.random.default_rng(sum(case.name.encode()))
        values = {name: values_of(shape, dtype, random) for name, (shape, dtype) in case.inputs.items()}
        files = []
        for name, (_, dtype) in case.inputs.items():
            files += ["--in", f"{name}={self._saved(case, name, stored(values[name], dtype))}"]
        if case.updated:
            files += ["--in", f"{case.output}={self._saved(case, case.output, np.zeros(*case.updated))}"]
        result = self._folder / case.name / "result.npy"
        told = self._command("run", case, backend, *files, "--out", f"{case.output}={result}", *options)
        _compare(read(np.load(result)), case.reference(values), case.tolerance)
        number, unit = re.search(r"first call ([\d.]+) (\w+)", told).groups()
        return float(number) * _UNITS[unit]

    def _saved(self, case: Case, name: str, array: np.ndarray) -> Path:
        path = self._folder / case.name / f"{name}.npy"
        np.save(path, array)
        return path

    def _command(self, verb: str, case: Case, backend: str, *more: str) -> str:
        program = self._folder / case.name / f"{case.name}.kmux.json"
        command = [self._kmux, verb, program, "--backend", backend, "--no-cache", *self._includes, *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise Failed(done.stderr.strip())
        return done.stdout


def _compare(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> None:
    if found.shape != wanted.shape:
        raise Failed(f"a result of shape {found.shape} for {wanted.shape}")
    error = np.linalg.norm(found - wanted) / np.linalg.norm(wanted)
    if not error <= tolerance:  # NaN is wrong
        raise Failed(f"a relative error of {error:.2g} (at most {tolerance:g})")
