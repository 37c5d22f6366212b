"""export_corpus.py OUT: writes a program of each kernel of the corpus, for its architecture, to OUT/NAME. Needs TileLang; it needs no GPU.

Prints each kernel that TileLang or the exporter does not take, and ends with 1 if there is one.
"""

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE))

from cases import CASES  # noqa: E402
from kmux_tilelang import export  # noqa: E402
from kmux_tilelang.error import UnsupportedError  # noqa: E402


def export_all(folder: Path) -> int:
    """Returns the number of kernels that are no program."""
    failed = 0
    for case in CASES:
        try:
            export(
                f"{_HERE}/{case.file}:{case.maker}",
                folder / case.name,
                targets=(f"cuda:{case.arch}",),
                name=case.name,
                arguments=case.arguments,
                out_idx=() if case.updated else (-1,),
            )
        except UnsupportedError as error:
            failed += 1
            print(f"{case.name}: {error}", flush=True)
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: export_corpus.py OUT")
    sys.exit(export_all(Path(sys.argv[1])) != 0)
