"""Eager functions of `kmux.jit`: a call with tensors runs the kernel that the function describes for them."""

from __future__ import annotations

import functools as python_functools
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Generic, cast

import tvm_ffi
from typing_extensions import Concatenate, ParamSpec

from . import _check
from ._arrays import like
from ._files import with_lock_files
from ._given import if_writable, is_array, told
from ._jit_batch import Batch, check_options
from ._jit_builder import JitBuilder, JitOutputs
from ._jit_call import Signature, noted
from ._jit_key import is_fixed, key_of
from ._jit_lazy import AnyPath
from ._jit_method import JitEagerMethod, hint_of_instance, with_instance
from ._jit_name import pickled, source_of
from ._kernel import Kernel
from ._library import functions
from ._log import prepare
from ._options import CompileOptions, plain
from ._program import Program
from ._progress import Progress, reported
from ._refused import Refused

P = ParamSpec("P")


@tvm_ffi.register_object("kmux.JitEager")
class _Kernels(tvm_ffi.Object):
    """The kernels of a function, by configuration and by shapes, strides, dtypes and devices of tensors."""

    if TYPE_CHECKING:

        def _compile(self, key: str, program: Program, tensors: Sequence[Any]) -> tvm_ffi.Function: ...
        def _par_compile(
            self, keys: Sequence[str], programs: Sequence[Program], tensors: Sequence[Any], how: Mapping[str, Any], progress: Any
        ) -> Sequence[Any]: ...


