"""Target `c`: all regions of a kernel become one C++ function for the host, and a launch is a plain call of it."""

from collections.abc import Mapping
from typing import Any

from ..c_headers import with_c_headers
from ..error import UnsupportedError
from ..expression import callee_of, kind_of
from ..headers import hints_of
from . import Argument, Target


class _C:
    name = tilelang = dialect = "c"
    suffix = ".cpp"
    on_device = False
    arch = ""

    def source(self, lowered: Any, body: Mapping[str, Any]) -> str:
        return with_c_headers(str(lowered.text))

    def alignments(self, text: str, body: Mapping[str, Any]) -> dict[str, int]:
        return {}

    def settings(self, lowered: Any) -> dict[str, Any]:
        return {"standard": "c++17", "include_hints": hints_of(with_c_headers(str(lowered.text)))}

    def launch(self, call: Any, devices: Mapping[str, Any], argument: Argument) -> dict[str, Any] | None:
        called = _called(call)
        if called is None:
            return None
        kernel, values = called
        if kernel not in devices:
            raise UnsupportedError(f"'{kernel}' is called but was not generated. Keep all functions in one prim_func.")
        device = devices[kernel]
        launch = {"kernel": kernel, "args": [argument(*pair) for pair in zip(values, device.params, strict=True)]}
        result = str(device.ret_type.dtype)
        if result not in ("int32", "void"):
            raise UnsupportedError(
                f"'{kernel}' returns {result}; a kernel returns int32 or nothing. Use TileLang 0.1.13 to 0.1.15."
            )
        return launch if result == "void" else {**launch, "returns": "int32"}


def _called(call: Any) -> tuple[str, list[Any]] | None:
    """The function and its arguments, called by name where the target's own host is another target than the host's."""
    if kind_of(call.op) == "GlobalVar":
        return callee_of(call), list(call.args)
    if callee_of(call) == "call_extern":
        return str(getattr(call.args[0], "value", call.args[0])), list(call.args[1:])
    return None


def target() -> Target:
    """The target; it has no options."""
    return _C()
