"""The command `kmux`, as the wheel carries it; also `python -m kmux`."""

from __future__ import annotations

import os
import pathlib
import sys

_PROGRAM = pathlib.Path(__file__).resolve().parent / "_native" / "bin" / "kmux"


def main() -> None:
    """Becomes the program."""
    try:
        os.execv(_PROGRAM, [str(_PROGRAM), *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"kmux: {_PROGRAM} cannot be run ({error.strerror}). Install the wheel again.")


if __name__ == "__main__":
    main()
