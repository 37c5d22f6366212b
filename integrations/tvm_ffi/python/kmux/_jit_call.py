"""A call of a jit function: its arguments by name, and what errors say of it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from ._errors import add_note
from ._library import functions


class Signature:
    """What a jit function takes."""

    def __init__(self, name: str, signature: inspect.Signature, instance: str | None = None) -> None:
        self.name = name
        self.signature = signature
        self.instance = instance  # the parameter of a method that is given by being read from an instance

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """All arguments by name, defaults too.

        Raises:
            TypeError: arguments that it does not take, with the name that may be meant.
        """
        try:
            call = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            why = self._without_instance(kwargs) or f"{error}.{self._hint(kwargs)}"
            raise TypeError(f"jit function {self.name!r}: {why}") from None
        call.apply_defaults()
        return call

    def configured(self, place: int, configuration: Any, leading: tuple[Any, ...] = ()) -> inspect.BoundArguments:
        """The call that a configuration of `par_compile` stands for: keywords (a dict) or arguments (a tuple), behind `leading`.

        Raises:
            TypeError: as `bound`; neither of the two.
        """
        if isinstance(configuration, Mapping):
            return self.bound(leading, configuration)
        if isinstance(configuration, (tuple, list)):
            return self.bound((*leading, *configuration), {})
        raise TypeError(
            f"jit function {self.name!r}: configuration {place} of par_compile is {configuration!r} (each is a dict of "
            f"keywords or a tuple of arguments). Write {{{self._name_of(len(leading))!r}: {configuration!r}}} or ({configuration!r},)."
        )

    def _name_of(self, place: int) -> str:
        return [*self.signature.parameters, "name"][min(place, len(self.signature.parameters))]

    def _without_instance(self, kwargs: Mapping[str, Any]) -> str:
        if self.instance is None or self.instance in kwargs:
            return ""
        return (
            f"it is called without its first parameter {self.instance!r} (a builder in second place makes it a method). Call it on an "
            "instance, or put the builder first."
        )

    def _hint(self, kwargs: Mapping[str, Any]) -> str:
        known = list(self.signature.parameters)
        return "".join(str(functions.did_you_mean(name, known)) for name in kwargs if name not in known)


class noted:
    """Adds the call to every error that leaves it."""

    def __init__(self, name: str, arguments: Mapping[str, Any]) -> None:
        self._name, self._arguments = name, arguments

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            add_note(error, f"in jit function {in_words(self._name, self._arguments)}")


def in_words(name: str, arguments: Mapping[str, Any]) -> str:
    """The call as it may have been written."""
    return f"{name}({', '.join(f'{parameter}={value!r}' for parameter, value in arguments.items())})"
