"""x, y and z as arrays of NumPy's."""

from __future__ import annotations

import ctypes
from typing import Any

from kernels import Case


class HostArrays:
    def __init__(self, case: Case) -> None:
        self.x, self.y, self.z = case.x(), case.y(), case.unwritten()

    def addresses(self) -> tuple[ctypes.c_void_p, ...]:
        return tuple(ctypes.c_void_p(array.ctypes.data) for array in (self.x, self.y, self.z))

    def result(self) -> Any:
        return self.z
