"""Kernels as operators of torch, which torch.compile and CUDA graphs take. `kmux.torch` imports torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from ._extents import evaluate, solve
from ._kernel import Kernel
from ._library import functions
from ._source_kernel import SourceKernel

__all__ = ["op"]


class _Signature:
    """A kernel's parameters as an operator has them: those that it returns are not among its arguments."""

    def __init__(self, kernel: Kernel | SourceKernel) -> None:
        signature = kernel.signature
        self.params = {param["name"]: param for param in signature["params"]}
        self.outputs: list[str] = signature.get("outputs", [])
        self.arguments = [name for name in self.params if name not in self.outputs]
        self.symbols = [symbol["name"] for symbol in signature.get("symbols", [])]

    def buffer(self, name: str) -> Any:
        """The description of a tensor, else None."""
        return self.params[name].get("buffer")

    @property
    def tensors(self) -> list[str]:
        """The arguments that are tensors."""
        return [name for name in self.arguments if self.buffer(name)]

    @property
    def changed(self) -> list[str]:
        """The arguments that the signature has as `inout`."""
        return [name for name in self.tensors if self.buffer(name).get("inout")]

    def schema(self, mutated: Sequence[str]) -> str:
        """As torch.library writes it."""
        arguments = [f"{self._type(name, mutated)} {name}" for name in self.arguments]
        results = ["Tensor"] * len(self.outputs)
        return f"({', '.join(arguments)}) -> {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}"

    def _type(self, name: str, mutated: Sequence[str]) -> str:
        if buffer := self.buffer(name):
            alias = f"(a{self.arguments.index(name)}!)" if name in mutated else ""
            return f"Tensor{alias}" + ("?" if buffer.get("nullable") else "")
        dtype = self.params[name].get("scalar", {"dtype": "int64"})["dtype"]  # a pointer is an address
        return "bool" if dtype == "bool" else "float" if "float" in dtype else "SymInt"

    def made_of(self, arguments: Sequence[Any]) -> list[torch.Tensor]:
        """What a call returns, without its values."""
        given = dict(zip(self.arguments, arguments))
        tensors = {name: given[name] for name in self.arguments if self.buffer(name) and given[name] is not None}
        places = [place for name, tensor in tensors.items() for place in self._places(name, tensor)]
        values = solve(places, self.symbols) | {name: value for name, value in given.items() if not self.buffer(name)}
        device = next(iter(tensors.values())).device if tensors else None
        return [self._empty(name, values, device) for name in self.outputs]

    def _places(self, name: str, tensor: torch.Tensor) -> list[tuple[Any, Any]]:
        buffer = self.buffer(name)
        return [*zip(buffer.get("shape", []), tensor.shape), *zip(buffer.get("strides", []), tensor.stride())]

    def _empty(self, name: str, values: dict[str, Any], device: Any) -> torch.Tensor:
        buffer = self.buffer(name)
        dtype = getattr(torch, buffer["dtype"])
        shape = [evaluate(form, values) for form in buffer.get("shape", [])]
        if "strides" not in buffer:
            return torch.empty(shape, dtype=dtype, device=device)
        return torch.empty_strided(
            shape, [evaluate(form, values) for form in buffer["strides"]], dtype=dtype, device=device
        )


def op(
    name: str,
    kernel: Kernel | SourceKernel,
    *,
    mutates: Sequence[str] | None = None,
    backward: Kernel | SourceKernel | None = None,
) -> Any:
    """Registers `kernel` as the operator `name` ("my::saxpy") of torch and returns it, to be called with torch's tensors.

    Its arguments are the kernel's parameters but for the outputs that the program declares, which it returns. What the signature
    has as `inout` it changes in place. torch.compile sees through it by the shapes of the signature, and a CUDA graph captures it.

    Args:
        kernel: what `kmux.kernel`, `kmux.compile` and the like return.
        mutates: the tensors that the kernel writes in place, by name, where its signature does not say so: only for one that was
            written without `inout`. Must have those that the signature has.
        backward: the kernel of the gradient. A parameter `grad_y` is the gradient of the output y, its others are parameters or outputs of
            `kernel` of the same name; what it returns as `grad_x` is the gradient of x. Parameters without one have none.

    Raises:
        ValueError: nothing is returned or written, a name is not the kernel's, `mutates` lacks what the signature
            has, `backward` is given for a kernel that writes in place, torch lacks the dtype of an output, or the name of the operator
            has no namespace; a tensor has elements of less than a byte. Nothing is registered then.
        TypeError: not a kernel.
    """
    if not isinstance(kernel, (Kernel, SourceKernel)):
        raise TypeError(
            f"{type(kernel).__name__!r} is not a kernel (kernels come from kmux.kernel, kmux.compile and kmux.jit). Pass one."
        )
    if "::" not in name:
        raise ValueError(f"{name!r} has no namespace (torch calls operators by two names). Write 'my::{name}'.")
    signature = _Signature(kernel)
    written = _checked(signature, mutates)
    gradient = None if backward is None else _Signature(backward)
    if gradient is not None:  # before the name is registered, which cannot be undone
        _check_gradient(signature, gradient, written)
    _check_dtypes(signature)

    def call(*arguments: Any) -> Any:
        made = kernel(*arguments)
        return tuple(made) if len(signature.outputs) > 1 else made

    operator = torch.library.custom_op(name, call, mutates_args=written, schema=signature.schema(written))

    def fake(*arguments: Any) -> Any:
        made = signature.made_of(arguments)
        return None if not made else made[0] if len(made) == 1 else tuple(made)

    operator.register_fake(fake)
    if backward is not None and gradient is not None:
        _register_gradient(operator, signature, gradient, op(f"{name}_backward", backward))
    return operator


