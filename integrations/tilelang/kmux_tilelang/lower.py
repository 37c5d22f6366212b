"""Lowers a prim_func with TileLang, without a device."""

import contextlib
import functools
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .error import ExportError, UnsupportedError, UsageError
from .host_fill import with_fills_by_name
from .kernel import Kernel
from .targets import Target

TESTED = ("0.1.13", "0.1.14", "0.1.15")  # lowering is not TileLang's public interface: others are tried, with a warning
_INSTALL = f"Install it: pip install tilelang=={TESTED[-1]}."


@dataclass(frozen=True)
class Lowered:
    """A host function, the device functions by name, the text of the latter, the pass configurations in force, and the release
    of TileLang that made them."""

    host: Any
    devices: dict[str, Any]
    text: str
    configs: dict[str, Any]
    release: str

    @classmethod
    def of(cls, artifact: Any, configs: Mapping[Any, Any]) -> "Lowered":
        """What TileLang's `CompiledArtifact` holds, made under the pass configurations `configs`."""
        text = artifact.kernel_source.rstrip() + "\n"
        named = {str(getattr(key, "value", key)): value for key, value in configs.items()}
        return cls(_only(artifact.host_mod), _by_name(artifact.device_mod), text, named, version())


def require_tilelang() -> Any:
    """The module `tilelang`; warns of a release that was not tested.

    Errors: UsageError if it cannot be imported.
    """
    os.environ.setdefault("TILELANG_DISABLE_CACHE", "1")
    try:
        import tilelang
    except (ImportError, OSError) as error:
        raise UsageError(f"cannot import tilelang ({error}). {_INSTALL}") from error
    warn_if_untested(version())
    return tilelang


def version() -> str:
    """The release of TileLang that is imported, without what follows a plus sign."""
    import tilelang

    return str(tilelang.__version__).partition("+")[0]


@functools.cache
def warn_if_untested(release: str) -> None:
    """Warns once if `release` of TileLang is none of those that the exporter was tested with."""
    if release not in TESTED:
        warnings.warn(
            f"TileLang {release} was not tested (it was with {', '.join(TESTED)}). If something fails that it does not name, "
            f"install {TESTED[-1]}.",
            stacklevel=3,
        )


def target_context(target: Target) -> contextlib.AbstractContextManager:
    """The context in which prim_funcs for `target` are made.

    Errors: UsageError if TileLang has no such target here.
    """
    require_tilelang()
    from tilelang.backend.target import determine_target

    try:
        return determine_target(target.tilelang, return_object=True)
    except Exception as error:  # AssertionError, ValueError and TVM's own
        raise UsageError(f"TileLang has no target '{target.name}' here ({_first_line(error)}).") from error


def header_roots() -> list[Path]:
    """The folders of TileLang's wheel that generated text includes from."""
    import tilelang

    wheel = Path(tilelang.__file__).parent
    return [wheel / "src", wheel / "3rdparty/cutlass/include"]


def lower(kernel: Kernel, target: Target) -> Lowered:
    """Lowers `kernel` for `target`.

    Errors: UnsupportedError with TileLang's first line if it refuses.
    """
    tvm = require_tilelang().tvm
    from tilelang.engine.lower import lower as lower_with_tilelang
    from tilelang.transform.pass_config import normalize_pass_configs

    function = with_fills_by_name(kernel.function, tvm) if target.on_device else kernel.function
    configs = dict(normalize_pass_configs(dict(kernel.pass_configs)) or {})
    context = target_context(target)
    try:
        with tvm.transform.PassContext(opt_level=3, config=configs), context:
            artifact = lower_with_tilelang(function, target=target.tilelang)
    except Exception as error:  # TVM raises many types, its own among them
        raise UnsupportedError(
            f"TileLang cannot lower the kernel for target '{target.name}' ({_first_line(error)}). "
            "Change the kernel or choose another target."
        ) from error
    return Lowered.of(artifact, configs)


def _only(module: Any) -> Any:
    functions = list(module.functions.values())
    if len(functions) != 1:
        raise ExportError(f"TileLang made {len(functions)} host functions where one was expected. Report this.")
    return functions[0]


def _by_name(module: Any) -> dict[str, Any]:
    return {variable.name_hint: function for variable, function in module.functions.items()}


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
