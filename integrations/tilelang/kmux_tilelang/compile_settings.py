"""What pass configurations and compile flags ask of the compiler, as settings of a variant."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_FAST_MATH = "tl.enable_fast_math"
_FLAGS = "tl.device_compile_flags"
_REGISTERS = "tl.ptxas_register_usage_level"
_FAST_MATH_FLAGS = ("--use_fast_math", "-use_fast_math", "-ffast-math")
# Flags that may stand apart from their value, and what joins the two.
_TAKES_NEXT = {"-D": "", "-U": "", "-I": "", "-Xptxas": "=", "--ptxas-options": "=", "-maxrregcount": "=", "-std": "="}


def compile_settings(configs: Mapping[str, Any], flags: Iterable[str]) -> dict[str, Any]:
    """The settings `fast_math`, `defines`, `standard` and `compile_flags`, where something asks for them."""
    more = configs.get(_FLAGS) or []
    flags = [*flags, *([more] if isinstance(more, str) else map(str, more))]
    if configs.get(_REGISTERS) is not None:
        flags.append(f"-Xptxas=--register-usage-level={int(configs[_REGISTERS])}")
    fast_math = bool(configs.get(_FAST_MATH)) or any(flag in _FAST_MATH_FLAGS for flag in flags)
    settings: dict[str, Any] = {"fast_math": True} if fast_math else {}
    for flag in _in_one_piece(flags):
        if flag.startswith("-D") and len(flag) > 2:
            settings.setdefault("defines", []).append(flag[2:])
        elif flag.startswith(("-std=", "--std=")):
            settings["standard"] = flag.partition("=")[2]
        elif flag not in _FAST_MATH_FLAGS and flag not in settings.get("compile_flags", []):
            settings.setdefault("compile_flags", []).append(flag)
    return settings


def _in_one_piece(flags: Iterable[str]) -> Iterator[str]:
    """The flags, each with its value."""
    waiting = iter(flags)
    for flag in waiting:
        value = next(waiting, None) if flag in _TAKES_NEXT else None
        yield flag if value is None else f"{flag}{_TAKES_NEXT[flag]}{value}"
