"""From what TileLang lowered to a kernel of kmux, in memory."""

import json
from pathlib import Path
from typing import Any

import kmux

from ..description import Description
from ..error import UnsupportedError
from ..export import assembled
from ..kernel import Kernel
from ..lower import Lowered, header_roots
from ..names import fresh
from ..variant import variant_of
from .kept import is_on
from .limit import compiling, time_limit
from .request import CompileRequest
from .target import exporter_target, kmux_target


def program_of(request: CompileRequest, artifact: Any) -> kmux.Program:
    """The program that `artifact`, TileLang's lowering of the request, is.

    Errors: ExportError for what a program cannot say; ValueError for one that would be invalid.
    """
    target = exporter_target(request.target)
    name = fresh(request.name, ())
    out_idx = list(request.out_idx)
    kernel = Kernel(
        name, request.function, Description(), {}, out_idx, request.pass_configs, list(request.compile_flags)
    )
    lowered = Lowered.of(artifact, request.pass_configs)
    variant = variant_of(kernel, lowered, target, f"{name}{target.suffix}")
    document, files = assembled(name, [kernel], [variant], [target], out_idx)
    _refuse_empty_grids(document["variants"][0]["body"])
    return kmux.program(document, {path: content.decode() for path, content in files.items()})


def _refuse_empty_grids(body: dict[str, Any]) -> None:
    """A launch of no blocks is an error in TileLang; kmux skips it.

    Errors: UnsupportedError for one that never has blocks: when it fails, and how, is TileLang's.
    """
    seen: set[str] = set()
    for launch in (step["launch"] for step in body.get("steps", []) if "launch" in step):
        for extent in launch.get("grid", []):
            if isinstance(extent, int) and extent <= 0:
                raise UnsupportedError(f"The grid of '{launch['kernel']}' has no blocks. Give it some.")
            if isinstance(extent, int) or (text := json.dumps(extent)) in seen:
                continue
            seen.add(text)
            message = f"the grid of {launch['kernel']} has no blocks"
            body.setdefault("asserts", []).append({"condition": [">", extent, 0], "message": message})


def kernel_of(program: kmux.Program, request: CompileRequest) -> kmux.Kernel:
    """`program`, compiled for the request's target and torch's current device.

    Errors: those of `kmux.compile`; UnsupportedError, too, if kmux is here without a plugin for such targets; CompileError
    for one that takes longer than `time_limit` allows.
    """
    options = options_of(program, request)
    try:
        return _compiled(program, options, str(request.target.kind.name))
    except ValueError as error:
        if _has_plugin(options["target"]):
            raise
        raise kmux.UnsupportedError(str(error)) from error


def _compiled(program: kmux.Program, options: kmux.CompileOptions, kind: str) -> kmux.Kernel:
    """One alone is compiled by this thread of this process, which is quickest; one of several, or with a limit, through kmux's
    pool: with the cores and the memory that all have, and where nothing but the end of a process stops a compiler, in one."""
    several = compiling.has_several
    limit = time_limit(several)
    if limit is None and not several:
        return kmux.compile(program, **options)
    if kind in _ONE_AT_A_TIME or not several:
        options["isolation"] = "process"
    return kmux.par_compile([program], timeout=limit or 0, **options)[0]


def _has_plugin(target: str) -> bool:
    kind = target.partition(":")[0]
    return any(kind in plugin.targets for plugin in kmux.plugins())


_ONE_AT_A_TIME = ("cuda", "hip")  # kinds of target whose compilers in a process wait for each other


def library_of(program: kmux.Program, request: CompileRequest, path: str) -> None:
    """Writes `program` as a library that `tvm_ffi.load_module` loads, without kmux.

    Errors: those of `kmux.export_library`.
    """
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    kmux.export_library(program, path, **options_of(program, request))


def options_of(program: kmux.Program, request: CompileRequest) -> kmux.CompileOptions:
    """What the request means to `kmux.compile`."""
    options: kmux.CompileOptions = {
        "target": kmux_target(request.target),
        "execution_backend": request.backend,
        "include_dirs": [str(root) for root in header_roots()],
        "verbose": request.verbose,
        "use_cache": is_on(),
    }
    device = _current_device(str(request.target.kind.name))
    if device is not None:
        options["device"] = device
    if request.backend == "auto" and _counts_registers(program) and _has_backend(program, "cuda", options["target"]):
        options["execution_backend"] = "cuda"
    return options


def _counts_registers(program: kmux.Program) -> bool:
    """Does a kernel share out registers among three groups of warps or more, which only its author can do?

    NVRTC addresses shared memory by 64 bits where nvcc takes 32, and can need more registers than were counted: an example of
    TileLang's spills with it, and does not end, through TileLang's own backend nvrtc either.
    """
    return any(text.count("tl::warpgroup_reg_") > 2 for text in program.files.values())


def _has_backend(program: kmux.Program, name: str, target: str) -> bool:
    try:
        return kmux.resolve(program, execution_backend=name, target=target).backend == name
    except (ValueError, kmux.UnavailableError, kmux.UnsupportedError):
        return False


def _current_device(kind: str) -> int | None:
    """The ordinal of torch's current device, if kernels of this kind of target run on such."""
    import torch

    if kind not in ("cuda", "hip") or not torch.cuda.is_available():
        return None
    return int(torch.cuda.current_device())
