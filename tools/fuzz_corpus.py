#!/usr/bin/env python3
"""fuzz_corpus.py FOLDER FORMAT...: keeps the best of what the fuzzers in FOLDER have found (./kmux.sh fuzz keep).

Of the inputs in FOLDER/corpus/FORMAT and those kept before, libFuzzer chooses what reaches more than the seeds of the format do;
of these the shortest are written to tests/fuzz/corpus/FORMAT.hex, an input a line, as many as a format may have bytes. Tests read
them in each run, and the fuzzers begin with them.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

KEPT = pathlib.Path(__file__).resolve().parent.parent / "tests/fuzz/corpus"
MOST_BYTES = 512  # of an input
ALL_BYTES = 3072  # of the inputs of a format, so that the files of ten formats are some tens of KB


def run(name, *words):
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        sys.exit(f"fuzz_corpus.py: the fuzzer of {name} failed (its inputs cannot be chosen). Its last words:\n{done.stderr[-2000:]}")


def begin(folder, name, into):
    """Writes seeds and kept inputs of a format, and returns the command of its fuzzer."""
    tests = folder / "tests"
    if name == "text":
        run(name, tests / "write_seeds", into)
        return [tests / "fuzz_text"]
    fuzzer = [tests / "fuzz_formats", f"--format={name}"]
    run(name, *fuzzer, f"--seeds={into}")
    return fuzzer


def choose(folder, name):
    """The inputs that reach what the seeds do not."""
    with tempfile.TemporaryDirectory() as scratch:
        chosen, offered = pathlib.Path(scratch, "chosen"), pathlib.Path(scratch, "offered")
        chosen.mkdir()
        offered.mkdir()
        fuzzer = begin(folder, name, chosen)
        seeds = {path.name for path in chosen.glob("seed*")}
        for path in chosen.glob("kept*"):
            path.rename(offered / path.name)
        for path in (folder / "corpus" / name).glob("*"):
            if path.stat().st_size <= MOST_BYTES:
                shutil.copy(path, offered)
        run(name, *fuzzer, "-set_cover_merge=1", chosen, offered)  # adds to `chosen`
        return [path.read_bytes() for path in chosen.iterdir() if path.name not in seeds]


def shortest(inputs):
    """As many as ALL_BYTES hold, the shortest first: equal inputs give equal files."""
    taken, room = [], ALL_BYTES
    for one in sorted(set(inputs), key=lambda one: (len(one), one)):
        room -= len(one)
        if room < 0:
            break
        taken.append(one)
    return taken


def keep(folder, name):
    inputs = choose(folder, name)
    taken = shortest(inputs)
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{name}.hex").write_text("".join(one.hex() + "\n" for one in taken), encoding="ascii")
    print(f"{name}: {len(taken)} of {len(inputs)} inputs kept", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("formats", nargs="+")
    arguments = parser.parse_args()
    for name in arguments.formats:
        keep(arguments.folder, name)


if __name__ == "__main__":
    main()
