#!/usr/bin/env python3
"""Checks that code blocks in README.md and docs are what tested files say.

A block is tied to a region by a comment on the line before it:

    <!-- region: examples/quickstart.cpp quickstart -->

and the region lies in that file between lines that end in `[quickstart.begin]` and `[quickstart.end]`. Without a name it
is the whole file. Prints every difference; exit 1 if there is one. `--write` puts the regions into the pages instead.

Usage: check_snippets.py [--write] [ROOT]
"""
import difflib
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"^<!-- region: (?P<file>\S+)(?: (?P<name>\S+))? -->\n(?P<open>```[^\n]*\n)(?P<code>.*?)^```$", re.M | re.S)
MARK = re.compile(r"^<!-- *region", re.M)


def region(root, file, name):
    """The lines between the marks of `name` in `file`, or the whole file; a ValueError says what is missing."""
    path = root / file
    if not path.is_file():
        raise ValueError(f"no file '{file}'")
    lines = path.read_text().splitlines()
    if name is None:
        return "\n".join(lines) + "\n"
    marks = [[i for i, line in enumerate(lines) if line.endswith(f"[{name}.{mark}]")] for mark in ("begin", "end")]
    if not all(marks):
        raise ValueError(f"no region '{name}' in '{file}'")
    begin, end = marks[0][0], marks[1][0]
    return textwrap.dedent("\n".join(lines[begin + 1 : end])) + "\n"


def pages(root):
    return [path for path in [root / "README.md", *sorted(root.glob("docs/**/*.md"))] if path.is_file()]


def problems_of(root, page, write):
    """Every difference of one page, and a region comment that no block follows."""
    name, text = page.relative_to(root), page.read_text()
    blocks = list(BLOCK.finditer(text))
    if len(blocks) != len(MARK.findall(text)):
        yield f"{name}: {len(MARK.findall(text))} region comments, {len(blocks)} with a code block on the next line"
    for block in reversed(blocks):
        try:
            wanted = region(root, block["file"], block["name"])
        except ValueError as error:
            yield f"{name}: {error}"
            continue
        if block["code"] != wanted and write:
            text = text[: block.start("code")] + wanted + text[block.end("code") :]
        elif block["code"] != wanted:
            where = f"{block['file']} {block['name'] or ''}".strip()
            diff = difflib.unified_diff(block["code"].splitlines(), wanted.splitlines(), str(name), where, lineterm="")
            yield "\n".join(diff)
    if write:
        page.write_text(text)


def main(arguments):
    write = "--write" in arguments
    folders = [pathlib.Path(argument).resolve() for argument in arguments if argument != "--write"]
    root = folders[0] if folders else pathlib.Path(__file__).resolve().parent.parent
    found = [problem for page in pages(root) for problem in problems_of(root, page, write)]
    print("\n".join(found) or f"snippets: {len(pages(root))} pages agree with their regions")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
