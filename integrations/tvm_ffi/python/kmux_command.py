"""The command `kmux`, as the wheel carries it. Outside the package, whose import takes much longer than most commands."""

from __future__ import annotations

import os
import sys

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kmux", "_native", "bin", "kmux")


def main() -> None:
    """Becomes the program; `kmux fleet` is Python's own."""
    if sys.argv[1:2] == ["fleet"]:
        from kmux.fleet.__main__ import main as fleet

        sys.exit(fleet(sys.argv[2:]))
    try:
        os.execv(_PROGRAM, [_PROGRAM, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"kmux: {_PROGRAM} cannot be run ({error.strerror}). Install the wheel again.")
