"""The figures of group `tilelang`: "bar NAME VALUE UNIT", a line each. python3 -B bench/bars_tilelang --build DIR [BAR...]

Those of TileLang's own tests want a checkout of its repository in KMUX_TILELANG_CHECKOUT, and take half an hour. Where there is no
GPU those of a device are left out, and where there is one the others.
"""

import argparse
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
_ROOT = _HERE.parents[1]
_PAIRS = 5  # of cold processes, in turns
_INTEGRATION = _ROOT / "integrations/tilelang"


class Bars:
    """Measures with the libraries of a build."""

    def __init__(self, build: Path, python: str) -> None:
        self._build, self._python = build, python
        self.has_device = Path("/dev/nvidiactl").exists()
        self.target = "cuda" if self.has_device else "c"

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
            raise LookupError("KMUX_TILELANG_CHECKOUT names no checkout of TileLang")
        with tempfile.TemporaryDirectory() as folder:
            script = [str(_INTEGRATION / "run_upstream_tests.py"), "--checkout", checkout, "--out", f"{folder}/table.json"]
            self._run([*script, "--kmux", str(self._build / "bin/kmux"), *options], {}, may_fail=True)
            return json.loads(Path(folder, "table.json").read_text())

    def _run(self, command: Sequence[str], variables: dict[str, str], may_fail: bool = False) -> str:
        environment = os.environ | variables
        environment.pop("KMUX_DISABLE_CACHE", None)
        environment["KMUX_TVM_FFI_LIBRARY"] = str(self._build / "lib/libkmux_tvm_ffi.so")
        path = [str(_INTEGRATION), str(_ROOT / "integrations/tvm_ffi/python"), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, path))
        done = subprocess.run([self._python, "-B", *command], env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 and not may_fail:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}")
        return done.stdout


_HERE_BARS = ("cold_c_ratio", "call_c_ratio", "upstream_cpu_failed", "lowered_exported_pct", "compiled_pct")
_DEVICE_BARS = ("call_ratio", "cold_ratio", "warm_start_ratio", "upstream_device_lost")
_UNITS = {"upstream_cpu_failed": "tests", "upstream_device_lost": "tests", "lowered_exported_pct": "%", "compiled_pct": "%"}


def _ratio(ours: list[float], own: list[float], unit: str) -> float:
    a, b = statistics.median(ours), statistics.median(own)
    print(f"  {a:.4g} {unit} with kmux ({min(ours):.4g} to {max(ours):.4g}), {b:.4g} without ({min(own):.4g} to {max(own):.4g})")
    return a / b


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--build", type=Path, default=_ROOT / "build/release")
    parser.add_argument("--python", default=os.environ.get("KMUX_TILELANG_PYTHON") or str(_ROOT / ".cache/tilelang/venv/bin/python"))
    parser.add_argument("bars", nargs="*")
    options = parser.parse_args()
    bars = Bars(options.build.resolve(), options.python)
    names = _DEVICE_BARS if bars.has_device else _HERE_BARS
    status = 0
    for name in options.bars or names:
        measure: Callable[[], float] = getattr(bars, name)
        try:
            print(f"bar {name} {measure():.3f} {_UNITS.get(name, 'of 1')}", flush=True)
        except (LookupError, OSError, RuntimeError) as error:
            print(f"{name}: not measured ({error})", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
