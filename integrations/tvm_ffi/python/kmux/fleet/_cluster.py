"""The Ray cluster: what is in it, and how work is put there."""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .._errors import UnavailableError
from . import _classes, _node

_FRESH = 1.0  # seconds that a list of nodes is taken for the present


def ray() -> Any:
    """The module.

    Raises:
        UnavailableError: it is not installed, or lacks something.
    """
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise UnavailableError(f"kmux.fleet needs Ray ({error}). Install: pip install ray") from None


@dataclass(frozen=True)
class Node:
    """A node that is alive."""

    id: str
    host: str
    resources: dict[str, float]

    def has(self, demand: dict[str, float]) -> bool:
        return all(self.resources.get(name, 0) >= number for name, number in demand.items())

    def amount(self, name: str) -> int:
        return int(self.resources.get(name, 0))


class Cluster:
    """A connection to Ray."""

    def __init__(self, address: str | None) -> None:
        self.ray = ray()
        self._ends = not self.ray.is_initialized()
        if self._ends:
            self._connect(address)
        self._remote = self.ray.remote(max_retries=0)(_node.perform)
        self._nodes: list[Node] = []
        self._until = 0.0

    def _connect(self, address: str | None) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            self.ray.init(address=address or "auto", **quiet)
        except ConnectionError as error:
            if address:
                raise UnavailableError(
                    f"no Ray cluster answers at {address} ({error}). Begin one: ray start --head."
                ) from None
            self.ray.init(address="local", include_dashboard=False, resources=_classes.resources(), **quiet)

    def nodes(self) -> list[Node]:
        """Those that are alive now."""
        if time.monotonic() > self._until:
            listed = self.ray.nodes()
            self._nodes = [
                Node(one["NodeID"], one["NodeManagerHostname"], one["Resources"]) for one in listed if one["Alive"]
            ]
            self._until = time.monotonic() + _FRESH
        return self._nodes

    def classes(self) -> dict[str, int]:
        """The device classes that nodes announce, with the number of their devices."""
        counts: dict[str, int] = {}
        for node in self.nodes():
            for name in node.resources:
                if name.startswith(_classes.PREFIX):
                    one = name[len(_classes.PREFIX) :]
                    counts[one] = counts.get(one, 0) + node.amount(name)
        return dict(sorted(counts.items()))

    def demand(self, verb: str, place: str) -> dict[str, float]:
        """What a task takes while it runs: a core to compile; to measure, the device and, if that is a processor, all its cores."""
        if verb == "compile":
            return {"CPU": 1}
        resource = _classes.PREFIX + place
        there = [node for node in self.nodes() if node.amount(resource)]
        takes: dict[str, float] = {"CPU": 1, resource: 1}
        if place.startswith("cpu:"):
            takes["CPU"] = min((node.amount("CPU") for node in there), default=1) or 1
        elif there and all(node.amount("GPU") for node in there):
            takes["GPU"] = 1  # so that Ray shows the task one device, and others do not use it
        return takes

    def submit(self, work: _node.Work, programs: dict[str, Any], demand: dict[str, float], avoided: set[str]) -> Any:
        """Begins a task, not on the nodes `avoided`."""
        custom = {name: number for name, number in demand.items() if name not in ("CPU", "GPU")}
        options: dict[str, Any] = {"num_cpus": demand["CPU"], "num_gpus": demand.get("GPU", 0), "resources": custom}
        if avoided:
            options["label_selector"] = {"ray.io/node-id": f"!in({','.join(sorted(avoided))})"}
        return self._remote.options(**options).remote(work, programs)

    def drop(self, tasks: Iterable[Any]) -> None:
        """Sees to it that tasks, whose driver is ending, do not run on.

        Where the connection ends as well, that ends them: Ray aborts the process now and then when it is to cancel a task that is
        just ending ("Tried to complete task that was not pending").
        """
        if not self._ends:
            for task in tasks:
                self.ray.cancel(task, force=True)

    def close(self) -> None:
        """Ends the connection, if it was made here."""
        if self._ends:
            self.ray.shutdown()
