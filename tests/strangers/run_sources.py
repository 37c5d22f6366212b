#!/usr/bin/env python3
"""Runs the sources of strangers' kinds: run_sources.py KMUX [--backend cpu] [--compile TARGET]. Each has an output "ok" of ones.

With --compile they are compiled for TARGET (cuda:sm_90), which needs no device. Files whose host headers nvcc lacks are for the others.
The last line is the count of those that failed. Where the backend can do none here, that is said, and the exit code is 77.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

NO_BACKEND = 4  # the exit code of the command
HERE = pathlib.Path(__file__).resolve().parent


def is_all_ones(path):
    """Is it an .npy file of int32 that are all 1?"""
    data = path.read_bytes()
    header = 10 + int.from_bytes(data[8:10], "little")
    values = data[header:]
    return b"'<i4'" in data[:header] and len(values) > 0 and values == b"\1\0\0\0" * (len(values) // 4)


def failure(options, source, folder):
    """Why a source fails, or nothing, and whether no backend can do it here."""
    command = [options.kmux, "compile" if options.compile else "run", str(source), "--backend", options.backend, "--no-cache"]
    out = folder / (source.stem + ".npy")
    if options.compile:
        command += ["--target", options.compile]
    else:
        command += ["--out", f"ok={out}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        return re.sub(r"\s+", " ", result.stderr or result.stdout)[:400], result.returncode == NO_BACKEND
    return "" if options.compile or is_all_ones(out) else "a result is wrong", False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kmux")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--compile", metavar="TARGET")
    options = parser.parse_args()
    failed = not_here = 0
    sources = sorted((HERE / "sources").glob("*.cu"))
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            why, is_not_here = failure(options, source, pathlib.Path(folder))
            not_here += is_not_here
            failed += bool(why)
            if why:
                print(f"{source.name}: {why}")
    print(f"strangers_on_{options.backend}_tried {len(sources)}\nstrangers_on_{options.backend}_failed {failed}")
    if not_here == len(sources):
        print(f"needs {options.backend} ({why})")
        return 77
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
