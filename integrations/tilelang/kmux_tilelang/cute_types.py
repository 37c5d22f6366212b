"""What CuTe DSL calls the elements that a kernel's parameter points to."""

from typing import Any

TYPES = {
    "float16": "Float16", "bfloat16": "BFloat16", "float32": "Float32", "float64": "Float64", "int8": "Int8",
    "int16": "Int16", "int32": "Int32", "int64": "Int64", "uint8": "Uint8", "uint16": "Uint16", "uint32": "Uint32",
    "uint64": "Uint64", "float8_e4m3": "Float8E4M3FN", "float8_e4m3fn": "Float8E4M3FN", "float8_e5m2": "Float8E5M2",
}  # fmt: skip


def dtype_of(parameter: Any) -> str:
    """The data type that a device function's parameter points to; empty if it is not a pointer."""
    pointed_to = getattr(getattr(parameter, "type_annotation", None), "element_type", None)
    return str(getattr(pointed_to, "dtype", ""))
