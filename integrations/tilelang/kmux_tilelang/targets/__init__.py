"""What differs from target to target: one module each, with a function `target` that makes it."""

import importlib
import json
import pkgutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..error import UsageError

if TYPE_CHECKING:
    from ..lower import Lowered

_ALIASES = {"llvm": "c"}  # TileLang of PyPI has no LLVM, and kmux compiles what it generates for `c` with its own
Argument = Callable[[Any, Any], dict[str, Any]]  # of a host expression and the kernel's parameter that takes it


class Target(Protocol):
    """How TileLang lowers for a target, and how the result is read.

    `name` is what messages say ("cuda:sm_90a"), `tilelang` what TileLang takes, `dialect` what the variant says, `suffix`
    what the file of the generated text ends with, `arch` what the text is made for (empty: anything of the dialect);
    `on_device`: kernels run elsewhere than the host, in memory of their own.
    """

    name: str
    tilelang: str | dict[str, str]
    dialect: str
    suffix: str
    arch: str
    on_device: bool

    def source(self, lowered: "Lowered", body: Mapping[str, Any]) -> str:
        """The source that TileLang's text becomes; `body` launches it.

        Errors: UnsupportedError for a text that computes something else than the kernel says.
        """

    def settings(self, lowered: "Lowered") -> dict[str, Any]:
        """How the source wants to be compiled, beside what pass configurations and compile flags say."""

    def alignments(self, text: str, body: Mapping[str, Any]) -> dict[str, int]:
        """Bytes that the buffers of `body` must be aligned to, by what `text` does with them; 0: to their elements."""

    def launch(self, call: Any, devices: Mapping[str, Any], argument: Argument) -> dict[str, Any] | None:
        """The launch that the host expression `call` is, or None if it is another call.

        `devices` has the device functions by name; `argument` makes a launch argument.
        Errors: UnsupportedError for a launch that the dispatch IR cannot say.
        """


def target_names() -> list[str]:
    """The targets there are."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def find_target(text: str) -> Target:
    """The target that `text` names: "cuda", "cuda:sm_90a", "cuda -arch=sm_90a" or {"kind": "cuda", "arch": "sm_90a"}.

    Errors: UsageError that lists what is known.
    """
    name, options = _parsed(text)
    name = _ALIASES.get(name, name)
    if name not in target_names():
        raise UsageError(f"unknown target '{text}'. Targets: {', '.join(target_names())}.")
    try:
        return importlib.import_module(f"{__name__}.{name}").target(**options)
    except TypeError as error:
        raise UsageError(f"target '{text}' is not understood ({error}). Write {name}, or {name}:ARCH.") from error


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    """The kind and its options; "arch" is what stands behind a colon."""
    if text.startswith("{"):
        return _from_json(text)
    head, *words = text.split() or [""]
    name, _, arch = head.partition(":")
    options = dict(word.lstrip("-").partition("=")[::2] for word in words)
    return name, {"arch": arch, **options} if arch else options


def _from_json(text: str) -> tuple[str, dict[str, str]]:
    try:
        options = {str(key): str(value) for key, value in json.loads(text).items()}
    except ValueError as error:
        raise UsageError(f'target \'{text}\' is not JSON ({error}). Write {{"kind": "cuda"}}.') from error
    return options.pop("kind", ""), options
