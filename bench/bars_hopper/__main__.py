"""Group `hopper`: kernels that TileLang makes for Hopper, on a processor. python3 -B bench/bars_hopper --build DIR [BAR...]

Needs NumPy, TileLang's headers, and TileLang in an environment of its own, which exports the programs. The kernels of TileLang's own
tests need a checkout of its repository in KMUX_TILELANG_CHECKOUT, and an hour.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(_HERE.parent / "bars"), str(_HERE)]
import bar  # noqa: E402
import tilelang_runs  # noqa: E402
from bar import BAR, Skipped, at_least, at_most, no_limit  # noqa: E402

_ROOT = _HERE.parents[1]
_SEEDED = "CheckCopiesTest.*:CheckProductsTest.*:CheckClustersTest.*"


class Bars:
    """Measures with the command and the libraries of a build; `folder` takes the programs."""

    def __init__(self, build: Path, python: str, folder: Path) -> None:
        self._build, self._python, self._folder = build, python, folder

    def own_failed(self) -> int:
        return self._failed("cpu")

    def gpu_failed(self) -> int:
        if not Path("/dev/nvidiactl").exists():
            raise Skipped("no device")
        return self._failed("nvrtc")

    def false_findings(self) -> int:
        return self._failed("cpu", "--check-memory")

    def seeded_bugs_found(self) -> int:
        """Those of the tests that pass: a test passes if each of its bugs is found by name and line, and the good kernel has none."""
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder, "report.json")
            command = [self._build / "tests/kmux_cpu_test", f"--gtest_filter={_SEEDED}", f"--gtest_output=json:{report}"]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
            suites = json.loads(report.read_text(encoding="utf-8"))["testsuites"]
        tests = [test for suite in suites for test in suite["testsuite"]]
        return sum(int(test.get("seeded_bugs", 0)) for test in tests if "failures" not in test)

    def tilelang_compiled(self) -> float:
        checkout = os.environ.get("KMUX_TILELANG_CHECKOUT")
        if not checkout:
            raise Skipped("KMUX_TILELANG_CHECKOUT names no checkout of TileLang")
        script = _ROOT / "integrations/tilelang/run_upstream_tests.py"
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder, "table.json")
            options = ["--processor", "--checkout", checkout, "--out", table, "--kmux", self._build / "bin/kmux", "--store", folder]
            command = [self._python, "-B", script, *options]
            subprocess.run(command, env=tilelang_runs.environment(self._build), stdout=sys.stderr, check=True)
            return json.loads(table.read_text(encoding="utf-8"))["total"]["percentage"]

    def compile_seconds(self) -> float:
        runs, cases = self._corpus()
        return statistics.median(runs.compile_seconds(case) for case in cases)

    def check_slowdown(self) -> float:
        runs, cases = self._corpus()
        some = cases[::8]
        plain, checked = (sum(runs.call_seconds(case, "cpu", *options) for case in some) for options in ((), ("--check-memory",)))
        return checked / plain

    def _failed(self, backend: str, *options: str) -> int:
        from runs import Failed

        runs, cases = self._corpus()
        failed = 0
        for case in cases:
            try:
                runs.call_seconds(case, backend, *options)
            except Failed as why:
                failed += 1
                print(f"  {case.name}: {why}", file=sys.stderr, flush=True)
        print(f"  {len(cases) - failed} of {len(cases)} programs", file=sys.stderr)
        return failed

    @cache
    def _corpus(self) -> tuple:
        try:
            from cases import CASES
            from runs import Runs
        except ImportError as lacks:
            raise Skipped(str(lacks)) from lacks
        headers = _ROOT / ".cache/tilelang-headers"
        if not Path(self._python).exists() or not (headers / "tl_templates").exists():
            raise Skipped(f"there is no {self._python}, or no {headers} (KMUX_TILELANG_TESTS=1 ./kmux.sh test --all)")
        command = [self._python, "-B", str(_HERE / "export_corpus.py"), str(self._folder)]
        subprocess.run(command, env=tilelang_runs.environment(self._build), stdout=sys.stderr, check=True)
        return Runs(self._build / "bin/kmux", headers, self._folder), CASES


def _register(bars: Bars) -> None:
    # Programs of the corpus that do not compile, or give other results than NumPy, on a processor.
    BAR("corpus_own_failed", "programs", at_most(0), bars.own_failed)

    # The same on a GPU, by NVRTC.
    BAR("gpu_equal_failed", "programs", at_most(0), bars.gpu_failed)

    # The same under --check-memory, where a finding is a failure: none of these kernels has an error.
    BAR("false_findings", "programs", at_most(0), bars.false_findings)

    # Of the texts that TileLang makes of its tests and examples for sm_80 and sm_90a, those that compile for a processor.
    BAR("tilelang_cpu_compiled_pct", "%", at_least(99), bars.tilelang_compiled)

    # Bugs of pipelines that the tests of check=on plant: those found by name and line.
    BAR("seeded_bugs_found", "bugs", at_least(40), bars.seeded_bugs_found)

    # kmux compile of one of them on a processor, as a whole process without a cache: the median.
    BAR("hopper_compile_s", "s", at_most(3), bars.compile_seconds)

    # The time of a call with --check-memory / without.
    BAR("check_slowdown", "of 1", no_limit(), bars.check_slowdown)


def main() -> int:
    options = tilelang_runs.options(__doc__ or "")
    with tempfile.TemporaryDirectory() as folder:
        _register(Bars(options.build.resolve(), options.python, Path(folder)))
        bar.names_of("hopper")
        return bar.main(options.bars)


if __name__ == "__main__":
    sys.exit(main())
