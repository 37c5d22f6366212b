"""Lazy functions of `kmux.jit`: a call returns the kernel of the program that the function makes."""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, Generic, Literal, Union, overload

from typing_extensions import Concatenate, ParamSpec

from . import _check
from ._compile import compile
from ._debug_files import DebugFiles
from ._jit_batch import Batch, check_options
from ._jit_call import Signature, noted
from ._jit_entry import JitEntry
from ._jit_key import is_fixed, key_of
from ._jit_method import JitMethod, hint_of_instance
from ._jit_name import pickled, source_of
from ._kernel import Kernel
from ._library import functions
from ._options import CompileOptions, plain
from ._program import AnyProgram, Program, as_program
from ._progress import Progress

P = ParamSpec("P")
Q = ParamSpec("Q")  # behind the instance of a method
AnyPath = Union[str, "os.PathLike[str]"]
Configuration = Union[Mapping[str, Any], "tuple[Any, ...]"]

# Values that are equal only if they are the same, so that a call is found again without making its key.
_SIMPLE = frozenset({bool, int, str, type(None)})


class JitFunction(Generic[P]):
    """A function of a configuration: a call returns the kernel of the program that the function makes for it.

    What it has made once it finds again, until a header that it was compiled from changes. Two configurations that make the
    same program share its kernel. What fails is not remembered; every error carries the call as a note.
    As a method it is given the instance, which is compared by value: its class is a dataclass, an enum or the like.
    Threads: any; a configuration is compiled once, however many ask.
    It pickles by its name, as functions do.
    """

    def __init__(
        self, function: Callable[P, AnyProgram], options: CompileOptions, debug_root_path: AnyPath | None = None
    ) -> None:
        functions.check_options(plain(options))
        functools.update_wrapper(self, function)
        self.function = function
        self.options = options
        self.debug_root_path = debug_root_path
        self.name: str = getattr(function, "__name__", "function")
        self.signature = inspect.signature(function)
        self._taken = Signature(self.name, self.signature)
        self._debug_files = DebugFiles(debug_root_path, source_of(function) if debug_root_path else "")
        self._lock = threading.Lock()
        self._seen: dict[Any, Kernel] = {}  # by arguments as they came
        self._entries: dict[str, JitEntry] = {}  # by key
        self._kernels_by_digest: dict[str, Kernel] = {}  # by the program's digest

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Kernel:
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
        call, key = self._keyed(args, kwargs)
        kernel = self._find(call, key)
        if _SIMPLE.issuperset(map(type, (*args, *kwargs.values()))) and self._is_fixed(call):
            self._seen[form] = kernel
        return kernel

    def _is_fixed(self, call: inspect.BoundArguments) -> bool:
        """Returns true if the arguments never become other values, where those that were given do not."""
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)  # which have no defaults
        kinds = self.signature.parameters
        return all(is_fixed(value) for name, value in call.arguments.items() if kinds[name].kind not in several)

    def program(self, /, *args: P.args, **kwargs: P.kwargs) -> Program:
        """The program for these arguments, not compiled.

        Raises:
            As a call, but for what `compile` raises.
        """
        return self._program(self._bound(args, kwargs))

    def cache_key(self, /, *args: P.args, **kwargs: P.kwargs) -> str:
        """What a call with these arguments is known by: all of them by name, defaults too.

        Raises:
            TypeError: as a call.
        """
        return key_of(self.name, self._bound(args, kwargs).arguments)

    @overload
    def par_compile(
        self,
        configurations: Iterable[Configuration],
        *,
        num_workers: int = ...,
        ignore_error: Literal[False] = ...,
        memory_budget: int | None = ...,
        timeout: float | timedelta | None = ...,
        progress: Progress = ...,
    ) -> list[Kernel]: ...
    @overload
    def par_compile(
        self,
        configurations: Iterable[Configuration],
        *,
        num_workers: int = ...,
        ignore_error: bool,
        memory_budget: int | None = ...,
        timeout: float | timedelta | None = ...,
        progress: Progress = ...,
    ) -> list[Kernel | None]: ...
    def par_compile(self, configurations: Iterable[Configuration], **how: Any) -> Any:
        """Compiles the kernels of several configurations at the same time; later calls find them.

        Args:
            configurations: of each call its keywords (a dict) or its arguments (a tuple).
            how: num_workers, ignore_error, memory_budget, timeout and progress, as in `kmux.par_compile`.

        Raises:
            TypeError: an option that there is not.
            As a call; the first failure in input order.
        """
        return self._par_compile((), configurations, how)

    def _par_compile(self, leading: tuple[Any, ...], configurations: Iterable[Configuration], how: dict[str, Any]) -> Any:
        check_options(self.name, how)
        listed = _check.listed("configurations", configurations, "of dicts or tuples")
        calls = [self._taken.configured(*each, leading) for each in enumerate(listed)]
        keys = [key_of(self.name, call.arguments) for call in calls]
        batch = Batch(self.name, calls, how)
        programs = batch.programs(self._program)
        for program, key in zip(programs, keys):
            if program is not None:
                self._debug_files.write_program(program, key)
        for index, (program, kernel) in enumerate(zip(programs, batch.compiled(programs, self.options))):
            if program is not None and kernel is not None:
                self._keep(keys[index], program, kernel)
        batch.warn()
        return [None if batch.is_left_out(i) else self._find(call, keys[i]) for i, call in enumerate(calls)]

    def _keep(self, key: str, program: Program, kernel: Kernel) -> None:
        entry = self._entry(key)
        with entry.held(self.name):
            if entry.kernel is None or not entry.kernel.is_up_to_date:
                entry.kernel = self._shared(program, kernel)
        self._debug_files.write_launcher(program, kernel)

    def _bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        try:
            return self._taken.bound(args, kwargs)
        except TypeError as error:
            raise TypeError(f"{error}{_hint_of_arrays(args, kwargs)}") from None

    @overload
    def __get__(self, instance: None, owner: Any = None) -> JitFunction[P]: ...
    @overload
    def __get__(self: JitFunction[Concatenate[Any, Q]], instance: object, owner: Any = None) -> JitMethod[Q]: ...
    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else JitMethod(self, instance)

    def _keyed(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[inspect.BoundArguments, str]:
        call = self._bound(args, kwargs)
        try:
            return call, key_of(self.name, call.arguments)
        except TypeError as error:
            hint = hint_of_instance(self, args[0]) if args else ""
            raise TypeError(f"{error}{hint or _hint_of_arrays(args, kwargs)}") from None

    def _entry(self, key: str) -> JitEntry:
        with self._lock:
            return self._entries.setdefault(key, JitEntry())

    def _find(self, call: inspect.BoundArguments, key: str) -> Kernel:
        entry = self._entry(key)
        with entry.held(self.name):
            if entry.kernel is None or not entry.kernel.is_up_to_date:
                with entry.made_here(self.name):
                    entry.kernel = self._make(call)
            return entry.kernel

    def _make(self, call: inspect.BoundArguments) -> Kernel:
        program = self._program(call)
        kernel = self._kernels_by_digest.get(program.digest)
        if kernel is None or not kernel.is_up_to_date:
            self._debug_files.write_program(program, key_of(self.name, call.arguments))
            with noted(self.name, call.arguments):
                kernel = compile(program, **self.options)
            self._debug_files.write_launcher(program, kernel)
        return self._shared(program, kernel)

    def _shared(self, program: Program, kernel: Kernel) -> Kernel:
        """The kernel of `program` that all configurations share: `kernel`, unless another one is up to date."""
        with self._lock:
            known = self._kernels_by_digest.get(program.digest)
            if known is None or not known.is_up_to_date:
                known = self._kernels_by_digest[program.digest] = kernel
            return known

    def _program(self, call: inspect.BoundArguments) -> Program:
        with noted(self.name, call.arguments):
            made: Any = self.function(*call.args, **call.kwargs)
            if isinstance(made, str) or hasattr(made, "__fspath__") or isinstance(getattr(made, "program", made), Program):
                return as_program(made)
            raise TypeError(
                f"it returned an object of type {type(made).__qualname__} (a jit function returns a program or the path of one). "
                "Return what kmux.program or kmux.load_program gives."
            )

    def __repr__(self) -> str:
        return f"<kmux.JitFunction {self.name!r}, {len(self._entries)} configurations>"

    def __reduce__(self) -> Any:
        return pickled(self, (jit_again, (self.function, dict(self.options), self.debug_root_path)))


def _hint_of_arrays(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """What may be meant where arrays are given to a function that takes a configuration."""
    if not any(hasattr(value, "__dlpack__") for value in (*args, *kwargs.values())):
        return ""
    return (
        " It was given an array, which a function of tensors takes: annotate its first parameter as kmux.JitBuilder, or decorate it "
        'with kmux.jit(mode="eager").'
    )


def jit_again(function: Any, options: CompileOptions, debug_root_path: AnyPath | None) -> JitFunction[Any]:
    """A jit function that has no name of its own and was pickled."""
    return JitFunction(function, options, debug_root_path)
