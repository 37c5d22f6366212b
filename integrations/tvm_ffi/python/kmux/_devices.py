# SPDX-License-Identifier: Apache-2.0
"""The devices of this machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._library import functions


@dataclass(frozen=True)
class Device:
    """A device that a backend can run on: `kmux.compile(program, execution_backend=device.backend, device=device.ordinal)`."""

    backend: str
    ordinal: int  # what option `device` takes
    name: str  # of the model
    arch: str
    properties: dict[str, Any]  # all that the backend has of it, as `kmux devices --json` prints it

    def __str__(self) -> str:
        return f"{self.backend}:{self.ordinal}"


def devices() -> list[Device]:
    """Every device of every backend that can run here, those of the backend that "auto" prefers first.

    Raises:
        ValueError: KMUX_PLUGIN_PATH or another setting of the environment is wrong.
    """
    return [_device(json.loads(found)) for found in functions.devices()]


def _device(found: dict[str, Any]) -> Device:
    properties = found["properties"]
    return Device(found["backend"], found["ordinal"], str(properties.get("name", "")), str(properties.get("arch", "")), properties)
