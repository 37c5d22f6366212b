"""One way to run a kernel: what TileLang makes of it for one target."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .body import BodyReader
from .compile_settings import compile_settings
from .headers import header_closure
from .kernel import Kernel
from .lower import Lowered
from .program import file_entry
from .signature import names_by_variable, names_of
from .targets import Target


@dataclass(frozen=True)
class Variant:
    """A variant's document, its files (content by path), its kernels, the parameters that its launches use, and what these must
    be aligned to, in bytes."""

    document: dict[str, Any]
    files: dict[str, bytes]
    kernels: set[str]
    used: set[str]
    alignments: dict[str, int]


def variant_of(kernel: Kernel, lowered: Lowered, target: Target, source: str, roots: Sequence[Path] = ()) -> Variant:
    """What `lowered` is as a variant whose text is the file `source`; headers under `roots` go into it.

    Errors: UnsupportedError for a launch, a statement or a flag that a program cannot say; OSError.
    """
    reader = BodyReader(target, lowered.devices, _arguments_of(kernel.function), names_of(kernel.function))
    body = reader.read(lowered.host)
    settings = {**target.settings(lowered), **compile_settings(lowered.configs, kernel.compile_flags)}
    headers = header_closure(lowered.text, settings.get("preludes", []), roots) if roots else {}
    if headers:
        settings.pop("include_hints", None)
    text = target.source(lowered, body).encode()
    document = {
        "dialect": target.dialect,
        "requires": {"arch": [target.arch]} if target.arch else {},
        "settings": {key: value for key, value in settings.items() if value},
        "sources": [file_entry(source, text)],
        "headers": [file_entry(path, content) for path, content in headers.items()],
        "body": body,
    }
    document = {key: value for key, value in document.items() if value}
    alignments = target.alignments(lowered.text, body)
    return Variant(document, {**headers, source: text}, set(lowered.devices), reader.launched, alignments)


def _arguments_of(function: Any) -> dict[str, dict[str, str]]:
    """What a launch passes when it names a parameter, by the name that host code uses."""
    scalars = {p.name for p in function.params if p not in function.buffer_map and str(p.dtype) != "handle"}
    names = names_by_variable(function).items()
    return {variable: {"scalar" if name in scalars else "tensor": name} for variable, name in names}
