"""What no kernel takes."""

from __future__ import annotations

from typing import Any


class Refused(TypeError):
    """An argument that no kernel takes. `problem` follows the name of its parameter."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"an argument {problem}")
        self.problem = problem


def parameters_of(kernel: Any, count: int) -> list[dict[str, Any]]:
    """Returns those of a call with `count` arguments, as the signature has them."""
    signature = kernel.signature
    outputs, params = signature.get("outputs", ()), signature["params"]
    return [param for param in params if count >= len(params) or param["name"] not in outputs]


def argument_error(kernel: Any, count: int, place: int, usual: type[Exception], problem: str) -> Exception:
    """Returns the error for one of `count` arguments.

    Its type is the one that `Kernel.raise_for_arguments` set, or `usual`.
    """
    parameters = parameters_of(kernel, count)
    name = f'"{parameters[place]["name"]}"' if place < len(parameters) else str(place)
    promised: type[Exception] | None = getattr(kernel, "_argument_error", None)
    return (promised or usual)(f'kernel "{kernel.name}": parameter {name} {problem}')
