"""Whoever imports this first can import kmux and kmux_tilelang; it exits with 77 (a counted skip) where their libraries are missing."""

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
PATHS = [str(TESTS.parent), str(TESTS), str(TESTS.parents[1] / "tvm_ffi/python")]
sys.path[:0] = PATHS

try:
    import kmux  # noqa: F401
    import tilelang  # noqa: F401
except (ImportError, OSError) as error:
    print(f"needs TileLang ({error})")
    sys.exit(77)
