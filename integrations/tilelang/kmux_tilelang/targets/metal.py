"""Target `metal`: Metal Shading Language. What a kernel takes by value comes last, packed into one buffer; what it shares
within a threadgroup is declared in the text, so that launches have no dynamic memory."""

from collections.abc import Mapping
from typing import Any

from ..alignment import widest
from ..device_launch import device_launch
from . import Argument, Target

# TileLang generates a module a kernel and joins their texts: all of them define this, and nothing uses it.
_UNION = "union __TVMArgUnion {\n int v_int[2];\n};\n"


class _Metal:
    name = tilelang = "metal"
    dialect = "msl"
    suffix = ".metal"
    on_device = True
    arch = ""
    alignments = staticmethod(widest)

    def source(self, lowered: Any, body: Mapping[str, Any]) -> str:
        before, union, rest = str(lowered.text).partition(_UNION)
        return before + union + rest.replace(_UNION, "")

    def settings(self, lowered: Any) -> dict[str, Any]:
        return {}

    def launch(self, call: Any, devices: Mapping[str, Any], argument: Argument) -> dict[str, Any] | None:
        launch = device_launch(call, devices, argument)
        if launch is None:
            return None
        launch = {key: value for key, value in launch.items() if key != "dynamic_smem_bytes"}  # the text declares it
        values = any("scalar" in arg or "expr" in arg for arg in launch["args"])
        return {**launch, "packed_values": True} if values else launch


def target() -> Target:
    """The target; it has no options."""
    return _Metal()