class JitEager(Generic[P]):
    """A function of tensors: a call runs the kernel that the function describes for such tensors.

    The function takes a `JitBuilder`, then the tensors by position, then its configuration by keyword (behind `*`). It may
    depend on all of them but on what is in the tensors and where they lie. A call with tensors of shapes, strides, dtypes,
    devices and a configuration that were seen launches at once.
    A tensor that is None by default is absent where it is None, unless the function declares it as nullable.
    As a method (`def f(self, builder, ...)`) it is given the instance, which is compared by value: a part of the configuration.
    Threads: any.
    It pickles by its name, as functions do.
    """

    def __init__(
        self,
        function: Callable[..., JitOutputs],
        options: CompileOptions,
        debug_root_path: AnyPath | None = None,
    ) -> None:
        python_functools.update_wrapper(self, function)
        self.function: Any = function
        self.options = options
        self.debug_root_path = debug_root_path
        self.name: str = getattr(function, "__name__", "kernel")
        self._instance = _instance_of(function)  # the name of the parameter that a method has for its instance
        self.signature = _without_builder(inspect.signature(function), self.name, self._instance)
        self._taken = Signature(self.name, self.signature, self._instance)
        own = {"name": self.name, "debug_root_path": debug_root_path}
        if debug_root_path:
            own["func_source"] = source_of(function)
        self._kernels: _Kernels = functions.jit_eager(plain({**options, **own}))
        self._keys: dict[Any, str] = {}  # of configurations, as they came
        self._places: dict[str, tuple[int, ...]] = {}  # of the tensors that a kernel takes, by key, where some are absent
        by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self._defaults = tuple(each.default for each in self.signature.parameters.values() if each.kind in by_position)
        self._optional = tuple(place for place, default in enumerate(self._defaults) if default is None)

    def __call__(self, /, *tensors: P.args, **configuration: P.kwargs) -> Any:
        """Launches on the tensors; returns what the kernel allocates, if it does, as `Kernel` does.

        Raises:
            TypeError: arguments that the function does not take, or that no key can be made of.
            What the function raises, and what `compile` and a kernel's call do.
        """
        taken: tuple[Any, ...] = self._filled(tensors)
        try:
            given = if_writable(taken)
        except Refused:
            given = None  # which _compiled() names
        made: Any = False
        if given is not None:  # else the kernel has to say what it writes
            key = self._key(taken, configuration)
            places = self._places.get(key) if self._optional else None
            made = functions.jit_run(self._kernels, key, *_of(given, places))
        if made is False:  # not seen
            kernel, own = self._compiled(taken, configuration)
            return kernel(*_of(taken, own))
        return made if made is None else like(made, taken)

    def compile(self, /, *tensors: P.args, **configuration: P.kwargs) -> Kernel:
        """The kernel that a call with these tensors launches."""
        return self._compiled(tensors, configuration)[0]

    def _compiled(self, tensors: tuple[Any, ...], configuration: Mapping[str, Any]) -> tuple[Kernel, tuple[int, ...]]:
        """The kernel, and the tensors that it takes."""
        prepare(self.options.get("verbose"))
        call = self._taken.bound(tensors, configuration)
        key = self._key(call.args, configuration)
        program, places = self._described(call)
        given = _of(self._held(call.args), places)
        with noted(self.name, _in_words(call)), with_lock_files([plain(self.options)]):
            kernel = Kernel._of(self._kernels._compile(key, program, given), program, plain(self.options))
        self._places[key] = places
        return kernel, places

    def program(self, /, *tensors: P.args, **configuration: P.kwargs) -> Program:
        """The program that a call with these tensors compiles."""
        return self._described(self._taken.bound(tensors, configuration))[0]

    def cache_key(self, /, **configuration: Any) -> str:
        """What a configuration is known by: all of it by name, defaults too.

        Raises:
            TypeError: as a call.
        """
        return self._key_of(self._configured(configuration))

    def par_compile(
        self, tensors: Sequence[Any], configurations: Iterable[Mapping[str, Any]], **how: Any
    ) -> list[Kernel | None]:
        """Compiles for the same tensors in several configurations at the same time; later calls find the kernels.

        Args:
            configurations: the keywords of each call.
            how: num_workers, ignore_error, memory_budget, timeout and progress, as in `kmux.par_compile`.

        Raises:
            TypeError: a configuration or an option that it does not take.
            As a call; the first failure in input order.
        """
        return self._par_compile({}, tensors, configurations, how)

    def _par_compile(
        self, own: Mapping[str, Any], tensors: Sequence[Any], configurations: Iterable[Mapping[str, Any]], how: dict[str, Any]
    ) -> list[Kernel | None]:
        check_options(self.name, how)
        progress = how.pop("progress", False)
        prepare(self.options.get("verbose"))
        listed = _check.listed("configurations", configurations, "of dicts")
        wanted = [{**own, **self._keywords(*each)} for each in enumerate(listed)]
        tensors = self._filled(tuple(_check.listed("tensors", tensors, "of arrays")))
        calls = [self._taken.bound(tensors, each) for each in wanted]
        batch = Batch(self.name, calls, how)
        made: dict[int, tuple[Program, tuple[int, ...]]] = {}  # by call: the program, and the tensors that it takes

        def make(call: inspect.BoundArguments) -> Program:
            made[id(call)] = self._described(call)
            return made[id(call)][0]

        batch.programs(make)
        keys = [self._key(tensors, each) for each in wanted]
        kernels: list[Kernel | None] = [None] * len(calls)
        for places in dict.fromkeys(places for _, places in made.values()):  # mostly one
            group = [i for i, call in enumerate(calls) if id(call) in made and made[id(call)][1] == places]
            pairs = [(keys[i], made[id(calls[i])][0]) for i in group]
            for i, kernel in zip(group, self._par_compiled(pairs, group, _of(self._held(tensors), places), batch, progress, how)):
                kernels[i], self._places[keys[i]] = kernel, places
        batch.warn()
        return kernels

    def _par_compiled(
        self,
        programs: list[tuple[str, Program]],
        group: list[int],
        held: Sequence[Any],
        batch: Batch,
        progress: Progress,
        how: Mapping[str, Any],
    ) -> list[Kernel | None]:
        """The kernels of programs, by their keys, that take the same tensors; `group` has their places in the batch."""
        settings = plain({**how, "left_out": lambda index, why: batch.leave_out(group[index], why)})
        keys, given = [key for key, _ in programs], [program for _, program in programs]
        own = plain(self.options)
        with with_lock_files([own]):
            made = reported(progress, len(given), lambda report: self._kernels._par_compile(keys, given, held, settings, report))
        return [None if kernel is None else Kernel._of(kernel, program, own) for kernel, program in zip(made, given)]

    def _configured(self, configuration: Mapping[str, Any]) -> inspect.BoundArguments:
        known = [each for each in self.signature.parameters.values() if each.kind is each.KEYWORD_ONLY]
        return Signature(self.name, inspect.Signature(known), self._instance).bound((), configuration)

    def _key_of(self, call: inspect.BoundArguments, absent: Iterable[int] = ()) -> str:
        """The key of a configuration, and of the tensors that are None, which a function may describe another kernel for."""
        try:
            return key_of(self.name, {**call.arguments, **{self._name_of(place): None for place in absent}})
        except TypeError as error:
            hint = hint_of_instance(self, call.arguments[self._instance]) if self._instance else ""
            raise TypeError(f"{error}{hint}") from None

    def __get__(self, instance: object, owner: Any = None) -> JitEager[P]:
        """Itself, or bound to an instance where the function has a parameter for it before its builder.

        Raises:
            TypeError: whether its first parameter is the instance or the builder is not known.
        """
        if instance is not None and self._instance:
            return cast("JitEager[P]", JitEagerMethod(self, instance))
        if instance is None or is_eager(self.function):
            return self
        raise TypeError(
            f"jit function {self.name!r} is an attribute of class {type(instance).__qualname__} (its first parameter may be the instance "
            "or the builder). Annotate the builder as kmux.JitBuilder, or make it a staticmethod."
        )

    def _keywords(self, place: int, configuration: Any) -> dict[str, Any]:
        if isinstance(configuration, Mapping):
            return dict(configuration)
        raise TypeError(
            f"jit function {self.name!r}: configuration {place} of par_compile is {configuration!r} (each is a dict of keywords; "
            "tensors are the same for all). Write {'NAME': VALUE}."
        )

    def _filled(self, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
        """The tensors with the defaults of those that are left out, where all of them have one."""
        left_out = self._defaults[len(tensors) :]
        return tensors if any(each is inspect.Parameter.empty for each in left_out) else (*tensors, *left_out)

    def _key(self, tensors: tuple[Any, ...], configuration: Mapping[str, Any]) -> str:
        absent = tuple(place for place in self._optional if tensors[place] is None) if len(tensors) >= len(self._defaults) else ()
        form = (absent, *configuration.items(), *map(type, configuration.values()))
        try:
            return self._keys[form]
        except (KeyError, TypeError):  # not seen, or not hashable
            pass
        self._taken.bound(tensors, configuration)
        call = self._configured(configuration)
        key = self._key_of(call, absent)
        are_simple = all(type(value) in (bool, int, str) for value in configuration.values())
        if are_simple and all(map(is_fixed, call.arguments.values())):  # a default may be a list, which may change
            self._keys[form] = key
        return key

    def _described(self, call: inspect.BoundArguments) -> tuple[Program, tuple[int, ...]]:
        """The program of a call, and the tensors that it takes."""
        with noted(self.name, _in_words(call)):
            builder = JitBuilder(self.name, self._held(call.args), self._optional)
            configuration = call.kwargs
            first = (configuration.pop(self._instance), builder) if self._instance else (builder,)
            return builder.build(self.function(*first, *call.args, **configuration)), builder.places

    def _held(self, tensors: Sequence[Any]) -> list[Any]:
        """The tensors, as the library holds them.

        Raises:
            TypeError: one that cannot be passed, by the name of its parameter.
        """
        held = []
        for place, value in enumerate(tensors):
            try:
                held.append(_tensor(value))
            except Refused as error:
                raise TypeError(f"jit function {self.name!r}: parameter {self._name_of(place)!r} {error.problem}") from None
        return held

    def _name_of(self, place: int) -> str:
        """The parameter of the tensor at that place: of several, the last one has the rest."""
        several = [each.name for each in self.signature.parameters.values() if each.kind is not each.KEYWORD_ONLY]
        return several[min(place, len(several) - 1)]

    def __repr__(self) -> str:
        return f"<kmux.JitEager {self.name!r}>"

    def __reduce__(self) -> Any:
        return pickled(self, (jit_eager_again, (self.function, dict(self.options), self.debug_root_path)))


def _of(tensors: Sequence[Any], places: tuple[int, ...] | None) -> Sequence[Any]:
    return tensors if places is None or len(places) == len(tensors) else [tensors[place] for place in places]


def jit_eager_again(function: Any, options: CompileOptions, debug_root_path: AnyPath | None) -> JitEager[Any]:
    """A jit function that has no name of its own and was pickled."""
    return JitEager(function, options, debug_root_path)


def is_eager(function: Any) -> bool:
    """Is the first parameter of the function a `JitBuilder`, as its annotation says, or the second one of a method?"""
    return any(map(_is_builder, _first_two(function)))


def _first_two(function: Any) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())[:2]
    except (TypeError, ValueError):
        return []


