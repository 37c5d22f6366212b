"""TileLang through each of its adapters for NVIDIA's devices."""

from __future__ import annotations

from typing import Any

import torch_arrays
from kernels import Case
from peer import Call, DevicePeer
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


ADAPTERS = (
    TileLang("tvm_ffi"),
    TileLang("nvrtc", needs=("cuda.bindings",)),
    TileLang("cython"),
    TileLang("cutedsl", target="cutedsl", needs=("cutlass",)),
)
