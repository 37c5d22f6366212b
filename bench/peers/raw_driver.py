"""The driver without a system around it: from a loop in C, the least that a call can cost, and from Python."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from typing import Any

import built_library
import kernels
import runtime_compiler
from cuda_driver import DriverArrays
from kernels import Case
from peer import Call, DevicePeer


class DriverPeer(DevicePeer):
    """NVRTC's cubin in memory of the driver."""

    def inputs(self, case: Case) -> DriverArrays:
        return DriverArrays(self.driver, case)

    def result(self, inputs: DriverArrays) -> Any:
        return inputs.result()


class DriverInC(DriverPeer):
    """cuLaunchKernel, called in a loop of C with everything ready."""

    name = "driver, from C"

    def missing(self) -> str:
        return super().missing() or runtime_compiler.missing() or built_library.missing()

    def bring_up(self) -> str:
        self.compiler = runtime_compiler.RuntimeCompiler()
        self.loop = built_library.built(built_library.FOLDER / "driver_loop.c")
        self.loop.driver_loop_prepare.restype = ctypes.c_void_p
        self.loop.driver_loop_calls.restype = ctypes.c_double
        return f"CUDA {self.driver.version()}, NVRTC {self.compiler.version()}"

    def prepare(self, case: Case, inputs: DriverArrays) -> Call:
        code = self.compiler.compiled(kernels.CUDA, self.driver.capability())
        function = self.driver.function(code, kernels.NAME)
        addresses = [ctypes.c_uint64(address) for address in (inputs.x, inputs.y, inputs.z)]
        launch = self.loop.driver_loop_prepare(
            function, case.grid, kernels.BLOCK, *addresses, ctypes.c_float(case.a), ctypes.c_longlong(case.n)
        )
        if not launch:
            raise RuntimeError("the driver has no cuLaunchKernel")
        handle = ctypes.c_void_p(launch)
        return Call(self.launched, (handle,), loop=lambda count, waits: self.in_loop(handle, count, waits))

    def launched(self, handle: ctypes.c_void_p) -> None:
        if code := self.loop.driver_loop_call(handle):
            raise RuntimeError(f"cuLaunchKernel answers {code}")

    def in_loop(self, handle: ctypes.c_void_p, count: int, waits: bool) -> float:
        elapsed: float = self.loop.driver_loop_calls(handle, count, int(waits))
        if elapsed < 0:
            raise RuntimeError("a call of the loop in C failed")
        return elapsed


class DriverThroughCtypes(DriverInC):
    """The same launch, called from Python with everything ready."""

    name = "driver, through ctypes"

    def prepare(self, case: Case, inputs: DriverArrays) -> Call:
        return replace(super().prepare(case, inputs), function=self.loop.driver_loop_call, loop=None)


class CudaBindings(DriverPeer):
    """cuLaunchKernel of NVIDIA's package cuda.bindings, which packs the arguments at each call."""

    name = "cuda.bindings"
    packages = ("cuda.bindings",)

    def bring_up(self) -> str:
        from cuda.bindings import __version__, driver, nvrtc

        self.bindings, self.nvrtc = driver, nvrtc
        return str(__version__)

    def prepare(self, case: Case, inputs: DriverArrays) -> Call:
        module = taken(self.bindings.cuModuleLoadData(self.compiled(kernels.CUDA)))
        function = taken(self.bindings.cuModuleGetFunction(module, kernels.NAME.encode()))
        values = (inputs.x, inputs.y, inputs.z, case.a, case.n)
        types = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_float, ctypes.c_longlong)
        geometry = (case.grid, 1, 1, kernels.BLOCK, 1, 1, 0)
        return Call(self.bindings.cuLaunchKernel, (function, *geometry, 0, (values, types), 0))

    def compiled(self, source: str) -> bytes:
        nvrtc = self.nvrtc
        options = [f"--gpu-architecture=sm_{self.driver.capability()}".encode()]
        program = taken(nvrtc.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, [], []))
        taken(nvrtc.nvrtcCompileProgram(program, len(options), options))
        code = bytes(taken(nvrtc.nvrtcGetCUBINSize(program)))
        taken(nvrtc.nvrtcGetCUBIN(program, code))
        return code


def taken(answer: tuple[Any, ...]) -> Any:
    """What a function of cuda.bindings gives beside its error."""
    error, *values = answer
    if int(error) != 0:
        raise RuntimeError(f"cuda.bindings answers {error!r}")
    return values[0] if values else None
