"""Kernels of a source and a line: `kmux.kernel`."""

from __future__ import annotations

import json
import logging
import os
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex, Union

import tvm_ffi
from typing_extensions import Unpack

from . import _interfaces
from ._arrays import like
from ._call_signature import CallSignature
from ._compile import compile
from ._defines import defines_of
from ._errors import add_note
from ._function import DirectFunction, call_plainly, in_order, launch
from ._kernel import Kernel
from ._library import functions
from ._log import prepare
from ._numbers import index_of, is_bool
from ._options import CompileOptions, plain
from ._program import Program, load_program
from ._refused import Refused, argument_error
from ._text import content, read, utf8

Extents = Union[SupportsIndex, str, Sequence[Union[SupportsIndex, str]], None]

_TARGETS = {1: "cpu", 2: "cuda", 3: "cpu", 8: "metal", 10: "hip", 11: "cpu", 13: "cuda"}  # by DLPack's device types
_log = logging.getLogger("kmux")


class _Kernels:
    """The kernels of a program, by DLPack's type and number of the device."""

    def __init__(self, program: Program, options: CompileOptions) -> None:
        self.program = program
        self.options = options
        self._known: dict[tuple[int, int], Kernel] = {}

    def __call__(self, kind: int, index: int) -> Kernel:
        """Compiles what is not there yet; kind -1 is for no device in particular."""
        if (known := self._known.get((kind, index))) is not None:
            return known
        options: CompileOptions = {**self.options}
        if kind >= 0:
            options.setdefault("target", _TARGETS.get(kind, "auto"))
            options.setdefault("device", 0 if options["target"] == "cpu" else index)  # the host is one device
        made = compile(self.program, **options)
        return self._known.setdefault((kind, index), made)  # of threads that were here at once, all have the first one's


class SourceKernel(tvm_ffi.Function):
    """A kernel that is compiled for the device of the arrays of a call, when it is first called with such.

    It is called as a `Kernel` is. Arrays of the same device launch the same kernel; the first array of a call decides.
    Threads: any.

    As a `Kernel`, it is a function of TVM-FFI. `launch` is that function itself, which runs no Python code once it is compiled,
    but for arguments by name.
    """

    _kernels: _Kernels

    __signature__ = CallSignature()
    launch = launch

    def __new__(cls, *_: object, **__: object) -> SourceKernel:
        """Raises TypeError: a kernel without a function of TVM-FFI would crash where it is used."""
        raise TypeError("a SourceKernel cannot be constructed (it is made of a source). Call kmux.kernel.")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Launches, as `Kernel` does, after compiling as `compile` does where there is no kernel yet."""
        arguments = in_order(self, arguments, named) if named else arguments
        made = call_plainly(self, arguments)
        return made if made is None else like(made, arguments)

    @property
    def name(self) -> str:
        """The name of its program."""
        return self.program.name

    @property
    def program(self) -> Program:
        """What its source and its line were made into."""
        return self._kernels.program

    @property
    def options(self) -> CompileOptions:
        """The options that it is compiled with."""
        return self._kernels.options

    @property
    def signature(self) -> dict[str, Any]:
        """Parameters, outputs and symbols, as docs/dispatch-ir.md describes them; option `out_idx` makes outputs."""
        signature: dict[str, Any] = json.loads(self.program.to_json())["signature"]
        positions = self._kernels.options.get("out_idx")
        if positions is not None:
            listed = positions if isinstance(positions, Sequence) else [positions]
            signature["outputs"] = [signature["params"][position]["name"] for position in listed]
        return signature

    def compile(self, *arguments: Any) -> Kernel:
        """The kernel that a call with these arguments launches; without any, that of the first backend that can."""
        return self._kernels(*self._device_of(arguments))

    def _device_of(self, arguments: Sequence[Any]) -> tuple[int, int]:
        """DLPack's type and number of the device that the first array is on; type -1 without one."""
        for place, argument in enumerate(arguments):
            if (where := getattr(argument, "__dlpack_device__", None)) is not None:
                kind, index = where()
                return int(kind), int(index)
            try:
                found = _interfaces.device_of(argument)
            except Refused as error:
                raise argument_error(self, len(arguments), place, TypeError, error.problem) from None
            if found is not None:
                return found
        return -1, 0

    def __repr__(self) -> str:
        return f"<kmux.SourceKernel {self.program.name!r}>"

    def __reduce__(self) -> Any:
        return _source_kernel, (self._kernels.program, self._kernels.options)


class _SourceKernelThatWrites(DirectFunction, SourceKernel):
    # It has no outputs to allocate, and so nothing to make of what a call returns: no Python code runs in one.
    __doc__ = SourceKernel.__doc__

    launch = DirectFunction.__call__


_SourceKernelThatWrites.__name__ = _SourceKernelThatWrites.__qualname__ = SourceKernel.__name__  # which is what users see


