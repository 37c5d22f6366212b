# SPDX-License-Identifier: Apache-2.0
"""Integers outside int64, which TVM-FFI does not take before 0.1.14."""

from __future__ import annotations

import ctypes
import numbers
from collections.abc import Sequence
from typing import Any

import tvm_ffi

from ._refused import argument_error, parameters_of


def in_64_bits(kernel: Any, arguments: Sequence[Any]) -> list[Any] | None:
    """Returns the arguments with each such integer as what TVM-FFI takes for its parameter; None if there is no such integer.

    Raises:
        ValueError: one that does not fit its parameter, or cannot be passed to it.
    """
    parameters = parameters_of(kernel, len(arguments))
    given = list(arguments)
    for place, value in enumerate(arguments):
        if isinstance(value, numbers.Integral) and not -(2**63) <= int(value) < 2**63:
            parameter = parameters[place] if place < len(parameters) else {}
            try:
                given[place] = _fitting(parameter, int(value))
            except (OverflowError, ValueError) as error:
                raise argument_error(kernel, len(arguments), place, ValueError, str(error)) from None
    return None if all(new is old for new, old in zip(given, arguments)) else given


def _fitting(parameter: dict[str, Any], value: int) -> Any:
    dtype = parameter.get("scalar", {}).get("dtype", "")
    if "float" in dtype:
        return _float(value)
    if "pointer" in parameter and 0 <= value < 2**64:
        return ctypes.c_void_p(value)
    if dtype == "uint64" and 0 <= value < 2**64:
        raise ValueError(
            f"is the integer {value} (TVM-FFI {tvm_ffi.__version__} passes none above 2**63 - 1). Install apache-tvm-ffi 0.1.14 or newer."
        )
    if -(2**63) <= value < 2**64:
        raise ValueError(f"is the integer {value} (it does not fit). Pass a value that it can hold.")
    raise ValueError("is an integer of more than 64 bits (no type of a kernel has as many). Pass a smaller one, or a float.")


def _float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError("is an integer beyond the largest double (which it is rounded to). Pass a smaller one.") from None
