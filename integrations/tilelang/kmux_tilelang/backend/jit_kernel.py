"""TileLang's JITKernel, with an adapter of kmux in it."""

from collections.abc import Callable
from typing import Any

import kmux
from tilelang.backend.execution_backend import ExecutionBackendSpec
from tilelang.jit.kernel import JITKernel

from ..error import ExportError, MiscomputedError
from ..host_fill import with_fills_by_name
from ..lower import TESTED, version
from .adapter import KmuxAdapter
from .compilation import program_of
from .kept import Lowering, program_in, text_of
from .registry import attributes_set, retargeted
from .request import CompileRequest, request_of
from .target import exporter_target, lowered_for

PREFIX = "kmux"
_LOWERING = ExecutionBackendSpec("kmux")  # neither host code nor device code is compiled by TileLang


class Refused(Exception):
    """A kernel that kmux does not take; the message says why."""


def is_ours(backend: str) -> bool:
    """Is this a name of kmux's: "kmux", or "kmux:" and one of its backends?"""
    return backend.partition(":")[0] == PREFIX


def with_adapter(kernel: JITKernel, request: CompileRequest, program: kmux.Program, artifact: Any) -> JITKernel:
    """`kernel`, which runs `program` from now on.

    Errors: Refused if no backend of kmux can; those of `kmux.compile`.
    """
    if is_for_another_device(request.target):
        raise Refused(f"it is for another device than torch's current one ({request.target.attrs['arch']})")
    if name := packed_buffer(request.function):
        raise Refused(f"torch packs several elements of buffer '{name}' into a byte, and a program counts them one by one")
    adapter = KmuxAdapter(request, program, artifact)
    try:
        adapter.compile()
    except kmux.UnsupportedError as error:
        raise Refused(str(error)) from error
    except kmux.UnavailableError as error:
        if has_device(request.target):
            raise Refused(str(error)) from error
    kernel.artifact, kernel.adapter, kernel.torch_function = artifact, adapter, adapter.func
    # Of this kernel alone, so that they are kmux's after `uninstall`, too: TileLang's look at the execution backend.
    kernel.get_host_source, kernel.export_library = adapter.get_host_source, adapter.export_library
    return kernel


def packed_buffer(function: Any) -> str:
    """The name of a buffer whose elements are less than a byte each, or nothing."""
    buffers = function.buffer_map.values()
    return next((buffer.name for buffer in buffers if 1 < buffer.dtype.bits * buffer.dtype.lanes < 8), "")


def request_for(kernel: JITKernel, function: Any, out_idx: Any) -> CompileRequest:
    """The request of `kernel` to kmux.

    Errors: as `request_of`.
    """
    ours, _, named = kernel.execution_backend.partition(":")
    backend = named if ours == PREFIX and named else "auto"
    flags, verbose = kernel.compile_flags, kernel.verbose
    return request_of(function, out_idx, kernel.target, backend, kernel.pass_configs, flags, verbose)


def has_device(target: Any) -> bool:
    """Can kernels for `target` run on this machine, as far as torch knows?"""
    import torch

    kind = str(target.kind.name)
    if kind in ("cuda", "hip"):
        return bool(torch.cuda.is_available())
    return kind != "metal" or bool(torch.backends.mps.is_available())


def is_for_another_device(target: Any) -> bool:
    """Is there a GPU of NVIDIA's here, which cannot run kernels for `target`?

    Of such kernels TileLang's users want what TileLang's own compiler makes or says.
    """
    import torch

    if str(target.kind.name) != "cuda" or not torch.cuda.is_available():
        return False
    arch = exporter_target(target).arch.removeprefix("sm_")
    wanted, here = divmod(int(arch.rstrip("af")), 10), torch.cuda.get_device_capability()
    return wanted != here if arch.endswith("a") else wanted[0] != here[0] or wanted[1] > here[1]


def not_for_this_release(why: str) -> ImportError:
    """The error for a TileLang whose internals have other names."""
    return ImportError(
        f"kmux cannot be put into TileLang {version()} ({why}). "
        f"Install a release that it was tested with: pip install tilelang=={TESTED[-1]}."
    )


