"""The command `kmux` in a process of its own: what crashes or hangs there takes nothing else down."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._library import functions

_KILL_GRACE = 10  # seconds until a killed process has to be gone; one that waits for a device may not be
_PR_SET_PDEATHSIG = 1
_BY_EXIT_CODE = {3: "invalid_argument", 4: "unavailable", 5: "compile_failed", 6: "launch_failed"}  # without a document
_CRASHES = frozenset({"crashed", "killed"})  # note "worker" of an error
_COMPILING = frozenset({"compile", "tune", "bench"})
_prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux's alone


@dataclass(frozen=True)
class Answer:
    """How one call of the command ended."""

    document: dict[str, Any]  # what --json printed; empty without
    problem: str  # why there is no document
    code: str  # of the problem, in the runtime's words: "crashed" and "hung" besides
    seconds: float


def path() -> pathlib.Path:
    """The program, beside the library: in a build and in the wheel alike."""
    return functions.folder.parent / "bin" / "kmux"


def _environment(verb: str) -> dict[str, str]:
    """The variables of the command. Compilers run in processes of their own, unless `KMUX_ISOLATION` of the node decides otherwise: a
    source that ends its compiler, as one that is too deep for the stack of Clang, costs its own unit alone."""
    isolation = {"KMUX_ISOLATION": "process"} if verb in _COMPILING else {}
    return {**isolation, **os.environ}


def _end_with_parent() -> None:
    """What measures does not outlive who waits for it: a killed node would go on to heat its device. Where there is no Linux it does."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _kill(process: subprocess.Popen[str]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        process.communicate(timeout=_KILL_GRACE)
    except subprocess.TimeoutExpired:
        pass  # the kernel holds it, as a device that hangs can have it do


def code_of(error: Mapping[str, Any]) -> str:
    """The code of an error in a document: "crashed", too, for a compiler that crashed or was killed in a process of its own."""
    worker = next((note["text"] for note in error.get("notes", ()) if note["kind"] == "worker"), "")
    return "crashed" if worker in _CRASHES else str(error["code"])


def call(words: Sequence[str], seconds: float, to_file: str = "") -> Answer:
    """Runs `kmux WORDS --json` for that long at most; `to_file` is the option of a command that writes its document to a file."""
    if not to_file:
        return _call([*words, "--json"], seconds, None)
    with tempfile.TemporaryDirectory(prefix="kmux-") as folder:
        file = pathlib.Path(folder, "document.json")
        return _call([*words, to_file, str(file)], seconds, file)


def _call(words: Sequence[str], seconds: float, file: pathlib.Path | None) -> Answer:
    begin = time.monotonic()
    process = subprocess.Popen(
        [str(path()), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        env=_environment(words[0]),
        preexec_fn=_end_with_parent,
    )
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _kill(process)
        return Answer({}, f"no answer within {seconds:g} s", "hung", time.monotonic() - begin)
    except BaseException:
        _kill(process)
        raise
    if file is not None and file.exists():
        output = file.read_text(encoding="utf-8")
    return _answer(process.returncode, output, errors, time.monotonic() - begin)


def _answer(code: int, output: str, errors: str, seconds: float) -> Answer:
    if code < 0:
        return Answer({}, f"ended by {signal.Signals(-code).name}", "crashed", seconds)
    try:
        document = json.loads(output)
    except ValueError:
        last = (errors.strip().splitlines() or ["it printed nothing"])[-1]
        return Answer({}, f"ended with {code}: {last}", _BY_EXIT_CODE.get(code, "crashed"), seconds)
    error = document.get("error")
    if error:
        return Answer({}, error["message"], code_of(error), seconds)
    return Answer(document, "", "", seconds)
