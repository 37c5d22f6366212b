"""Group `python`: what calls from Python take. python3 -B bench/bars_python --build FOLDER [BAR...]"""

import argparse
import os
import pathlib
import sys

_HERE = pathlib.Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
sys.path.insert(0, str(_HERE.parent / "bars"))


def use_build(build: pathlib.Path) -> None:
    """Has this process and those that it starts import kmux over the libraries of `build`."""
    package = str(_ROOT / "integrations/tvm_ffi/python")
    sys.path.insert(0, package)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    os.environ["KMUX_TVM_FFI_LIBRARY"] = str(build / "lib/libkmux_tvm_ffi.so")


def main() -> int:
    import bar
    import calls  # noqa: F401 (registers its bars)
    import gpu_calls  # noqa: F401

    known = bar.names_of("python")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("bars", nargs="*", metavar="BAR", help=", ".join(known))
    arguments = parser.parse_args()
    use_build(arguments.build.resolve())
    return bar.main(arguments.bars)


if __name__ == "__main__":
    sys.exit(main())
