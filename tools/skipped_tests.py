#!/usr/bin/env python3
"""skipped_tests.py FOLDER: the capabilities for want of which tests were skipped, in one line with the number of cases.

FOLDER is Testing/Temporary of a build after ctest. Prints nothing if nothing was skipped. A skip says why in a line
"needs CAPABILITY (WHY)": cases of GoogleTest (tests/needs.h), of unittest run with -v, and programs that end with 77.
"""
import collections
import pathlib
import re
import sys

TEST = re.compile(r"^\d+/\d+ Test: (\S+)\n", re.MULTILINE)
CASE = re.compile(r"^\[  SKIPPED \] \S+ \(\d+ ms\)$")  # the summary at the end of a program has no time
BEGIN = re.compile(r"^\[ RUN      \] ")
UNITTEST = re.compile(r"\.\.\. skipped (['\"])(.*)\1$")
NEEDS = re.compile(r"^needs ([^(]+?) \(")


def capability(text):
    found = NEEDS.match(text)
    return found[1] if found else ""


def skips(output):
    """The capability of each case that a program skipped; empty where it gives none."""
    reason = ""
    for line in output.splitlines():
        if BEGIN.match(line):
            reason = ""
        elif CASE.match(line):
            yield reason
        elif found := UNITTEST.search(line):
            yield capability(found[2])
        else:
            reason = reason or capability(line)


def alone(output):
    """The capability that a program without cases names."""
    return next(filter(None, map(capability, output.splitlines())), "")


def blocks(log):
    """(test, output) of each test that ran."""
    pieces = TEST.split(log)[1:]
    return zip(pieces[::2], pieces[1::2])


def counted(log, skipped_whole):
    """({capability: cases}, names of tests with a skip that gives no reason)."""
    found, unnamed = collections.Counter(), []
    for test, output in blocks(log):
        cases = list(skips(output))
        if not cases and test in skipped_whole:
            cases = [alone(output)]
        found.update(filter(None, cases))
        if not all(cases):
            unnamed.append(test)
    return found, unnamed


def sentence(found, unnamed):
    ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    parts = []
    for place, (name, count) in enumerate(ranked):
        unit = "" if place else " case" if count == 1 else " cases"  # of the first number only
        parts.append(f"{name} ({count}{unit})")
    if unnamed:
        parts.append(f"reasons that are not given ({', '.join(unnamed)})")
    return f"skipped for want of: {', '.join(parts)}" if parts else ""


def read(path):
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def whole(folder):
    """The tests that ctest skipped as a whole, which its log calls passed."""
    return {line.split(":", 1)[1] for line in read(folder / "LastTestsDisabled.log").splitlines() if ":" in line}


def main():
    folder = pathlib.Path(sys.argv[1])
    if text := sentence(*counted(read(folder / "LastTest.log"), whole(folder))):
        print(text)


if __name__ == "__main__":
    main()
