#!/usr/bin/env python3
"""tidy.py BUILD FOLDER...: clang-tidy over the sources of these folders that BUILD compiles.

A clean result is remembered by the hash of everything that decides it (the preprocessed source, the command and
.clang-tidy), so that a second run looks only at what has changed.
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"
GCC_ONLY = " -fno-gnu-unique"


def commands(database, folders):
    roots = [ROOT / folder for folder in folders]
    for entry in database:
        path = pathlib.Path(entry["file"])
        inside = any(path.is_relative_to(root) for root in roots)
        if inside and path.suffix == ".cpp" and "tests" not in path.parts:
            yield path, entry


def digest(entry):
    """The hash behind a remembered result, or None if the source does not even preprocess."""
    words = shlex.split(entry["command"])
    words = words[: words.index("-o")] + words[words.index("-o") + 2 :]
    words[words.index("-c")] = "-E"
    if words[0].endswith("ccache"):
        words = words[1:]
    text = subprocess.run(words + ["-C"], cwd=entry["directory"], capture_output=True, check=False)
    if text.returncode:
        return None
    rules = (ROOT / ".clang-tidy").read_bytes()
    return hashlib.sha256(b"\0".join([entry["command"].encode(), rules, text.stdout])).hexdigest()


def tidy(build, path, entry):
    key = digest(entry)
    stamp = ROOT / ".cache" / "tidy" / str(key)
    if key and stamp.exists():
        return None
    result = subprocess.run([TIDY, "-p", build, "--quiet", path], capture_output=True, text=True, check=False)
    if result.returncode == 0 and key:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return result.stdout + result.stderr if result.returncode else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folders", nargs="+")
    args = parser.parse_args()
    text = (args.build / "compile_commands.json").read_text().replace(GCC_ONLY, "")
    for_clang = args.build / "tidy"
    for_clang.mkdir(exist_ok=True)
    (for_clang / "compile_commands.json").write_text(text)
    work = dict(commands(json.loads(text), args.folders))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        results = pool.map(lambda item: tidy(for_clang, *item), work.items())
        findings = [output for output in results if output]
    print(*findings, f"clang-tidy: {len(work)} sources, {len(findings)} with findings", sep="\n")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
