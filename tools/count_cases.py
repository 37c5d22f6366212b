#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_cases.py BUILD: how many test cases there are, and how many of them the small size of the suite has.

A case is a TEST of GoogleTest, a method `test_...` of a Python script that a test runs, or else a test of ctest.
"""
import json
import pathlib
import re
import subprocess
import sys

CASE = re.compile(r"^  \S", re.MULTILINE)
METHOD = re.compile(r"^\s+def test_", re.MULTILINE)


def tests_of(build):
    words = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["tests"]


def is_large(test):
    return any("large" in entry["value"] for entry in test.get("properties", []) if entry["name"] == "LABELS")


def listed(words):
    """The cases that a program of GoogleTest has, of one of its files where that is named."""
    try:
        told = subprocess.run([*words[:2], "--gtest_list_tests"], check=False, capture_output=True, text=True, timeout=60).stdout
    except OSError:
        return 0
    return len(CASE.findall(told))


def cases_of(test):
    words = test.get("command", [])
    if len(words) > 1 and words[1].startswith("--file="):
        return max(1, listed(words))
    scripts = [pathlib.Path(word) for word in words[1:] if word.endswith(".py")]
    return max(1, sum(len(METHOD.findall(script.read_text())) for script in scripts if script.is_file()))


def counted(build):
    """(cases, those of the small size)"""
    sizes = [(cases_of(test), is_large(test)) for test in tests_of(build)]
    return sum(count for count, _ in sizes), sum(count for count, large in sizes if not large)


def main():
    every, some = counted(pathlib.Path(sys.argv[1]))
    print(f"{every} cases, {some} of them in the small size ({100 * some / every:.1f} %)")


if __name__ == "__main__":
    main()
