"""Exports with TileLang itself: every kernel of ../kernels, compared with tests/data/tilelang byte for byte, and what
must be refused.

Usage: lowering.py REPOSITORY; exits with 77 (a counted skip) where TileLang cannot be imported.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kmux_tilelang.error import UsageError  # noqa: E402
from kmux_tilelang.lower import require_tilelang  # noqa: E402

# Command line, exit code, a part of what is printed.
_CASES = [
    ("tests/refused.py:copy_lazily", [], 0, "copy_lazily.kmux.json"),
    ("tests/refused.py:tensor_core", [], 3, "cannot lower the kernel for target 'c' (Check failed: layout_map"),
    ("tests/refused.py:no_prim_func", [], 3, "gave a int, no prim_func"),
    ("tests/refused.py:nothing", [], 2, "has no 'nothing'. It has: copy_lazily, tensor_core, no_prim_func"),
    ("no_such_module:k", [], 2, "cannot import"),
    ("kernels/gemm.py:gemm", ["--arg", "width=3"], 2, "cannot be called"),
    ("kernels/gemm.py:gemm", ["--target", "vax"], 2, "unknown target 'vax'"),
    ("kernels/gemm.py:gemm", ["--out-idx", "3"], 2, "does not fit 3 parameters"),
    ("kernels/gemm.py:gemm", ["-o", "/proc/kmux"], 4, "cannot write"),
]


def wrong_answers(root: Path, folder: str) -> int:
    """How many of the cases end otherwise than they should."""
    wrong = 0
    for kernel, options, code, part in _CASES:
        command = [sys.executable, "-m", "kmux_tilelang", "export", kernel, "-o", folder, *options]
        ran = subprocess.run(command, cwd=root, capture_output=True, text=True)
        if ran.returncode != code or part not in ran.stdout + ran.stderr:
            print(f"{kernel} {options}: exit {ran.returncode} (expected {code}): {ran.stdout}{ran.stderr}")
            wrong += 1
    return wrong


def differences(made: Path, kept: Path) -> int:
    """How many files of the two folders are not in both, or differ."""
    files = {path.relative_to(folder) for folder in (made, kept) for path in folder.rglob("*") if path.is_file()}
    different = [file for file in sorted(files) if _bytes(made / file) != _bytes(kept / file)]
    for file in different:
        print(f"{file}: not as in tests/data/tilelang. If that is meant: kernels/export_all.sh tests/data/tilelang.")
    return len(different)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def main() -> int:
    repository = Path(sys.argv[1]).resolve()
    root = repository / "integrations/tilelang"
    try:
        require_tilelang()
    except UsageError as error:
        print(f"skipped: {error}")
        return 77
    with tempfile.TemporaryDirectory() as kernels, tempfile.TemporaryDirectory() as cases:
        environment = {**os.environ, "PYTHON": sys.executable}
        subprocess.run([root / "kernels/export_all.sh", kernels], check=True, env=environment)
        return 1 if wrong_answers(root, cases) + differences(Path(kernels), repository / "tests/data/tilelang") else 0


if __name__ == "__main__":
    sys.exit(main())
