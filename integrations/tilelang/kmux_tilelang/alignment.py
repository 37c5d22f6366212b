"""How a kernel's text loads what its pointers point to, and so how they must be aligned.

TileLang does not say it, and checks nothing: a tensor that begins at any element is taken where every access is of one element.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

UNKNOWN = 16  # bytes, of an access that is not understood: the widest that one thread does in one instruction, and what TMA wants

_WIDTHS = {  # bytes of the vector types of CUDA and HIP that are loaded and stored at once
    **{f"{base}{count}": size * count for base, size in {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4,
       "uint": 4, "float": 4, "longlong": 8, "ulonglong": 8, "double": 8}.items() for count in (1, 2, 4)},
    "half2": 4, "__half2": 4, "__nv_bfloat162": 4, "unsigned short": 2, "unsigned int": 4, "unsigned char": 1,
}  # fmt: skip
_VECTOR = re.compile(r"\*\(([\w ]+?) ?\*\)\((?:\(\(\w+ ?\*\))?$")  # ends where the pointer stands: *(uint4*)(((half_t*)
_ASYNC = re.compile(r"\bcp_async_gs(?:_conditional)?<(\d+)>")
_ATOMIC = re.compile(r"\b[aA]tomic\w*?(x\d)?\(\(?&\($")  # of one element, or of several where it says so
_LOOK_BACK = 60  # characters: more than a cast takes


def alignments(text: str, body: Mapping[str, Any]) -> dict[str, int]:
    """Bytes that each buffer of `body` must be aligned to by what the kernels in `text` do with it; 0: to its elements."""
    needed: dict[str, int] = {}
    for tensor_map in body.get("tensor_maps", []):
        needed[tensor_map["base"]["name"]] = UNKNOWN
    for launch in launches_in(body.get("steps", [])):
        pointers = pointers_of(text, launch["kernel"])
        for position, argument in enumerate(launch["args"]):
            if "tensor" in argument:
                name, own = argument["tensor"], pointers.get(position, UNKNOWN)
                needed[name] = max(needed.get(name, 0), own)
    return needed


def widest(_: str, body: Mapping[str, Any]) -> dict[str, int]:
    """For texts that are not parsed here: every buffer that a launch uses as its widest access could want it."""
    arguments = [argument for launch in launches_in(body.get("steps", [])) for argument in launch["args"]]
    maps = [tensor_map["base"]["name"] for tensor_map in body.get("tensor_maps", [])]
    return dict.fromkeys([*maps, *(argument["tensor"] for argument in arguments if "tensor" in argument)], UNKNOWN)


def pointers_of(text: str, kernel: str) -> dict[int, int]:
    """What each pointer of a kernel must be aligned to, by the parameter's position; nothing if the text is not understood."""
    match = re.search(rf"\b{re.escape(kernel)}\(([^()]*)\)\s*\{{", text)
    if match is None:
        return {}
    end = text.find("\n}", match.end())
    body = text[match.end() : end if end >= 0 else len(text)]
    names = [re.findall(r"\w+", parameter)[-1:] for parameter in match[1].split(",")]
    return {position: _access(body, name[0]) for position, name in enumerate(names) if name}


def _access(body: str, name: str) -> int:
    """The widest access through the pointer `name`; 0 if each is of one element."""
    return max((_width(body, found) for found in re.finditer(rf"\b{re.escape(name)}\b", body)), default=0)


def _width(body: str, found: re.Match) -> int:
    before, after = body[max(0, found.start() - _LOOK_BACK) : found.start()], body[found.end() : found.end() + 1]
    if vector := _VECTOR.search(before):
        return _WIDTHS.get(vector[1], UNKNOWN)
    if after == "[":
        atomic = _ATOMIC.search(before)
        if not before.endswith("&(") or (atomic and not atomic[1]):
            return 0
        line = body.rfind("\n", 0, found.start())
        copies = _ASYNC.findall(body[line : found.start()])
        if copies:
            return int(copies[-1])
    return UNKNOWN


def launches_in(steps: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Every launch of these steps, at any depth."""
    for step in steps:
        for kind, content in step.items():
            if kind == "launch":
                yield content
            elif kind == "for":
                yield from launches_in(content["steps"])
            elif kind == "if":
                yield from launches_in(content["then"] + content.get("else", []))
