#!/usr/bin/env python3
"""The table of public headers in docs/api/index.md: header, folder, what it declares.

api_index.py write   writes the table between its two marks
api_index.py check   exit status 1 if the page has another table
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = pathlib.Path("docs/api/index.md")
BEGIN, END = "<!-- headers: tools/api_index.py write -->\n", "<!-- /headers -->\n"
TYPE = re.compile(r"^(?:class|struct|enum class) (?:KMUX_API )?(\w+)(?=<| *[:{]| final)", re.M)
FUNCTION = re.compile(r"^(?:KMUX_API|inline|constexpr) (?:[\w:<>,*& ]+ )?\**&?(\w+)\(", re.M)
ALIAS = re.compile(r"^using (\w+) =", re.M)
MOST_NAMES = 6


def headers(root):
    """The public headers that applications include, by name; those of plugins are in docs/plugin-abi.md."""
    found = [path.relative_to(root) for path in (root / "core").rglob("include/kmux/*.h*")]
    return sorted((path for path in found if path.parts[1] != "bench"), key=lambda path: path.name)


def declared(text):
    """The names that a header declares: types, then functions, then aliases."""
    names = [*TYPE.findall(text), *(f"{name}()" for name in FUNCTION.findall(text)), *ALIAS.findall(text)]
    return list(dict.fromkeys(names))


def row(root, path):
    names = declared((root / path).read_text(encoding="utf-8"))
    shown = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    folder = path.parent.parent.parent
    return f"| `kmux/{path.name}` | `{folder}` | {shown}{' ...' if len(names) > MOST_NAMES else ''} |\n"


def with_table(page, root):
    before, rest = page.split(BEGIN)
    table = "| header | folder | declares |\n|---|---|---|\n" + "".join(row(root, path) for path in headers(root))
    return before + BEGIN + table + END + rest.split(END)[1]


def main(arguments, root=ROOT):
    if arguments not in (["write"], ["check"]):
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    page = root / PAGE
    old = page.read_text(encoding="utf-8")
    new = with_table(old, root)
    if arguments == ["write"]:
        page.write_text(new, encoding="utf-8")
    elif new != old:
        print(f"api_index: {PAGE} lists other headers than the tree has. Run tools/api_index.py write.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
