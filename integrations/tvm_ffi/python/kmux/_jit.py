"""`kmux.jit`: functions that describe programs become functions that return kernels, or run them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, Union, overload

from typing_extensions import Concatenate, ParamSpec, Protocol, Unpack

from ._jit_builder import JitBuilder, JitOutputs
from ._jit_eager import JitEager, is_eager
from ._jit_lazy import AnyPath, JitFunction
from ._options import CompileOptions
from ._program import AnyProgram

P = ParamSpec("P")
Mode = Literal["auto", "lazy", "eager"]
_Outputs = TypeVar("_Outputs", bound=JitOutputs)


class JitDecorator(Protocol):
    """What `jit` with options returns."""

    @overload
    def __call__(self, function: Callable[Concatenate[JitBuilder, P], _Outputs], /) -> JitEager[P]: ...
    @overload
    def __call__(self, function: Callable[Concatenate[Any, JitBuilder, P], _Outputs], /) -> JitEager[P]: ...
    @overload
    def __call__(self, function: Callable[P, AnyProgram], /) -> JitFunction[P]: ...


class JitOptions(CompileOptions, total=False):
    """`CompileOptions`, and what only a jit function asks."""

    debug_root_path: Union[AnyPath, None]  # a folder for IR, sources and launcher of each kernel
    mode: Mode  # what the function is: "auto" looks whether its first parameter is a JitBuilder, or the one behind self


@overload
def jit(function: Callable[Concatenate[JitBuilder, P], _Outputs], /) -> JitEager[P]: ...
@overload
def jit(function: Callable[Concatenate[Any, JitBuilder, P], _Outputs], /) -> JitEager[P]: ...
@overload
def jit(function: Callable[P, AnyProgram], /) -> JitFunction[P]: ...
@overload
def jit(**options: Unpack[JitOptions]) -> JitDecorator: ...
def jit(function: Any = None, /, **options: Any) -> Any:
    """Decorates a function of a configuration that returns a program, or one of tensors that builds it.

    >>> @kmux.jit(target="cpu")
    ... def scale(tile: int = 4) -> kmux.Program: ...
    >>> kernel = scale(tile=8)

    >>> @kmux.jit
    ... def add(b: kmux.JitBuilder, x, y, *, tile=4): ...
    >>> z = add(x, y, tile=8)

    Args:
        options: of `compile`, for every kernel of the function; debug_root_path; mode.

    Raises:
        TypeError: it decorates nothing that can be called.
        ValueError: a mode that there is not, or that contradicts the function.
    """
    if function is None:
        return lambda decorated: _jit(decorated, **options)
    return _jit(function, **options)


def _jit(function: Any, *, mode: str = "auto", debug_root_path: Any = None, **options: Any) -> Any:
    if not callable(function):
        raise TypeError(
            f"jit decorates a {type(function).__qualname__} (it takes a function that returns a program). "
            "Pass options by name."
        )
    if mode not in ("auto", "lazy", "eager") or (mode == "lazy" and is_eager(function)):
        raise ValueError(
            f"jit function {getattr(function, '__name__', function)!r}: mode {mode!r} is not auto, lazy or eager, or "
            "contradicts the function (one whose first parameter is annotated kmux.JitBuilder is eager). Leave it out."
        )
    made: Any = JitEager if mode == "eager" or is_eager(function) else JitFunction
    return made(function, options, debug_root_path)
