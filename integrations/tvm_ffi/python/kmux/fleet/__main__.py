"""python -m kmux.fleet: the verbs of `kmux.fleet` as a command."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Sequence
from typing import Any

from .._errors import Error
from . import _verbs
from ._classes import resources
from ._report import Report
from ._view import Bar, View, json_lines, printable

_FAILED, _USAGE, _WRONG, _UNAVAILABLE, _INTERRUPTED = 1, 2, 3, 4, 130  # as the exit codes of `kmux`


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kmux fleet",
        description="Compiles on every node of a Ray cluster and measures on each class of its devices. A run has a folder, and goes on where it was stopped.",
        epilog="Exit codes: 0 all is done, 1 some units failed, 2 wrong command line, 3 bad program or folder, "
        "4 no Ray or no cluster, 130 interrupted.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    compile = verbs.add_parser("compile", help="build programs for targets, each once in the fleet")
    compile.add_argument("programs", nargs="+", metavar="PROGRAM")
    compile.add_argument("-t", "--target", action="append", metavar="TARGET", help="repeatable (default: auto)")
    _add_options(compile)
    _add_run(compile)
    _add_fetch(compile)
    _add_drive(compile)
    tune = verbs.add_parser("tune", help="measure programs on each class of devices; the winners are a lock file")
    _add_measurement(tune)
    bench = verbs.add_parser("bench", help="measure backends against each other on each class of devices")
    bench.add_argument("--time", type=float, default=2, metavar="SECONDS", help="the most that one column may take")
    _add_measurement(bench)
    resume = verbs.add_parser("resume", help="go on with a run")
    resume.add_argument("run", metavar="FOLDER")
    _add_fetch(resume)
    _add_drive(resume)
    status = verbs.add_parser("status", help="how far a run is")
    status.add_argument("run", metavar="FOLDER")
    status.add_argument("--json", action="store_true", help="print one JSON document")
    verbs.add_parser(
        "resources", help='what this machine announces to Ray: ray start --resources="$(kmux fleet resources)"'
    )
    return parser


def _add_measurement(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    shape_help = "values of symbols and scalars; repeatable, each is measured (default: the program's example)"
    parser.add_argument("-s", "--shape", action="append", default=[], metavar="NAME=N,...", help=shape_help)
    class_help = "a device class; repeatable (default: all that nodes announce)"
    parser.add_argument("-c", "--class", action="append", default=[], dest="classes", metavar="CLASS", help=class_help)
    _add_options(parser)
    _add_run(parser)
    _add_drive(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-b", "--backend", metavar="NAME", help="exactly this backend")
    parser.add_argument(
        "-o", "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the backend; repeatable"
    )
    parser.add_argument(
        "--flag", action="append", default=[], metavar="FLAGS", help="more flags for the compiler; repeatable"
    )
    parser.add_argument(
        "-I", "--include", action="append", default=[], metavar="DIR", help="a folder of headers; repeatable"
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--run", metavar="FOLDER", help="the folder of the run (default: kmux-fleet/VERB-DIGEST)")


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-fetch", dest="fetch", action="store_false", help="leave what was compiled to the nodes and their server"
    )


def _add_drive(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--address", metavar="HOST:PORT", help="of the Ray cluster (default: that of this machine)")
    parser.add_argument(
        "--attempts", type=int, default=3, metavar="N", help="of what crashes, hangs or dies (default: 3)"
    )
    parser.add_argument(
        "--timeout", type=float, default=600, metavar="SECONDS", help="that one unit may take (default: 600)"
    )
    parser.add_argument(
        "--patience", type=float, default=60, metavar="SECONDS", help="to wait for a node (default: 60)"
    )
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each step, the report last")


def _limits(arguments: argparse.Namespace) -> dict[str, Any]:
    limits = {name: getattr(arguments, name) for name in ("address", "attempts", "timeout", "patience")}
    return {**limits, "progress": _view(arguments.json)}


def _view(is_json: bool) -> View:
    if is_json:
        return json_lines(sys.__stdout__ or sys.stdout)
    try:
        return Bar()
    except Error:
        return View()


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    pairs = dict(each.partition("=")[::2] for each in arguments.option)
    given = {"execution_backend": arguments.backend, "options": pairs, "include_dirs": arguments.include}
    return {**given, "compile_flags": " ".join(arguments.flag)}


def _compile(arguments: argparse.Namespace) -> Report:
    targets = arguments.target or ["auto"]
    given = {"run": arguments.run, "fetch": arguments.fetch, **_options(arguments), **_limits(arguments)}
    return _verbs.compile(arguments.programs, targets, **given)


def _shape(text: str) -> dict[str, str]:
    return dict(each.partition("=")[::2] for each in text.split(","))


def _measurement(arguments: argparse.Namespace) -> dict[str, Any]:
    given = {"shapes": [_shape(each) for each in arguments.shape], "classes": arguments.classes, "run": arguments.run}
    return {**given, **_options(arguments), **_limits(arguments)}


def _tune(arguments: argparse.Namespace) -> Report:
    return _verbs.tune(arguments.programs, **_measurement(arguments))


def _bench(arguments: argparse.Namespace) -> Report:
    return _verbs.bench(arguments.programs, seconds=arguments.time, **_measurement(arguments))


def _resume(arguments: argparse.Namespace) -> Report:
    return _verbs.resume(arguments.run, fetch=arguments.fetch, **_limits(arguments))


def _status(arguments: argparse.Namespace) -> Report:
    return _verbs.status(arguments.run)


_DO = {"compile": _compile, "tune": _tune, "bench": _bench, "resume": _resume, "status": _status}


def main(words: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    arguments = _parser().parse_args(words)
    try:
        if arguments.verb == "resources":
            print(json.dumps(resources()))
            return 0
        with contextlib.redirect_stdout(sys.stderr):  # Ray prints what it has to say wherever print goes
            report = _DO[arguments.verb](arguments)
    except KeyboardInterrupt as interrupt:
        where = getattr(interrupt, "folder", "FOLDER")
        print(printable(f"kmux: interrupted. Go on with: kmux fleet resume {where}"), file=sys.stderr)
        return _INTERRUPTED
    except (Error, TypeError, ValueError, OSError) as error:
        print(printable(f"kmux: error: {error}"), file=sys.stderr)
        return _UNAVAILABLE if isinstance(error, (Error, OSError)) else _WRONG
    print(
        json.dumps({"event": "end", **report.to_json()}) if arguments.json else printable(str(report)),
        end="\n" if arguments.json else "",
    )
    return _FAILED if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
