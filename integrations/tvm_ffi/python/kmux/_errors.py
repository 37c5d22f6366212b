"""What kmux raises. An invalid argument is a TypeError or a ValueError, as Python has them; the rest is an `Error`."""

from __future__ import annotations

from typing import ClassVar

import tvm_ffi

from ._library import functions


class Error(RuntimeError):
    """Something that kmux could not do. The message says what, why and what to do; notes of the compiler follow it."""

    code: ClassVar[str] = "internal"

    def _texts(self) -> dict[str, str]:
        """The notes of the runtime by kind, also of a copy, which has no error of TVM-FFI's."""
        kept: dict[str, str] | None = self.__dict__.get("_kept_texts")
        error = getattr(self, "__tvm_ffi_error__", None)
        if kept is not None or error is None:
            return kept or {}
        return {str(kind): str(text) for kind, text in (functions.error_notes(error) or {}).items()}

    def __reduce__(self) -> tuple[type[Error], tuple[object, ...], dict[str, object]]:
        """Pickles and copies with what `_texts` has: pools of processes raise copies."""
        state = {name: value for name, value in self.__dict__.items() if name != "__tvm_ffi_error__"}
        return type(self), self.args, {**state, "_kept_texts": self._texts()}


class UnsupportedError(Error):
    """The backend cannot do this; another one may."""

    code = "unsupported"


class UnavailableError(Error):
    """Something is missing on this machine: a toolchain, a device, memory, a place to write to."""

    code = "unavailable"


class OutOfMemoryError(UnavailableError):
    """The host or the device has no memory for it."""

    code = "out_of_memory"


class CancelledError(UnavailableError):
    """It was stopped before its end, since no caller waited for it any more."""

    code = "cancelled"


class CompileError(Error):
    """The compiler refused the sources; its log is in the message, too."""

    code = "compile_failed"

    @property
    def log(self) -> str:
        """All that the compiler said; empty if it said nothing."""
        return self._texts().get("log", "")


class CompileTimeoutError(CompileError):
    """The compiler took longer than it may."""

    code = "timed_out"


class LaunchError(Error):
    """The device or the kernel refused the launch."""

    code = "launch_failed"


class InternalError(Error):
    """A bug in kmux or in a plugin."""


class CompileWarning(RuntimeWarning):
    """A program that `par_compile` leaves out, with the reason."""


for _error in (
    UnsupportedError,
    UnavailableError,
    OutOfMemoryError,
    CancelledError,
    CompileError,
    CompileTimeoutError,
    LaunchError,
    InternalError,
):
    tvm_ffi.error.register_error(f"kmux.{_error.code}", _error)
# Ctrl-C while Python takes a line of the log: it ends the compilation, as anywhere else.
tvm_ffi.error.register_error("KeyboardInterrupt", KeyboardInterrupt)


def add_note(error: BaseException, note: str) -> None:
    """Adds a line to what is printed of `error`; before Python 3.11, where there are no notes, to its message."""
    if hasattr(error, "add_note"):
        error.add_note(note)
    elif error.args and isinstance(error.args[0], str):
        error.args = (f"{error.args[0]}\n{note}", *error.args[1:])
