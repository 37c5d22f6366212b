"""The C function, compiled by the system's compiler and called in a loop of C: the least that a call can cost."""

from __future__ import annotations

import ctypes
import pathlib
import subprocess
import tempfile
from dataclasses import replace
from typing import Any

import built_library
import kernels
from host_arrays import HostArrays
from kernels import Case
from peer import Call, HostPeer, missing_packages


class CLoop(HostPeer):
    name = "C loop"

    def missing(self) -> str:
        return missing_packages("numpy") or built_library.missing()

    def open(self) -> str:
        self.loop = built_library.built(built_library.FOLDER / "host_loop.c")
        self.loop.host_loop_calls.restype = ctypes.c_double
        shown = subprocess.run(["cc", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
        return f"cc {shown} {' '.join(built_library.FLAGS[:2])}"

    def inputs(self, case: Case) -> HostArrays:
        return HostArrays(case)

    def prepare(self, case: Case, inputs: HostArrays) -> Call:
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "saxpy.c"
            source.write_text(kernels.C)
            saxpy = built_library.built(source).saxpy
        saxpy.restype = None
        arguments = (*inputs.addresses(), ctypes.c_float(case.a), ctypes.c_longlong(case.n))
        return Call(saxpy, arguments, loop=lambda count, _: self.loop.host_loop_calls(saxpy, *arguments, count))

    def result(self, inputs: HostArrays) -> Any:
        return inputs.result()


class CThroughCtypes(CLoop):
    """The same function, called from Python with everything ready."""

    name = "C, through ctypes"

    def prepare(self, case: Case, inputs: HostArrays) -> Call:
        return replace(super().prepare(case, inputs), loop=None)
