"""C that becomes a library for this process."""

from __future__ import annotations

import ctypes
import pathlib
import shutil
import subprocess
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")


def missing() -> str:
    """Why there can be no such library here; empty if there can."""
    return "" if shutil.which("cc") else "no C compiler (cc)"


def built(*sources: pathlib.Path) -> ctypes.CDLL:
    """The library of these sources, compiled now; its file is gone when this returns."""
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "built.so"
        command = ["cc", *FLAGS, "-o", str(library), *map(str, sources), "-ldl"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"cc fails: {ran.stderr.strip()}")
        return ctypes.CDLL(str(library))
