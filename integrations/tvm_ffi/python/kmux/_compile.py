"""From programs to kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Literal, cast, overload

from typing_extensions import Unpack

from ._kernel import Kernel
from ._library import functions
from ._options import CompileOptions, ResolveOptions, plain
from ._program import AnyProgram, as_program
from ._progress import Progress, reporter, shown
from ._resolution import Resolution


def compile(program: AnyProgram, **options: Unpack[CompileOptions]) -> Kernel:
    """Picks a backend, compiles `program` (or takes it from the cache) and loads it.

    Args:
        program: a `Program`, or the path of one.
        options: see `CompileOptions`.

    Raises:
        TypeError: an option that there is not, with the one that may be meant, or one of another type.
        ValueError: an invalid program, target or value.
        UnavailableError, UnsupportedError: no backend can; every candidate's reason is in the message.
        CompileError: with the compiler's log.
    """
    return Kernel._of(functions.compile(as_program(program), plain(options)))


def resolve(program: AnyProgram, **options: Unpack[ResolveOptions]) -> Resolution:
    """Which backend `compile` would take here, and why; compiles nothing.

    Raises:
        TypeError, ValueError: as `compile`. That nothing was chosen is no error: the resolution says why.
    """
    return cast(Resolution, functions.resolve(as_program(program), plain(options)))


@overload
def par_compile(
    programs: Iterable[AnyProgram],
    *,
    num_workers: int = ...,
    ignore_error: Literal[False] = ...,
    memory_budget: int | None = ...,
    timeout: float | timedelta | None = ...,
    progress: Progress = ...,
    each: Iterable[CompileOptions] | None = ...,
    **options: Unpack[CompileOptions],
) -> list[Kernel]: ...
@overload
def par_compile(
    programs: Iterable[AnyProgram],
    *,
    num_workers: int = ...,
    ignore_error: bool,
    memory_budget: int | None = ...,
    timeout: float | timedelta | None = ...,
    progress: Progress = ...,
    each: Iterable[CompileOptions] | None = ...,
    **options: Unpack[CompileOptions],
) -> list[Kernel | None]: ...
def par_compile(
    programs: Iterable[AnyProgram],
    *,
    num_workers: int = 0,
    ignore_error: bool = False,
    memory_budget: int | None = None,
    timeout: float | timedelta | None = None,
    progress: Progress = False,
    each: Iterable[CompileOptions] | None = None,
    **options: Unpack[CompileOptions],
) -> Any:
    """Compiles many programs at the same time, identical ones once. Ctrl-C ends it.

    Args:
        programs: each a `Program` or the path of one.
        num_workers: how many at the same time; 0 is one a core that the process may use.
        ignore_error: a program that fails is None in the result, not an error.
        memory_budget: bytes that all compilations of this process may take together.
        timeout: the most that one program may take; a number is seconds.
        progress: True shows a bar of tqdm; a function is called with each `CompileEvent`.
        each: options of each program, on top of `options`, which count for all.

    Returns:
        The kernels in the order of the programs.

    Raises:
        As `compile`: the first failure in input order, with the others in its message.
    """
    wanted = [as_program(program) for program in programs]
    sets = [plain(options)] if each is None else [{**plain(options), **plain(own)} for own in each]
    how = plain(
        {
            "num_workers": num_workers,
            "ignore_error": ignore_error,
            "memory_budget": memory_budget,
            "timeout": timeout,
        }
    )
    return [None if made is None else Kernel._of(made) for made in _run(wanted, sets, how, progress)]


def _run(programs: list[Any], options: list[Any], how: Mapping[str, Any], progress: Progress) -> Any:
    with shown(progress, len(programs)) as report:
        return functions.par_compile(programs, options, how, report and reporter(report))
