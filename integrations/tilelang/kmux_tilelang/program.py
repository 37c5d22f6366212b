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

    All or nothing: each file is written beside its place first, and moved there when all are written, the document last.
    Errors: OSError.
    """
    program_path = folder / f"{document['name']}.kmux.json"
    contents = {folder / path: content for path, content in files.items()}
    contents[program_path] = f"{canonical(document)}\n".encode()
    staged: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            _stage(path, content, staged)
        for path, temporary in staged.items():
            os.replace(temporary, path)
    finally:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
    return program_path


def _stage(path: Path, content: bytes, staged: dict[Path, Path]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder")
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    staged[path] = Path(temporary)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    os.chmod(temporary, 0o644)