def _source_kernel(program: Program, options: CompileOptions) -> SourceKernel:
    """Of options that were checked: `kernel` does, and what was pickled has been."""
    kind = SourceKernel if program._returns(options) else _SourceKernelThatWrites
    made: SourceKernel = tvm_ffi.Function.__new__(kind)
    made._kernels = _Kernels(program, options)
    made.__move_handle_from__(functions.kernels_by_device(made._kernels, "target" not in options))
    if isinstance(made, _SourceKernelThatWrites):
        made._direct(made.__chandle__())
    return made


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
    defines: Mapping[str, Any] | None = None,
    **options: Unpack[CompileOptions],
) -> SourceKernel:
    """A kernel of its source, ready to be called: `kmux.kernel(SOURCE, "scale(x: f32[n], out y: f32[n])", grid=..., block=...)`.

    Args:
        source: the text of a kernel, or the path of a file, whose quoted includes are found beside it.
        signature: what a caller passes, as docs/text-form.md writes it, or all of a program in its text form; empty for a
            source that carries its program in a comment.
        grid, block: extents, or expressions of the signature's names ("ceildiv(n, 256)"); one, or up to three. None for a
            function of the host (dialect c).
        args: what the function takes ("a, x, y, n: i64"). Empty: every parameter, then every symbol. An
            integer without a type is i64 where the source declares a parameter of 64 bits, else i32.
        name: of the function, where it is not the signature's; with template arguments.
        dialect: "c", "cuda", "hip", "msl" or "cutedsl"; empty for what the file's name says, or the text looks like, which the
            log says (level info).
        defines: macros for the source: {"TILE": 4}. Not for a source that carries its program, which has them itself.
        options: see `CompileOptions`.

    Raises:
        ValueError: as a compiler prints it: line, column, the line with a caret.
        TypeError: an option that there is not, or a source, grid or block of another type.
        OSError: the file cannot be read.
    """
    _check_names(options)
    prepare(options.get("verbose"))
    text, path = _read(source)
    if not signature and path is not None and not defines:
        return _source_kernel(load_program(path), options)
    how = {"dynamic_smem_bytes": str(dynamic_smem_bytes), "args": args, "name": name, "dialect": dialect}
    how["defines"] = "\n".join(defines_of(defines or {}))
    how |= {"grid": _extents("grid", grid), "block": _extents("block", block), "path": _for_ending(path or "")}
    form = textwrap.dedent(signature).strip("\n") if "\n" in signature else signature
    how = {part: utf8(part, given) for part, given in how.items()}
    program = functions.kernel_program(content("source", text), utf8("signature", form), how)
    _say_dialect(program, dialect, path)
    return _source_kernel(program, options)


def _for_ending(path: str) -> str:
    """Returns the path with question marks for what is not UTF-8: only its ending counts."""
    return path.encode(errors="replace").decode()


def _say_dialect(program: Program, given: str, path: str | None) -> None:
    if not _log.isEnabledFor(logging.INFO):
        return
    dialects = ", ".join(variant["dialect"] for variant in json.loads(program.to_json())["variants"])
    is_guess = not given and not (path and functions.dialect_of_file(_for_ending(path)))
    why = "guessed from its source: dialect= names another" if is_guess else "given" if given else "by the name of its file"
    _log.info("kernel %r is in dialect %s (%s)", program.name, dialects, why)


def _check_names(options: CompileOptions) -> None:
    """Before what is missing: who misspells the grid has given one."""
    own = ("grid", "block", "dynamic_smem_bytes", "args", "name", "dialect", "defines")
    for option in options:
        if option not in CompileOptions.__annotations__ and (meant := functions.did_you_mean(option, own)):
            raise TypeError(f"there is no option {option!r} (kmux.kernel takes {', '.join(own)}, and the options of kmux.compile).{meant}")
    functions.check_options(plain(options))


def _read(source: str | os.PathLike[str]) -> tuple[str, str | None]:
    """The text, and the path that it was read from."""
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"{type(source).__name__!r} is not a source (a source is a text, or the path of a file). Pass one of these.")
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return source, None
    path = os.fspath(source)
    try:
        return read(path), path
    except FileNotFoundError as error:
        add_note(error, "A source without a line break and without '{' is taken for the path of a file.")
        raise


def _extents(name: str, given: Extents) -> str:
    if given is None:
        return ""
    if (one := _extent(given)) is not None:
        return one
    extents = [_extent(each) for each in given] if isinstance(given, Sequence) else []
    if not extents or None in extents:
        shown = repr(given) if is_bool(given) or isinstance(given, (float, Sequence)) else f"a {type(given).__name__}"
        raise TypeError(
            f"{name} is {shown} (extents are integers, or expressions as text). Pass one, such as 256 or 'ceildiv(n, 256)', "
            "or a list of up to three."
        )
    return f"[{', '.join(map(str, extents))}]"


def _extent(given: Any) -> str | None:
    """An extent as text; None for what is none."""
    if isinstance(given, str):
        return given
    return None if (index := index_of(given)) is None else str(index)
