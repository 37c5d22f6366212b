"""What keeps memory for a tensor."""

from __future__ import annotations

from typing import Any


class Owner:
    """Keeps an object for a tensor over its memory; of an array itself TVM-FFI would make another tensor."""

    __slots__ = ("_object",)

    def __init__(self, kept: Any) -> None:
        self._object = kept
