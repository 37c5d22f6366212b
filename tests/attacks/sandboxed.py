#!/usr/bin/env python3
"""Whether what is right compiles as well in the confinement: sandboxed.py KMUX [--headers FOLDER] compiles each example and each kept
program of TileLang on each backend that starts a compiler, twice, the second time with every file in reach. A program that compiles then
and not before has failed. Ends with the number of those."""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Backend, the target, and the options with which it starts compilers; "apart": in a worker.
STARTED = {
    "cpu": (None, {"KMUX_OPTION_CPU_ENGINE": "host"}),
    "cuda": ("cuda:sm_90a", {}),
    "hip": ("hip:gfx90a", {"KMUX_OPTION_HIP_ENGINE": "clang"}),
    "cutedsl": ("cuda:sm_90a", {}),
    "cpu apart": (None, {"KMUX_ISOLATION": "process"}),
    "nvrtc apart": ("cuda:sm_90a", {"KMUX_ISOLATION": "process"}),
    "hip apart": ("hip:gfx90a", {"KMUX_OPTION_HIP_ENGINE": "clang", "KMUX_ISOLATION": "process"}),
}


def programs():
    found = sorted((ROOT / "examples").rglob("*.kmux.json")) + sorted((ROOT / "examples").rglob("*.kmux"))
    found += [path for path in sorted((ROOT / "examples").rglob("*.c*")) if "//! kernel" in path.read_text(errors="replace")]
    return found + sorted((ROOT / "tests/data/tilelang").rglob("*.kmux.json"))


def compiles(kmux, program, backend, headers, **variables):
    target, options = STARTED[backend]
    words = [kmux, "compile", str(program), "--backend", backend.removesuffix(" apart"), "--no-cache"]
    words += ["--target", target] if target else []
    words += ["-I", headers] if headers else []
    result = subprocess.run(words, env=os.environ | options | variables, capture_output=True, text=True, check=False, timeout=600)
    return result.returncode == 0, result.stderr


def outcome_of(kmux, headers, case):
    program, backend = case
    is_good, said = compiles(kmux, program, backend, headers)
    if is_good:
        return "compiled"
    lifted, _ = compiles(kmux, program, backend, headers, KMUX_COMPILER_READS="/", KMUX_COMPILER_WRITES="/")
    return f"FAILED: {said}" if lifted else "not for it"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kmux")
    parser.add_argument("--headers", help="the folder with TileLang's headers")
    parser.add_argument("--backends", nargs="*", default=list(STARTED))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    kmux = os.path.abspath(chosen.kmux)
    cases = [(program, backend) for backend in chosen.backends for program in programs()]
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        for case, outcome in zip(cases, pool.map(lambda case: outcome_of(kmux, chosen.headers, case), cases)):
            counts.setdefault(outcome.split(":")[0], []).append(case)
            if outcome.startswith("FAILED"):
                print(f"{case[0].relative_to(ROOT)} on {case[1]}: {outcome}", flush=True)
    print(f"sandboxed_compiles {len(counts.get('compiled', []))}")
    print(f"sandboxed_compiles_failed {len(counts.get('FAILED', []))}")
    return 1 if counts.get("FAILED") or not counts.get("compiled") else 0


if __name__ == "__main__":
    sys.exit(main())
