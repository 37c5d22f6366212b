"""TVM's targets, as the exporter and kmux name them."""

from typing import Any

from ..error import UnsupportedError
from ..targets import Target, c, cuda, cutedsl, find_target, hip, metal  # noqa: F401, while nobody waits for a kernel

_HOST = ("c", "llvm")  # kinds of target that run on this machine's processor
_PROCESSOR = ("mcpu", "mattr", "mtriple")  # attributes of "llvm" that say for which


def exporter_target(target: Any) -> Target:
    """How a text that TileLang lowers for `target` is read.

    Errors: UsageError for a target that the exporter does not have; UnsupportedError for another processor than this machine's.
    """
    kind = str(target.kind.name)
    if kind == "llvm" and (asked := [name for name in _PROCESSOR if target.attrs.get(name)]):
        raise UnsupportedError(f"target 'llvm' asks for {', '.join(asked)}, and kmux compiles for this machine's processor.")
    if kind in _HOST:
        return find_target("c")
    if kind == "cuda":
        name = "cutedsl" if "cutedsl" in target.keys else "cuda"
        return find_target(f"{name}:{_arch(target)}")
    if kind == "hip":
        return find_target(f"hip:{target.attrs['mcpu']}")
    return find_target(kind)


def kmux_target(target: Any) -> str:
    """The arguments of `kmux.compile`."""
    kind = str(target.kind.name)
    if kind in _HOST:
        return "cpu"
    if kind == "cuda":
        return "cuda:" + exporter_target(target).arch
    if kind == "hip":
        return f"hip:{target.attrs['mcpu']}"
    return kind


def lowered_for(target: Any) -> Any:
    """The target that a kernel for `target` is lowered for: TileLang of PyPI has no LLVM, and kmux compiles C++ with its own."""
    return type(target)({"kind": "c"}, target.host) if str(target.kind.name) == "llvm" else target


def _arch(target: Any) -> str:
    """The one architecture; of several, separated by semicolons, the first."""
    return str(target.attrs["arch"]).partition(";")[0]
