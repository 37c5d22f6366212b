"""Compiles the kernels that TileLang's tests lower for NVIDIA's GPUs for a processor: by backend cpu, each text once."""

import json
import os
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CAPABILITIES = {"sm_80": "8.0", "sm_90a": "9.0"}
_LIMIT_S = 600
_SLOW_S = 30


def compiled(stores: Iterable[Path], kmux: str, jobs: int, roots: Sequence[Path]) -> dict[str, dict]:
    """Returns for each architecture how many texts there are, how many compile, what fails, and what takes long."""
    includes = [word for root in [*roots, *_curand()] for word in ("-I", str(root))]
    found = texts(stores)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda path: _compile(kmux, path, includes), found.values()))
    per_text = dict(zip(found, results, strict=True))
    return {f"cpu {arch}": _part({key: per_text[key] for key in found if key[0] == arch}) for arch in CAPABILITIES}


def texts(stores: Iterable[Path]) -> dict[tuple[str, str], Path]:
    """Returns a program for each architecture and text, whatever the shapes of its arguments are."""
    found: dict[tuple[str, str], Path] = {}
    for store in stores:
        for path in sorted((store / "programs").glob("*/kernel.kmux.json")):
            for variant in json.loads(path.read_text())["variants"]:
                arch = variant["requires"].get("arch", [""])[0]
                if variant["dialect"] == "cuda" and arch in CAPABILITIES:
                    digests = " ".join(source["sha256"] for source in variant["sources"])
                    found.setdefault((arch, digests), path)
    return found


def percentage(result: Mapping[str, Mapping]) -> float:
    """Returns the percentage of texts that compile, over all architectures."""
    parts = [part for name, part in result.items() if name.startswith("cpu sm_")]
    return 100 * sum(part["for_cpu"] for part in parts) / sum(part["texts"] for part in parts)


def _part(results: Mapping[tuple[str, str], tuple[str, str, float]]) -> dict[str, object]:
    failed = {name: why for name, why, _ in results.values() if why}
    slow = {name: f"{seconds:.0f} s" for name, why, seconds in results.values() if seconds > _SLOW_S and not why}
    return {"texts": len(results), "for_cpu": len(results) - len(failed), "failed": failed, "slow": slow}


def _compile(kmux: str, path: Path, includes: Sequence[str]) -> tuple[str, str, float]:
    """Returns the program's name, the first error or nothing, and the seconds of its process."""
    command = [kmux, "compile", str(path), "--backend", "cpu", "--no-cache", *includes]
    began = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return path.parent.name, f"it took more than {_LIMIT_S} s", _LIMIT_S
    seconds = time.monotonic() - began
    if done.returncode == 0:
        return path.parent.name, "", seconds
    why = next((line for line in done.stderr.splitlines() if "error" in line), f"it ended with {done.returncode}")
    return path.parent.name, why[:300], seconds


def _curand() -> list[Path]:
    """Returns the toolkit's folder of headers: some kernels include cuRAND's, and all others are replaced by kmux's."""
    homes = [os.environ.get("KMUX_CUDA_HOME"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    folders = [Path(home) / "include" for home in homes if home]
    return [folder for folder in folders if (folder / "curand_kernel.h").exists()][:1]
