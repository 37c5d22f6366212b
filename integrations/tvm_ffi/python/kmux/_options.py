"""The options of `compile`, `resolve` and `par_compile`, as keywords."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, SupportsIndex, TypedDict, Union

from ._numbers import index_of, is_bool
from ._text import path_of, utf8


class ResolveOptions(TypedDict, total=False):
    """What decides where a program runs. An argument beats the environment; what is not given is the environment's."""

    target: str  # "auto", "cpu", "cuda", "cuda:sm_90a", ...; TileLang's spellings, too
    execution_backend: str  # "auto", or the name of a plugin, which is then taken or refused, never replaced
    target_host: str
    device: int  # ordinal
    options: Mapping[str, Union[str, bool, int]]  # for the backend; it refuses what it does not have
    compile_flags: Union[str, Sequence[str]]  # a string is split as a shell splits it
    include_dirs: Sequence[Union[str, os.PathLike[str]]]
    use_cache: bool
    isolation: str  # "process": the compiler in a process of its own
    compile_timeout: Union[float, timedelta]  # seconds
    policy: str  # "priority", "fast_start", "measured" or "pinned"
    lock_file: Union[str, os.PathLike[str]]  # of policy "pinned"


class CompileOptions(ResolveOptions, total=False):
    """`ResolveOptions`, and what only a compilation asks."""

    out_idx: Union[SupportsIndex, Sequence[SupportsIndex]]  # outputs by position, negative from the end, for a signature that declares none
    verbose: bool


def _plain(name: str, value: Any) -> Any:
    """A value as the library takes it: paths are strings, durations seconds, sequences lists, integers Python's."""
    if isinstance(value, str):
        return utf8(name, value)
    if isinstance(value, (int, float)):  # most are; the classes below are asked what they take for theirs
        return value
    if isinstance(value, os.PathLike):
        return path_of(name, value)
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {_plain(name, key): _plain(name, element) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(name, element) for element in value]
    if is_bool(value):
        return bool(value)
    return value if (index := index_of(value)) is None else index


def _listed(name: str, value: Any) -> Any:
    """As a list what may be written without one."""
    if name == "out_idx" and (index := index_of(value)) is not None:
        return [index]
    if name == "compile_flags" and isinstance(value, str):
        return [value]  # which the library splits as a shell does
    return value


def plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords as the library takes them, which checks names and types."""
    return {name: _plain(f"option {name!r}:", _listed(name, value)) for name, value in options.items()}
