"""Triton, called the usual way and as a compiled kernel that was kept."""

from __future__ import annotations

import functools
from typing import Any

import torch_arrays
from kernels import Case
from peer import Call, DevicePeer
from torch_arrays import TorchArrays

BLOCK = 1024


class TritonPeer(DevicePeer):
    packages = ("torch", "triton")

    def bring_up(self) -> str:
        torch_version = torch_arrays.bring_up()
        import triton

        return f"{triton.__version__}, torch {torch_version}"

    def inputs(self, case: Case) -> TorchArrays:
        return TorchArrays(case)

    def result(self, inputs: TorchArrays) -> Any:
        return inputs.result()


class Triton(TritonPeer):
    """kernel[grid](...), which looks up what was compiled for such arguments."""

    name = "Triton"

    def prepare(self, case: Case, inputs: TorchArrays) -> Call:
        from triton_kernel import saxpy

        launch = functools.partial(saxpy[grid_of(case)], BLOCK=BLOCK)
        return Call(launch, (inputs.x, inputs.y, inputs.z, case.a, case.n))


class TritonCompiled(TritonPeer):
    """The compiled kernel that such a call returns, called without the look-up."""

    name = "Triton, compiled kernel"

    def prepare(self, case: Case, inputs: TorchArrays) -> Call:
        from triton_kernel import saxpy

        arguments = (inputs.x, inputs.y, inputs.z, case.a, case.n)
        compiled = saxpy[grid_of(case)](*arguments, BLOCK=BLOCK)
        return Call(compiled[grid_of(case)], (*arguments, BLOCK))


def grid_of(case: Case) -> tuple[int, int, int]:
    return (-(-case.n // BLOCK), 1, 1)
