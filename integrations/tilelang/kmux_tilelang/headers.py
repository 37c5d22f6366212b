"""The headers that a text includes, directly or not, as far as TileLang's wheel has them."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_HINTS = {"tl_templates/": "tilelang", "cute/": "cutlass", "cutlass/": "cutlass"}
_CUTLASS_USERS = ("tl_templates/cuda/",)  # templates that include CUTLASS's headers


def hints_of(text: str) -> list[str]:
    """The header packages that `text` needs, by name: "tilelang" and "cutlass"."""
    names = [name for _, name in _included(text.encode())]
    hints = {hint for name in names for prefix, hint in _HINTS.items() if name.startswith(prefix)}
    if any(name.startswith(_CUTLASS_USERS) for name in names):
        hints.add("cutlass")
    return sorted(hints, reverse=True)


def header_closure(text: str, names: Iterable[str], roots: Sequence[Path]) -> dict[str, bytes]:
    """Content by path of every header under `roots` that `text` or the headers `names` include, directly or not.

    The scan is textual: conditions are ignored, so that one closure serves every compiler. A header that is in no root
    is the toolkit's, and stays there; so does one whose name a macro makes.
    Errors: OSError.
    """
    found: dict[str, bytes] = {}
    waiting = [("", name) for name in [*names, *(name for _, name in _included(text.encode()))]]
    while waiting:
        folder, name = waiting.pop()
        path, file = _find(folder, name, roots)
        if file is None or path in found:
            continue
        found[path] = file.read_bytes()
        own = posixpath.dirname(path)
        waiting += [(own if quoted else "", inner) for quoted, inner in _included(found[path])]
    return dict(sorted(found.items()))


def _included(text: bytes) -> list[tuple[bool, str]]:
    """For each include: is the name in quotes, and the name."""
    return [(bool(quoted), (quoted or angled).decode(errors="replace")) for quoted, angled in _INCLUDE.findall(text)]


def _find(folder: str, name: str, roots: Sequence[Path]) -> tuple[str, Path | None]:
    """The path below a root, and the file: beside the header that includes it, else where compilers look."""
    for path in (posixpath.normpath(posixpath.join(folder, name)), posixpath.normpath(name)):
        for root in roots:
            if not path.startswith(("../", "/")) and (root / path).is_file():
                return path, root / path
    return "", None
