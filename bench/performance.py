#!/usr/bin/env python3
"""The table of docs/performance.md: the bars of the sources beside the results that are kept in bench/results.

usage: bench/performance.py --write                 puts the table into the page; results of bars that there are no more go
       bench/performance.py --keep MACHINE [FILE]   takes the lines "bar NAME VALUE ..." of FILE, or of stdin, into
                                                    bench/results/MACHINE.json with today's date, and does the same

A result is a line of JSON for a class of machines: what it is, a short name, and the newest value of each bar with its date.
"""
import argparse
import datetime
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, RESULTS = ROOT / "docs/performance.md", ROOT / "bench/results"
BEGIN, END = "<!-- bars: begin -->", "<!-- bars: end -->"
# BAR("name", "unit", limit(value), ... with the comment above it, in C++ and in Python.
BAR = re.compile(r'((?:^ *(?:///|#) .*\n)+) *BAR\(\s*"(\w+)",\s*"([^"]*)",\s*(at_most|at_least|no_limit)\(([^)]*)\)', re.M)
SIGNS = {"at_most": "<=", "at_least": ">=", "no_limit": ""}
LEFT_OUT = {"example.cpp", "performance.py", "bar.py", "bar_test.py"}


class Bar:
    def __init__(self, group, what, name, unit, limit, value):
        self.group, self.name, self.unit = group, name, unit
        self.what = " ".join(re.sub(r"^ *(///|#) ", "", line) for line in what.splitlines())
        self.sign, self.value = SIGNS[limit], value

    def limit(self):
        return f"{self.sign} {float(self.value):g}" if self.sign else ""

    def holds(self, measured):
        return {"<=": lambda: measured <= float(self.value), ">=": lambda: measured >= float(self.value)}.get(self.sign, lambda: True)()


def group_of(path):
    """The folder of a group, or what follows bars_ in the name of a program."""
    first = path.relative_to(ROOT / "bench").parts[0]
    return first.removeprefix("bars_")


def bars():
    """Every bar that the sources register, by group."""
    found = []
    for path in sorted((ROOT / "bench").rglob("*")):
        is_source = path.suffix in {".cpp", ".py", ""} and path.is_file() and path.name not in LEFT_OUT
        if is_source and "results" not in path.parts:
            found += [Bar(group_of(path), *match) for match in BAR.findall(path.read_text(encoding="utf-8"))]
    return sorted(found, key=lambda bar: bar.group)


def results():
    """The kept result of each class of machines, by the name of its file."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))}


def number(value):
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def row(bar, kept):
    """A line of the table; what is missed is bold. The newest result stands first."""
    values = sorted(((result["bars"][bar.name], result["short"]) for result in kept.values() if bar.name in result["bars"]),
                    key=lambda one: one[0][1], reverse=True)
    measured = [number(value) if bar.holds(value) else f"**{number(value)}**" for (value, _), _ in values]
    cells = [f"`{bar.name}`", bar.what, f"{bar.limit()} {bar.unit}".strip(), "<br>".join(measured),
             "<br>".join(short for _, short in values), "<br>".join(date for (_, date), _ in values)]
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def table():
    kept = results()
    lines = [f"- {result['short']}: {result['machine']}" for result in kept.values()]
    lines += ["", "| bar | what | limit | value | machine | date |", "|---|---|---|---|---|---|"]
    group = ""
    for bar in bars():
        if bar.group != group:
            group = bar.group
            lines.append(f"| **{group}** | | | | | |")
        lines.append(row(bar, kept))
    return "\n".join(lines)


def page_with(text):
    page = PAGE.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:begin]}\n{text}\n{page[end:]}"


def keep(machine, lines):
    """Adds what `lines` measured to the result of that class of machines."""
    result = results().get(machine, {"machine": machine, "short": machine, "bars": {}})
    known, today = {bar.name for bar in bars()}, datetime.date.today().isoformat()
    for line in lines:
        match = re.match(r"bar (\w+) (-?[\d.]+)", line)
        if match and match[1] in known:
            result["bars"][match[1]] = [float(match[2]), today]
    save(machine, result)


def save(machine, result):
    """Writes the result of a class of machines, without bars that there are no more."""
    known = {bar.name for bar in bars()}
    kept = {**result, "bars": {name: value for name, value in result["bars"].items() if name in known}}
    text = json.dumps(kept, separators=(",", ":"), sort_keys=True)
    (RESULTS / f"{machine}.json").write_text(text + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", metavar="MACHINE")
    parser.add_argument("file", nargs="?", type=argparse.FileType(), default=sys.stdin)
    arguments = parser.parse_args()
    if arguments.keep:
        keep(arguments.keep, arguments.file)
    if arguments.keep or arguments.write:
        for machine, result in results().items():
            save(machine, result)
        PAGE.write_text(page_with(table()), encoding="utf-8")
    else:
        parser.print_help()


if __name__ == "__main__":
    main()
