"""Target `cuda`: CUDA C++ for one architecture of NVIDIA GPUs."""

import re
from collections.abc import Mapping
from typing import Any

from ..alignment import alignments
from ..device_launch import device_launch
from ..error import UsageError
from ..headers import hints_of
from . import Target

_RTC = "tl_templates/cuda/nvrtc_std.h"  # what NVRTC lacks of the standard library; empty for other compilers
_OVERLAP = "cuda_device_runtime_api.h"  # declares what a kernel that waits for, or releases, its neighbour calls

# NVRTC has neither <limits> nor uint; CUTLASS's own types are in its own limits there, and uint is a macro in some of TileLang's headers.
# Clang compiles these sources with kmux's <limits>, which has both.
_LIMITS = """\
#if defined(__CUDACC_RTC__) && !defined(__clang__)
#include <cuda/std/limits>
#include <cutlass/platform/platform.h>
namespace std {
template <class T, bool = cuda::std::numeric_limits<T>::is_specialized>
struct numeric_limits : cuda::std::numeric_limits<T> {};
template <class T>
struct numeric_limits<T, false> : cutlass::platform::numeric_limits<T> {};
}  // namespace std
#endif
"""
_UINT = """\
#if defined(__CUDACC_RTC__) && !defined(uint)
using uint = unsigned int;
#endif
"""
_DIRECTIVES = re.compile(r"(?:[ \t]*(?:#[^\n]*|//[^\n]*)?\n)*")  # and comments, at the beginning of a text


class _Cuda:
    dialect = "cuda"
    suffix = ".cu"
    on_device = True
    launch = staticmethod(device_launch)
    alignments = staticmethod(alignments)

    def __init__(self, arch: str):
        self.name, self.arch = f"cuda:{arch}", arch
        self.tilelang = {"kind": "cuda", "arch": arch}

    def source(self, lowered: Any, body: Mapping[str, Any]) -> str:
        text = str(lowered.text)
        lacking = _LIMITS if "std::numeric_limits" in text else ""
        lacking += _UINT if re.search(r"\buint\b", text) else ""
        end = len(_DIRECTIVES.match(text)[0])
        return text[:end] + lacking + text[end:]

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
        raise UsageError(f"'{arch}' is not a CUDA architecture. Write it like sm_80 or sm_90a.")
    return arch + "a" if int(match[1]) >= 90 and not match[2] else arch


def target(arch: str = "sm_90a") -> Target:
    """The target for `arch`.

    Errors: UsageError for what is no architecture.
    """
    return _Cuda(cuda_arch(arch))


def _overlaps(device: Any) -> bool:
    return any(f"has_cuda_pdl_{half}" in device.attrs for half in ("sync", "trigger"))
