#!/usr/bin/env python3
"""Copies the pages of this tree into a package, laid out as here, so that links between them lead on.

A link to what the package does not have, as sources and tests, becomes its text: everything else that pages may link lies
below FOLDER already.

Usage: package_pages.py FOLDER [ROOT]
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CHANGELOG.md", "docs/**/*", "plugins/*/README.md", "integrations/*/README.md")
# Code has brackets and parentheses that are not links: fenced blocks, then spans in one paragraph.
CODE = re.compile(r"^```.*?^```$|`[^`]+`", re.M | re.S)
TEXT = r"(?:[^][]|!\[[^][]*\]\([^()\s]*\))+"  # may hold an image
LINK = re.compile(rf"!?\[(?P<text>{TEXT})\]\((?P<target>[^()\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def links(text):
    """The match of each link and image of a page, but not those within the text of another link."""
    code = [match.span() for match in CODE.finditer(text)]
    for match in LINK.finditer(text):
        target = match.start("target")
        if not any(begin < target < end for begin, end in code):
            yield match


def anchors(page):
    """What a page's headings are called in links, as GitHub makes it of them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for heading in re.findall(r"^#+ +(.*?) *$", text, re.M):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def leads_somewhere(root, page, target):
    """Is what `target` means on `page` there, within `root`?"""
    if ELSEWHERE.match(target):
        return True
    path, _, anchor = target.partition("#")
    to = (page.parent / path).resolve() if path else page
    if not to.is_relative_to(root) or not to.exists():
        return False
    return not anchor or to.suffix != ".md" or anchor in anchors(to)


def dead_links(root, pages=None):
    """Every link of the pages below `root` that leads nowhere, as (page, target)."""
    root = root.resolve()
    for page in sorted(root.rglob("*.md") if pages is None else pages):
        text = page.read_text(encoding="utf-8")
        for match in links(text):
            for target in [match["target"], *(inner["target"] for inner in LINK.finditer(match["text"]))]:
                if not leads_somewhere(root, page, target):
                    yield str(page.relative_to(root)), target


def without_dead_links(root, page):
    """The text of `page` with links that lead nowhere below `root` as their text."""

    def kept(match):
        return match[0] if leads_somewhere(root, page, match["target"]) else match["text"]

    text = page.read_text(encoding="utf-8")
    for match in reversed(list(links(text))):
        text = text[: match.start()] + kept(match) + text[match.end() :]
    return text


def main(arguments):
    folder = pathlib.Path(arguments[0]).resolve()
    root = pathlib.Path(arguments[1]).resolve() if len(arguments) > 1 else ROOT
    files = sorted({file for pattern in PAGES for file in root.glob(pattern) if file.is_file()})
    copies = [folder / file.relative_to(root) for file in files]
    for file, copy in zip(files, copies):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    for copy in copies:  # once all are there, as pages link each other
        if copy.suffix == ".md":
            copy.write_text(without_dead_links(folder, copy), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
