"""Runs a Python script with a release of TileLang: with_tilelang.py RELEASE SCRIPT [ARGUMENT...]

RELEASE is "newest", what the environment in .cache/tilelang/venv has, or an older one that lies in .cache/tilelang; ./kmux.sh test --all fetches both.
Exits with 77 (a counted skip) where they are missing. KMUX_TILELANG_PYTHON names another Python that has TileLang.
"""

import os
import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]


def main(release: str, *command: str) -> None:
    """Becomes the script."""
    own = _ROOT / ".cache/tilelang/venv"
    python = os.environ.get("KMUX_TILELANG_PYTHON") or str(own / "bin/python")
    older = _ROOT / ".cache/tilelang" / release
    if "KMUX_TILELANG_PYTHON" not in os.environ and not (own / "complete").exists():
        print("needs TileLang (there is no .cache/tilelang/venv)")
        sys.exit(77)
    if release != "newest" and not older.is_dir():
        print(f"needs TileLang {release} (there is no {older})")
        sys.exit(77)
    before = [str(older)] if release != "newest" else []
    path = [*before, *filter(None, [os.environ.get("PYTHONPATH")]), str(_ROOT / "integrations/tvm_ffi/python")]
    os.execve(python, [python, "-B", *command], os.environ | {"PYTHONPATH": os.pathsep.join(path)})


if __name__ == "__main__":
    main(*sys.argv[1:])
