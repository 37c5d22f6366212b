"""Target `metal`: Metal Shading Language. What a kernel takes by value comes last, packed into one buffer."""

from collections.abc import Mapping
from typing import Any

from ..device_launch import device_launch
from . import Argument, Target


class _Metal:
    name = tilelang = "metal"
    dialect = "msl"
    suffix = ".metal"
    on_device = True
    arch = ""

    def source(self, text: str) -> str:
        return text

    def settings(self, lowered: Any) -> dict[str, Any]:
        return {}

    def launch(self, call: Any, devices: Mapping[str, Any], argument: Argument) -> dict[str, Any] | None:
        launch = device_launch(call, devices, argument)
        values = launch is not None and any("scalar" in arg or "expr" in arg for arg in launch["args"])
        return {**launch, "packed_values": True} if values else launch


def target() -> Target:
    """The target; it has no options."""
    return _Metal()
