#!/usr/bin/env python3
"""The table of public headers in docs/api/index.md: header, folder, declared names.

api_index.py write   writes the table between its two marks
api_index.py check   exit status 1 if the page has another table
"""
import pathlib
import re
import sys

import api_docs
import generated_part

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- headers: tools/api_index.py write -->\n", "<!-- /headers -->\n"
TYPE = re.compile(r"^(?:class|struct|enum class) (?:KMUX_API )?(\w+)(?=<| *[:{]| final)", re.M)
FUNCTION = re.compile(r"^(?:KMUX_API|inline|constexpr) (?:[\w:<>,*& ]+ )?\**&?(\w+)\(", re.M)
ALIAS = re.compile(r"^using (\w+) =", re.M)
MOST_NAMES = 6


def headers():
    """The public headers that applications include, by name; those of plugins are in docs/plugin-abi.md."""
    return sorted((path for folder in api_docs.public_headers() for path in folder.glob("*.h*")), key=lambda path: path.name)


def declared(text):
    """The names that a header declares: types, then functions, then aliases."""
    names = [*TYPE.findall(text), *(f"{name}()" for name in FUNCTION.findall(text)), *ALIAS.findall(text)]
    return list(dict.fromkeys(names))


def row(path):
    names = declared(path.read_text(encoding="utf-8"))
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    folder = path.parents[2].relative_to(ROOT)
    return f"| `kmux/{path.name}` | `{folder}` | {shown}{' ...' if len(names) > MOST_NAMES else ''} |\n"


def table():
    return "| header | folder | declares |\n|---|---|---|\n" + "".join(map(row, headers()))


if __name__ == "__main__":
    sys.exit(generated_part.main(sys.argv[1:], ROOT / "docs/api/index.md", (BEGIN, END), table, __doc__))
