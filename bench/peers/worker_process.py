"""The other end of worker.py: a process for a peer, what it answers, and what is said when it does not."""

from __future__ import annotations

import json
import os
import pathlib
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from typing import IO, Any

WORKER = pathlib.Path(__file__).resolve().parent / "worker.py"
# Where the systems keep what they compiled, so that a cold start finds nothing.
CACHES = (
    "KMUX_CACHE_DIR", "CUDA_CACHE_PATH", "CUPY_CACHE_DIR", "TRITON_CACHE_DIR", "TILELANG_CACHE_DIR", "POCL_CACHE_DIR",
    "XDG_CACHE_HOME",
)  # fmt: skip
LAST_WORDS = 300


class PeerFailed(Exception):
    """The peer cannot be measured; the text says why."""

    state = "failed"


class PeerWrong(PeerFailed):
    """Its result differs from the reference."""

    state = "wrong"


class PeerMissing(PeerFailed):
    """It cannot run here."""

    state = "missing"


def environment(caches: pathlib.Path) -> dict[str, str]:
    folders = {variable: str(caches / variable.lower()) for variable in CACHES}
    for folder in folders.values():
        os.makedirs(folder, mode=0o700, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "KMUX_DISABLE_CACHE"}
    return {**kept, **folders}


class WorkerProcess:
    """One peer. Requests raise PeerFailed, after which it is of no more use."""

    def __init__(self, command: list[str], caches: pathlib.Path, patience: float = 300, grace: float = 20) -> None:
        self.patience, self.grace = patience, grace  # seconds that an answer may take, and its end
        self.errors: IO[bytes] = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment(caches),
            start_new_session=True,  # so that what it starts ends with it
        )
        self.unread = b""

    @classmethod
    def of(cls, name: str, caches: pathlib.Path) -> WorkerProcess:
        return cls([sys.executable, str(WORKER), name], caches)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets it end: it may still be writing to its cache. Then ends it, with everything that it has started."""
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            self.process.stdin.close()
        except BrokenPipeError:  # of a request that nobody read
            pass
        try:
            self.process.wait(self.grace)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()

    def ask(self, what: str, **arguments: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps({"do": what, **arguments}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise PeerFailed(self.end()) from None
        answer: dict[str, Any] = json.loads(self.line(what))
        for kind in (PeerWrong, PeerMissing, PeerFailed):
            if text := answer.get(kind.state):
                raise kind(text)
        return answer

    def line(self, what: str) -> bytes:
        assert self.process.stdout is not None
        deadline = time.monotonic() + self.patience
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.unread:
                if not selector.select(max(deadline - time.monotonic(), 0)):
                    self.grace = 0
                    raise PeerFailed(f"no answer to '{what}' in {self.patience:g} s")
                if not (read := os.read(self.process.stdout.fileno(), 65536)):
                    raise PeerFailed(self.end())
                self.unread += read
        line, self.unread = self.unread.split(b"\n", 1)
        return line

    def end(self) -> str:
        """How the process ended, with its last words."""
        code = self.process.wait()
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        self.errors.seek(0)
        words = " ".join(self.errors.read().decode(errors="replace").split())[-LAST_WORDS:]
        return f"its process {how}" + (f": {words}" if words else "")
