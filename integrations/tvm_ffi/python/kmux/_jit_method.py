# SPDX-License-Identifier: Apache-2.0
"""Jit functions as methods: bound to an instance, which is a part of the configuration."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from typing_extensions import ParamSpec

from ._jit_key import text_of
from ._kernel import Kernel
from ._program import Program

if TYPE_CHECKING:
    from ._jit_eager import JitEager
    from ._jit_lazy import JitFunction

P = ParamSpec("P")
Function = TypeVar("Function")


class _Bound(Generic[Function]):
    """A jit function and the instance that it was read from. All other attributes are the function's."""

    __slots__ = ("__func__", "__self__")

    def __init__(self, function: Function, instance: Any) -> None:
        self.__func__ = function
        self.__self__ = instance

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name)

    def __repr__(self) -> str:
        return f"<{self.__func__!r} of {self.__self__!r}>"

    def __reduce__(self) -> Any:
        return type(self), (self.__func__, self.__self__)


class JitMethod(_Bound["JitFunction[Any]"], Generic[P]):
    """A lazy jit function that was read from an instance. It is called as the function is, without the instance.

    The instance counts with its value, as every argument does: two instances that are equal share a kernel.
    """

    __slots__ = ()

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Kernel:
        return self.__func__(self.__self__, *args, **kwargs)

    def program(self, /, *args: P.args, **kwargs: P.kwargs) -> Program:
        """The program for these arguments, not compiled."""
        return self.__func__.program(self.__self__, *args, **kwargs)

    def cache_key(self, /, *args: P.args, **kwargs: P.kwargs) -> str:
        """What a call with these arguments is known by, the instance too."""
        return self.__func__.cache_key(self.__self__, *args, **kwargs)

    def par_compile(self, configurations: Iterable[Any], **how: Any) -> list[Kernel | None]:
        """Compiles the kernels of several configurations at the same time, as that of a jit function does."""
        made: list[Kernel | None] = self.__func__._par_compile((self.__self__,), configurations, how)
        return made

    @property
    def __signature__(self) -> inspect.Signature:
        _, *others = self.__func__.signature.parameters.values()
        return self.__func__.signature.replace(parameters=others)


class JitEagerMethod(_Bound["JitEager[Any]"], Generic[P]):
    """An eager jit function that was read from an instance: `def f(self, builder, ...)`. It is called as others are.

    The instance counts with its value, as a part of the configuration.
    """

    __slots__ = ()

    @property
    def _own(self) -> dict[str, Any]:
        return {str(self.__func__._instance): self.__self__}

    def __call__(self, /, *tensors: P.args, **configuration: P.kwargs) -> Any:
        return self.__func__(*tensors, **self._own, **configuration)

    def compile(self, /, *tensors: P.args, **configuration: P.kwargs) -> Kernel:
        """The kernel that a call with these tensors launches."""
        return self.__func__.compile(*tensors, **self._own, **configuration)

    def program(self, /, *tensors: P.args, **configuration: P.kwargs) -> Program:
        """The program that a call with these tensors compiles."""
        return self.__func__.program(*tensors, **self._own, **configuration)

    def cache_key(self, /, **configuration: Any) -> str:
        """What a configuration is known by, the instance too."""
        return self.__func__.cache_key(**self._own, **configuration)

    def par_compile(self, tensors: Sequence[Any], configurations: Iterable[Mapping[str, Any]], **how: Any) -> list[Kernel | None]:
        """Compiles for the same tensors in several configurations, as that of a jit function does."""
        return self.__func__._par_compile(self._own, tensors, configurations, how)

    @property
    def __signature__(self) -> inspect.Signature:
        known = self.__func__.signature.parameters.values()
        return self.__func__.signature.replace(parameters=[each for each in known if each.name not in self._own])


def hint_of_instance(function: Any, instance: Any) -> str:
    """What may be meant where `instance` has no key: it is the instance of a method, whose class says nothing of its values."""
    if not any(value is function for base in type(instance).__mro__ for value in vars(base).values()):
        return ""
    try:
        text_of(instance)
    except TypeError:
        kind = type(instance).__qualname__
        return f" It is a method of {kind}: make {kind} a dataclass, whose fields are compared, or decorate a function outside of it."
    return ""


def with_instance(signature: inspect.Signature, instance: str) -> inspect.Signature:
    """A signature that takes `instance` by keyword, too."""
    known = list(signature.parameters.values())
    place = next((i for i, each in enumerate(known) if each.kind is each.VAR_KEYWORD), len(known))
    own = inspect.Parameter(instance, inspect.Parameter.KEYWORD_ONLY)
    return signature.replace(parameters=[*known[:place], own, *known[place:]])
