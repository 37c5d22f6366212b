"""The options of bars that run TileLang, and the environment in which it finds kmux: packages of this tree, the library of a build."""

import argparse
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def options(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--python", default=os.environ.get("KMUX_TILELANG_PYTHON") or str(ROOT / ".cache/tilelang/venv/bin/python"))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("bars", nargs="*")
    return parser.parse_args()


def environment(build: Path) -> dict[str, str]:
    packages = [str(ROOT / "integrations/tilelang"), str(ROOT / "integrations/tvm_ffi/python"), os.environ.get("PYTHONPATH", "")]
    found = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, packages)),
        "KMUX_TVM_FFI_LIBRARY": str(build / "lib/libkmux_tvm_ffi.so"),
    }
    found.pop("KMUX_DISABLE_CACHE", None)
    return found
