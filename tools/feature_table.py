#!/usr/bin/env python3
"""The table of features in docs/backends.md: what the conformance suite found of each backend, kept in docs/conformance.

feature_table.py keep MACHINE < REPORT   keeps what `kmux conformance --plugin NAME --json` found on MACHINE, a phrase
feature_table.py write                   writes the table between its two marks in docs/backends.md
feature_table.py check                   exit status 1 if docs/backends.md has another table
"""
import json
import pathlib
import sys

import generated_part

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = "docs/conformance"
BEGIN, END = "<!-- features: tools/feature_table.py write -->\n", "<!-- /features -->\n"
GROUP = "Features/Features"


def features(report):
    """{"cluster": "works" or "refused"} of the cases that passed."""
    return {case["name"].partition("/")[2].replace("tensor_map_", "tensor_map."): case["answer"]
            for case in report["cases"] if case["group"] == GROUP and case["status"] == "passed"}


def kept_of(report, machine):
    if report["failed"] or report["unexpected_passes"]:
        raise SystemExit(f"feature_table: {report['plugin']} does not pass the suite. Only results of one that passes are kept.")
    return {"plugin": report["plugin"], "machine": machine, "passed": report["passed"], "unsupported": report["unsupported"],
            "features": features(report)}


def results(root):
    """What is kept, by plugin."""
    return {path.stem: json.loads(path.read_text()) for path in sorted((root / KEPT).glob("*.json"))}


def table(kept):
    """Lines of Markdown: a row a feature, a column a backend; then one that says how many cases passed, and where."""
    names = list(kept)
    rows = [["launches with", *[f"`{name}`" for name in names]], ["---"] * (len(names) + 1)]
    for feature in sorted({feature for result in kept.values() for feature in result["features"]}):
        answers = [kept[name]["features"].get(feature, "not in the suite") for name in names]
        rows.append([f"`{feature}`", *["yes" if answer == "works" else answer for answer in answers]])
    rows.append(["cases passed / left out", *[f"{result['passed']} / {len(result['unsupported'])}" for result in kept.values()]])
    rows.append(["on", *[result["machine"] for result in kept.values()]])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def keep(root, report, machine):
    path = root / KEPT / f"{report['plugin']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept_of(report, machine), indent=1) + "\n")


def main(arguments, root=ROOT):
    if len(arguments) == 2 and arguments[0] == "keep":
        keep(root, json.load(sys.stdin), arguments[1])
        return 0
    return generated_part.main(arguments, root / "docs" / "backends.md", (BEGIN, END), lambda: table(results(root)), __doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
