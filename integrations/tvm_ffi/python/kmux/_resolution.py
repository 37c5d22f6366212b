"""Resolutions: which backends were looked at for a program, and why one was chosen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import tvm_ffi

from . import _check


@tvm_ffi.register_object("kmux.Resolution")
class Resolution(tvm_ffi.Object):
    """Every candidate, best first, how far it came and why. `print` shows a table."""

    __slots__ = ("__weakref__",)

    if TYPE_CHECKING:

        def _backend(self) -> str: ...
        def _explain(self) -> str: ...
        def _explain_fully(self) -> str: ...
        def _json(self) -> str: ...

    @property
    def backend(self) -> str:
        """The name of the chosen backend.

        Raises:
            ValueError, UnavailableError, UnsupportedError: none was chosen; every candidate's reason is in the message.
        """
        return str(self._made()._backend())

    @property
    def candidates(self) -> list[dict[str, Any]]:
        """The candidates with what is known of them: backend, variant, stage, verdict, reason and so on."""
        return cast("list[dict[str, Any]]", self.to_dict()["candidates"])

    def to_dict(self) -> dict[str, Any]:
        """Everything, as `kmux resolve --json` prints it."""
        return cast("dict[str, Any]", json.loads(self._made()._json()))

    def explain(self, *, fully: bool = False) -> str:
        """A table for people; `fully` with times, quarantine and the folders that were searched."""
        made = self._made()
        return str(made._explain_fully() if fully else made._explain())

    def _made(self) -> Resolution:
        made: Resolution = _check.made(self, "kmux.resolve")
        return made

    def __copy__(self) -> Resolution:  # it does not change
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Resolution:
        return self

    def __reduce__(self) -> Any:
        raise TypeError("a Resolution cannot be pickled (it is of the plugins of this process). Pickle what to_dict() gives.")

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        return f"<kmux.Resolution\n{self.explain()}>"
