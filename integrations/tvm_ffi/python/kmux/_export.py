"""Programs as libraries that run without kmux."""

from __future__ import annotations

import os
from dataclasses import dataclass

from typing_extensions import Unpack

from ._files import with_lock_files
from ._library import functions
from ._options import CompileOptions, plain
from ._program import AnyProgram, as_program
from ._text import path_of, utf8


@dataclass(frozen=True)
class ExportedLibrary:
    """What `export_library` made."""

    library: str  # its path
    header: str  # the path of its C header, or empty
    backend: str
    target: str
    bytes: int  # of the library
    symbols: tuple[str, ...]  # that it exports
    from_cache: bool  # the program had been built before


def export_library(
    program: AnyProgram,
    library: str | os.PathLike[str],
    *,
    header: str | os.PathLike[str] | None = None,
    host_compiler: str | None = None,
    **options: Unpack[CompileOptions],
) -> ExportedLibrary:
    """Makes a shared library of `program` that needs neither kmux nor a compiler nor Python, as `kmux export` does.

    `tvm_ffi.load_module(library)` has the program under its name; C calls what `header` declares.

    Args:
        library: the path to write.
        header: the path of a C header to write for it.
        host_compiler: a name or a path; by default the first of c++, g++ and clang++.
        options: see `CompileOptions`.

    Raises:
        As `compile`; UnsupportedError: the backend cannot export; UnavailableError: there is no host compiler, or the
        files cannot be written.
    """
    where = {"library": path_of("library", library), "header": header and path_of("header", header)}
    where["host_compiler"] = host_compiler and utf8("host_compiler", host_compiler)
    given, values = as_program(program), plain(options)
    with with_lock_files([values]):
        made = functions.export_library(given, where, values)
    return ExportedLibrary(
        str(made["library"]),
        str(made["header"]),
        str(made["backend"]),
        str(made["target"]),
        made["bytes"],
        tuple(map(str, made["symbols"])),
        made["from_cache"],
    )
