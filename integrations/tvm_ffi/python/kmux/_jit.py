"""`kmux.jit`: functions that return a program become functions that return its kernel."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Union, overload

from typing_extensions import ParamSpec, Unpack

from ._compile import compile, par_compile
from ._errors import add_note
from ._jit_key import key_of
from ._kernel import Kernel
from ._library import functions
from ._options import CompileOptions
from ._program import AnyProgram, Program, as_program
from ._progress import CompileEvent, Progress, shown

P = ParamSpec("P")

# Values that are equal only if they are the same, so that a call is found again without making its key.
_SIMPLE = frozenset({bool, int, str, type(None)})


class _Entry:
    """The kernel of one key; whoever comes first makes it, the others wait."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kernel: Kernel | None = None


class JitFunction(Generic[P]):
    """A function of a configuration: a call returns the kernel of the program that the function makes for it.

    What it has made once it finds again, until a header that it was compiled from changes. Two configurations that make the same program share its kernel. What fails is
    not remembered; every error carries the call as a note.
    Threads: any; a configuration is compiled once, however many ask.
    """

    def __init__(self, function: Callable[P, AnyProgram], options: CompileOptions) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.name: str = getattr(function, "__name__", "function")
        self.signature = inspect.signature(function)
        self._lock = threading.Lock()
        self._seen: dict[Any, Kernel] = {}  # by arguments as they came
        self._entries: dict[str, _Entry] = {}  # by key
        self._shelf: dict[str, Kernel] = {}  # by the program's digest

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Kernel:
        """The kernel for these arguments; compiles it if need be.

        Raises:
            TypeError: arguments that the function does not take, with the name that may be meant, or that no key can be
                made of.
            What the function raises, and what `compile` does.
        """
        form = (args, tuple(map(type, args)), *kwargs.items(), tuple(map(type, kwargs.values())))
        try:
            kernel = self._seen[form]
            if kernel.is_up_to_date:
                return kernel
        except (KeyError, TypeError):  # not seen, or not hashable
            pass
        kernel = self._find(args, kwargs)
        if _SIMPLE.issuperset(map(type, (*args, *kwargs.values()))):
            self._seen[form] = kernel
        return kernel

    def program(self, *args: P.args, **kwargs: P.kwargs) -> Program:
        """The program for these arguments, not compiled.

        Raises:
            As a call, but for what `compile` raises.
        """
        return self._program(self._bound(args, kwargs))

    def cache_key(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """What a call with these arguments is known by: all of them by name, defaults too.

        Raises:
            TypeError: as a call.
        """
        return key_of(self.name, self._bound(args, kwargs).arguments)

    def par_compile(
        self,
        configurations: Iterable[Union[Mapping[str, Any], tuple[Any, ...]]],
        *,
        num_workers: int = 0,
        progress: Progress = False,
    ) -> list[Kernel]:
        """Compiles the kernels of several configurations at the same time; later calls find them.

        Args:
            configurations: of each call its keywords (a dict) or its arguments (a tuple).

        Raises:
            As a call; the first failure in input order.
        """
        calls = [self._bound(*_split(each)) for each in configurations]
        programs = [self._program(call) for call in calls]
        kernels = self._compile_all(calls, programs, num_workers, progress)
        for call, program, kernel in zip(calls, programs, kernels):
            entry = self._entry(key_of(self.name, call.arguments))
            with entry.lock:
                if entry.kernel is None or not entry.kernel.is_up_to_date:
                    entry.kernel = self._shared(program, kernel)
        return [self._find(call.args, call.kwargs) for call in calls]

    def _compile_all(
        self, calls: list[inspect.BoundArguments], programs: list[Program], num_workers: int, progress: Progress
    ) -> list[Kernel]:
        failed: list[int] = []
        with shown(progress, len(programs)) as report:

            def watch(event: CompileEvent) -> None:
                if event.step == "failed":
                    failed.append(event.index)
                if report is not None:
                    report(event)

            try:
                return par_compile(programs, num_workers=num_workers, progress=watch, **self.options)
            except Exception as error:
                for index in sorted(failed):
                    _note(error, self.name, calls[index])
                raise

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        try:
            call = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"jit function {self.name!r}: {error}.{self._hint(kwargs)}") from None
        call.apply_defaults()
        return call

    def _hint(self, kwargs: Mapping[str, Any]) -> str:
        known = list(self.signature.parameters)
        return "".join(str(functions.did_you_mean(name, known)) for name in kwargs if name not in known)

    def _entry(self, key: str) -> _Entry:
        with self._lock:
            return self._entries.setdefault(key, _Entry())

    def _find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Kernel:
        call = self._bound(args, kwargs)
        entry = self._entry(key_of(self.name, call.arguments))
        with entry.lock:
            if entry.kernel is None or not entry.kernel.is_up_to_date:
                entry.kernel = self._make(call)
            return entry.kernel

    def _make(self, call: inspect.BoundArguments) -> Kernel:
        program = self._program(call)
        kernel = self._shelf.get(program.digest)
        if kernel is None or not kernel.is_up_to_date:
            with _noted(self.name, call):
                kernel = compile(program, **self.options)
        return self._shared(program, kernel)

    def _shared(self, program: Program, kernel: Kernel) -> Kernel:
        """The kernel of `program` that all configurations share: `kernel`, unless another one is up to date."""
        with self._lock:
            known = self._shelf.get(program.digest)
            if known is None or not known.is_up_to_date:
                known = self._shelf[program.digest] = kernel
            return known

    def _program(self, call: inspect.BoundArguments) -> Program:
        with _noted(self.name, call):
            made: Any = self.function(*call.args, **call.kwargs)
            if isinstance(made, (Program, str)) or hasattr(made, "__fspath__"):
                return as_program(made)
            raise TypeError(
                f"it returned a {type(made).__qualname__} (a jit function returns a program or the path of one). "
                "Return what kmux.program or kmux.load_program gives."
            )

    def __repr__(self) -> str:
        return f"<kmux.JitFunction {self.name!r}, {len(self._entries)} configurations>"


class _noted:
    """Adds the call to every error that leaves it."""

    def __init__(self, name: str, call: inspect.BoundArguments) -> None:
        self._name, self._call = name, call

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            _note(error, self._name, self._call)


def _note(error: BaseException, name: str, call: inspect.BoundArguments) -> None:
    words = ", ".join(f"{parameter}={value!r}" for parameter, value in call.arguments.items())
    add_note(error, f"in jit function {name}({words})")


def _split(configuration: Mapping[str, Any] | tuple[Any, ...]) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    if isinstance(configuration, Mapping):
        return (), configuration
    return configuration, {}


@overload
def jit(function: Callable[P, AnyProgram], /) -> JitFunction[P]: ...
@overload
def jit(**options: Unpack[CompileOptions]) -> Callable[[Callable[P, AnyProgram]], JitFunction[P]]: ...
def jit(function: Any = None, /, **options: Any) -> Any:
    """Decorates a function of a configuration that returns a program (or the path of one).

    >>> @kmux.jit(target="cpu")
    ... def scale(tile: int = 4) -> kmux.Program: ...
    >>> kernel = scale(tile=8)

    Args:
        options: of `compile`, for every kernel of the function.

    Raises:
        TypeError: it decorates nothing that can be called.
    """
    if function is None:
        return lambda decorated: _jit(decorated, options)
    return _jit(function, options)


def _jit(function: Any, options: Any) -> JitFunction[Any]:
    if not callable(function):
        raise TypeError(
            f"jit decorates a {type(function).__qualname__} (it takes a function that returns a program). "
            "Pass options by name."
        )
    return JitFunction(function, options)
