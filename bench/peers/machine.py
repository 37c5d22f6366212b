"""What was measured on: processor, device, Python, date and commit."""

from __future__ import annotations

import datetime
import os
import pathlib
import platform
import shutil
import subprocess

import cuda_driver

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CARRIED_COMMIT = ROOT / "build" / "device" / "COMMIT"


def processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return " ".join(line.split(":", 1)[1].split())
    return platform.machine()


def commit() -> str:
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False) if shutil.which("git") else None
    if ran and ran.returncode == 0:
        return ran.stdout.strip()
    return CARRIED_COMMIT.read_text(encoding="utf-8").strip() if CARRIED_COMMIT.is_file() else ""


def device() -> str:
    if cuda_driver.missing():
        return ""
    driver = cuda_driver.Driver()
    return f"{driver.name()}, CUDA {driver.version()}"


def described() -> dict[str, str]:
    return {
        "processor": f"{len(os.sched_getaffinity(0))} cores of {processor()}",
        "device": device(),
        "python": platform.python_version(),
        "date": datetime.date.today().isoformat(),
        "commit": commit(),
    }
