"""Names: what a program may call its parameters, symbols, lets and memory, and what is still free."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .error import UnsupportedError, UsageError

_IDENTIFIER = re.compile(r"(?!kmux_|KMUX_|__)[A-Za-z_][A-Za-z0-9_]{0,254}")
LAUNCHERS = {"env", "error", "linux", "slots", "unix"}  # what generated launchers, or their compilers, call so
KEYWORDS = set(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
    co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
    double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
    new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
    return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
    typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq""".split()
)


def is_name(text: str) -> bool:
    """May a program use `text` as a name?"""
    return _IDENTIFIER.fullmatch(text) is not None and text not in KEYWORDS


def check_program_name(name: str) -> None:
    """Errors: UsageError if a program cannot be called `name`."""
    if not is_name(name):
        raise UsageError(f"'{name}' cannot name a program. Give an identifier with --name that is not a C++ keyword.")


def check_names(signature: Mapping[str, Any], kernels: Collection[str]) -> None:
    """Errors: UnsupportedError for a parameter or symbol that a program with these kernels cannot call so."""
    for entry in [*signature["params"], *signature.get("symbols", [])]:
        name, variable = entry["name"], "buffer" not in entry and "pointer" not in entry
        if not is_name(name):
            raise UnsupportedError(f"'{name}' cannot name a parameter or symbol (launchers are C++). Rename it.")
        if variable and (name in LAUNCHERS or name in kernels):
            raise UnsupportedError(f"'{name}' names a scalar or symbol, and something of the launcher. Rename it.")


def fresh(name: str, taken: Collection[str]) -> str:
    """`name`, or that with a number behind it if it is taken or cannot be a name."""
    stem = name if is_name(name) else "x" + re.sub(r"\W", "_", name)
    return next(candidate for candidate in _numbered(stem) if candidate not in taken and candidate not in LAUNCHERS)


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 1
    while True:
        yield f"{name}_{number}"
        number += 1
