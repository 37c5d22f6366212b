"""Functions of TVM-FFI that read NumPy's arrays themselves, where the library for that can be loaded."""

from __future__ import annotations

import sys
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from typing import TYPE_CHECKING, Any

import tvm_ffi

from . import _complex, _ml_dtypes, _optional
from ._given import arguments_of, when_plain
from ._integers import in_64_bits
from ._library import functions

_call = tvm_ffi.Function.__call__


def in_order(kernel: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments by position, where some have the names of parameters. The outputs may be missing, all of them.

    Raises:
        TypeError: a name that there is not, an argument that is given twice or not at all.
    """
    signature = kernel.signature
    parameters = [parameter["name"] for parameter in signature["params"]]
    listed, subject = ", ".join(parameters), f'kernel "{kernel.name}":'
    named = _complex.named_in_parts(subject, parameters, named)
    outputs = signature.get("outputs", ())
    inputs = [name for name in parameters if name not in outputs]
    leaves_out = len(arguments) + len(named) <= len(inputs) and not any(name in named for name in outputs)
    given = dict(zip(inputs if leaves_out else parameters, arguments))
    for name in named:
        if name not in parameters:
            meant = functions.did_you_mean(name, parameters)
            raise TypeError(f'{subject} there is no parameter "{name}" (they are {listed}).{meant} Pass one of these.')
        if name in given:
            raise TypeError(f'{subject} parameter "{name}" is given by position and by name. Pass it once.')
    given |= named
    expected = parameters if any(name in given for name in outputs) else inputs
    for name in expected:
        if name not in given:
            raise TypeError(f'{subject} parameter "{name}" is not given (they are {listed}). Pass one of each.')
    return tuple(given[name] for name in expected) + arguments[len(parameters) :]


def call_plainly(kernel: Any, arguments: tuple[Any, ...]) -> Any:
    """Calls as TVM-FFI does, with arrays that may be read-only.

    Raises:
        ValueError: one of them is, and the kernel writes it; an integer that does not fit.
    """
    given = arguments_of(kernel, arguments)
    try:
        return _call(kernel, *given)
    except OverflowError:  # of TVM-FFI before 0.1.14, whose integers have 64 bits
        if (fitting := in_64_bits(kernel, given)) is None:
            raise
    return _call(kernel, *fitting)


def _call_by_name(kernel: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return kernel(*in_order(kernel, arguments, named))


def _launch_by_name(kernel: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    return call_plainly(kernel, in_order(kernel, arguments, named))


def _plain_launch(kernel: Any, *arguments: Any, **named: Any) -> Any:
    return _launch_by_name(kernel, arguments, named) if named else call_plainly(kernel, arguments)


class _PlainFunction(tvm_ffi.Function):
    """It calls as TVM-FFI does."""

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return _call_by_name(self, arguments, named) if named else call_plainly(self, arguments)

    def _direct(self, address: int) -> None:
        """Nothing: there is no other way."""


def _direct_function() -> tuple[Any, Any]:
    """The type and `launch` of kmux_python.abi3.so; what calls as TVM-FFI under a Python for which its stable ABI is not meant."""
    path = functions.folder / "kmux_python.abi3.so"
    if sys.implementation.name != "cpython" or "t" in sys.abiflags or not path.is_file():
        return _PlainFunction, _plain_launch
    loader = ExtensionFileLoader("kmux_python", str(path))
    try:
        module: Any = loader.create_module(ModuleSpec("kmux_python", loader, origin=str(path)))
        loader.exec_module(module)
        hooks = (functions.raise_last, _call_by_name, _launch_by_name, call_plainly)
        made: tuple[Any, Any] = module.make(tvm_ffi.Function, *hooks)
        _optional.with_numpy(lambda numpy: module.read(numpy.ndarray))
        when_plain(module.plain)
        _ml_dtypes.when_seen(module.read_type)
        return made
    except (ImportError, SystemError):  # a Python older than that ABI
        return _PlainFunction, _plain_launch


if TYPE_CHECKING:
    DirectFunction = _PlainFunction
    launch = _plain_launch
else:
    DirectFunction, launch = _direct_function()
