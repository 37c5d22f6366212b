"""Lowers a prim_func with TileLang, without a device."""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .error import ExportError, UnsupportedError, UsageError
from .host_fill import with_fills_by_name
from .kernel import Kernel
from .targets import Target

VERSION = "0.1.15"  # lowering is no public interface of TileLang, so other releases are not tried


@dataclass(frozen=True)
class Lowered:
    """A host function, the device functions by name, the text of the latter, and the pass configurations in force."""

    host: Any
    devices: dict[str, Any]
    text: str
    configs: dict[str, Any]


def require_tilelang() -> Any:
    """The module `tilelang`.

    Errors: UsageError if it cannot be imported or is another release.
    """
    os.environ.setdefault("TILELANG_DISABLE_CACHE", "1")
    try:
        import tilelang
    except (ImportError, OSError) as error:
        raise UsageError(f"cannot import tilelang ({error}). Install it: pip install tilelang=={VERSION}.") from error
    if tilelang.__version__.partition("+")[0] != VERSION:
        raise UsageError(
            f"TileLang {tilelang.__version__} found, {VERSION} needed. Install it: pip install tilelang=={VERSION}."
        )
    return tilelang


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
    wheel = Path(require_tilelang().__file__).parent
    return [wheel / "src", wheel / "3rdparty/cutlass/include"]


def lower(kernel: Kernel, target: Target) -> Lowered:
    """Lowers `kernel` for `target`.

    Errors: UnsupportedError with TileLang's first line if it refuses.
    """
    tvm = require_tilelang().tvm
    from tilelang.backend.module import create_backend_context
    from tilelang.engine.lower import lower_with_context
    from tilelang.transform.pass_config import normalize_pass_configs

    function = with_fills_by_name(kernel.function, tvm) if target.on_device else kernel.function
    configs = dict(normalize_pass_configs(dict(kernel.pass_configs)) or {})
    try:
        context = create_backend_context(target.tilelang, None, "auto")
        with tvm.transform.PassContext(opt_level=3, config=configs), context.target:
            artifact = lower_with_context(function, context)
    except Exception as error:  # TVM raises many types, its own among them
        raise UnsupportedError(
            f"TileLang cannot lower the kernel for target '{target.name}' ({_first_line(error)}). "
            "Change the kernel or choose another target."
        ) from error
    text = artifact.kernel_source.rstrip() + "\n"
    configs = {str(getattr(key, "value", key)): value for key, value in configs.items()}
    return Lowered(_only(artifact.host_mod), _by_name(artifact.device_mod), text, configs)


def _only(module: Any) -> Any:
    functions = list(module.functions.values())
    if len(functions) != 1:
        raise ExportError(f"TileLang made {len(functions)} host functions where one was expected. Report this.")
    return functions[0]


def _by_name(module: Any) -> dict[str, Any]:
    return {variable.name_hint: function for variable, function in module.functions.items()}


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
