"""A process with one peer in it: `worker.py NAME` answers requests, each a line of JSON, until they end.

So a peer that crashes, hangs or prints takes nobody with it, none finds another's libraries loaded, and a cold start is
cold.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import IO, Any

from kernels import Case
from peer import Call, Peer

WARM_CALLS = 10


class WrongResult(Exception):
    """The peer computes something else."""


class Worker:
    """Does what is asked; each answer is a dict."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.looking_ns = 0  # who looks for a system often imports it
        self.calls: dict[int, Call] = {}
        self.inputs: list[Any] = []  # kept: some calls know only addresses

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return getattr(self, request.pop("do"))(**request)
        except WrongResult as error:
            return {"wrong": str(error)}
        except Exception as error:
            return {"failed": said(error)}

    def missing(self) -> dict[str, Any]:
        begin = time.perf_counter_ns()
        reason = self.peer.missing()
        self.looking_ns = time.perf_counter_ns() - begin
        return {"missing": reason}

    def open(self) -> dict[str, Any]:
        begin = time.perf_counter_ns()
        version = self.peer.open()
        return {"version": version, "ns": self.looking_ns + time.perf_counter_ns() - begin}

    def start(self, n: int) -> dict[str, Any]:
        """From the kernel's text to its first result, which is compared with the reference."""
        case = Case(n)
        inputs = self.peer.inputs(case)
        self.peer.wait()
        begin = time.perf_counter_ns()
        call = self.peer.prepare(case, inputs)
        call.once()
        self.peer.wait()
        elapsed = time.perf_counter_ns() - begin
        if problem := case.problem(self.peer.result(inputs)):
            raise WrongResult(problem)
        self.calls[n] = call
        self.inputs.append(inputs)
        return {"ns": elapsed}

    def finish(self) -> dict[str, Any]:
        for call in self.calls.values():
            call.finish()
        return {}

    def call(self, n: int, count: int) -> dict[str, Any]:
        """Host time of a call, one after another."""
        ready = self.warmed(n)
        ns = ready.loop(count, False) if ready.loop else self.in_python(ready, count, None)
        self.peer.wait()
        return {"ns": ns / count}

    def wait(self, n: int, count: int) -> dict[str, Any]:
        """A call until its result is there."""
        ready = self.warmed(n)
        ns = ready.loop(count, True) if ready.loop else self.in_python(ready, count, self.peer.wait)
        return {"ns": ns / count}

    def work(self, n: int, count: int) -> dict[str, Any]:
        ready = self.calls[n]
        self.peer.wait()
        ns = self.peer.work_ns(ready, count)
        self.peer.wait()
        return {"ns": ns}

    def warmed(self, n: int) -> Call:
        ready = self.calls[n]
        for _ in range(WARM_CALLS):
            ready.once()
        self.peer.wait()
        return ready

    @staticmethod
    def in_python(call: Call, count: int, after: Callable[[], None] | None) -> float:
        function, arguments, turns = call.function, call.arguments, range(count)
        begin = time.perf_counter_ns()
        if after is None:
            for _ in turns:
                function(*arguments)
        else:
            for _ in turns:
                function(*arguments)
                after()
        return time.perf_counter_ns() - begin


def said(error: Exception) -> str:
    """An error in one line: its last words are often the compiler's, its first say what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines)[:300]}" if lines else type(error).__name__


def serve(peer: Peer, requests: IO[str], answers: IO[str]) -> None:
    worker = Worker(peer)
    for line in requests:
        answers.write(json.dumps(worker.answer(json.loads(line))) + "\n")
        answers.flush()


def own_output() -> IO[str]:
    """Standard output, which from now on is standard error for everybody else in the process."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def main() -> None:
    answers = own_output()
    import roster

    serve(roster.named(sys.argv[1]), sys.stdin, answers)


if __name__ == "__main__":
    main()
