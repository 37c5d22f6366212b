"""TileLang through each of its adapters for NVIDIA's devices, and through the one for the processor."""

from __future__ import annotations

from typing import Any

import torch_arrays
from kernels import Case
from peer import Call, DevicePeer, HostPeer, missing_packages
from torch_arrays import TorchArrays


class TileLang(DevicePeer):
    def __init__(self, adapter: str, target: str = "cuda", needs: tuple[str, ...] = ()) -> None:
        self.name = f"TileLang, {adapter}"
        self.adapter, self.target = adapter, target
        self.packages = ("torch", "tilelang", *needs)

    def bring_up(self) -> str:
        torch_version = torch_arrays.bring_up()
        import tilelang

        return f"{tilelang.__version__}, torch {torch_version}"

    def inputs(self, case: Case) -> TorchArrays:
        return TorchArrays(case)

    def prepare(self, case: Case, inputs: TorchArrays) -> Call:
        import tilelang
        from tilelang_kernel import saxpy

        kernel = tilelang.compile(saxpy(case.n), target=self.target, execution_backend=self.adapter)
        return Call(kernel, (inputs.x, inputs.y, inputs.z, case.a))

    def result(self, inputs: TorchArrays) -> Any:
        return inputs.result()


class TileLangOnHost(HostPeer):
    name = "TileLang, cython on target c"

    def missing(self) -> str:
        return missing_packages("numpy", "torch", "tilelang")

    def open(self) -> str:
        import tilelang
        import torch

        return f"{tilelang.__version__}, torch {torch.__version__}"

    def inputs(self, case: Case) -> TorchArrays:
        return TorchArrays(case, "cpu")

    def prepare(self, case: Case, inputs: TorchArrays) -> Call:
        import tilelang
        from tilelang_kernel import saxpy_on_host

        kernel = tilelang.compile(saxpy_on_host(case.n), target="c", execution_backend="cython")
        return Call(kernel, (inputs.x, inputs.y, inputs.z, case.a))

    def result(self, inputs: TorchArrays) -> Any:
        return inputs.result()


ADAPTERS = (
    TileLang("tvm_ffi"),
    TileLang("nvrtc", needs=("cuda.bindings",)),
    TileLang("cython"),
    TileLang("cutedsl", target="cutedsl", needs=("cutlass",)),
)
