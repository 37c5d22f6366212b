"""NVIDIA's package cuda.core."""

from __future__ import annotations

from typing import Any

import kernels
from cuda_driver import DriverArrays
from kernels import Case
from peer import Call, DevicePeer


class CudaCore(DevicePeer):
    name = "cuda.core"
    packages = ("cuda.core",)

    def bring_up(self) -> str:
        import cuda.core

        core: Any = cuda.core
        if not hasattr(core, "launch"):  # before 0.5
            import cuda.core.experimental as core  # type: ignore[no-redef]
        self.core = core
        self.device = core.Device(0)
        self.device.set_current()
        return str(cuda.core.__version__)

    def inputs(self, case: Case) -> DriverArrays:
        return DriverArrays(self.driver, case)

    def prepare(self, case: Case, inputs: DriverArrays) -> Call:
        import numpy

        core = self.core
        options = core.ProgramOptions(arch=f"sm_{self.driver.capability()}")
        kernel = core.Program(kernels.CUDA, "c++", options).compile("cubin").get_kernel(kernels.NAME)
        config = core.LaunchConfig(grid=case.grid, block=kernels.BLOCK)
        arguments = (inputs.x, inputs.y, inputs.z, numpy.float32(case.a), numpy.int64(case.n))
        return Call(core.launch, (self.device.default_stream, config, kernel, *arguments))

    def result(self, inputs: DriverArrays) -> Any:
        return inputs.result()
