# SPDX-License-Identifier: Apache-2.0
"""The tensors of a call, as the runtime reads them while an eager function describes its kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import tvm_ffi

from ._library import functions


@tvm_ffi.register_object("kmux.JitBuilder")
class _Object(tvm_ffi.Object):
    """It solves constants and finds what does not agree. It has the tensors from its beginning."""

    if TYPE_CHECKING:

        def _constant(self, name: str) -> int: ...
        def _value(self, place: int) -> int: ...
        def _symbol(self, name: str, dtype: str) -> None: ...
        def _declare(self, kind: str, name: str, has_dtype: bool, document: str) -> str: ...
        def _finish(self, outputs: Sequence[str]) -> str: ...


class Described:
    """The tensors of a call, without those that are absent: None by default, and not declared.

    Whether one is absent shows only when the function has declared another one or has returned, so what it has done by then
    is done again with the others alone.
    """

    def __init__(self, name: str, tensors: Sequence[Any], optional: Iterable[int] = ()) -> None:
        self._name = name
        self._given = list(enumerate(tensors))
        self._optional = frozenset(place for place in optional if tensors[place] is None)
        self._declared = 0
        self._done: list[tuple[str, tuple[Any, ...]]] = []
        self._object: _Object = functions.jit_builder(name, list(tensors))

    @property
    def places(self) -> tuple[int, ...]:
        """Which tensors the kernel takes."""
        return tuple(place for place, _ in self._given)

    def constant(self, name: str) -> int:
        """The number by which `value` takes the constant."""
        return int(self._do("_constant", name))

    def value(self, constant: int) -> int:
        return int(self._do("_value", constant))

    def symbol(self, name: str, dtype: str) -> None:
        self._do("_symbol", name, dtype)

    def empty(self, name: str, document: str) -> str:
        """Declares a tensor that is no tensor of the call; returns its dtype."""
        return str(self._do("_declare", "empty", name, True, document))

    def next(self, kind: str, name: str, has_dtype: bool, document: str, *, nullable: bool = False) -> str:
        """Declares the next tensor; returns its dtype. One that is not nullable is the first that is there."""
        absent = [] if nullable else self._absent()
        if len(absent) < len(self._given) - self._declared:  # else None is given for it, which is refused
            self._drop(absent)
        self._declared += 1
        return str(self._do("_declare", kind, name, has_dtype, document))

    def finish(self, outputs: Sequence[str]) -> str:
        """The signature, as JSON.

        Raises:
            ValueError: with every problem.
        """
        absent = self._absent()
        if len(absent) == len(self._given) - self._declared:
            self._drop(absent)
        return str(self._do("_finish", outputs))

    def _absent(self) -> list[int]:
        """The tensors before the next one that is there."""
        absent = []
        for place, _ in self._given[self._declared :]:
            if place not in self._optional:
                break
            absent.append(place)
        return absent

    def _drop(self, absent: list[int]) -> None:
        if not absent:
            return
        self._given = [(place, tensor) for place, tensor in self._given if place not in absent]
        self._object = functions.jit_builder(self._name, [tensor for _, tensor in self._given])
        for method, arguments in self._done:
            getattr(self._object, method)(*arguments)

    def _do(self, method: str, *arguments: Any) -> Any:
        made = getattr(self._object, method)(*arguments)
        self._done.append((method, arguments))
        return made
