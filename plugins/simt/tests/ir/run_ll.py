#!/usr/bin/env python3
"""run_ll.py KMUX_OPT FILECHECK FILE.ll: the "; RUN:" lines of a file of LLVM IR, as LLVM's own tests have them.

A line is "; RUN: kmux-opt ARG... %s | FileCheck %s ARG...", or with "not" before kmux-opt, whose message is checked then. There
is no shell. Each line must succeed, and a file must have one. "; REQUIRES: x86_64" names the only processor of a file.
"""
import platform
import shlex
import subprocess
import sys


def commands(path):
    with open(path, encoding="utf-8") as text:
        for line in text:
            if line.startswith("; RUN: "):
                made, _, checked = line[len("; RUN: "):].strip().partition(" | ")
                yield shlex.split(made), shlex.split(checked)


def required(path):
    """The processor that the file is for, or an empty string."""
    with open(path, encoding="utf-8") as text:
        return next((line.split()[2] for line in text if line.startswith("; REQUIRES: ")), "")


def run(tools, path, made, checked):
    """Why the line failed, or an empty string."""
    is_failure = made[0] == "not"
    words = made[1:] if is_failure else made
    if words[:1] != ["kmux-opt"] or checked[:1] != ["FileCheck"]:
        return "is not \"kmux-opt ... | FileCheck ...\""
    filled = [[tools.get(word, word.replace("%s", path)) for word in command] for command in (words, checked)]
    first = subprocess.run(filled[0], capture_output=True, text=True, timeout=120, check=False)
    if (first.returncode != 0) != is_failure:
        return f"kmux-opt ended with {first.returncode}: {first.stderr}"
    text = first.stderr if is_failure else first.stdout
    second = subprocess.run(filled[1], input=text, capture_output=True, text=True, timeout=120, check=False)
    return "" if second.returncode == 0 else second.stderr


def main():
    tools = dict(zip(("kmux-opt", "FileCheck"), sys.argv[1:3]))
    path = sys.argv[3]
    if tools["FileCheck"].endswith("NOTFOUND"):
        print("needs FileCheck (apt-get install llvm-19-tools)")
        return 77
    if required(path) not in ("", platform.machine()):
        print(f"needs an {required(path)} processor (this one is {platform.machine()})")
        return 77
    lines = list(commands(path))
    failed = 0
    for made, checked in lines:
        if why := run(tools, path, made, checked):
            failed += 1
            print(f"{path}: RUN: {shlex.join(made)} | {shlex.join(checked)}\n{why}")
    if not lines:
        print(f"{path}: has no RUN line")
    return 1 if failed or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
