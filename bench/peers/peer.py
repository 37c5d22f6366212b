"""What a peer is: a system that can compile the kernel and call it from Python."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cuda_driver
from kernels import Case


@dataclass(frozen=True)
class Call:
    """How the compiled kernel is called: `function(*arguments)`, which need not wait for the result."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    loop: Callable[[int, bool], float] | None = None  # (count, waits after each) -> ns, for loops outside Python
    finish: Callable[[], Any] = lambda: None  # waits for what is compiled in the background

    def once(self) -> None:
        self.function(*self.arguments)


class Peer:
    """A system. Each method runs in a process that has no other peer in it."""

    name = ""
    side = ""  # "device" or "host": who is compared with whom

    def missing(self) -> str:
        """Why it cannot run here; empty if it can. Imports nothing that takes long."""
        raise NotImplementedError

    def open(self) -> str:
        """Imports the system and brings up its device. Its version."""
        raise NotImplementedError

    def inputs(self, case: Case) -> Any:
        """x, y and an unwritten z, where this system wants them."""
        raise NotImplementedError

    def prepare(self, case: Case, inputs: Any) -> Call:
        """Compiles, as far as this system compiles before the first call."""
        raise NotImplementedError

    def result(self, inputs: Any) -> Any:
        """z, as an array of NumPy's."""
        raise NotImplementedError

    def wait(self) -> None:
        """Until everything that was called is done."""
        raise NotImplementedError

    def work_ns(self, call: Call, count: int) -> float:
        """Time of one call's work, without what the host does, where the system can tell them apart."""
        raise NotImplementedError


class DevicePeer(Peer):
    """A peer on a GPU. All use the default stream of the primary context, and one way to wait and to time."""

    side = "device"
    packages: tuple[str, ...] = ()
    ahead = 3  # calls that are queued before the first event, so that the device never waits for the host

    def missing(self) -> str:
        return cuda_driver.missing() or missing_packages("numpy", *self.packages)

    def open(self) -> str:
        self.driver = cuda_driver.Driver()
        return self.bring_up()

    def bring_up(self) -> str:
        """Imports the system, and so on. Its version."""
        raise NotImplementedError

    def wait(self) -> None:
        self.driver.wait()

    def work_ns(self, call: Call, count: int) -> float:
        for _ in range(self.ahead):
            call.once()
        return self.driver.between_events_ns(call.once, count) / count


class HostPeer(Peer):
    """A peer on the processor: the work is what a call takes until its result is there."""

    side = "host"

    def wait(self) -> None:
        """Calls of most of them return with the result."""

    def work_ns(self, call: Call, count: int) -> float:
        begin = time.perf_counter_ns()
        for _ in range(count):
            call.once()
            self.wait()
        return (time.perf_counter_ns() - begin) / count


def missing_packages(*names: str) -> str:
    """The first of these packages that is not installed, in words; empty if all are."""
    for name in names:
        try:
            found = importlib.util.find_spec(name) is not None
        except ModuleNotFoundError:  # of the package that it is in
            found = False
        if not found:
            return f"{name} is not installed"
    return ""
