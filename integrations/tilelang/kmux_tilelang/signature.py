"""What a caller passes: parameters, outputs and symbols, read from a prim_func."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from .error import UnsupportedError, UsageError
from .expression import from_tir, linear_in, variables_of
from .program import canonical

# Data types of elements that callers pass as another: tfloat32 is what hardware makes of float32, and e4m3 alone is ambiguous.
_PASSED_AS = {"custom[tfloat32]": "float32", "float8_e4m3": "float8_e4m3fn"}


def names_by_variable(function: Any) -> dict[str, str]:
    """For each parameter: the name that host and device code use, and the parameter's own."""
    return {_variable_of(function, parameter).name: _name_of(function, parameter) for parameter in function.params}


def signature_of(
    function: Any, outputs: Iterable[str], used: set[str], alignments: Mapping[str, int] = {}
) -> dict[str, Any]:
    """The signature of `function`; a buffer that is neither in `used` (by some launch) nor an output is nullable.

    Units: `alignments` in bytes, of a buffer's first element, by name; 0 for that of its type.

    Errors: UsageError for an output that is no buffer; UnsupportedError for a buffer with an element offset.
    """
    outputs = list(outputs)
    used = used | _only_carriers(function, used, outputs)
    params = [_param_of(function, parameter) for parameter in function.params]
    buffers = {param["name"]: param["buffer"] for param in params if "buffer" in param}
    for name in outputs:
        if name not in buffers:
            raise UsageError(f"output '{name}' is not a buffer parameter. Buffers: {', '.join(buffers)}.")
    for name, buffer in buffers.items():
        buffer |= {"alignment_bytes": alignments[name]} if alignments.get(name) else {}
        buffer |= {"nullable": True} if name not in used and name not in outputs else {}
    signature: dict[str, Any] = {"params": params}
    if outputs:
        signature["outputs"] = outputs
    if symbols := _symbols_of(function):
        signature["symbols"] = symbols
    return signature


def _only_carriers(function: Any, used: set[str], outputs: list[str]) -> set[str]:
    """Inputs that no launch uses and a symbol cannot do without: the first that carries it, where no other input must be passed."""
    inputs = {
        buffer.name: {linear_in(from_tir(place)) for place in [*buffer.shape, *buffer.strides]}
        for p in function.params
        if (buffer := function.buffer_map.get(p)) is not None and buffer.name not in outputs
    }
    needed: set[str] = set()
    for symbol in _symbols_of(function):
        carriers = [name for name, carried in inputs.items() if symbol["name"] in carried]
        if carriers and not (used | needed).intersection(carriers):
            needed.add(carriers[0])
    return needed


def names_of(function: Any) -> set[str]:
    """The names that the signature of `function` has: parameters and symbols."""
    symbols = {symbol["name"] for symbol in _symbols_of(function)}
    return symbols | {_name_of(function, parameter) for parameter in function.params}


def check_carriers(signature: dict[str, Any]) -> None:
    """Errors: UnsupportedError for a symbol that no tensor, which must be passed, has a dimension or stride of."""
    passed = [
        param["buffer"]
        for param in signature["params"]
        if "buffer" in param and "nullable" not in param["buffer"] and param["name"] not in signature.get("outputs", [])
    ]
    places = [place for buffer in passed for place in [*buffer.get("shape", []), *buffer.get("strides", [])]]
    carried = {linear_in(place) for place in places}
    for symbol in signature.get("symbols", []):
        if symbol["name"] not in carried:
            raise UnsupportedError(
                f"symbol '{symbol['name']}' cannot be solved (no input has it, or what is linear in it, as a dimension or "
                "a stride). Pass it as an integer scalar parameter."
            )


def difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    """Where two signatures differ first, for messages; empty if they do not."""
    for key in ("params", "outputs", "symbols"):
        for a, b in itertools.zip_longest(one.get(key, []), other.get(key, [])):
            if a != b:
                return f"{key}: {canonical(b)} instead of {canonical(a)}"
    return ""


def outputs_at(function: Any, out_idx: Iterable[int]) -> list[str]:
    """The names of the parameters at these positions, negative ones from the end.

    Errors: UsageError for a position that does not exist or is repeated.
    """
    count = len(function.params)
    positions = [index + count if index < 0 else index for index in out_idx]
    for position in positions:
        if not 0 <= position < count or positions.count(position) > 1:
            raise UsageError(f"out_idx {list(out_idx)} does not fit {count} parameters. Name each output once.")
    return [_name_of(function, function.params[position]) for position in positions]


def _param_of(function: Any, parameter: Any) -> dict[str, Any]:
    name = _name_of(function, parameter)
    buffer = function.buffer_map.get(parameter)
    if buffer is not None:
        return {"name": name, "buffer": _buffer_of(buffer)}
    if str(parameter.dtype) == "handle":
        return {"name": name, "pointer": {}}
    return {"name": name, "scalar": {"dtype": str(parameter.dtype)}}


def _buffer_of(buffer: Any) -> dict[str, Any]:
    if from_tir(buffer.elem_offset) != 0:
        raise UnsupportedError(f"buffer '{buffer.name}' has an element offset. Pass a buffer that begins at its data.")
    dtype = str(buffer.dtype)
    result: dict[str, Any] = {"dtype": _PASSED_AS.get(dtype, dtype)}
    if shape := [from_tir(extent) for extent in buffer.shape]:
        result["shape"] = shape
    strides = [from_tir(stride) for stride in buffer.strides]
    if strides and strides != _compact_strides(result["shape"]):
        result["strides"] = strides
    return result


def _compact_strides(shape: list) -> list:
    strides: list = [1]
    for extent in reversed(shape[1:]):
        inner = strides[0]
        numbers = isinstance(extent, int) and isinstance(inner, int)
        strides.insert(0, extent * inner if numbers else extent if inner == 1 else ["*", extent, inner])
    return strides


def _symbols_of(function: Any) -> list[dict[str, Any]]:
    """In slot order: those of shapes by first appearance over the parameters, then those that only strides carry."""
    buffers = [buffer for p in function.params if (buffer := function.buffer_map.get(p)) is not None]
    places = [extent for buffer in buffers for extent in buffer.shape]
    places += [stride for buffer in buffers for stride in buffer.strides]
    scalars = {parameter.name for parameter in function.params if parameter not in function.buffer_map}
    dtypes = {variable.name: str(variable.dtype) for place in places for variable in variables_of(place)}
    return [
        {"name": name} if dtype == "int64" else {"name": name, "dtype": dtype}
        for name, dtype in dtypes.items()
        if name not in scalars
    ]


def _variable_of(function: Any, parameter: Any) -> Any:
    buffer = function.buffer_map.get(parameter)
    return parameter if buffer is None else buffer.data


def _name_of(function: Any, parameter: Any) -> str:
    buffer = function.buffer_map.get(parameter)
    return parameter.name if buffer is None else buffer.name
