"""Kernels of a source and a line: `kmux.kernel`."""

from __future__ import annotations

import logging
import os
import textwrap
from collections.abc import Sequence
from typing import Any, Union

from typing_extensions import Unpack

from ._compile import compile
from ._kernel import Kernel
from ._library import functions
from ._options import CompileOptions
from ._program import Program, load_program

Extents = Union[int, str, Sequence[Union[int, str]], None]

_TARGETS = {1: "cpu", 2: "cuda", 8: "metal", 10: "hip", 13: "cuda"}  # by DLPack's device types
_log = logging.getLogger("kmux")


class SourceKernel:
    """A kernel that is compiled for the device of the arrays of a call, when it is first called with such.

    It is called as a `Kernel` is. Arrays of the same device launch the same kernel.
    Threads: any.
    """

    def __init__(self, program: Program, options: CompileOptions) -> None:
        self.program = program
        self._options = options
        self._kernels: dict[Any, Kernel] = {}
        self._last: Kernel | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Launches, as `Kernel` does, after compiling as `compile` does where there is no kernel yet."""
        if (last := self._last) is not None:
            try:
                return last(*arguments)
            except ValueError:  # perhaps the arrays are on another device; nothing was launched
                if self.compile(*arguments) is last:
                    raise
        self._last = kernel = self.compile(*arguments)
        return kernel(*arguments)

    def compile(self, *arguments: Any) -> Kernel:
        """The kernel that a call with these arguments launches; without any, that of the first backend that can."""
        place = _device_of(arguments)
        if place not in self._kernels:
            options: CompileOptions = {**self._options}
            if place is not None:
                options.setdefault("target", _TARGETS.get(place[0], "auto"))
                options.setdefault("device", place[1])
            self._kernels[place] = compile(self.program, **options)
        return self._kernels[place]

    def __repr__(self) -> str:
        return f"<kmux.SourceKernel {self.program.name!r}>"

    def __reduce__(self) -> Any:
        return SourceKernel, (self.program, self._options)


def kernel(
    source: str | os.PathLike[str],
    signature: str = "",
    *,
    grid: Extents = None,
    block: Extents = None,
    dynamic_smem_bytes: int | str = "",
    args: str = "",
    name: str = "",
    dialect: str = "",
    **options: Unpack[CompileOptions],
) -> SourceKernel:
    """A kernel of its source, ready to be called: `kmux.kernel(SOURCE, "scale(x: f32[n], out y: f32[n])", grid=..., block=...)`.

    Args:
        source: the text of a kernel, or the path of a file.
        signature: what a caller passes, as docs/text-form.md writes it, or all of a program in its text form; empty for a
            source that carries its program in a comment.
        grid, block: extents, or expressions of the signature's names ("ceildiv(n, 256)"); one, or up to three. None for a
            function of the host (dialect c).
        args: what the function takes ("a, x, y, n: i64"). Empty: every parameter, then every symbol as i32.
        name: of the function, where it is not the signature's; with template arguments.
        dialect: "c", "cuda", "hip", "msl" or "cutedsl"; empty for what the file's name says, or the text looks like.
        options: see `CompileOptions`.

    Raises:
        ValueError: as a compiler prints it: line, column, the line with a caret.
    """
    text, path = _read(source)
    if not signature and path is not None:
        return SourceKernel(load_program(path), options)
    how = {"dynamic_smem_bytes": str(dynamic_smem_bytes), "args": args, "name": name, "dialect": dialect}
    how |= {"grid": _extents(grid), "block": _extents(block)}
    program = functions.kernel_program(text, textwrap.dedent(signature).strip("\n"), how)
    _log.info("kernel %r is a source of %s", program.name, ", ".join(program.files))
    return SourceKernel(program, options)


def _read(source: str | os.PathLike[str]) -> tuple[str, str | None]:
    """The text, and the path that it was read from."""
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return source, None
    path = os.fspath(source)
    with open(path, encoding="utf-8") as file:
        return file.read(), path


def _extents(given: Extents) -> str:
    if given is None:
        return ""
    if isinstance(given, (str, int)):
        return str(given)
    return f"[{', '.join(map(str, given))}]"


def _device_of(arguments: Sequence[Any]) -> tuple[int, int] | None:
    """DLPack's type and number of the device that the first array is on."""
    for argument in arguments:
        if (where := getattr(argument, "__dlpack_device__", None)) is not None:
            kind, index = where()
            return int(kind), int(index)
    return None
