#!/usr/bin/env python3
"""seeds.py --seeds FIRST COUNT [--apart] [--limit SECONDS] PROGRAM [--gtest_filter=...]: runs a test program over the fake CUDA driver once a seed.

Under each seed streams do their work in another legal order. One process runs many seeds, and what they compile is kept for
all in a folder of the run (KMUX_SEEDS_CACHE); --apart: each seed has a process of its own, and nothing is kept. A process
that runs longer than --limit is killed. Without KMUX_ALL_TESTS=1 COUNT is 10 at most; KMUX_SEEDS is another COUNT. Prints what failed, under which seed, and how to repeat it; progress goes to stderr.

Exit code 0: all seeds passed. 1: a case failed, a process ended early, the fake driver found misuse, or a pattern of the
filter selects no case. 2: the arguments are wrong. 77: every case skips.
"""
import argparse
import fnmatch
import os
import re
import shlex
import subprocess
import sys
import tempfile

SOME = 10  # seeds of the small size
CHUNK = 500  # seeds of one process; between two, progress is told
SKIPPED = 77
MISUSE = "fake libcuda: "  # how the fake driver begins what it finds wrong
MARK = re.compile(r"seed (\d+)( failed)?")  # what tests/seeded_runs.h writes before and behind each seed
FILTER = "--gtest_filter="
SHOWN = 4000  # characters of what a seed wrote


def run(command, environment, limit=None):
    """Returns the exit code and what was written, stdout and stderr together."""
    with tempfile.TemporaryFile() as written:
        try:
            process = subprocess.run(command, env=environment, stdout=written, stderr=written, timeout=limit, check=False)
            code = process.returncode
        except subprocess.TimeoutExpired:
            code = f"none: killed after {limit} s"
        written.seek(0)
        return code, written.read().decode(errors="replace")


def cases_of(command, environment):
    program = [argument for argument in command if not argument.startswith(FILTER)]
    suite, cases = "", []
    for line in run([*program, "--gtest_list_tests"], environment)[1].splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith(" "):
            cases.append(suite + name.strip())
        else:
            suite = name
    return cases


def idle_patterns(command, environment):
    """The patterns of the filter that no case matches: one was renamed, or is gone."""
    filters = "".join(argument[len(FILTER):] for argument in command if argument.startswith(FILTER))
    cases = cases_of(command, environment) if filters else []
    patterns = [pattern for pattern in re.split("[:-]", filters) if pattern]
    return [pattern for pattern in patterns if not any(fnmatch.fnmatchcase(case, pattern) for case in cases)]


def split_by_seed(text):
    """What was written under each seed, and the seeds in which a case failed."""
    written, failed, seed = {}, set(), None
    for line in text.splitlines():
        mark = MARK.fullmatch(line)
        if mark:
            seed = int(mark[1])
            if mark[2]:
                failed.add(seed)
        written.setdefault(seed, []).append(line)
    return written, failed


def reason(text):
    """The first line of a skip, as tools/skipped_tests.py reads it."""
    return next((line for line in text.splitlines() if line.startswith("needs ")), "every case skips")


def show(command, seed, is_misuse, lines, code):
    print("\n".join(lines)[-SHOWN:])
    again = shlex.join(["env", f"KMUX_FAKE_CUDA_SEED={seed}", *command])
    print(f"seed {seed} failed ({'misuse, ' if is_misuse else ''}exit code {code}). Repeat it: {again}", flush=True)


def run_chunk(command, environment, first, count, limit):
    """Returns the seeds that failed, the first one that was not run, and the exit code."""
    code, text = run([*command, "--gtest_brief=1", f"--seeds={first}:{count}"], environment, limit)
    written, failed = split_by_seed(text)
    misused = {seed for seed, lines in written.items() if any(MISUSE in line for line in lines)}
    last = max((seed for seed in written if seed is not None), default=first)
    failed |= {first if seed is None else seed for seed in misused}
    is_whole = last == first + count - 1 and last in written and code in (0, 1, SKIPPED)
    if not is_whole or (code == 1 and not failed):
        failed.add(last)
    for seed in sorted(failed):
        show(command, seed, seed in misused, written.get(seed, written.get(None, [])), code)
    if code == SKIPPED and not failed:
        print(reason(text))
    return failed, last + 1, code


def run_seeds(command, environment, first, count, chunk, limit):
    failed, end, told = set(), first + count, first
    while first < end:
        found, first, code = run_chunk(command, environment, first, min(chunk, end - first), limit)
        failed |= found
        if code == SKIPPED and not failed:
            return SKIPPED
        if first - told >= min(CHUNK, count / 4) or first == end:
            print(f"{count - (end - first)} of {count} seeds, {len(failed)} failed", file=sys.stderr, flush=True)
            told = first
    print(f"{count} seeds, {len(failed)} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs=2, type=int, required=True, metavar=("FIRST", "COUNT"))
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--limit", type=float, default=500, metavar="SECONDS")
    arguments, command = parser.parse_known_args()
    first, count = arguments.seeds
    if os.environ.get("KMUX_ALL_TESTS") != "1":
        count = min(count, SOME)
    count = int(os.environ.get("KMUX_SEEDS", count))
    if not command or count < 1:
        parser.error("a program and at least one seed are needed")
    idle = idle_patterns(command, os.environ)
    for pattern in idle:
        print(f"no case matches \"{pattern}\"")
    if idle:
        return 1
    if arguments.apart:
        return run_seeds(command, dict(os.environ), first, count, 1, arguments.limit)
    with tempfile.TemporaryDirectory(prefix="kmux-seeds-") as folder:
        return run_seeds(command, dict(os.environ, KMUX_SEEDS_CACHE=folder), first, count, CHUNK, arguments.limit)


if __name__ == "__main__":
    sys.exit(main())
