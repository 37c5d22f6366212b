"""The plugins of this process."""

from __future__ import annotations

from dataclasses import dataclass

from ._library import functions


@dataclass(frozen=True)
class Plugin:
    """A backend that was found, usable or not."""

    name: str  # empty if its manifest could not be read
    path: str  # of the manifest
    priority: int  # "auto" prefers the higher
    dialects: tuple[str, ...]
    targets: tuple[str, ...]
    problem: str  # why it was refused, or empty


def plugins() -> list[Plugin]:
    """Every plugin that was found, in search order.

    Raises:
        ValueError: KMUX_PLUGIN_PATH or another setting of the environment is wrong.
    """
    return [
        Plugin(
            str(found["name"]),
            str(found["path"]),
            found["priority"],
            tuple(map(str, found["dialects"])),
            tuple(map(str, found["targets"])),
            str(found["problem"]),
        )
        for found in functions.plugins()
    ]
