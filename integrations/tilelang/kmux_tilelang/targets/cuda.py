"""Target `cuda`: CUDA C++ for one architecture of NVIDIA GPUs."""

import re
from typing import Any

from ..device_launch import device_launch
from ..error import UsageError
from ..headers import hints_of
from . import Target

_RTC = "tl_templates/cuda/nvrtc_std.h"  # what NVRTC lacks of the standard library; empty for other compilers
_OVERLAP = "cuda_device_runtime_api.h"  # declares what a kernel that waits for, or releases, its neighbour calls


class _Cuda:
    dialect = "cuda"
    suffix = ".cu"
    on_device = True
    launch = staticmethod(device_launch)

    def __init__(self, arch: str):
        self.name, self.arch = f"cuda:{arch}", arch
        self.tilelang = {"kind": "cuda", "arch": arch}

    def source(self, text: str) -> str:
        return text

    def settings(self, lowered: Any) -> dict[str, Any]:
        hints = hints_of(lowered.text)
        preludes = [_RTC] if hints else []
        if any(_overlaps(device) for device in lowered.devices.values()):
            preludes.append(_OVERLAP)
        return {"standard": "c++20", "preludes": preludes, "include_hints": hints}


def cuda_arch(arch: str) -> str:
    """`arch` as compilers spell it: from sm_90 on TileLang generates instructions of that architecture alone (sm_90a).

    Errors: UsageError for what is no architecture.
    """
    match = re.fullmatch(r"sm_(\d{2,3})([af]?)", arch)
    if match is None:
        raise UsageError(f"'{arch}' is no CUDA architecture. Write it like sm_80 or sm_90a.")
    return arch + "a" if int(match[1]) >= 90 and not match[2] else arch


def target(arch: str = "sm_90a") -> Target:
    """The target for `arch`.

    Errors: UsageError for what is no architecture.
    """
    return _Cuda(cuda_arch(arch))


def _overlaps(device: Any) -> bool:
    return any(f"has_cuda_pdl_{half}" in device.attrs for half in ("sync", "trigger"))
