"""Device classes: the devices that one measurement speaks for. A class is a kind of target, an architecture, a model and, where
there is one, the driver's major version: "cuda:sm_90a:NVIDIA_H200:13"."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from .._errors import UnavailableError
from . import _command
from ._store import own_folder

PREFIX = "kmux:"  # of a class as a resource of Ray
_ANSWER = 120  # seconds that the command may take to list devices
_POLL = 0.05
# By which Ray and others give a process some devices; for each kind those that count, each of the numbers of the next one.
_MASKS = {"cuda": ("CUDA_VISIBLE_DEVICES",), "hip": ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")}
_MARKED = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


@dataclass(frozen=True)
class Device:
    """A device of this machine, as this process sees it."""

    kind: str  # of targets: "cpu", "cuda", ...
    ordinal: int
    class_name: str
    identity: str  # the same in every process of this machine, whatever devices it is given


def _word(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", text).strip("_") or "unknown"


def _ask(what: str) -> list[dict[str, object]]:
    answer = _command.call([what], _ANSWER)
    if answer.problem:
        raise UnavailableError(f"`kmux {what}` gave no list ({answer.problem}). Run it on that machine.")
    listed: list[dict[str, object]] = answer.document[what]
    return listed


def _identity(kind: str, ordinal: int, properties: Mapping[str, object]) -> str:
    """What every process of this machine calls a device: where it is plugged in, or else its number among all devices."""
    if kind == "cpu":
        return kind  # all processors: one measurement uses every core
    if place := properties.get("pci"):
        return f"pci-{place}"
    number = str(ordinal)
    for mask in _MASKS.get(kind, ()):
        visible = [each.strip() for each in os.environ.get(mask, "").split(",")] if os.environ.get(mask) else []
        if number.isdigit() and int(number) < len(visible):
            number = visible[int(number)]  # the number of a device, or its UUID
    return f"{kind}-{number}"


@functools.lru_cache(maxsize=None)
def _devices(visible: tuple[str | None, ...]) -> tuple[Device, ...]:
    kinds = {one["name"]: one["targets"][0] for one in _ask("plugins") if one["targets"]}  # type: ignore[index]
    found: dict[tuple[str, int], Device] = {}
    for one in _ask("devices"):
        kind, properties = kinds.get(one["backend"]), cast("dict[str, object]", one["properties"])
        if kind is None:
            continue  # the host, which `cpu` stands for
        ordinal = int(str(one["device"]).rpartition(":")[2])
        words = [str(kind), *(_word(str(properties[key])) for key in ("arch", "name"))]
        if driver := str(properties.get("driver_version", "")):
            words.append(_word(driver.partition(".")[0]))
        device = Device(str(kind), ordinal, ":".join(words), _identity(str(kind), ordinal, properties))
        found.setdefault((str(kind), ordinal), device)
    return tuple(found.values())


def devices() -> tuple[Device, ...]:
    """The devices that are visible here, each once however many backends have it."""
    return _devices(tuple(os.environ.get(name) for name in _MARKED))


def resources() -> dict[str, float]:
    """What this machine announces to Ray: each class with the number of its devices.

    >>> ray start --address=HEAD:6379 --resources="$(python -m kmux.fleet resources)"
    """
    counts: dict[str, float] = {}
    for device in devices():
        counts[PREFIX + device.class_name] = counts.get(PREFIX + device.class_name, 0) + 1
    return counts


def target_of(class_name: str) -> str:
    """What is compiled for a class: a processor's own architecture; the kind, where the device says the rest."""
    kind, arch = class_name.split(":")[:2]
    return f"cpu:{arch}" if kind == "cpu" else kind


def family_of(class_name: str) -> str:
    """What a lock file can tell apart: kind and architecture."""
    return ":".join(class_name.split(":")[:2])


@contextlib.contextmanager
def held(class_name: str, seconds: float) -> Iterator[int]:
    """A device of that class for this process alone, as its ordinal. Other processes of this user that measure on it wait.

    Raises:
        UnavailableError: there is none, or it does not become free.
    """
    kind = class_name.partition(":")[0]
    # A processor can be measured for any architecture that it runs; whether it does, the backend says.
    usable = [one for one in devices() if one.class_name == class_name or (kind == one.kind == "cpu")]
    if not usable:
        raise UnavailableError(
            f"no device of class {class_name} is here (`kmux devices`). Announce what there is: kmux.fleet.resources."
        )
    until = time.monotonic() + seconds
    while True:
        for device in usable:
            with (own_folder() / f"device-{_word(device.identity)}.lock").open("w") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield device.ordinal
                return
        if time.monotonic() > until:
            raise UnavailableError(f"every device of class {class_name} is in use here. Stop what uses them.")
        time.sleep(_POLL)
