"""What differs from target to target: one module each, which has a `TARGET`."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..error import UsageError


class Target(Protocol):
    """How TileLang lowers for a target, and how the result is read.

    `name` is what the command line takes, `tilelang` what TileLang takes, `dialect` what the variant says.
    """

    name: str
    tilelang: str | dict[str, str]
    dialect: str

    def source_name(self, program: str) -> str:
        """The file of the generated text of `program`."""

    def settings(self, text: str) -> dict[str, Any]:
        """How `text` wants to be compiled."""

    def launch(
        self, call: Any, devices: Mapping[str, Any], argument: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any] | None:
        """The launch that the host expression `call` is, or None if it is another call.

        `devices` has the device functions by name; `argument` makes a launch argument of a host expression.
        Errors: UnsupportedError for a launch that the dispatch IR cannot say.
        """


def target_names() -> list[str]:
    """The targets there are."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find_target(name: str) -> Target:
    """The target `name`.

    Errors: UsageError that lists the known ones.
    """
    if name not in target_names():
        raise UsageError(f"unknown target '{name}'. Targets: {', '.join(target_names())}.")
    return importlib.import_module(f"{__name__}.{name}").TARGET
