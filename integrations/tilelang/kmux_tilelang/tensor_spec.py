"""Tensors that an eager kernel is made for, as the command line names them: "float32[1024,1024]"."""

import re
from dataclasses import dataclass
from typing import Any

from .error import UsageError

_TEXT = re.compile(r"([a-z][a-z0-9_]*)\[\s*((?:\d+\s*(?:,\s*\d+\s*)*,?)?)\s*\]")


@dataclass(frozen=True)
class TensorSpec:
    """A data type by torch's name, and extents."""

    dtype: str
    shape: tuple[int, ...]

    def tensor(self) -> Any:
        """A tensor of torch's that is like it, without memory.

        Errors: UsageError without torch, or for a type that torch does not have.
        """
        try:
            import torch
        except ImportError as error:
            raise UsageError(f"{self} needs torch ({error}). Install it: pip install torch.") from error
        dtype = getattr(torch, self.dtype, None)
        if not isinstance(dtype, torch.dtype):
            raise UsageError(f"'{self.dtype}' of {self} is no data type of torch's. Write it like float32[1024,1024].")
        return torch.empty(self.shape, dtype=dtype, device="meta")

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"


def tensor_spec(text: str) -> TensorSpec | None:
    """What `text` names, or None if it is something else."""
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        return None
    return TensorSpec(match[1], tuple(int(extent) for extent in match[2].split(",") if extent.strip()))
