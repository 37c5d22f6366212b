"""One report of what `kmux bench` measured on each device class: classes are columns, what is compared is within one of them."""

from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any

from . import _command
from ._run import Line

_MOST = 2000  # reports in one page
_COLUMNS = ("device_hot", "end_to_end")  # the first that was measured is shown


def file_of(folder: pathlib.Path, key: str) -> pathlib.Path:
    """Where the report of a unit is, as `kmux bench --json` writes it."""
    return folder / "bench" / f"{key}.json"


def _fastest(document: dict[str, Any]) -> str:
    times = []
    for contest in document["contests"]:
        for entrant in contest["entrants"]:
            column = next((entrant["columns"][name] for name in _COLUMNS if name in entrant["columns"]), None)
            if entrant["state"] == "timed" and column:
                times.append((column["median"], entrant["backend"]))
    return "{1} {0:.4g} us".format(*min(times)) if times else "-"


def _row(line: Line) -> str:
    values = "".join(f" {name}={value}" for name, value in line["values"].items())
    return f"{line['name']} {line['program'][:12]}{values}"


def table(folder: pathlib.Path, results: list[Line], failures: list[Line], places: list[str]) -> str:
    """The fastest backend of each program and shape in each class."""
    cells: dict[str, dict[str, str]] = {}
    for line in results:
        text = _fastest(json.loads(file_of(folder, line["key"]).read_text(encoding="utf-8")))
        cells.setdefault(_row(line), {})[line["place"]] = text + (" (drifted)" if "noise" in line["result"] else "")
    for line in failures:
        cells.setdefault(_row(line), {})[line["place"]] = line["code"]
    width = max([len("program"), *map(len, cells)])
    widths = [max([len(place), *(len(row.get(place, "")) for row in cells.values())]) for place in places]
    rows = [("program", places), *((name, [row.get(place, "") for place in places]) for name, row in cells.items())]
    return "".join(
        f"  {name:<{width}}  {'  '.join(f'{cell:>{wide}}' for cell, wide in zip(row, widths))}\n" for name, row in rows
    )


def write_page(folder: pathlib.Path, results: list[Line]) -> pathlib.Path | None:
    """The page of all reports, with samples, verdicts and machines; None if there is nothing to show, or too much for a page."""
    if not 0 < len(results) <= _MOST:
        return None
    words = [word for line in results for word in ("--from", str(file_of(folder, line["key"])))]
    page = folder / "report.html"
    command = [str(_command.path()), "bench", *words, "--html", str(page), "--force"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return page if done.returncode == 0 else None
