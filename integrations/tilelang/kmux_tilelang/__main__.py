"""python -m kmux_tilelang export module:function --target c -o DIR"""

import argparse
import ast
import sys
from collections.abc import Sequence
from typing import Any

from .error import ExportError
from .export import export
from .targets import target_names
from .tensor_spec import tensor_spec

_EPILOG = """exit codes:
  0  written; the path of the program is on stdout
  1  something went wrong that should not
  2  the command line is wrong: unknown module, function, argument, target; no TileLang
  3  the kernel cannot be exported: no prim_func, not lowered, or an unsupported construct
  4  a file cannot be written"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; errors go to stderr. Returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        path = export(
            options.kernel,
            options.output,
            targets=options.target or ["c"],
            name=options.name,
            arguments=dict(options.arg),
            out_idx=options.out_idx,
            embed_headers=options.embed_headers,
        )
    except ExportError as error:
        print(f"kmux_tilelang: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"kmux_tilelang: cannot write ({error}). Choose another folder with -o.", file=sys.stderr)
        return 4
    print(path)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kmux_tilelang", description="Exports TileLang kernels to kmux.")
    commands = parser.add_subparsers(required=True, metavar="command")
    command = commands.add_parser(
        "export",
        help="lower a kernel and write it as a kmux program",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("kernel", help="module:function, or path/to/file.py:function")
    command.add_argument(
        "--target",
        action="append",
        metavar="T",
        help=f"one of: {', '.join(target_names())} (default: c), with an architecture as in cuda:sm_90a; "
        "may be given again: one variant each, in one program",
    )
    command.add_argument("-o", "--output", required=True, metavar="DIR", help="folder to write to; made if missing")
    command.add_argument("--name", help="name of the program (default: the function's)")
    command.add_argument(
        "--arg", action="append", default=[], type=_assignment, metavar="K=V",
        help="argument of the function; a tensor of an eager one is written float32[64,64]",
    )
    command.add_argument(
        "--out-idx", type=int, nargs="+", default=[], metavar="I", help="outputs by position, negative from the end"
    )
    command.add_argument(
        "--embed-headers",
        action="store_true",
        help="copy TileLang's and CUTLASS's headers that the text includes into the program (their licences apply)",
    )
    return parser


def _assignment(text: str) -> tuple[str, Any]:
    """ "K=V" as a pair; V is a tensor ("float32[64,64]"), a Python literal, or else a string."""
    key, separator, value = text.partition("=")
    if not separator or not key.isidentifier():
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form name=value")
    if tensor := tensor_spec(value):
        return key, tensor
    try:
        return key, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return key, value


if __name__ == "__main__":
    sys.exit(main())
