"""What pass configurations and compile flags ask of the compiler, as settings of a variant."""

from collections.abc import Iterable, Mapping
from typing import Any

from .error import UnsupportedError

_FAST_MATH = "tl.enable_fast_math"
_FLAGS = "tl.device_compile_flags"
_REGISTERS = "tl.ptxas_register_usage_level"
_FAST_MATH_FLAGS = ("--use_fast_math", "-use_fast_math", "-ffast-math")


def compile_settings(configs: Mapping[str, Any], flags: Iterable[str]) -> dict[str, Any]:
    """The settings `fast_math`, `defines` and `standard`, where something asks for them.

    Errors: UnsupportedError for what a program cannot ask for; it names it.
    """
    if configs.get(_REGISTERS) is not None:
        raise UnsupportedError(f"pass configuration '{_REGISTERS}' has no counterpart in a program. Leave it out.")
    more = configs.get(_FLAGS) or []
    flags = [*flags, *([more] if isinstance(more, str) else map(str, more))]
    fast_math = bool(configs.get(_FAST_MATH)) or any(flag in _FAST_MATH_FLAGS for flag in flags)
    settings: dict[str, Any] = {"fast_math": True} if fast_math else {}
    for flag in flags:
        if flag.startswith("-D") and len(flag) > 2:
            settings.setdefault("defines", []).append(flag[2:])
        elif flag.startswith(("-std=", "--std=")):
            settings["standard"] = flag.partition("=")[2]
        elif flag not in _FAST_MATH_FLAGS:
            raise UnsupportedError(f"compile flag '{flag}' has no counterpart in a program. Leave it out.")
    return settings
