"""Programs: what a caller passes, and one or more ways to run it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union, cast

import tvm_ffi
from typing_extensions import Protocol

from . import _check
from ._files import raise_if_unreadable
from ._library import functions
from ._numbers import in_json
from ._text import content, decoded, path_of, utf8

_FILE_KEYS = ("sources", "headers")  # of a variant



class HasProgram(Protocol):
    """What was made of a program, as a `SourceKernel`."""

    @property
    def program(self) -> Program: ...


AnyProgram = Union["Program", str, "os.PathLike[str]", HasProgram]


@tvm_ffi.register_object("kmux.Program")
class Program(tvm_ffi.Object):
    """A validated program; immutable. Made by `load_program`, `program` and functions of the exporter.

    Programs of equal digests are equal.
    """

    __slots__ = ("__weakref__",)

    if TYPE_CHECKING:

        def _name(self) -> str: ...
        def _digest(self) -> str: ...
        def _json(self) -> str: ...
        def _files(self) -> Mapping[str, bytes]: ...
        def _has_outputs(self) -> bool: ...

    @property
    def name(self) -> str:
        """The name that the program gives itself."""
        return str(self._made()._name())

    @property
    def digest(self) -> str:
        """SHA-256 of everything that a compilation depends on: equal programs have equal digests."""
        return str(self._made()._digest())

    @property
    def files(self) -> dict[str, str]:
        """Sources and headers of all variants, by path. A byte that is not UTF-8 is a surrogate, as in names of files."""
        return {str(path): decoded(bytes(content)) for path, content in self._made()._files().items()}

    def to_json(self) -> str:
        """The document in its canonical form (docs/dispatch-ir.md); `files` has what it names."""
        return str(self._made()._json())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `NAME.kmux.json` and its files beside it.

        A file that is there with another content and is not this program's own stays: the program's is stored under another
        name, which the document tells.

        Raises:
            UnavailableError: it cannot be written.
        """
        functions.save_program(self._made(), path_of("path", path))

    def _made(self) -> Program:
        made: Program = _check.made(self, "kmux.program or kmux.load_program")
        return made

    def _returns(self, options: Mapping[str, Any]) -> bool:
        """Does a kernel of these options allocate outputs and return them?"""
        return self._made()._has_outputs() or options.get("out_idx") is not None

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Program) else NotImplemented

    def __ne__(self, other: object) -> bool:  # TVM-FFI's objects have their own
        return not self == other

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<kmux.Program {self.name!r} {self.digest[:12]}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return program, (self.to_json(), self.files)


def load_program(path: str | os.PathLike[str]) -> Program:
    """Reads a program and the files that it names, and validates it: `NAME.kmux.json`, `NAME.kmux`, the text form, or a source
    that carries that in a comment (docs/text-form.md).

    Raises:
        FileNotFoundError, IsADirectoryError, PermissionError: there is no file at `path`, but maybe a folder, or it must not be read.
        ValueError: `path` is not UTF-8; with every problem: a document that cannot be read, missing and changed files among them.
    """
    name = path_of("path", path)
    if "\n" in name:
        raise ValueError(f"{name.strip().splitlines()[0]!r} begins a text (a program is read from a path). Call kmux.kernel for a source.")
    try:
        return cast(Program, functions.load_program(name))
    except ValueError:
        if _is_there(name):
            raise
    is_source = "{" in name or "(" in name
    hint = " (a text with '{' or '(' may be a source). Call kmux.kernel for a source" if is_source else ""
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT) + hint, name)


def _is_there(path: str) -> bool:
    """Returns true if there is a file that may be read.

    Raises:
        IsADirectoryError: there is a folder.
        PermissionError: this process must not read it, or must not look for it.
    """
    try:
        os.stat(path)
    except PermissionError:
        raise
    except (OSError, ValueError):
        return False
    raise_if_unreadable(path)
    return True


