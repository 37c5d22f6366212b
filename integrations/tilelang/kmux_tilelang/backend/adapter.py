"""The adapter that TileLang's JITKernel calls, and whose properties it reads."""

import functools
import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import kmux
from tilelang.engine.param import KernelParam
from tilelang.jit.adapter.base import BaseKernelAdapter
from tvm import IRModule

from .addresses import by_address, pointers_of, taking_addresses
from .call import callable_of
from .compilation import kernel_of, library_of
from .kept import program_file
from .own import Executable, own_kernel
from .report import count_compiled
from .request import CompileRequest


class KmuxAdapter(BaseKernelAdapter):
    """A program of kmux as an adapter of TileLang.

    The kernel is compiled by `compile`, or by the first call where the machine has no device for it.
    Threads: any.
    """

    rt_mod = executable = None  # there is no module of TVM's
    dynamic_symbolic_map: dict[Any, Any] | None = None
    target_host = None  # TileLang's choice
    _ffi_callee_allocated_output_abi = False

    def __init__(self, request: CompileRequest, program: kmux.Program, artifact: Any) -> None:
        self.request, self.program, self.artifact = request, program, artifact
        self.prim_func, self.target = request.function, request.target
        self.ir_module = IRModule({request.name: request.function})
        self.pass_configs, self.compile_flags = dict(request.pass_configs), list(request.compile_flags)
        self.verbose = request.verbose
        self.params = params_of(request.function)
        self.result_idx = list(request.out_idx)
        self._kernel: kmux.Kernel | None = None
        self._lock = threading.Lock()
        self.func = self._compile_and_call

    @property
    def kernel(self) -> kmux.Kernel:
        """The kernel, compiled if it was not yet.

        Errors: those of `kmux.compile`.
        """
        return self._kernel or self.compile()

    def compile(self) -> kmux.Kernel:
        """Compiles the kernel, once.

        Errors: those of `kmux.compile`.
        """
        with self._lock:
            if self._kernel is None:
                kernel = kernel_of(self.program, self.request)
                count_compiled(kernel.backend)
                self.func = self._callable_of(kernel)
                self._kernel = kernel
            return self._kernel

    def _callable_of(self, kernel: kmux.Kernel) -> Callable[..., Any]:
        call = callable_of(kernel, self.params, self.result_idx)
        pointers = pointers_of(self.prim_func, self.request.out_idx)
        return taking_addresses(call, pointers, lambda: self._taking(pointers, call)) if pointers else call

    def _taking(self, pointers: Mapping[int, str], call: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel for addresses at `pointers`; `call` where there can be none, which then says what it wants."""
        try:
            program = by_address(self.program, set(pointers.values()))
        except ValueError:
            return call
        return callable_of(kernel_of(program, self.request), self.params, self.result_idx, on_torch_stream=True)

    def _compile_and_call(self, *arguments: Any) -> Any:
        self.compile()
        return self.func(*arguments)

    def _convert_torch_func(self) -> Callable[..., Any]:
        return self.func

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.func(*arguments, **keywords)

    @property
    def host_mod(self) -> Any:
        """The host's part as TileLang lowered it."""
        return self.artifact.host_mod

    @property
    def device_mod(self) -> Any:
        """The device's part as TileLang lowered it."""
        return self.artifact.device_mod

    def get_kernel_source(self, kernel_only: bool = True) -> str:
        """The text of the device, and that of the launcher if it is asked for."""
        device = self.get_device_source()
        return device if kernel_only else f"{device}\n\n{self.get_host_source()}"

    def get_device_source(self) -> str:
        """What the device runs: the text that TileLang generated."""
        return str(self.artifact.kernel_source)

    def get_host_source(self) -> str:
        """The launcher that kmux made for it."""
        return self.kernel.launcher

    device_kernel_source = property(get_device_source)
    kernel_global_source = property(get_device_source)
    host_kernel_source = property(get_host_source)

    @functools.cached_property
    def libpath(self) -> str:
        """A file that `JITKernel.from_database` makes this kernel of, as the autotuner does; there as long as this is."""
        path = program_file(self.program)
        weakref.finalize(self, Path(path).unlink, missing_ok=True)
        return path

    def get_exportable_executable(self) -> Executable:
        """What writes a library."""
        return Executable(self.export_library, lambda: own_kernel(self, self.prim_func, self.result_idx, "tvm_ffi"))

    def export_library(self, path: str) -> None:
        """Writes a library that `tvm_ffi.load_module` loads, with no need of kmux.

        Errors: those of `kmux.export_library`.
        """
        library_of(self.program, self.request, path)


def params_of(function: Any) -> list[KernelParam]:
    """The parameters of a prim_func, as TileLang describes them."""
    buffers = function.buffer_map
    return [KernelParam.from_buffer(buffers[p]) if p in buffers else KernelParam.from_var(p) for p in function.params]
