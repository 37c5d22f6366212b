"""Exports with TileLang itself: every kernel of ../kernels, compared with tests/data/tilelang byte for byte, and what
must be taken or refused.

Usage: lowering.py REPOSITORY; exits with 77 (a counted skip) where TileLang or CuTe DSL cannot be imported.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(_ROOT), str(_ROOT / "kernels")]

from export_all import export_all  # noqa: E402
from kmux_tilelang.__main__ import main as command_line  # noqa: E402
from kmux_tilelang.error import UsageError  # noqa: E402
from kmux_tilelang.lower import target_context  # noqa: E402
from kmux_tilelang.targets import find_target  # noqa: E402

_CUDA = ["--target", "cuda"]

# Command line, exit code, a part of what is printed.
_CASES = [
    ("tests/refused.py:copy_lazily", [], 0, "copy_lazily.kmux.json"),
    ("tests/refused.py:other_types", [*_CUDA, "--target", "cuda:sm_80"], 0, "other_types.kmux.json"),
    ("tests/refused.py:tensor_core", [], 3, "cannot lower the kernel for target 'c' (Check failed: layout_map"),
    ("tests/refused.py:tensor_core", [*_CUDA, "--target", "c"], 3, "cannot lower the kernel for target 'c'"),
    (
        "tests/refused.py:other_types",
        [*_CUDA, "--target", "hip"],
        3,
        "for target 'hip:gfx942' than for 'cuda:sm_90a' (params",
    ),
    ("tests/refused.py:filled_in_part", _CUDA, 3, "the host fills a part of 'x'"),
    ("tests/refused.py:filled_with_ones", _CUDA, 3, "with 1, whose bytes differ"),
    ("tests/refused.py:scaled_by_host", _CUDA, 3, "has no counterpart in the dispatch IR"),
    ("kernels/gemm.py:gemm", ["--name", "../gemm"], 2, "'../gemm' cannot name a program"),
    ("tests/refused.py:few_registers", _CUDA, 0, "few_registers.kmux.json"),
    ("tests/refused.py:no_prim_func", [], 3, "gave a int, no prim_func"),
    ("tests/refused.py:nothing", [], 2, "has no 'nothing'. It has: copy_lazily, tensor_core, no_prim_func"),
    ("no_such_module:k", [], 2, "cannot import"),
    ("kernels/gemm.py:gemm", ["--arg", "width=3"], 2, "cannot be called"),
    ("kernels/gemm.py:gemm", ["--target", "vax"], 2, "unknown target 'vax'"),
    ("kernels/gemm.py:gemm", ["--target", "cuda:90"], 2, "'90' is not a CUDA architecture"),
    ("kernels/gemm.py:gemm", ["--target", "c", "--target", "c"], 2, "target 'c' is given twice"),
    ("kernels/gemm.py:gemm", ["--out-idx", "3"], 2, "does not fit 3 parameters"),
    ("kernels/gemm.py:gemm", ["-o", "/proc/kmux"], 4, "cannot write"),
]

# What any_case's body has, of a device's host program.
_ANY_CASE = {
    "asserts": [{"condition": ["==", ["floormod", "n", 128], 0], "message": "Assume: n % 128 == 0"}],
    "for": {"variable": "step", "begin": 0, "end": "steps"},
    "if": {"condition": "flag"},
    "fills": [
        {"target": {"name": "counts"}, "bytes": ["*", "n", 8], "value": 255},
        {"target": {"name": "x"}, "bytes": ["*", "n", 4]},
    ],
}


def run(kernel: str, *options: str) -> tuple[int, str]:
    """The exit code of the command line, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        return command_line(["export", kernel, *options]), printed.getvalue()


def wrong_answers() -> int:
    """How many of the cases end otherwise than they should, or leave files although they fail."""
    wrong = 0
    for kernel, options, code, part in _CASES:
        with tempfile.TemporaryDirectory() as folder:
            answer, printed = run(kernel, "-o", folder, *options)
            left = sorted(path.name for path in Path(folder).iterdir()) if code else []
        if answer != code or part not in printed or left:
            print(f"{kernel} {options}: exit {answer} (expected {code}), left {left}: {printed}")
            wrong += 1
    return wrong


def wrong_host_programs() -> int:
    """Does the program of any_case say in order what its host function does?"""
    with tempfile.TemporaryDirectory() as folder:
        run("tests/refused.py:any_case", "-o", folder, *_CUDA)
        body = json.loads((Path(folder) / "any_case.kmux.json").read_text())["variants"][0]["body"]
    fills, (loop, guard) = [step["fill"] for step in body["steps"][:2]], body["steps"][2:]
    loop, guard = loop["for"], guard["if"]
    inner = loop.pop("steps")[0]["launch"], guard.pop("then")[0]["launch"]
    made = {"asserts": body["asserts"], "for": loop, "if": guard, "fills": fills}
    arguments = inner[0]["args"] == [
        {"workspace": "counts"}, {"tensor": "x"}, {"scalar": "half"}, {"expr": "n"}, {"expr": "step"},
    ]  # fmt: skip

    if made == _ANY_CASE and arguments and inner[1]["dynamic_smem_bytes"] == ["*", "n", 4]:
        return 0
    print(f"any_case: {made}, {inner}")
    return 1


def differences(made: Path, kept: Path) -> int:
    """How many files of the two folders are not in both, or differ."""
    files = {path.relative_to(folder) for folder in (made, kept) for path in folder.rglob("*") if path.is_file()}
    different = [file for file in sorted(files) if _bytes(made / file) != _bytes(kept / file)]
    for file in different:
        print(f"{file}: not as in tests/data/tilelang. If that is meant: kernels/export_all.py tests/data/tilelang.")
    return len(different)


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def main() -> int:
    repository = Path(sys.argv[1]).resolve()
    try:
        target_context(find_target("cutedsl"))
    except UsageError as error:
        print(f"needs TileLang ({error})")
        return 77
    with tempfile.TemporaryDirectory() as kernels:
        with contextlib.redirect_stdout(io.StringIO()):
            export_all(Path(kernels))
        different = differences(Path(kernels), repository / "tests/data/tilelang")
    os.chdir(_ROOT)
    return 1 if wrong_answers() + wrong_host_programs() + different else 0


if __name__ == "__main__":
    sys.exit(main())
