#!/usr/bin/env python3
"""Runs TileLang's own tests with kmux inside and without, and says what differs, by name.

Usage: run_upstream_tests.py --checkout DIR [--device | --processor] [--out FILE] [FOLDER...]

--checkout is a checkout of TileLang's repository that fits the release that is installed. Without --device: its tests for the CPU, and
lowering plus compilation (sm_90a, by NVRTC) of every kernel that the other tests make. With --device: FOLDERs of
testing/python, or `examples`, on this machine's GPU. With --processor: lowering of every kernel that the tests make, for sm_80 and for
sm_90a, and compilation of each text for backend cpu.
The result is a table, or JSON with --json. kmux and kmux_tilelang are imported, so PYTHONPATH has them or they are
installed; `kmux` is the command (--kmux PATH).
"""

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

_HERE = Path(__file__).resolve().parent
sys.path.append(str(_HERE / "upstream"))
import processor  # noqa: E402

_DEVICE_FOLDERS = ("language", "kernel", "jit", "cpu", "cuda", "issue", "layout", "profiler", "autotune", "cache", "examples")
_PLUGIN = "kmux_tilelang.pytest"
_SECONDS_TO_REPORT = 30
# What a part of the result has: numbers, and names, which may have reasons or counts.
_COUNTS = {
    "both": "pass with both", "none": "pass with none", "seconds_without": "seconds without kmux", "seconds_inside": "seconds with kmux",
    "kernels": "kernels", "refused_by_tilelang": "refused by TileLang", "lowered": "lowered", "exported": "exported",
    "programs": "programs for sm_90a", "compiled": "compiled with NVRTC", "texts": "texts", "for_cpu": "compiled for cpu",
    "percentage": "% compiled for cpu",
}  # fmt: skip
_NAMED = {
    "lost": "pass without kmux alone", "gained": "pass with kmux alone", "unreached": "not reached in time",
    "refused": "refused by the exporter", "failed": "not compiled",
    "slow": "compiled in more than 30 s",
}  # fmt: skip


@dataclass(frozen=True)
class Run:
    """The outcome of each test by its name, how long all took in seconds, and the folders that their limit stopped."""

    outcomes: dict[str, str]
    seconds: float
    stopped: frozenset[str] = frozenset()

    def outcome(self, name: str) -> str:
        """What became of a test: 'missing' where it was not collected, 'unreached' where there was no time for it."""
        return self.outcomes.get(name, "unreached" if name.partition("::")[0] in self.stopped else "missing")


def run_tests(checkout: Path, folders: Sequence[str], options: Sequence[str], jobs: int, limit: float) -> Run:
    """The tests of `folders`, each in a pytest of its own with these options."""
    outcomes: dict[str, str] = {}
    stopped = set()
    begin = time.monotonic()
    for folder in folders:
        with tempfile.TemporaryDirectory() as scratch:
            report = Path(scratch) / "report.xml"
            if not _pytest(checkout, folder, [f"--junitxml={report}", *_workers(jobs), *options], limit, scratch):
                stopped.add(folder)
            if report.exists():
                outcomes |= {f"{folder}::{name}": outcome for name, outcome in _outcomes(report)}
            else:
                print(f"{folder}: pytest ended without a report", file=sys.stderr)
                outcomes[f"{folder}::(all)"] = "failed"
    return Run(outcomes, time.monotonic() - begin, frozenset(stopped))


def _pytest(checkout: Path, folder: str, options: Sequence[str], limit: float, scratch: str) -> bool:
    """Whether pytest came to its end within `limit` seconds."""
    where = checkout / "examples" if folder == "examples" else checkout / "testing/python"
    path = "." if folder == "examples" else folder
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(checkout), str(_HERE / "upstream"), os.environ.get("PYTHONPATH", "")]),
        "TILELANG_CACHE_DIR": f"{scratch}/tilelang",
        "KMUX_CACHE_DIR": f"{scratch}/kmux",
    }
    quiet = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--continue-on-collection-errors", "--tb=line"]
    command = [sys.executable, "-m", "pytest", *quiet, *options, path]
    running = subprocess.Popen(command, cwd=where, env=environment, stdout=sys.stderr)
    try:
        running.wait(limit)
    except subprocess.TimeoutExpired:
        print(f"{folder}: stopped after {limit:.0f} s", file=sys.stderr)
        _stop(running)
        return False
    return True


