"""What the results of a run depend on besides its plan: headers, and what compiles and measures."""

from __future__ import annotations

import hashlib
import itertools
import os
import pathlib
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from .._library import functions
from .._plugins import plugins

# What may name a header: what stands in quotes or angle brackets (of a macro, too), and words with a suffix.
_NAMES = re.compile(r'"([^"\n]+)"|<([^<>\n]+)>|([\w.+/-]+\.\w+)')
_FOLDER_FLAGS = ("-isystem", "-iquote", "-idirafter", "-I", "-include", "-imacros", "")


class Headers:
    """The headers that programs can read below some folders, found by the names in their text.

    A file that a text names and does not include counts, too: then too much is done again, never too little.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._folders: list[str] = []
        self._named: list[str] = []  # files that every program reads
        self._files: dict[str, tuple[str, set[str]]] = {}  # digest, and the names in it
        for path in _paths_in(words):
            (self._folders if os.path.isdir(path) else self._named).append(path)

    def any(self) -> bool:
        """Can a program read a header at all?"""
        return bool(self._folders or self._named)

    def read_by(self, texts: Iterable[str]) -> list[tuple[str, str]]:
        """Returns path and digest of each header that these texts, and the headers themselves, name."""
        found: dict[str, str] = {}
        pending = [(path, "") for path in self._named]
        pending += [(name, "") for text in texts for name in _names_in(text)]
        seen = set(pending)
        while pending:
            for path in self._candidates(*pending.pop()):
                if path in found or not os.path.isfile(path):
                    continue
                found[path], names = self._file(path)
                new = {(name, os.path.dirname(path)) for name in names} - seen
                seen |= new
                pending += new
        return sorted(found.items())

    def _candidates(self, name: str, beside: str) -> Iterator[str]:
        """The paths that the name can mean; all of those that exist count, as one may replace another."""
        for folder in filter(None, [beside, *self._folders]):
            yield os.path.normpath(os.path.join(folder, name))
        if os.path.isabs(name):
            yield name

    def _file(self, path: str) -> tuple[str, set[str]]:
        if path not in self._files:
            try:
                content = pathlib.Path(path).read_bytes()
            except OSError as error:
                return f"unreadable: {error.errno}", set()
            self._files[path] = hashlib.sha256(content).hexdigest(), _names_in(content.decode("latin-1"))
        return self._files[path]


def _names_in(text: str) -> set[str]:
    return {name for groups in _NAMES.findall(text) for name in groups if name}


def _paths_in(words: Sequence[str]) -> Iterator[str]:
    """The folders and files that options of the command name."""
    for option, value in itertools.pairwise(words):
        if option == "--include":
            yield value
        for token in _tokens(value) if option == "--flag" else ():
            given = [token[len(flag) :].lstrip("=") for flag in _FOLDER_FLAGS if token.startswith(flag)]
            yield from filter(os.path.exists, filter(None, given))


def _tokens(flags: str) -> list[str]:
    try:
        return shlex.split(flags)
    except ValueError:  # which the compiler refuses
        return []


def builds() -> list[str]:
    """Returns the release of kmux and what each plugin here was built from: its manifest has the build-id of its library."""
    found = [str(functions.version())]
    for plugin in plugins():
        try:
            found.append(hashlib.sha256(pathlib.Path(plugin.path).read_bytes()).hexdigest())
        except OSError as error:
            found.append(f"{plugin.path}: {error.errno}")
    return found
