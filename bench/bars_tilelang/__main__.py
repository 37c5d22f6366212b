"""Group `tilelang`: kernels of TileLang with kmux inside and without. python3 -B bench/bars_tilelang --build DIR [BAR...]

Those of TileLang's own tests want a checkout of its repository in KMUX_TILELANG_CHECKOUT, and take half an hour. Where there is no
GPU those of a device are left out, and where there is one the others.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

_HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(_HERE.parent / "bars"))
import bar  # noqa: E402
import tilelang_runs  # noqa: E402
from bar import BAR, Skipped, at_least, at_most  # noqa: E402

_ROOT = _HERE.parents[1]
_PAIRS = 5  # of cold processes, in turns
_INTEGRATION = _ROOT / "integrations/tilelang"


class Bars:
    """Measures with the libraries of a build."""

    def __init__(self, build: Path, python: str) -> None:
        self._build, self._python = build, python
        self.has_device = Path("/dev/nvidiactl").exists()
        self.target = "cuda" if self.has_device else "c"

    def on_device(self, measure: Callable[[], float]) -> Callable[[], float]:
        return self._if(self.has_device, "no device", measure)

    def unless_device(self, measure: Callable[[], float]) -> Callable[[], float]:
        return self._if(not self.has_device, "measured on machines without a GPU", measure)

    def _if(self, is_possible: bool, reason: str, measure: Callable[[], float]) -> Callable[[], float]:
        def measured() -> float:
            if not is_possible:
                raise Skipped(reason)
            if not Path(self._python).exists():
                raise Skipped(f"there is no {self._python} (KMUX_TILELANG_TESTS=1 ./kmux.sh test)")
            return measure()

        return measured

    def cold_c_ratio(self) -> float:
        return self._cold_ratio("kmux", "cython")

    def call_c_ratio(self) -> float:
        return self._call_ratio("kmux", "cython")

    def cold_ratio(self) -> float:
        return self._cold_ratio("kmux:nvrtc", "nvrtc")

    def call_ratio(self) -> float:
        return self._call_ratio("kmux", "tvm_ffi")

    def warm_start_ratio(self) -> float:
        """Second processes: the first ones fill the caches."""
        with tempfile.TemporaryDirectory() as folder:
            seconds: dict[str, list[float]] = {"kmux": [], "tvm_ffi": []}
            for turn in range(_PAIRS + 1):
                for backend, list_of in seconds.items():
                    found = self._measured(backend, folder)["cold_s"]
                    if turn > 0:
                        list_of.append(found)
        return _ratio(seconds["kmux"], seconds["tvm_ffi"], "s to the first result of a second process")

    def upstream_cpu_failed(self) -> float:
        return len(self._upstream()["cpu"]["lost"])

    def lowered_exported_pct(self) -> float:
        found = self._upstream()["lowered"]
        return 100 * found["exported"] / found["lowered"]

    def compiled_pct(self) -> float:
        found = self._upstream()["compiled"]
        return 100 * found["compiled"] / found["programs"]

    def upstream_device_lost(self) -> float:
        return len(self._upstream("--device")["device"]["lost"])

    def _cold_ratio(self, ours: str, own: str) -> float:
        seconds: dict[str, list[float]] = {ours: [], own: []}
        for _ in range(_PAIRS):
            for backend, list_of in seconds.items():
                with tempfile.TemporaryDirectory() as folder:
                    list_of.append(self._measured(backend, folder)["cold_s"])
        return _ratio(seconds[ours], seconds[own], "s to the first result")

    def _call_ratio(self, ours: str, own: str) -> float:
        calls: dict[str, list[float]] = {ours: [], own: []}
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(3):
                for backend, list_of in calls.items():
                    list_of.append(self._measured(backend, folder)["call_us"])
        return _ratio(calls[ours], calls[own], "us a call")

    def _measured(self, backend: str, caches: str) -> dict[str, float]:
        names = ("TILELANG_CACHE_DIR", "KMUX_CACHE_DIR", "CUDA_CACHE_PATH")  # the last is NVRTC's own
        variables = {name: f"{caches}/{name}" for name in names}
        return json.loads(self._run([str(_HERE / "measure.py"), backend, self.target], variables).splitlines()[-1])

    @cache
    def _upstream(self, *options: str) -> dict[str, dict]:
        checkout = os.environ.get("KMUX_TILELANG_CHECKOUT")
        if not checkout:
            raise Skipped("KMUX_TILELANG_CHECKOUT names no checkout of TileLang")
        with tempfile.TemporaryDirectory() as folder:
            script = [str(_INTEGRATION / "run_upstream_tests.py"), "--checkout", checkout, "--out", f"{folder}/table.json"]
            self._run([*script, "--kmux", str(self._build / "bin/kmux"), *options], {}, may_fail=True)
            return json.loads(Path(folder, "table.json").read_text())

    def _run(self, command: Sequence[str], variables: dict[str, str], may_fail: bool = False) -> str:
        environment = tilelang_runs.environment(self._build) | variables
        done = subprocess.run([self._python, "-B", *command], env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 and not may_fail:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}")
        return done.stdout


def _ratio(ours: list[float], own: list[float], unit: str) -> float:
    a, b = statistics.median(ours), statistics.median(own)
    print(f"  {a:.4g} {unit} with kmux ({min(ours):.4g} to {max(ours):.4g}), {b:.4g} without ({min(own):.4g} to {max(own):.4g})",
          file=sys.stderr)
    return a / b


def _register(build: Path, python: str) -> None:
    bars = Bars(build, python)
    here, device = bars.unless_device, bars.on_device

    # tilelang.compile of three loops of a GEMM for c to its first result, empty caches: kmux / TileLang's cython.
    BAR("cold_c_ratio", "of 1", at_most(0.5), here(bars.cold_c_ratio))

    # A call through JITKernel of a kernel that copies 16 floats, target c: kmux / TileLang's cython.
    BAR("call_c_ratio", "of 1", at_most(0.1), here(bars.call_c_ratio))

    # Tests of TileLang's testing/python/cpu that fail with kmux inside.
    BAR("upstream_cpu_failed", "tests", at_most(0), here(bars.upstream_cpu_failed))

    # Of the kernels that TileLang's tests and examples make and TileLang lowers, those that are exported.
    BAR("lowered_exported_pct", "%", at_least(99.8), here(bars.lowered_exported_pct))

    # Of those programs, the ones that NVRTC compiles for sm_90a.
    BAR("compiled_pct", "%", at_least(99.8), here(bars.compiled_pct))

    # A call of a kernel that copies 16 floats on a GPU: kmux / TileLang's tvm_ffi.
    BAR("call_ratio", "of 1", at_most(0.65), device(bars.call_ratio))

    # A tiled GEMM to its first result on a GPU, empty caches: kmux:nvrtc / TileLang's nvrtc.
    BAR("cold_ratio", "of 1", at_most(0.8), device(bars.cold_ratio))

    # The same in a second process: kmux / tvm_ffi.
    BAR("warm_start_ratio", "of 1", at_most(0.5), device(bars.warm_start_ratio))

    # Tests of TileLang's that pass on a GPU without kmux and fail with it.
    BAR("upstream_device_lost", "tests", at_most(0), device(bars.upstream_device_lost))


def main() -> int:
    options = tilelang_runs.options(__doc__ or "")
    _register(options.build.resolve(), options.python)
    bar.names_of("tilelang")
    return bar.main(options.bars)


if __name__ == "__main__":
    sys.exit(main())
