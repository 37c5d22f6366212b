"""PoCL, OpenCL on the processor, through pyopencl."""

from __future__ import annotations

from typing import Any

import kernels
from kernels import Case
from peer import Call, HostPeer, missing_packages

PLATFORM = "Portable Computing Language"


class PoCL(HostPeer):
    """Uses every core; its calls do not wait."""

    name = "PoCL"

    def missing(self) -> str:
        if reason := missing_packages("numpy", "pyopencl"):
            return reason
        import pyopencl

        try:
            self.platform()
        except (LookupError, pyopencl.Error) as error:
            return f"no OpenCL platform of PoCL ({error})"
        return ""

    def platform(self) -> Any:
        import pyopencl

        platforms = pyopencl.get_platforms()
        for platform in platforms:
            if platform.name == PLATFORM:
                return platform
        raise LookupError(", ".join(platform.name for platform in platforms))

    def open(self) -> str:
        import pyopencl

        platform = self.platform()
        self.cl = pyopencl
        self.context = pyopencl.Context(platform.get_devices()[:1])
        self.queue = pyopencl.CommandQueue(self.context)
        return f"{platform.version.split(',')[0].removeprefix('OpenCL 3.0 ')}, pyopencl {pyopencl.VERSION_TEXT}"

    def inputs(self, case: Case) -> tuple[Any, ...]:
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        arrays = (case.x(), case.y(), case.unwritten())
        return (*(self.cl.Buffer(self.context, flags, hostbuf=array) for array in arrays), case)

    def prepare(self, case: Case, inputs: tuple[Any, ...]) -> Call:
        import numpy

        kernel = self.cl.Kernel(self.cl.Program(self.context, kernels.OPENCL).build(), kernels.NAME)
        scalars = (numpy.float32(case.a), numpy.int64(case.n))
        return Call(kernel, (self.queue, (case.n,), None, *inputs[:3], *scalars))

    def result(self, inputs: tuple[Any, ...]) -> Any:
        z = inputs[3].unwritten()
        self.cl.enqueue_copy(self.queue, z, inputs[2])
        return z

    def wait(self) -> None:
        self.queue.finish()
