"""Calls as TileLang's users make them: what is passed, what comes back, what is raised."""

from collections.abc import Callable, Sequence
from typing import Any

import kmux
import tvm_ffi


class ArgumentError(RuntimeError, ValueError, TypeError):
    """An argument that the kernel does not take, of every type that one of TileLang's adapters raises for it."""


def callable_of(
    kernel: kmux.Kernel, params: Sequence[Any], result_idx: Sequence[int], *, on_torch_stream: bool = False
) -> Callable[..., Any]:
    """A function that takes the parameters which are no outputs, in order, and returns torch's tensors: one, or a list.

    Without outputs it is the kernel itself, and no Python code runs. `on_torch_stream`: calls may be without a tensor of torch's.
    """
    kernel.raise_for_arguments(ArgumentError)
    if not result_idx:
        return _on_torch_stream(kernel) if on_torch_stream else kernel.launch
    expected = len(params) - len(result_idx)
    takes_tensors = any(not param.is_scalar() for i, param in enumerate(params) if i not in result_idx)
    launch = kernel.launch if takes_tensors and not on_torch_stream else _on_torch_stream(kernel)
    made = _result_of(len(result_idx), takes_tensors and not on_torch_stream)

    def call(*arguments: Any) -> Any:
        if len(arguments) != expected:  # the kernel takes outputs, too
            raise ArgumentError(f"Kernel expected {expected} inputs, but {len(arguments)} are provided.")
        return launch(*arguments)

    return call if made is None else lambda *arguments: made(call(*arguments))


def _result_of(count: int, takes_tensors: bool) -> Callable[[Any], Any] | None:
    """What makes of the library's result what TileLang's users get; None if they are the same."""
    if count == 1 and takes_tensors:
        return None
    if takes_tensors:
        return list
    import torch

    if count == 1:
        return torch.from_dlpack
    return lambda tensors: [torch.from_dlpack(tensor) for tensor in tensors]


def _on_torch_stream(kernel: kmux.Kernel) -> Callable[..., Any]:
    """`kernel.launch` on torch's current stream, which a call without a tensor of torch's does not tell."""
    device = kernel.device
    if device.type == "cpu":
        return kernel.launch
    import torch

    def launch(*arguments: Any) -> Any:
        stream = torch.cuda.current_stream(device.index).cuda_stream
        with tvm_ffi.use_raw_stream(device, stream):
            return kernel.launch(*arguments)

    return launch
