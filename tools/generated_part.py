"""Parts of pages that a tool writes between two marks. Each such tool has the commands `write` and `check`."""
import pathlib
import re
import sys

COMMAND = re.compile(r"tools/\S+ write")  # in the mark before the part


def replaced(text, marks, part):
    """`text` with `part` between its two marks."""
    begin, end = text.index(marks[0]) + len(marks[0]), text.index(marks[1])
    return text[:begin] + part + text[end:]


def main(arguments, page, marks, part, usage):
    """Writes `part` into `page`, or compares. Returns the exit status: 1 if the page has another part, 2 for other arguments.

    `part` makes the text; it is called once the arguments are known.
    """
    if arguments not in (["write"], ["check"]):
        print((usage or "").strip(), file=sys.stderr)
        return 2
    page = pathlib.Path(page)
    old = page.read_text(encoding="utf-8")
    new = replaced(old, marks, part())
    if arguments == ["write"]:
        page.write_text(new, encoding="utf-8")
    elif new != old:
        print(f"{page} has another part than the tree gives. Run {COMMAND.search(marks[0])[0]}.", file=sys.stderr)
        return 1
    return 0
