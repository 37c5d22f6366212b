"""TVM's targets, as the exporter and kmux name them."""

from typing import Any

from ..targets import Target, c, cuda, cutedsl, find_target, hip, metal  # noqa: F401, while nobody waits for a kernel


def exporter_target(target: Any) -> Target:
    """How a text that TileLang lowers for `target` is read.

    Errors: UsageError for a target that the exporter does not have.
    """
    kind = str(target.kind.name)
    if kind == "c":
        return find_target("c")
    if kind == "cuda":
        name = "cutedsl" if "cutedsl" in target.keys else "cuda"
        return find_target(f"{name}:{_arch(target)}")
    if kind == "hip":
        return find_target(f"hip:{target.attrs['mcpu']}")
    return find_target(kind)


def kmux_target(target: Any) -> str:
    """What `kmux.compile` is asked for."""
    kind = str(target.kind.name)
    if kind == "c":
        return "cpu"
    if kind == "cuda":
        return "cuda:" + exporter_target(target).arch
    if kind == "hip":
        return f"hip:{target.attrs['mcpu']}"
    return kind


def _arch(target: Any) -> str:
    """The one architecture; of several, separated by semicolons, the first."""
    return str(target.attrs["arch"]).partition(";")[0]
