"""A part of a page between two markers."""

from __future__ import annotations

import pathlib

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"


class PageError(Exception):
    """The page cannot take the table."""


def replaced(page: str, text: str, name: str) -> str:
    """`page` with `text` between its markers."""
    for marker in (BEGIN, END):
        if (found := page.count(marker)) != 1:
            raise PageError(
                f"{name} has '{marker}' {found} times (once is needed). Put both markers where the tables belong."
            )
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    if begin > end:
        raise PageError(f"{name} has '{END}' before '{BEGIN}'. Swap them.")
    return f"{page[:begin]}\n{text}{page[end:]}"


def check(path: pathlib.Path) -> None:
    """Raises PageError if the page cannot take a text."""
    replaced(path.read_text(encoding="utf-8"), "", str(path))


def write(path: pathlib.Path, text: str) -> None:
    path.write_text(replaced(path.read_text(encoding="utf-8"), text, str(path)), encoding="utf-8")
