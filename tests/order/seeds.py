#!/usr/bin/env python3
"""seeds.py PROGRAM [ARGUMENT...] --seeds FIRST COUNT: runs a test program over the fake CUDA driver once a seed.

Each run has its streams do their work in another legal order (KMUX_FAKE_CUDA_SEED). Prints what failed and under which seed;
exit 1 if anything did, 77 if the program skips. Progress goes to stderr.
"""
import argparse
import os
import subprocess
import sys

PROGRESS = 50
MISUSE = "fake libcuda: "  # how the fake driver begins what it finds wrong


def run(command, seed):
    environment = dict(os.environ, KMUX_FAKE_CUDA_SEED=str(seed))
    return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)


def reason(output):
    """The first line of a skip, as tools/skipped_tests.py reads it."""
    return next((line for line in output.splitlines() if line.startswith("needs ")), "the program skips")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs=2, type=int, required=True, metavar=("FIRST", "COUNT"))
    arguments, command = parser.parse_known_args()
    first, count = arguments.seeds
    failed = []
    for seed in range(first, first + count):
        process = run(command, seed)
        if process.returncode == 77:
            print(reason(process.stdout))
            return 77
        misuse = MISUSE in process.stderr
        if process.returncode != 0 or misuse:
            failed.append(seed)
            print(f"seed {seed}: exit code {process.returncode}\n{process.stdout[-4000:]}\n{process.stderr[-2000:]}", flush=True)
        if (seed - first) % PROGRESS == PROGRESS - 1:
            print(f"{seed - first + 1} of {count} seeds, {len(failed)} failed", file=sys.stderr, flush=True)
    print(f"{count} seeds, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
