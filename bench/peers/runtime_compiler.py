"""NVRTC through ctypes: CUDA text to a cubin."""

from __future__ import annotations

import ctypes
import os
import pathlib
import sysconfig
from typing import Any


def library_path() -> str:
    """Where NVRTC is: a toolkit, a package of Python's, or wherever the loader finds it."""
    toolkit = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "lib64"
    packages = pathlib.Path(sysconfig.get_paths()["purelib"]) / "nvidia"
    for folder in (toolkit, *packages.glob("*/lib")):
        if found := sorted(folder.glob("libnvrtc.so.[0-9]*")):
            return str(found[0])
    return "libnvrtc.so"


def opened_library() -> ctypes.CDLL:
    """NVRTC. It opens its builtins by name alone, which finds those of a Python package only if they are open already."""
    path = pathlib.Path(library_path())
    if path.is_absolute():
        for builtins in path.parent.glob("libnvrtc-builtins.so.*"):
            ctypes.CDLL(str(builtins))
    return ctypes.CDLL(str(path))


def missing() -> str:
    """Why nothing can be compiled here; empty if it can."""
    try:
        opened_library()
    except OSError as error:
        return f"no NVRTC ({error})"
    return ""


class RuntimeCompiler:
    """NVRTC. It keeps nothing: the same text again is compiled again."""

    def __init__(self) -> None:
        self.library = opened_library()

    def call(self, name: str, *arguments: Any) -> None:
        if code := getattr(self.library, name)(*arguments):
            raise RuntimeError(f"{name} answers {code}")

    def version(self) -> str:
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return f"{major.value}.{minor.value}"

    def compiled(self, source: str, capability: str) -> bytes:
        """The cubin of a text for a device such as "90"."""
        program, size = ctypes.c_void_p(), ctypes.c_size_t()
        options = (ctypes.c_char_p * 1)(f"--gpu-architecture=sm_{capability}".encode())
        self.call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None)
        try:
            self.call("nvrtcCompileProgram", program, 1, options)
            self.call("nvrtcGetCUBINSize", program, ctypes.byref(size))
            code = ctypes.create_string_buffer(size.value)
            self.call("nvrtcGetCUBIN", program, code)
            return code.raw
        finally:
            self.call("nvrtcDestroyProgram", ctypes.byref(program))