def _stop(running: subprocess.Popen) -> None:
    """Ends pytest as Ctrl-C does: it still writes its report of what has run."""
    running.send_signal(signal.SIGINT)
    try:
        running.wait(_SECONDS_TO_REPORT)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait()


def _workers(jobs: int) -> list[str]:
    return ["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 and importlib.util.find_spec("xdist") else []


def _outcomes(report: Path) -> Iterable[tuple[str, str]]:
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        yield f"{case.get('classname')}::{case.get('name')}", outcome


def compare(without: Run, inside: Run) -> dict[str, object]:
    """Counts, and the names of tests that pass one way only, or that one way had no time for."""
    names = without.outcomes.keys() | inside.outcomes.keys()
    pairs = {name: (without.outcome(name), inside.outcome(name)) for name in names}
    unreached = sorted(name for name, pair in pairs.items() if "unreached" in pair)
    passed = {name: (a == "passed", b == "passed") for name, (a, b) in pairs.items() if name not in unreached}
    return {
        "both": sum(pair == (True, True) for pair in passed.values()),
        "none": sum(pair == (False, False) for pair in passed.values()),
        "lost": sorted(name for name, pair in passed.items() if pair == (True, False)),
        "gained": sorted(name for name, pair in passed.items() if pair == (False, True)),
        "unreached": unreached,
        "seconds_without": round(without.seconds, 1),
        "seconds_inside": round(inside.seconds, 1),
    }


def compared(checkout: Path, folders: Sequence[str], options: Sequence[str], jobs: int, limit: float) -> dict[str, object]:
    """`folders` without kmux, then with it.

    Errors: LookupError if nothing passes without it, which proves nothing.
    """
    without = run_tests(checkout, folders, [], jobs, limit)
    if "passed" not in without.outcomes.values():
        raise LookupError(f"no test of {', '.join(folders)} passes without kmux. What pytest said is above.")
    return compare(without, run_tests(checkout, folders, ["-p", _PLUGIN, *options], jobs, limit))


def lowered(
    checkout: Path, folders: Sequence[str], jobs: int, limit: float, store: Path, capability: str = "9.0"
) -> dict[str, object]:
    """What became of every kernel that these tests make, on a machine without a device; exports go to `store`."""
    lines = store / "kernels.jsonl"
    options = ["-p", "no_device", f"--kernels={lines}", f"--programs={store / 'programs'}", f"--capability={capability}"]
    run_tests(checkout, folders, options, jobs, limit)
    kernels = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    exported = [kernel for kernel in kernels if kernel.get("exported")]
    refused = [kernel for kernel in kernels if kernel.get("exported") is False]
    return {
        "kernels": len(kernels),
        "refused_by_tilelang": len(kernels) - len(exported) - len(refused),
        "lowered": len(exported) + len(refused),
        "exported": len(exported),
        "refused": Counter(f"{kernel['kernel']}: {kernel['reason'][:200]}" for kernel in refused),
    }


def compiled(store: Path, kmux: str, jobs: int) -> dict[str, object]:
    """Each program of `store` for sm_90a, with NVRTC."""
    from kmux_tilelang.lower import header_roots

    programs = sorted((store / "programs").glob("*/kernel.kmux.json"))
    cuda = [path for path in programs if _is_for_sm_90(path)]
    roots = [word for root in header_roots() for word in ("-I", str(root))]
    with ThreadPoolExecutor(jobs) as pool:
        failures = dict(zip(cuda, pool.map(lambda path: _compile(kmux, path, roots), cuda), strict=True))
    failed = {path.parent.name: why for path, why in failures.items() if why}
    return {"programs": len(cuda), "compiled": len(cuda) - len(failed), "failed": failed}


def _is_for_sm_90(path: Path) -> bool:
    variants = json.loads(path.read_text())["variants"]
    return any(v["dialect"] == "cuda" and v["requires"]["arch"] == ["sm_90a"] for v in variants)


def _compile(kmux: str, path: Path, roots: Sequence[str]) -> str:
    """The first error, or nothing."""
    command = [kmux, "compile", str(path), "--backend", "nvrtc", "--target", "cuda:sm_90a", *roots]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        return "it took more than 180 s"
    if done.returncode == 0:
        return ""
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return (errors or done.stderr.splitlines() or ["no text"])[0][:300]


def table(result: Mapping[str, Mapping[str, Any]]) -> str:
    """What a person reads: counts in columns, then each difference and each failure by name."""
    rows, names = [], []
    for what, part in result.items():
        rows += [(what, label, str(part[key])) for key, label in _COUNTS.items() if key in part]
        for key, label in _NAMED.items():
            found = part.get(key, {})
            rows += [(what, label, str(len(found)))] if key in part else []
            reasons = found if isinstance(found, Mapping) else dict.fromkeys(found, "")
            names += [f"{what}, {label}: {name}" + (f" ({why})" if why else "") for name, why in sorted(reasons.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(3)] if rows else [0] * 3
    lines = [f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}" for a, b, c in rows]
    return "\n".join([*lines, *([""] if names else []), *names])


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    checkout = options.checkout.resolve()
    if not (checkout / "testing/python").is_dir():
        print(f"{checkout} is not a TileLang checkout (it has no testing/python). Clone its repository.", file=sys.stderr)
        return 2
    try:
        result = _way(options)(checkout, options)
    except LookupError as error:
        print(error, file=sys.stderr)
        return 2
    text = json.dumps(result, indent=2)
    print(text if options.json else table(result))
    if options.out:
        options.out.write_text(text + "\n")
    lost = [name for part in result.values() for name in part.get("lost", [])]
    return 1 if lost else 0


def _way(options: argparse.Namespace) -> Callable[[Path, argparse.Namespace], dict[str, dict]]:
    return _for_processor if options.processor else _with_device if options.device else _without_device


def _with_device(checkout: Path, options: argparse.Namespace) -> dict[str, dict]:
    return {"device": compared(checkout, options.folders or _DEVICE_FOLDERS, [], options.jobs, options.limit)}


def _without_device(checkout: Path, options: argparse.Namespace) -> dict[str, dict]:
    store = _store(options)
    folders = _folders(checkout, options)
    cpu = compared(checkout, ["cpu"], ["--kmux-named"], options.jobs, options.limit)
    kernels = lowered(checkout, [*folders, "examples"], options.jobs, options.limit, store)
    return {"cpu": cpu, "lowered": kernels, "compiled": compiled(store, options.kmux, options.jobs)}


def _for_processor(checkout: Path, options: argparse.Namespace) -> dict[str, dict]:
    from kmux_tilelang.lower import header_roots

    stores = {arch: _store(options) / arch for arch in processor.CAPABILITIES}
    folders = [*_folders(checkout, options), *([] if options.folders else ["examples"])]
    result: dict[str, dict] = {}
    for arch, store in stores.items():
        store.mkdir(parents=True, exist_ok=True)
        capability = processor.CAPABILITIES[arch]
        result[f"lowered {arch}"] = lowered(checkout, folders, options.jobs, options.limit, store, capability)
    result |= processor.compiled(stores.values(), options.kmux, options.jobs, header_roots())
    return result | {"total": {"percentage": processor.percentage(result)}}


def _store(options: argparse.Namespace) -> Path:
    options.store = options.store or Path(tempfile.mkdtemp(prefix="kmux_upstream_"))
    return options.store


def _folders(checkout: Path, options: argparse.Namespace) -> list[str]:
    tests = checkout / "testing/python"
    return options.folders or sorted(path.name for path in tests.iterdir() if any(path.glob("test_*.py")))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="of testing/python, or `examples` (default: all)")
    parser.add_argument("--checkout", type=Path, required=True, metavar="DIR", help="of TileLang's repository")
    parser.add_argument("--device", action="store_true", help="run on this machine's GPU")
    parser.add_argument("--processor", action="store_true", help="compile the kernels for sm_80 and sm_90a for backend cpu")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the result here, too, as JSON")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="workers, where pytest-xdist is there (default: one a core)")
    parser.add_argument("--limit", type=float, default=1800, metavar="SECONDS", help="for each folder (default: 1800)")
    parser.add_argument("--store", type=Path, metavar="DIR", help="keep what is exported here (default: a temporary folder)")
    parser.add_argument("--kmux", default="kmux", metavar="PATH", help="the command")
    return parser


if __name__ == "__main__":
    sys.exit(main())
