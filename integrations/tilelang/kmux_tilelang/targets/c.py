"""Target `c`: all regions of a kernel become one C++ function for the host, and a launch is a plain call of it."""

from collections.abc import Mapping
from typing import Any

from ..error import UnsupportedError
from ..expression import callee_of, kind_of
from ..headers import hints_of
from . import Argument, Target


class _C:
    name = tilelang = dialect = "c"
    suffix = ".cpp"
    on_device = False
    arch = ""

    def source(self, text: str) -> str:
        return text

    def settings(self, lowered: Any) -> dict[str, Any]:
        return {"standard": "c++17", "include_hints": hints_of(lowered.text)}

    def launch(self, call: Any, devices: Mapping[str, Any], argument: Argument) -> dict[str, Any] | None:
        if kind_of(call.op) != "GlobalVar":
            return None
        kernel = callee_of(call)
        if kernel not in devices:
            raise UnsupportedError(f"'{kernel}' is called but was not generated. Keep all functions in one prim_func.")
        device = devices[kernel]
        launch = {"kernel": kernel, "args": [argument(*pair) for pair in zip(call.args, device.params, strict=True)]}
        result = str(device.ret_type.dtype)
        if result not in ("int32", "void"):
            raise UnsupportedError(
                f"'{kernel}' returns {result}; a kernel returns int32 or nothing. Use TileLang 0.1.15."
            )
        return launch if result == "void" else {**launch, "returns": "int32"}


def target() -> Target:
    """The target; it has no options."""
    return _C()
