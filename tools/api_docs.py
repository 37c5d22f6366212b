#!/usr/bin/env python3
"""Makes the API reference of the public headers with Doxygen: api_docs.py OUT writes OUT/html/index.html.

Ends with 1 and Doxygen's warnings if it has any: a type, a function or a data member without a comment is one. That of a
member may stand behind it.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


def public_headers() -> list[Path]:
    """The folders of headers that are installed, by kmux_add_sources. core/bench is not one."""
    folders = (_ROOT / "core").rglob("include/kmux")
    return sorted(folder for folder in folders if folder.parent.parent.name != "bench")


def version() -> str:
    """As in kmux/version.h."""
    text = next((_ROOT / "core").rglob("include/kmux/version.h")).read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define KMUX_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def make(folders: Sequence[Path], out: Path) -> list[str]:
    """Writes the pages of what lies in `folders`; returns Doxygen's warnings.

    Errors: CalledProcessError if Doxygen fails.
    """
    shutil.rmtree(out / "html", ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run(["doxygen", "-"], input=_configuration(folders, out), text=True, cwd=_ROOT, check=True)
    return (out / "warnings.txt").read_text(encoding="utf-8").splitlines()


def _configuration(folders: Sequence[Path], out: Path) -> str:
    """That of the tree, with what is known here only."""
    includes = " ".join(f'"{folder.parent}"' for folder in folders)
    added = {
        "INPUT": " ".join(f'"{folder}"' for folder in folders),
        "OUTPUT_DIRECTORY": f'"{out}"',
        "PROJECT_NUMBER": version(),
        "STRIP_FROM_PATH": includes,
        "STRIP_FROM_INC_PATH": includes,
        "WARN_LOGFILE": f'"{out}/warnings.txt"',
    }
    kept = (_ROOT / "docs/api/Doxyfile").read_text(encoding="utf-8")
    return kept + "".join(f"{key} = {value}\n" for key, value in added.items())


def main(arguments: Sequence[str]) -> int:
    """The exit code."""
    if len(arguments) != 1:
        print("usage: api_docs.py OUT", file=sys.stderr)
        return 2
    if not shutil.which("doxygen"):
        print("needs doxygen (the API reference is made with it). Run: apt-get install doxygen", file=sys.stderr)
        return 77
    out = Path(arguments[0]).resolve()
    if warnings := make([*public_headers(), _ROOT / "docs/api"], out):
        print(*warnings, f"{len(warnings)} warnings (above). Document what they name with ///.", sep="\n", file=sys.stderr)
        return 1
    print(out / "html/index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