def program(document: Mapping[str, Any] | str, files: Mapping[str, str] | None = None) -> Program:
    """Makes a program of a document as docs/dispatch-ir.md describes it, and of the files that it names.

    Args:
        document: JSON, or what `json.loads` gives of it. There, "format", "version" and each file's "sha256" may be
            left out.
        files: content by path, of every source and header that the document names and of no other.

    Raises:
        TypeError: a document or a file of another type.
        ValueError: with every problem.
    """
    if not isinstance(document, (Mapping, str)):
        raise _check.wrong("document", document, "JSON or a dict")
    contents = _contents(files or {})
    text = document if isinstance(document, str) else json.dumps(_completed(document, contents), default=in_json)
    given = {utf8("the path", path): content(f"file {path!r}", text) for path, text in contents.items()}
    return cast(Program, functions.program_from_json(utf8("document", text), given))


def _contents(files: Mapping[str, str]) -> dict[str, str]:
    """The files.

    Raises:
        TypeError: not a dict of texts.
    """
    if not isinstance(files, Mapping):
        raise _check.wrong("files", files, "a dict of texts by path")
    for path, text in files.items():
        if not isinstance(path, str):
            raise TypeError(f"files have the path {path!r} (of type {type(path).__qualname__}). Give a str.")
        if not isinstance(text, str):
            hint = " Decode it: errors='surrogateescape' keeps every byte." if isinstance(text, bytes) else " Give a str."
            raise TypeError(f"file {path!r} is of type {type(text).__qualname__} (a text is wanted).{hint}")
    return dict(files)


def cached_program(origin: str) -> Program | None:
    """The program that `cache_program` put into kmux's cache for `origin`, in any process; None if there is none."""
    return cast("Program | None", functions.cached_program(_check.text("origin", origin)))


def cache_program(origin: str, program: Program) -> None:
    """Keeps a program that took long to make in kmux's cache; does nothing where there is no cache.

    Args:
        origin: all that it was made from, the version of what made it included; a digest is enough.
    """
    if not isinstance(program, Program):
        raise _check.wrong("program", program, "a Program")
    functions.cache_program(_check.text("origin", origin), program._made())


def as_program(given: AnyProgram) -> Program:
    """The program itself, that of a kernel of a source, or the one at that path."""
    own = given if isinstance(given, Program) else getattr(given, "program", None)
    if isinstance(own, Program):
        return own._made()
    if isinstance(given, (str, os.PathLike)):
        return load_program(given)
    raise TypeError(
        f"{type(given).__name__!r} is not a program (programs come from kmux.program, of JSON or a dict, and from "
        "kmux.load_program, or are the path of one). Pass one of these."
    )


def programs_of(given: Iterable[AnyProgram]) -> list[AnyProgram]:
    """A list of programs.

    Raises:
        TypeError: one program, the path of one, or something else that is no list.
    """
    if isinstance(given, os.PathLike) or isinstance(getattr(given, "program", given), Program):
        raise TypeError(f"programs are a {type(given).__qualname__} (a list of them is wanted). Put it into a list.")
    return _check.listed("programs", given, "of them")


def _completed(document: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    complete = {"format": "kmux-program", "version": 1, **document}
    variants = [dict(variant) for variant in document.get("variants", [])]
    _check_given([file for variant in variants for file in _files_of(variant)], files)
    complete["variants"] = [_with_digests(variant, files) for variant in variants]
    return complete


def _files_of(variant: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    named = (file for key in _FILE_KEYS for file in variant.get(key, []))
    return [file for file in named if isinstance(file, Mapping) and "path" in file]


def _check_given(named: list[Mapping[str, Any]], files: Mapping[str, str]) -> None:
    missing = [repr(file["path"]) for file in named if "sha256" not in file and file["path"] not in files]
    if missing:
        raise ValueError(
            f"the document names {', '.join(missing)}, not given in files (it has "
            f"{', '.join(map(repr, files)) or 'none'}). Pass files={{{missing[0]}: its text}}; kmux.load_program reads "
            "what lies in a folder."
        )


def _with_digests(variant: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    digested = {key: [_with_digest(file, files) for file in variant[key]] for key in _FILE_KEYS if key in variant}
    return {**variant, **digested}


def _with_digest(file: Any, files: Mapping[str, str]) -> Any:
    text = files.get(file.get("path", "")) if isinstance(file, Mapping) else None
    if text is None or "sha256" in file:
        return file
    given = content(f"file {file['path']!r}", text)
    return {**file, "sha256": hashlib.sha256(given.encode() if isinstance(given, str) else given).hexdigest()}
