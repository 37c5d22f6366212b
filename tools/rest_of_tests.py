#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rest_of_tests.py BUILD: a regular expression of the tests that the small size of the suite leaves out.

These are the tests with label `large` or `sweep` (cmake/kmux_test_sizes.cmake), and those of which the last run of ctest in BUILD
skipped a case: what they lacked may be there by now. Prints nothing if there is none.
"""
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import skipped_tests  # noqa: E402

LABELS = {"large", "sweep"}


def labels(test):
    return {word for entry in test.get("properties", []) if entry["name"] == "LABELS" for word in entry["value"]}


def labelled(listing):
    return {test["name"] for test in listing["tests"] if labels(test) & LABELS}


def skipping(folder):
    """The tests of which a case was skipped, or all of them."""
    log = skipped_tests.read(folder / "LastTest.log")
    return {test for test, output in skipped_tests.blocks(log) if any(True for _ in skipped_tests.skips(output))} | skipped_tests.whole(folder)


def expression(names):
    return f"^({'|'.join(re.escape(name).replace(chr(92) + '-', '-') for name in sorted(names))})$" if names else ""


def main():
    build = pathlib.Path(sys.argv[1])
    words = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    listing = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    if text := expression(labelled(listing) | skipping(build / "Testing" / "Temporary")):
        print(text)


if __name__ == "__main__":
    main()
