"""Launches on a device: a packed call of the kernel's name, its arguments and its launch parameters."""

from collections.abc import Callable, Mapping
from typing import Any

from .error import UnsupportedError
from .expression import Expr, from_tir, kind_of

_AXES = "xyz"
_SHARED_MEMORY = "tirx.use_dyn_shared_memory"
_FLAGS = {
    "tirx.use_cooperative_launch": "cooperative",
    "tirx.use_programtic_dependent_launch": "programmatic_serialization",
}
_ATTRIBUTES = {"use_cooperative_groups": "cooperative", "has_cuda_pdl_sync": "programmatic_serialization"}


def packed_call(call: Any) -> tuple[str, list[Any]] | None:
    """The name and the arguments of a call by name, or None if `call` is no such call."""
    if kind_of(call) != "Call" or getattr(call.op, "name", "").rpartition(".")[2] != "tvm_call_packed":
        return None
    return str(getattr(call.args[0], "value", call.args[0])), list(call.args[1:])


def device_launch(call: Any, devices: Mapping[str, Any], argument: Callable[[Any, Any], dict]) -> dict[str, Any] | None:
    """The launch that the host expression `call` is, or None if it is another call.

    Errors: UnsupportedError for a launch parameter that the dispatch IR does not have.
    """
    name, values = packed_call(call) or ("", [])
    if name not in devices:
        return None
    device = devices[name]
    count = len(device.params)
    launch = {"kernel": name, "args": [argument(*pair) for pair in zip(values, device.params, strict=False)]}
    return launch | _configuration(name, device, values[count:])


def _configuration(name: str, device: Any, values: list[Any]) -> dict[str, Any]:
    tags = [str(tag) for tag in device.attrs.get("tirx.kernel_launch_params", [])]
    if len(tags) != len(values):
        raise UnsupportedError(
            f"launch of '{name}' has {len(values)} launch parameters where {len(tags)} are declared. Use TileLang 0.1.13 to 0.1.15."
        )
    by_tag = dict(zip(tags, map(from_tir, values), strict=True))
    configuration = {
        "grid": _extents(by_tag, "blockIdx."),
        "block": _extents(by_tag, "threadIdx."),
        "cluster": _extents(by_tag, "tir.cluster_dim_") or _extents(by_tag, "clusterCtaIdx."),
        "dynamic_smem_bytes": by_tag.pop(_SHARED_MEMORY, 0),
        **{field: True for tag, field in _FLAGS.items() if by_tag.pop(tag, 0)},
        **{field: True for attribute, field in _ATTRIBUTES.items() if int(device.attrs.get(attribute, 0))},
    }
    if by_tag:
        raise UnsupportedError(
            f"launch of '{name}' has a parameter '{next(iter(by_tag))}' that the dispatch IR does not have. "
            "Change the kernel so that it needs none."
        )
    return {key: value for key, value in configuration.items() if value}


def _extents(by_tag: dict[str, Expr], prefix: str) -> list[Expr]:
    """Takes the extents of the axes out of `by_tag`, x first; ones at the end are left out, x if there are any is not."""
    if not any(prefix + axis in by_tag for axis in _AXES):
        return []
    extents = [by_tag.pop(prefix + axis, 1) for axis in _AXES]
    while len(extents) > 1 and extents[-1] == 1:
        extents.pop()
    return extents
