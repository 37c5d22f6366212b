#!/usr/bin/env python3
"""Runs the programs of this folder, each of which counts what is wrong in its tensor `wrong`, and prints how many have something.

    run_values.py --kmux build/release/bin/kmux --backend cpu -o tier=fast
    run_values.py --kmux build/release/bin/kmux --backend nvrtc          # on a machine with a GPU

A program with a line "// check: TEXT" has a fault that --check-memory tells, with TEXT; the others have none.
"""

import argparse
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def numbers(file: Path) -> tuple[int, ...]:
    """The int32 elements of a .npy file."""
    content = file.read_bytes()
    begin = 10 + struct.unpack_from("<H", content, 8)[0]
    return struct.unpack_from(f"<{(len(content) - begin) // 4}i", content, begin)


def told(program: Path) -> str | None:
    found = re.search(r"^// check: (.*)$", program.read_text(), re.MULTILINE)
    return found and found[1]


def problem_with(program: Path, arguments: argparse.Namespace) -> str:
    """What is wrong with the program as `arguments` have it run, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "wrong.npy"
        command = [arguments.kmux, "run", str(program), "--no-cache", "--in", "*=zeros", "--out", f"wrong={out}"]
        command += ["--check-memory"] if arguments.check else ["--backend", arguments.backend]
        command += [word for option in arguments.option for word in ("-o", option)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
        fault = told(program) if arguments.check else None
        if fault is not None:
            return "" if ran.returncode == 6 and fault in ran.stderr else f'no finding "{fault}": {ran.stderr}'
        if ran.returncode != 0:
            return ran.stderr
        wrong = sum(numbers(out))
        return f"{wrong} wrong" if wrong else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kmux", default="kmux", help="the command")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--check", action="store_true", help="with --check-memory")
    parser.add_argument("-o", "--option", action="append", default=[], help="an option of the backend; repeatable")
    parser.add_argument("programs", nargs="*", type=Path, help="default: all of this folder")
    arguments = parser.parse_args()
    failed = 0
    for program in arguments.programs or sorted(FOLDER.glob("*.cu")):
        problem = problem_with(program, arguments)
        print(f"{program.name}: {problem or 'right'}")
        failed += bool(problem)
    print(f"values_wrong {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
