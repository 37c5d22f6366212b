"""What a jit function writes for people: a folder a program, as docs/jit.md has it."""

from __future__ import annotations

import os
import pathlib

from ._kernel import Kernel
from ._program import Program
from ._text import path_of

_DIGITS = 12  # of the digest


class DebugFiles:
    """Below a folder; without one nothing is written. A relative one counts from the directory that is current now."""

    def __init__(self, root: str | os.PathLike[str] | None, function: str) -> None:
        self._root = pathlib.Path(path_of("debug_root_path", root)).absolute() if root else None
        self._function = function

    def write_program(self, program: Program, configuration: str) -> None:
        """Before the compilation, so that it is there if that fails.

        Raises:
            OSError, UnavailableError: a file cannot be written.
        """
        if self._root is None:
            return
        folder = self._folder(self._root, program)
        (folder / "program").mkdir(parents=True, exist_ok=True)
        program.save(folder / "program" / f"{program.name}.kmux.json")
        _write(folder / "config.json", configuration + "\n")
        if self._function:
            _write(folder / "function.txt", self._function)

    def write_launcher(self, program: Program, kernel: Kernel) -> None:
        """After it."""
        if self._root is not None:
            _write(self._folder(self._root, program) / f"launcher-{kernel.backend}.txt", kernel.launcher)

    @staticmethod
    def _folder(root: pathlib.Path, program: Program) -> pathlib.Path:
        return root / f"{program.name}-{program.digest[:_DIGITS]}"


def _write(path: pathlib.Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogateescape")  # a source may have any bytes
