"""The `par_compile` of a jit function."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ._compile import compile_all
from ._errors import CompileWarning, add_note
from ._jit_call import in_words
from ._kernel import Kernel
from ._library import functions
from ._log import prepare
from ._options import CompileOptions, plain
from ._program import Program
from ._progress import CompileEvent, shown


_OPTIONS = ("num_workers", "ignore_error", "memory_budget", "timeout", "progress")


def check_options(function: str, how: Mapping[str, Any]) -> None:
    """Checks the names of the options of a `par_compile`.

    Raises:
        TypeError: one that there is not, with the one that may be meant.
    """
    for name in how:
        if name not in _OPTIONS:
            hint = functions.did_you_mean(name, _OPTIONS)
            raise TypeError(f"par_compile of jit function {function!r} has no option {name!r} (it has {', '.join(_OPTIONS)}).{hint}")


class Batch:
    """Several calls whose programs are compiled together, and which of them fail."""

    def __init__(self, name: str, calls: list[inspect.BoundArguments], how: Mapping[str, Any]) -> None:
        self._name = name
        self._calls = calls
        self._how = {key: value for key, value in how.items() if key != "progress"}
        self._progress = how.get("progress", False)
        self._failed: dict[int, str] = {}  # why, by call

    def programs(self, make: Callable[[inspect.BoundArguments], Program]) -> list[Program | None]:
        """Of each call; None for a function that failed, with ignore_error."""
        return [self._program(index, make) for index in range(len(self._calls))]

    def _program(self, index: int, make: Callable[[inspect.BoundArguments], Program]) -> Program | None:
        try:
            return make(self._calls[index])
        except Exception as error:
            if not self._how.get("ignore_error"):
                raise
            self._failed[index] = str(error)
            return None

    def compiled(self, programs: list[Program | None], options: CompileOptions) -> list[Kernel | None]:
        """The kernels of the programs; None where there is no program, and for what is left out."""
        places = [index for index, program in enumerate(programs) if program is not None]
        given = [program for program in programs if program is not None]
        kernels: list[Kernel | None] = [None] * len(programs)
        for place, kernel in zip(places, self._compile(given, places, options)):
            kernels[place] = kernel
        return kernels

    def _compile(self, programs: list[Program], places: list[int], options: CompileOptions) -> list[Kernel | None]:
        prepare(options.get("verbose"))
        with shown(self._progress, len(programs)) as report:

            def watch(event: CompileEvent) -> None:
                if event.step == "failed":
                    self._failed[places[event.index]] = event.error or ""
                if report is not None:
                    report(event)

            try:
                return compile_all(programs, [plain(options)], self._how, watch, {})
            except Exception as error:
                for index in sorted(self._failed):
                    add_note(error, f"in jit function {self._words(index)}")
                raise

    def warn(self) -> None:
        """Says what is left out to whom called `par_compile` of the function."""
        for index, why in sorted(self._failed.items()):
            warnings.warn(f"{self._words(index)} is left out: {why}", CompileWarning, stacklevel=4)

    def leave_out(self, index: int, why: str) -> None:
        self._failed[index] = why

    def is_left_out(self, index: int) -> bool:
        return index in self._failed

    def _words(self, index: int) -> str:
        return in_words(self._name, self._calls[index].arguments)
