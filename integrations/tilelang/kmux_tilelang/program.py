"""Programs on disk: canonical JSON, and beside it the files that it names."""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def canonical(value: Any) -> str:
    """JSON text with sorted keys and no spaces; equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def file_entry(path: str, content: bytes) -> dict[str, str]:
    """How a program names a file: its path relative to the program, and the SHA-256 of its content."""
    return {"path": path, "sha256": hashlib.sha256(content).hexdigest()}


def program(name: str, signature: Mapping, variants: list[Mapping], metadata: Mapping) -> dict[str, Any]:
    """The document of a program. Source: docs/dispatch-ir.md."""
    document = {"format": "kmux-program", "version": 1, "name": name, "signature": signature, "variants": variants}
    return {**document, "metadata": metadata} if metadata else document


def write_program(folder: Path, document: Mapping[str, Any], files: Mapping[str, bytes]) -> Path:
    """Writes `NAME.kmux.json` and `files` (content by relative path) into `folder`, which is made; returns its path.

    Each file is replaced as a whole; the document comes last, so that it never names what is not there.
    Errors: OSError.
    """
    for path, content in files.items():
        _replace(folder / path, content)
    path = folder / f"{document['name']}.kmux.json"
    _replace(path, f"{canonical(document)}\n".encode())
    return path


def _replace(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
