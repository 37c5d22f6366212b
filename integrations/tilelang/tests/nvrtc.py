"""NVIDIA's run-time compiler, which needs no device: CUDA C++ to PTX."""

import ctypes
import os
from pathlib import Path

_TOOLKIT = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))


class CompileError(Exception):
    """The compiler refused; the text is its log."""


def find_nvrtc() -> ctypes.CDLL | None:
    """The library, or None where there is no toolkit."""
    for folder in (_TOOLKIT / "lib64", _TOOLKIT / "lib"):
        for path in sorted(folder.glob("libnvrtc.so.*")):
            return ctypes.CDLL(str(path))
    return None


def toolkit_flags() -> list[str]:
    """Where the toolkit's own headers are."""
    return [f"-I{_TOOLKIT}/include", f"-I{_TOOLKIT}/include/cccl"]


def to_ptx(nvrtc: ctypes.CDLL, source: str, flags: list[str]) -> str:
    """The PTX of `source`.

    Errors: CompileError.
    """
    program = ctypes.c_void_p()
    text = ctypes.c_char_p(source.encode())
    _check(nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, b"k.cu", 0, None, None))
    try:
        options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        if nvrtc.nvrtcCompileProgram(program, len(flags), options) != 0:
            raise CompileError(_text(nvrtc, program, "ProgramLog"))
        return _text(nvrtc, program, "PTX")
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _text(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> str:
    size = ctypes.c_size_t()
    _check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, buffer))
    return buffer.value.decode(errors="replace")


def _check(nvrtc: ctypes.CDLL, code: int) -> None:
    if code != 0:
        raise CompileError(f"nvrtc answers {code}")
