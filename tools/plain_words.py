#!/usr/bin/env python3
"""plain_words.py [--list] [FOLDER...]: how plain the words of comments and pages are, by library.

Prints for each library the words of its comments (pages for docs), phrases of a dialect and words of contracts, in 1,000 words each.
--list prints each phrase with its place instead. Ends with 1 where a library is above twice the goal or below half of it.
"""
import argparse
import collections
import pathlib
import re
import sys

import check_tree

ROOT = check_tree.ROOT
FOLDERS = ["core", "plugins", "cli", "integrations", "docs", "README.md", "HACKING.md"]
MOST_DIALECT, LEAST_CONTRACT = 1.0, 5.0  # in 1,000 words

DIALECT = re.compile(
    r"\b(?:what (?:is|are|was|were|it|they|there|that|has|have)|who(?:ever)?|nobody|somebody|of (?:its|their|his|one's) own|anew|"
    r"that there (?:is|are)|there is none|in vain)\b|(?<!here )\b(?:is|are) (?:no (?!longer\b|more\b|such\b)|none\b)",
    re.IGNORECASE,
)
QUESTION = re.compile(r"[a-z`)\"]\?(?:\s|$)")
CONTRACT = re.compile(r"\b(?:must|returns?|callers?|owns|owned|owner|(?:in)?valid|thread-safe|examples?)\b", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
COMMENT = re.compile(r'^(?:[^"/]|"(?:[^"\\]|\\.)*"|/(?!/))*?//+[!<]*\s?(.*)$')
CODE = re.compile(r"`[^`]*`|https?://\S+|NOLINT\S*|SPDX\S*.*|clang-format o\w+")
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".c"}


def library_of(path):
    """The library that a file belongs to: core/runtime, plugins/cpu, docs, tests, ..."""
    parts = path.parts
    if parts[0] in ("core", "plugins", "integrations"):
        return "/".join(parts[:2])
    return parts[0] if len(parts) > 1 else "pages"


def comments_of(path, lines):
    for number, line in enumerate(lines, 1):
        found = COMMENT.match(line)
        if found:
            yield number, CODE.sub(" ", found[1])


def prose_of(path, lines):
    """Lines of a page that are no code."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, CODE.sub(" ", line)


def texts_of(path):
    lines = (ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines()
    return prose_of(path, lines) if path.suffix == ".md" else comments_of(path, lines)


def files(names):
    """Sources and pages, relative to the tree, of these files and folders."""
    for name in names:
        place = ROOT / name
        for path in check_tree.all_files(place) if place.is_dir() else [place]:
            if path.suffix in SOURCES or (path.suffix == ".md" and "tests" not in path.parts):
                yield path.relative_to(ROOT)


def phrases_in(text, is_comment):
    found = [match[0] for match in DIALECT.finditer(text)]
    return found + [match[0] for match in QUESTION.finditer(text)] if is_comment else found


def count(folders):
    counts = collections.defaultdict(collections.Counter)
    for path in files(folders):
        one = counts[library_of(path)]
        for _, text in texts_of(path):
            one["words"] += len(WORD.findall(text))
            one["dialect"] += len(phrases_in(text, path.suffix != ".md"))
            one["contract"] += len(CONTRACT.findall(text))
    return counts


def in_thousand(counter, key):
    return 1000 * counter[key] / max(counter["words"], 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    chosen = parser.parse_args()
    if chosen.list:
        for path in files(chosen.folders):
            for number, text in texts_of(path):
                for phrase in phrases_in(text, path.suffix != ".md"):
                    print(f"{path}:{number}: {phrase}: {text.strip()}")
        return 0
    counts = count(chosen.folders)
    print(f"{'library':24}{'words':>8}{'dialect':>9}{'contract':>9}")
    for name, one in sorted(counts.items()):
        print(f"{name:24}{one['words']:8}{in_thousand(one, 'dialect'):9.2f}{in_thousand(one, 'contract'):9.2f}")
    bad = any(in_thousand(one, "dialect") > 2 * MOST_DIALECT or in_thousand(one, "contract") < LEAST_CONTRACT / 2 for one in counts.values())
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
