"""Target `hip`: HIP C++ for one architecture of AMD GPUs."""

import re
from collections.abc import Mapping
from typing import Any

from ..alignment import alignments
from ..device_launch import device_launch
from ..error import UsageError
from ..headers import hints_of
from . import Target


class _Hip:
    dialect = "hip"
    suffix = ".hip.cpp"
    on_device = True
    launch = staticmethod(device_launch)
    alignments = staticmethod(alignments)

    def __init__(self, arch: str):
        self.name, self.arch = f"hip:{arch}", arch
        self.tilelang = {"kind": "hip", "mcpu": arch}

    def source(self, lowered: Any, body: Mapping[str, Any]) -> str:
        return str(lowered.text)

    def settings(self, lowered: Any) -> dict[str, Any]:
        return {"standard": "c++17", "include_hints": hints_of(lowered.text)}


def target(arch: str = "gfx942", mcpu: str = "") -> Target:
    """The target for `arch`, which TileLang calls `mcpu`.

    Errors: UsageError for what is no architecture.
    """
    arch = mcpu or arch
    if re.fullmatch(r"gfx[0-9a-f]{3,4}", arch) is None:
        raise UsageError(f"'{arch}' is not an architecture of AMD GPUs. Write it like gfx942.")
    return _Hip(arch)
