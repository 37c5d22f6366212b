"""Target `c`: all regions of a kernel become one C++ function for the host, and a launch is a plain call of it."""

from collections.abc import Callable, Mapping
from typing import Any

from ..error import UnsupportedError
from ..expression import callee_of, kind_of

_TEMPLATES = "#include <tl_templates/"


class _C:
    name = "c"
    tilelang = "c"
    dialect = "c"

    def source_name(self, program: str) -> str:
        return f"{program}.cpp"

    def settings(self, text: str) -> dict[str, Any]:
        hints = {"include_hints": ["tilelang"]} if _TEMPLATES in text else {}
        return {"standard": "c++17", **hints}

    def launch(
        self, call: Any, devices: Mapping[str, Any], argument: Callable[[Any], dict[str, Any]]
    ) -> dict[str, Any] | None:
        if kind_of(call.op) != "GlobalVar":
            return None
        kernel = callee_of(call)
        if kernel not in devices:
            raise UnsupportedError(f"'{kernel}' is called but was not generated. Keep all functions in one prim_func.")
        launch = {"kernel": kernel, "args": [argument(value) for value in call.args]}
        result = str(devices[kernel].ret_type.dtype)
        if result not in ("int32", "void"):
            raise UnsupportedError(f"'{kernel}' returns {result}; a kernel returns int32 or nothing. Use TileLang 0.1.15.")
        return launch if result == "void" else {**launch, "returns": "int32"}


TARGET = _C()