def _is_builder(parameter: inspect.Parameter) -> bool:
    said = parameter.annotation
    by_position = parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return by_position and (said is JitBuilder or (isinstance(said, str) and said.split(".")[-1] == JitBuilder.__name__))


def _instance_of(function: Any) -> str | None:
    """The name of the parameter before the builder, which a method has for its instance; None for other functions."""
    first = _first_two(function)
    return first[0].name if len(first) == 2 and _is_builder(first[1]) and not _is_builder(first[0]) else None


def _without_builder(signature: inspect.Signature, name: str, instance: str | None) -> inspect.Signature:
    parameters = list(signature.parameters.values())
    if instance is not None:
        return with_instance(signature.replace(parameters=parameters[2:]), instance)
    if not parameters or parameters[0].kind not in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
        raise TypeError(
            f"jit function {name!r} has no parameter for the builder (an eager function takes a kmux.JitBuilder first). "
            "Add it."
        )
    return signature.replace(parameters=parameters[1:])


def _tensor(value: Any) -> Any:
    if value is None or isinstance(value, tvm_ffi.Tensor):
        return value
    if is_array(value):
        value = told(value)[0]
        return value if isinstance(value, tvm_ffi.Tensor) else tvm_ffi.from_dlpack(value)
    raise Refused(
        f"is {value!r}, given for a tensor (an eager jit function takes arrays by position, its configuration by keyword). "
        "Put the configuration behind a * in the function, and give it by name."
    )


def _in_words(call: inspect.BoundArguments) -> dict[str, Any]:
    """Tensors by shape and dtype: what is in them does not matter."""
    return {name: _Words(value) for name, value in call.arguments.items()}


class _Words:
    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        if hasattr(self._value, "shape") and hasattr(self._value, "dtype"):
            return f"{self._value.dtype}{list(self._value.shape)}"
        return repr(self._value)
