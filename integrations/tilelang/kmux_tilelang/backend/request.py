"""A request to TileLang to compile a kernel."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..kernel import flags_of

_OUT_IDX = "tilelang_out_idx"  # attribute of a prim_func whose outputs are made by T.empty


@dataclass(frozen=True)
class CompileRequest:
    """A prim_func, its outputs by position (from 0), TVM's target, and how it is to be lowered and compiled.

    `backend` is the backend of kmux that was named ("nvrtc"), or "auto".
    """

    function: Any
    out_idx: tuple[int, ...]
    target: Any
    backend: str
    pass_configs: Mapping[str, Any]
    compile_flags: tuple[str, ...]
    verbose: bool = False

    @property
    def name(self) -> str:
        """What TileLang calls the kernel."""
        return str((self.function.attrs or {}).get("global_symbol", "kernel"))


def request_of(
    function: Any,
    out_idx: int | Sequence[int] | None,
    target: Any,
    backend: str,
    pass_configs: Mapping[Any, Any] | None,
    compile_flags: str | Sequence[str] | None,
    verbose: bool = False,
) -> CompileRequest:
    """The request, whatever form its parts were given in.

    Errors: ValueError for outputs that do not exist, are repeated, or contradict those of the prim_func.
    """
    configs = {str(getattr(key, "value", key)): value for key, value in (pass_configs or {}).items()}
    outputs = _outputs_of(function, out_idx)
    return CompileRequest(function, outputs, target, backend, configs, tuple(flags_of(compile_flags)), bool(verbose))


def _outputs_of(function: Any, out_idx: int | Sequence[int] | None) -> tuple[int, ...]:
    count = len(function.params)
    given = None if out_idx is None else _positions([out_idx] if isinstance(out_idx, int) else out_idx, count)
    attributes = function.attrs or {}
    if _OUT_IDX not in attributes:
        return given or ()
    own = _positions(attributes[_OUT_IDX], count)
    if given is not None and given != own:
        raise ValueError("out_idx does not match the PrimFunc's tilelang_out_idx attribute (it returns T.empty). Leave it out.")
    return own


def _positions(out_idx: Sequence[int], count: int) -> tuple[int, ...]:
    """From 0; a list of the caller's stays as it is."""
    positions = tuple(int(index) + count if int(index) < 0 else int(index) for index in out_idx)
    for given, position in zip(out_idx, positions, strict=True):
        if not 0 <= position < count:
            raise ValueError(f"out_idx index {given} is out of range for a function with {count} parameters.")
    if len(set(positions)) != len(positions):
        raise ValueError(f"out_idx contains duplicate tensor indices: {list(out_idx)}. Name each output once.")
    return positions
