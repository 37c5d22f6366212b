"""CuPy's RawKernel."""

from __future__ import annotations

from typing import Any

import kernels
from kernels import Case
from peer import Call, DevicePeer


class CuPy(DevicePeer):
    name = "CuPy RawKernel"
    packages = ("cupy",)

    def bring_up(self) -> str:
        import cupy

        self.cupy = cupy
        cupy.zeros(1)
        cupy.cuda.runtime.deviceSynchronize()
        return str(cupy.__version__)

    def inputs(self, case: Case) -> tuple[Any, ...]:
        return tuple(map(self.cupy.asarray, (case.x(), case.y(), case.unwritten())))

    def prepare(self, case: Case, inputs: tuple[Any, ...]) -> Call:
        import numpy

        kernel = self.cupy.RawKernel(kernels.CUDA, kernels.NAME)
        arguments = (*inputs, numpy.float32(case.a), numpy.int64(case.n))
        return Call(kernel, ((case.grid,), (kernels.BLOCK,), arguments))

    def result(self, inputs: tuple[Any, ...]) -> Any:
        return self.cupy.asnumpy(inputs[2])
