"""From programs to kernels."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Literal, cast, overload

from typing_extensions import Unpack

from ._errors import CompileError, CompileWarning
from ._files import with_lock_files
from ._kernel import Kernel
from ._library import functions
from ._log import prepare
from ._options import CompileOptions, ResolveOptions, plain
from ._program import AnyProgram, Program, as_program, programs_of
from ._progress import Progress, reported
from ._resolution import Resolution


def compile(program: AnyProgram, **options: Unpack[CompileOptions]) -> Kernel:
    """Picks a backend, compiles `program` (or takes it from the cache) and loads it. Ctrl-C ends it.

    Args:
        program: a `Program`, the path of one, or what `kmux.kernel` made, whose options count where `options` has none.
        options: see `CompileOptions`.

    Raises:
        TypeError: an option that there is not, with the one that may be meant, or one of another type.
        FileNotFoundError, IsADirectoryError, PermissionError: no file can be read at the path, or at that of `lock_file`.
        ValueError: an invalid program, target or value.
        UnavailableError, UnsupportedError: no backend can; every candidate's reason is in the message.
        CompileError: with the compiler's log.
    """
    given, values = as_program(program), {**_own_options(program), **plain(options)}
    prepare(values.get("verbose"))
    with with_lock_files([values]):
        return Kernel._of(functions.compile(given, values), given, values)


def resolve(program: AnyProgram, **options: Unpack[ResolveOptions]) -> Resolution:
    """Which backend `compile` would take here, and why; compiles nothing.

    Raises:
        TypeError, ValueError: as `compile`. That nothing was chosen is no error: the resolution says why.
    """
    own = {name: value for name, value in _own_options(program).items() if name in ResolveOptions.__annotations__}
    return cast(Resolution, functions.resolve(as_program(program), {**own, **plain(options)}))


def _own_options(program: AnyProgram) -> dict[str, Any]:
    """Those that a kernel of a source was made with."""
    return {} if isinstance(program, Program) else plain(getattr(program, "options", {}))


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
    executor: Literal["here", "ray"] = ...,
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
    executor: Literal["here", "ray"] = ...,
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
    executor: Literal["here", "ray"] = "here",
    **options: Unpack[CompileOptions],
) -> Any:
    """Compiles many programs at the same time, identical ones once. Ctrl-C ends it.

    Args:
        programs: each as `compile` takes it.
        num_workers: how many at the same time; 0 is one a core that the process may use.
        ignore_error: a program that fails is None in the result and a `CompileWarning`, not an error.
        memory_budget: bytes that all compilations of this process may take together.
        timeout: the most that one program may take; a number is seconds.
        progress: True shows a bar of tqdm; a function is called with each `CompileEvent`.
        each: options of each program, on top of `options`, which count for all.
        executor: "ray" has the compilers run on the nodes of a Ray cluster (docs/fleet.md), which share a cache with this process.

    Returns:
        The kernels in the order of the programs.

    Raises:
        As `compile`: the first failure in input order, with the others in its message.
    """
    given = programs_of(programs)
    wanted = [as_program(program) for program in given]
    sets = _sets(given, options, each)
    prepare(options.get("verbose"))
    left_out: dict[int, str] = {}
    how = {
        "num_workers": num_workers,
        "ignore_error": ignore_error,
        "memory_budget": memory_budget,
        "timeout": timeout,
    }
    if executor != "here":
        made = _compile_elsewhere(executor, wanted, sets, how, progress, left_out)
    else:
        made = compile_all(wanted, sets, how, progress, left_out)
    for index, why in left_out.items():
        warnings.warn(f"program {index} {wanted[index].name!r} is left out: {why}", CompileWarning, stacklevel=2)
    return made


def _sets(programs: list[AnyProgram], options: CompileOptions, each: Iterable[CompileOptions] | None) -> list[dict[str, Any]]:
    """One set of options for all programs, or one each."""
    common, own = plain(options), [_own_options(program) for program in programs]
    if each is None:
        return [{**one, **common} for one in own] if any(own) else [common]
    more = [plain(one) for one in _listed(each)]
    if len(more) != len(own):
        return [{**common, **one} for one in more]  # which the library refuses by their numbers
    return [{**first, **common, **last} for first, last in zip(own, more)]


def _listed(each: Iterable[CompileOptions]) -> list[CompileOptions]:
    """`each` of `par_compile`, as a list.

    Raises:
        TypeError: one dict for all, or something else in the list.
    """
    if isinstance(each, (Mapping, str)) or not isinstance(each, Iterable):
        raise TypeError(f"each is {each!r} (a list with a dict of options for each program is wanted). Pass options of all by keyword.")
    sets = list(each)
    for index, one in enumerate(sets):
        if not isinstance(one, Mapping):
            raise TypeError(f"each[{index}] is {one!r} (a dict of options is wanted, as {{'target': 'cpu'}}). Pass one.")
    return sets


def compile_all(
    programs: list[Program],
    options: list[dict[str, Any]],
    how: Mapping[str, Any],
    progress: Progress,
    left_out: dict[int, str],
) -> list[Kernel | None]:
    """The kernels of `programs`, with one set of options for all or one each; says in `left_out` which fail, and why."""

    def leave_out(index: int, why: str) -> None:
        left_out[index] = why

    settings = plain({**how, "left_out": leave_out})
    with with_lock_files(options):
        made: Any = reported(progress, len(programs), lambda tell: functions.par_compile(programs, options, settings, tell))
    origins = zip(programs, _for_each(programs, options))
    return [None if one is None else Kernel._of(one, *origin) for one, origin in zip(made, origins)]


def _for_each(programs: list[Program], options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return options * len(programs) if len(options) == 1 else options


def _compile_elsewhere(
    executor: str,
    programs: list[Program],
    options: list[dict[str, Any]],
    how: Mapping[str, Any],
    progress: Progress,
    left_out: dict[int, str],
) -> list[Kernel | None]:
    """As `compile_all`, of what was built on the nodes of a cluster; what crashes a compiler there is not compiled here."""
    if executor != "ray":
        raise ValueError(f'executor {executor!r} is not known (there are "here" and "ray"). Pass one of them.')
    from .fleet._par_compile import build

    sets = _for_each(programs, options)
    broken = build(programs, sets, how["timeout"], progress is True)
    if broken and not how["ignore_error"]:
        index = min(broken)
        raise CompileError(f"program {index} {programs[index].name!r} cannot be compiled on any node ({broken[index]}). Look at it alone.")
    sound = [index for index in range(len(programs)) if index not in broken]
    own_left_out: dict[int, str] = {}
    kernels = compile_all([programs[i] for i in sound], [sets[i] for i in sound], how, progress, own_left_out)
    left_out.update(broken | {sound[index]: why for index, why in own_left_out.items()})
    made: list[Kernel | None] = [None] * len(programs)
    for index, kernel in zip(sound, kernels):
        made[index] = kernel
    return made
