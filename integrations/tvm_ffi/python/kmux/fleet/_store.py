"""Programs in a folder, each by its digest: what a run has of them, and what a node was sent once."""

from __future__ import annotations

import os
import pathlib
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable

from .._errors import UnavailableError
from .._program import Program, load_program, program

Packed = tuple[str, dict[str, str]]  # the document and its files, as they go to a node
_DOCUMENT = "program.kmux.json"


def packed(given: Program) -> Packed:
    return given.to_json(), given.files


class Store:
    """The programs of a folder. Threads and processes: any; a program is there whole or not at all."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._verified: set[str] = set()  # in this process

    def path(self, digest: str) -> pathlib.Path:
        """Where the program of that digest is, if it is there."""
        return self._folder / digest / _DOCUMENT

    def has(self, digest: str) -> bool:
        """Is it there, and is it what its digest says? One that is not is removed."""
        if not self.path(digest).is_file():
            return False
        if digest in self._verified:
            return True
        try:
            sound = load_program(self.path(digest)).digest == digest
        except ValueError:
            sound = False
        if sound:
            self._verified.add(digest)
        else:
            shutil.rmtree(self._folder / digest, ignore_errors=True)
        return sound

    def put(self, given: Program) -> None:
        """Stores a program, unless it is there."""
        if self.has(given.digest):
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f"part-{secrets.token_hex(8)}"
        part.mkdir()
        given.save(part / _DOCUMENT)
        try:
            part.rename(self._folder / given.digest)
        except OSError:  # another process was first
            shutil.rmtree(part)
            if not self.has(given.digest):
                raise
        self._verified.add(given.digest)

    def fetch(self, digest: str, get: Callable[[], Packed]) -> pathlib.Path:
        """Where the program is, which `get` has if it is not here yet.

        Raises:
            ValueError: what came is another program.
        """
        if not self.has(digest):
            came = program(*get())
            if came.digest != digest:
                raise ValueError(
                    f"program {digest[:12]} came as {came.digest[:12]} (its bytes are not what the driver sent). "
                    "Look at who else can reach this Ray cluster."
                )
            self.put(came)
        return self.path(digest)


def own_folder() -> pathlib.Path:
    """The folder of a node for this user, which no other user can write to.

    Raises:
        UnavailableError: somebody else's folder has its name.
    """
    folder = pathlib.Path(tempfile.gettempdir(), f"kmux-fleet-{os.geteuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    there = folder.lstat()
    if not stat.S_ISDIR(there.st_mode) or there.st_uid != os.geteuid() or there.st_mode & 0o022:
        raise UnavailableError(
            f"{folder} cannot be used (it is not a folder that this user alone can write to). Remove it, or set TMPDIR."
        )
    return folder