class Extension:
    """Two methods of JITKernel that make kernels with kmux; the rest of it is TileLang's.

    `takes` says of an execution backend whether kmux compiles what asks for it.
    """

    def __init__(self, takes: Callable[[str], bool], fall_back: Callable[[JITKernel, Any, Any, str], Any]) -> None:
        self._takes, self._fall_back = takes, fall_back
        self._originals: dict[str, Any] = {}

    def apply(self) -> None:
        """Sets the methods, all or none.

        Errors: ImportError if a method has another name in this release of TileLang.
        """
        methods = self._methods()
        if missing := [name for name in methods if not hasattr(JITKernel, name)]:
            raise not_for_this_release(f"its JITKernel has no {', '.join(missing)}")
        for name, method in methods.items():
            self._originals[name] = getattr(JITKernel, name)
            setattr(JITKernel, name, method)

    def undo(self) -> None:
        """Sets TileLang's own again."""
        for name, original in self._originals.items():
            setattr(JITKernel, name, original)

    def _methods(self) -> dict[str, Callable[..., Any]]:
        compiled, loaded = self._compiled, self._loaded

        def compile_and_create_adapter(self: JITKernel, function: Any, out_idx: Any) -> Any:
            return compiled(self, function, out_idx)

        def create_adapter_from_database(self: JITKernel, **parts: Any) -> Any:
            return loaded(self, parts)

        return {f"_{method.__name__}": method for method in (compile_and_create_adapter, create_adapter_from_database)}

    def _loaded(self, kernel: JITKernel, parts: dict[str, Any]) -> Any:
        """The adapter of a kernel that was saved, see `KmuxAdapter.libpath`."""
        function = parts["func_or_mod"]
        if not self._takes(kernel.execution_backend):
            return self._originals["_create_adapter_from_database"](kernel, **parts)
        program = program_in(parts["kernel_lib_path"])
        request = request_for(kernel, function, parts["result_idx"])
        return with_adapter(kernel, request, program, Lowering(kernel, function, program)).adapter

    def _compiled(self, kernel: JITKernel, function: Any, out_idx: Any) -> Any:
        original = self._originals["_compile_and_create_adapter"]
        if not self._takes(kernel.execution_backend):
            return original(kernel, function, out_idx)
        request = request_for(kernel, function, out_idx)
        try:
            artifact = self._lowered(kernel, function)
            program = _program_of(request, artifact)
            artifact.kernel_source = text_of(program)
            with_adapter(kernel, request, program, artifact)
            return kernel.adapter
        except Refused as refusal:
            return self._fall_back(kernel, function, out_idx, str(refusal))

    def _lowered(self, kernel: JITKernel, function: Any) -> Any:
        """What TileLang lowers `function` to: it refuses the name of an adapter that it does not know once it has done so."""
        original = self._originals["_compile_and_create_adapter"]
        try:
            on_device = exporter_target(kernel.target).on_device
            prepared = with_fills_by_name(function, _tvm()) if on_device else function
        except ExportError as error:
            raise Refused(str(error)) from error
        kernel.artifact = None
        asked = {"execution_backend": PREFIX, "execution_backend_spec": _LOWERING}
        with attributes_set(kernel, {**asked, **retargeted(kernel, lowered_for(kernel.target))}):
            try:
                original(kernel, prepared, None)
            except ValueError:
                if kernel.artifact is None:
                    raise
        return kernel.artifact


def _program_of(request: CompileRequest, artifact: Any) -> kmux.Program:
    """Errors: Refused; kmux.UnsupportedError for a text of TileLang's that computes something else, which its own adapter
    would run."""
    try:
        return program_of(request, artifact)
    except MiscomputedError as error:
        message = f"kernel '{request.name}' would compute other values than it says: {error}"
        raise kmux.UnsupportedError(f"{message} TileLang runs it as it is where its own backend is named.") from error
    except (ExportError, kmux.UnsupportedError, ValueError) as error:
        raise Refused(str(error)) from error


def _tvm() -> Any:
    from tilelang import tvm

    return tvm
