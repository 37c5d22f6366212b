"""kmux through its Python package: each backend on its own."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any

import kernels
import torch_arrays
from host_arrays import HostArrays
from kernels import Case
from peer import Call, DevicePeer, HostPeer, missing_packages
from torch_arrays import TorchArrays

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VARIABLE = "KMUX_TVM_FFI_LIBRARY"
BUILDS = ("build/release", "build/device")


def packages() -> pathlib.Path:
    """Where the packages of this tree are (./kmux.sh), for a Python like this one."""
    return ROOT / ".venv" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def find() -> None:
    """The package of this tree and the library of a build, unless others are named or installed."""
    if missing_packages("tvm_ffi"):
        sys.path.append(str(packages()))
    if missing_packages("kmux"):
        sys.path.append(str(ROOT / "integrations" / "tvm_ffi" / "python"))
        for build in BUILDS:
            library = ROOT / build / "lib" / "libkmux_tvm_ffi.so"
            if library.is_file():
                os.environ.setdefault(VARIABLE, str(library))


def missing(backend: str) -> str:
    """Why kmux cannot use this backend here; empty if it can, as far as can be told without a program."""
    find()
    if reason := missing_packages("tvm_ffi"):
        return reason
    try:
        import kmux
    except ImportError as error:
        return str(error)
    found = {plugin.name: plugin.problem for plugin in kmux.plugins()}
    return found.get(backend, f"this build has no plugin '{backend}'")


def compiled(backend: str, dialect: str, path: str, source: str, geometry: dict[str, Any]) -> Any:
    import kmux

    arguments = [*({"tensor": name} for name in "xyz"), {"scalar": "a"}, {"expr": "n", "dtype": "int64"}]
    launch = {"kernel": kernels.NAME, "args": arguments, **geometry}
    document = {
        "name": kernels.NAME,
        "signature": {
            "params": [
                *({"name": name, "buffer": {"dtype": "float32", "shape": ["n"]}} for name in "xyz"),
                {"name": "a", "scalar": {"dtype": "float32"}},
            ],
            "outputs": ["z"],
            "symbols": [{"name": "n"}],
        },
        "variants": [{"dialect": dialect, "sources": [{"path": path}], "body": {"steps": [{"launch": launch}]}}],
    }
    return kmux.compile(kmux.program(document, {path: source}), execution_backend=backend)


def call_of(kernel: Any, case: Case, inputs: Any) -> Call:
    return Call(kernel, (inputs.x, inputs.y, inputs.z, case.a), finish=kernel.await_best)


class KmuxOnDevice(DevicePeer):
    packages = ("torch",)

    def __init__(self, backend: str) -> None:
        self.name, self.backend = f"kmux, {backend}", backend

    def missing(self) -> str:
        return super().missing() or missing(self.backend)

    def bring_up(self) -> str:
        torch_version = torch_arrays.bring_up()
        find()
        import kmux

        return f"{kmux.__version__}, torch {torch_version}"

    def inputs(self, case: Case) -> TorchArrays:
        return TorchArrays(case)

    def prepare(self, case: Case, inputs: TorchArrays) -> Call:
        geometry = {"grid": [["ceildiv", "n", kernels.BLOCK]], "block": [kernels.BLOCK]}
        return call_of(compiled(self.backend, "cuda", "saxpy.cu", kernels.CUDA, geometry), case, inputs)

    def result(self, inputs: TorchArrays) -> Any:
        return inputs.result()


class KmuxOnHost(HostPeer):
    name = "kmux, cpu"

    def missing(self) -> str:
        return missing_packages("numpy") or missing("cpu")

    def open(self) -> str:
        find()
        import kmux

        return kmux.__version__

    def inputs(self, case: Case) -> HostArrays:
        return HostArrays(case)

    def prepare(self, case: Case, inputs: HostArrays) -> Call:
        return call_of(compiled("cpu", "c", "saxpy.c", kernels.C, {}), case, inputs)

    def result(self, inputs: HostArrays) -> Any:
        return inputs.result()
