"""Kernels: compiled programs that can be called."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

import tvm_ffi

from . import _check
from ._arrays import like
from ._call_signature import CallSignature
from ._function import DirectFunction, in_order, launch
from ._given import taken, taken_for
from ._library import functions
from ._options import plain
from ._program import Program
from ._resolution import Resolution
from ._text import decoded


@dataclass(frozen=True)
class Tuning:
    """What measuring the candidates of a program found."""

    text: str  # a table for people
    facts: dict[str, Any]  # the candidates with their times, the winner, shapes and device

    def __str__(self) -> str:
        return self.text


_registered_names: dict[type[Exception], str] = {}


def _registered(error: type[Exception]) -> str:
    """The name by which TVM-FFI raises `error`: classes of one name, which functions make, have different ones."""
    name = _registered_names.get(error)
    if name is None:
        plain = f"{error.__module__}.{error.__qualname__}"
        taken = sum(other.split("#")[0] == plain for other in _registered_names.values())
        name = f"{plain}#{taken + 1}" if taken else plain
        tvm_ffi.error.register_error(name, error)
        _registered_names[error] = name
    return name


class Kernel(tvm_ffi.Function):
    """A compiled program. Call it with the parameters in order, or by their names.

    Arguments: arrays with `__dlpack__` (torch, numpy, cupy, jax, ...), numbers, addresses as integers, None for a
        tensor that may be null. Integers for floating-point parameters are rounded as floats are. With all parameters it writes into the outputs and returns None. Without the outputs
        that the program declares it allocates and returns them, one as a tensor, several as a sequence: torch tensors
        if torch tensors were passed, NumPy arrays if NumPy's were, else tvm_ffi tensors, which `cupy.from_dlpack` and
        others take without a copy.
    Shapes: as the program says; symbols are read from the arrays, and arrays that disagree are refused.
    Stream: torch's current one if torch tensors are passed, else that of `tvm_ffi.use_raw_stream`, else the default.
        The call does not wait for the device.
    Threads: any, concurrently; the call releases the GIL.

    Raises:
        TypeError: wrong number of arguments, a number for a tensor, another dtype or byte order, a masked array and the like.
        ValueError: another shape, stride, device or alignment, an integer that does not fit; memory that must not be written
            (a read-only array, what others export as such, any jax.Array) for a parameter that the kernel writes.
        LaunchError: the device refused.

    A kernel *is* a function of TVM-FFI. `launch` is that function itself, which runs no Python code but for arguments by name.
    It pickles as its program and options: who reads it compiles it, or finds it in the cache.
    """

    _origin: tuple[Program, dict[str, Any]] | None = None
    _argument_error: type[Exception] | None = None

    def __new__(cls, *_: object, **__: object) -> Kernel:
        """Raises TypeError: a kernel without a function of TVM-FFI would crash where it is used."""
        raise TypeError("a Kernel cannot be constructed (it is a compiled program). Call kmux.compile or kmux.kernel.")

    @classmethod
    def _of(cls, function: tvm_ffi.Function, program: Program | None = None, options: Any = None) -> Kernel:
        returns = program is None or program._returns(options or {})
        kernel: Kernel = tvm_ffi.Function.__new__(cls if returns else _KernelThatWrites)
        kernel.__move_handle_from__(function)
        if isinstance(kernel, _KernelThatWrites):
            kernel._direct(kernel.__chandle__())
        if program is not None:
            kernel._origin = (program, dict(options or {}))
        return kernel

    __signature__ = CallSignature()
    launch = launch

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        arguments = in_order(self, arguments, named) if named else arguments
        made = self.launch(*arguments)
        return made if made is None else like(made, arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin is None:
            raise TypeError(
                f"kernel {self.name!r} cannot be pickled (it came as a function, so its program is not known). Pickle the "
                "program, and compile that."
            )
        return _compiled, self._origin

    def raise_for_arguments(self, error: type[Exception]) -> None:
        """From now on a wrong argument is an `error`, for who has promised callers another type than TypeError and ValueError.

        Threads: not beside calls.

        Raises:
            TypeError: `error` is no class of exceptions.
        """
        if not (isinstance(error, type) and issubclass(error, Exception)):
            raise TypeError(f"error is {error!r} (a class of exceptions is wanted). Pass one, such as ValueError.")
        functions.kernel_raise_for_arguments(self, _registered(error))
        self._argument_error = error

    def _text(self, name: str) -> str:
        return str(functions.kernel_texts(self)[name])

    @property
    def name(self) -> str:
        """The name of its program."""
        return self._text("name")

    @property
    def backend(self) -> str:
        """The backend whose code is launched now."""
        return self._text("backend")

    @property
    def target(self) -> str:
        """The canonical target that it was compiled for."""
        return self._text("target")

    @property
    def tier(self) -> str:
        """The tier of the code that is launched now ("fast", "full"); empty if the backend has none."""
        return self._text("tier")

    @property
    def signature(self) -> dict[str, Any]:
        """Parameters, outputs and symbols, as docs/dispatch-ir.md describes them."""
        return cast("dict[str, Any]", json.loads(self._text("signature")))

    @property
    def attributes(self) -> list[dict[str, Any]]:
        """What each of its kernels takes, as the compiler wrote it down; empty where the backend does not say it.

        Keys: kernel, registers and local_bytes (a thread), shared_bytes (a block), constant_bytes, max_threads, and
        multiprocessor (what one has) for architectures whose numbers are known. Backends nvrtc and cuda say it of code for
        an architecture.
        """
        return cast("list[dict[str, Any]]", json.loads(self.files.get("artifact/kernels.json", b"[]")))

    def occupancy(self, threads: int, dynamic_shared_bytes: int = 0, *, kernel: str = "") -> dict[str, Any]:
        """How many blocks of `threads` threads a multiprocessor runs at once.

        Keys: blocks, part (of the threads that it can have, 0 to 1), limit ("threads", "blocks", "registers" or "shared
        memory"). `kernel` names one, in a program that has several.

        Raises:
            UnsupportedError: the backend does not say what its kernels take, or what a multiprocessor has.
            ValueError: fewer threads than 1, or more than the kernel is compiled for; no such kernel.
        """
        sizes = _check.integer("threads", threads), _check.integer("dynamic_shared_bytes", dynamic_shared_bytes)
        return cast("dict[str, Any]", json.loads(str(functions.kernel_occupancy(self, _check.text("kernel", kernel), *sizes))))

    @property
    def device(self) -> tvm_ffi.Device:
        """The device that it was compiled for."""
        return cast("tvm_ffi.Device", functions.kernel_device(self))

    @property
    def is_up_to_date(self) -> bool:
        """Are the headers that it was compiled from as they were then? If not, `compile` gives another kernel.

        Costs about a microsecond a header; headers are files outside the program.
        """
        return bool(functions.kernel_is_up_to_date(self))

    @property
    def source(self) -> str:
        """The sources of the variant that is launched, one after another; a byte that is not UTF-8 is a surrogate."""
        return decoded(bytes(functions.kernel_content(self, "source")))

    @property
    def launcher(self) -> str:
        """The launcher that the backend made."""
        return decoded(bytes(functions.kernel_content(self, "launcher")))

    @property
    def resolution(self) -> Resolution:
        """Which candidates there were, and why this backend was taken."""
        return cast(Resolution, functions.kernel_resolution(self))

    @property
    def files(self) -> dict[str, bytes]:
        """Sources, headers, the launcher and the parts of the artifact."""
        return {str(path): bytes(content) for path, content in functions.kernel_files(self).items()}

    def set_constant(self, name: str, value: Any) -> None:
        """Sets a constant of the program for the launches that come after it on the current stream.

        Args:
            name: as the program declares it.
            value: an array of the declared dtype and shape, on the host or on a device. One on the host has been read when this
                returns.

        Raises:
            ValueError: an unknown name, another dtype, shape or size than the code has, memory elsewhere, a stream that is captured.
            LaunchError: the device refused.
        """
        functions.kernel_set_constant(self, _check.text("name", name), taken("value", _check.array("value", value)))

    def warm(self, device: int | None = None) -> None:
        """Does now what the first launch on `device` would do once.

        Raises:
            LaunchError: the device refused.
        """
        functions.kernel_warm(self, None if device is None else _check.integer("device", device))

    def await_best(self, timeout: float | timedelta | None = None) -> None:
        """Waits until what is compiled or measured in the background has taken over. Ctrl-C ends the wait.

        Args:
            timeout: the most to wait; a number is seconds.

        Raises:
            Error: the reason why it could not, or the time-out; the kernel goes on with what it has.
        """
        functions.kernel_await_best(self, plain({"timeout": timeout}))

    def tune(self, *arguments: Any, again: bool = False, seconds: float = 2) -> Tuning:
        """Measures every candidate with calls like this one, and launches the winner from then on. The arrays are neither read
        nor written. Needs policy "measured".

        Args:
            again: measure although there is a measurement.
            seconds: the most that measuring takes, once each candidate ran 16 times; it ends as soon as the winner is sure.
                `facts["sure"]` is False where it was not.

        Raises:
            TypeError, ValueError: another policy, or arguments as in a call that is refused; seconds that are no number.
            Error: no candidate could be measured.
        """
        facts, text = functions.kernel_tune(self, bool(again), _check.number("seconds", seconds), *taken_for(self, arguments))
        return Tuning(str(text), json.loads(facts))

    def __repr__(self) -> str:
        return f"<kmux.Kernel {self.name!r} on {self._text('device')}>"


class _KernelThatWrites(DirectFunction, Kernel):
    # It has no outputs to allocate, and so nothing to make of what a call returns: no Python code runs in one.
    __doc__ = Kernel.__doc__

    launch = DirectFunction.__call__


_KernelThatWrites.__name__ = _KernelThatWrites.__qualname__ = Kernel.__name__  # which is what users see


def _compiled(program: Program, options: dict[str, Any]) -> Kernel:
    """A kernel that was pickled."""
    from ._compile import compile  # which needs kernels

    return compile(program, **options)