def _checked(signature: _Signature, mutates: Sequence[str] | None) -> list[str]:
    """What the operator writes in place."""
    tensors, changed = signature.tensors, signature.changed
    written = changed if mutates is None else list(mutates)
    if not written and not signature.outputs:
        raise ValueError(
            "the kernel has no outputs and changes nothing (no parameter of its signature is `out` or `inout`). Write `inout` there "
            f"before what it changes, or name it in 'mutates': there are {', '.join(tensors) or 'no tensors'}."
        )
    for name in written:
        if name not in tensors:
            raise ValueError(
                f"the kernel has no tensor {name!r} among its arguments ('mutates' names it). Name what it writes of "
                f"{', '.join(tensors)}."
            )
    if lacking := [name for name in changed if name not in written]:
        raise ValueError(
            f"'mutates' lacks {', '.join(lacking)} (the signature has that as `inout`). Leave 'mutates' out, or name all of "
            f"{', '.join(changed)}."
        )
    return written


def _check_dtypes(signature: _Signature) -> None:
    for name in (*signature.arguments, *signature.outputs):
        if (buffer := signature.buffer(name)) and functions.dtype_fields(buffer["dtype"])[1] < 8:
            raise ValueError(
                f"the kernel has a tensor {name!r} of dtype {buffer['dtype']} (torch has no tensor whose elements share a byte). "
                "Declare it as uint8, with the packed bytes."
            )
    for name in signature.outputs:
        if not hasattr(torch, dtype := signature.buffer(name)["dtype"]):
            raise ValueError(f"the kernel returns {name!r} of dtype {dtype} (this torch has no such dtype). Return another, or pass it in.")


def _check_gradient(signature: _Signature, gradient: _Signature, written: Sequence[str]) -> None:
    if written:
        raise ValueError(
            f"the kernel writes {', '.join(written)} in place (torch differentiates no operator that does). Leave 'backward' out, or "
            "write into an output."
        )
    if not gradient.outputs:
        raise ValueError("the backward kernel returns nothing (its outputs are the gradients). Declare grad_ and a parameter as `out`.")
    _check_dtypes(gradient)
    known = {*signature.params, *(f"grad_{name}" for name in signature.outputs)}
    for name in gradient.arguments:
        if name not in known:
            raise ValueError(
                f"the backward kernel has a parameter {name!r}, which is none of {', '.join(sorted(known))}."
            )
    for name in gradient.outputs:
        if name.removeprefix("grad_") not in signature.arguments or not name.startswith("grad_"):
            raise ValueError(
                f"the backward kernel returns {name!r}. Expected grad_ and a parameter: {', '.join(signature.arguments)}."
            )


def _register_gradient(operator: Any, signature: _Signature, gradient: _Signature, gradient_operator: Any) -> None:
    kept = [name for name in signature.params if name in gradient.arguments]

    def keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        outputs = output if isinstance(output, tuple) else (output,)
        values = dict(zip(signature.arguments, inputs)) | dict(zip(signature.outputs, outputs))
        ctx.save_for_backward(*(values[name] for name in kept if signature.buffer(name)))
        ctx.scalars = {name: values[name] for name in kept if not signature.buffer(name)}
        ctx.given = [value is not None for value in inputs]

    def apply(ctx: Any, *grads: torch.Tensor) -> tuple[Any, ...]:
        values = dict(zip([name for name in kept if signature.buffer(name)], ctx.saved_tensors)) | ctx.scalars
        values |= {f"grad_{name}": grad.contiguous() for name, grad in zip(signature.outputs, grads)}
        made = gradient_operator(*(values[name] for name in gradient.arguments))
        found = dict(zip(gradient.outputs, made if isinstance(made, tuple) else (made,)))
        return tuple(found.get(f"grad_{name}") if is_given else None for name, is_given in zip(signature.arguments, ctx.given))

    operator.register_autograd(apply, setup_context=keep)
