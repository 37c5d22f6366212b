"""TileLang's registries of execution backends, which are not a public interface: all that is known of them is here.

From 0.1.14 on, each backend module holds a frozen tuple of specifications; in 0.1.13 there is a list for each kind of target.
Either way `cache._dispatch_map` has, by name, what compiles and keeps kernels.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import tilelang.cache
from tilelang.backend.execution_backend import ExecutionBackendSpec

KINDS = ("c", "cuda", "hip", "llvm", "metal")  # of target, that the exporter reads


class Registry:
    """What was registered with TileLang, and how to take it back.

    Threads: one at a time.
    """

    def __init__(self) -> None:
        self._specs: list[tuple[Any, Any]] = []  # where, and what was there before
        self._caches: dict[str, Any] = {}  # by name, what was there before; None for nothing

    def add_backends(self, names: list[str], *, first: bool) -> None:
        """Makes `names` execution backends of every target; `first`: the first of them is what "auto" gives."""
        for place in _places():
            before = _specs_of(place)
            known = {spec.name for spec in before}
            ours = [ExecutionBackendSpec(name) for name in names if name not in known]
            self._specs.append((place, before))
            _set_specs(place, [*ours, *before] if first else [*before, *ours])

    def set_cache(self, name: str, cache: Any) -> None:
        """From now on `cache` compiles what asks for the execution backend `name`."""
        caches = tilelang.cache._dispatch_map
        self._caches.setdefault(name, caches.get(name))
        caches[name] = cache

    def undo(self) -> None:
        """Leaves TileLang as it was."""
        for place, before in reversed(self._specs):
            _set_specs(place, before)
        for name, before in self._caches.items():
            if before is None:
                tilelang.cache._dispatch_map.pop(name, None)
            else:
                tilelang.cache._dispatch_map[name] = before
        self._specs.clear()
        self._caches.clear()


def own_backend(target: Any, ours: tuple[str, ...]) -> str:
    """The execution backend that TileLang itself would choose for `target`: the first that is none of `ours`.

    Errors: ValueError if there is none.
    """
    specs = [spec for spec in _specs_for(target) if spec.name not in ours]
    available = [spec.name for spec in specs if spec.is_available()]
    if not available:
        raise ValueError(f"TileLang has no execution backend of its own for target '{target.kind.name}'.")
    return available[0]


def _specs_for(target: Any) -> list[Any]:
    for place in _places():
        owner = place if not isinstance(place, str) else None
        matches = owner.matches(target) if owner is not None else place == target.kind.name
        if matches:
            return [spec for spec in _specs_of(place) if spec.matches(target)]
    return []


def _places() -> Iterator[Any]:
    """Backend modules; in 0.1.13 kinds of target."""
    try:
        from tilelang.backend.module import list_backends
    except ImportError:
        yield from KINDS
        return
    yield from (module for module in list_backends().values() if set(module.target_kinds) & set(KINDS))


def _specs_of(place: Any) -> list[Any]:
    if not isinstance(place, str):
        return list(place.execution_backends)
    from tilelang.backend import execution_backend as lists

    lists._ensure_execution_backends_loaded(place)
    return list(lists._EXECUTION_BACKENDS.get(place, []))


def _set_specs(place: Any, specs: list[Any]) -> None:
    if not isinstance(place, str):
        object.__setattr__(place, "execution_backends", tuple(specs))
        return
    from tilelang.backend import execution_backend as lists

    lists._EXECUTION_BACKENDS[place] = list(specs)


def retargeted(kernel: Any, target: Any) -> dict[str, Any]:
    """The attributes of a JITKernel that say what it is lowered for, where that is to be `target`."""
    if target is kernel.target:
        return {}
    context = getattr(kernel, "backend_context", None)  # since 0.1.14
    return {"target": target, **({"backend_context": replace(context, target=target)} if context else {})}


@contextmanager
def attributes_set(owner: Any, values: Mapping[str, Any]) -> Iterator[None]:
    """The attributes of `owner` are `values` within the context."""
    before = {name: getattr(owner, name) for name in values}
    try:
        for name, value in values.items():
            setattr(owner, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)
