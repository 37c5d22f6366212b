"""What is exported is what kmux takes: it reads every program before it is written."""

from collections.abc import Mapping
from typing import Any

from .error import UnsupportedError, UsageError


def check_valid(document: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
    """Errors: UnsupportedError with kmux's words for a program that it would refuse; UsageError where there is no kmux to ask."""
    try:
        import kmux
    except (ImportError, OSError) as error:
        raise UsageError(
            f"kmux cannot be imported ({error}), so what would be written cannot be checked. Install its wheel, or put "
            "integrations/tvm_ffi/python on PYTHONPATH and name libkmux_tvm_ffi.so of a build in KMUX_TVM_FFI_LIBRARY."
        ) from error
    try:
        kmux.program(document, {path: content.decode() for path, content in files.items()})
    except ValueError as error:
        raise UnsupportedError(f"kmux would refuse the program ({error}). Change the kernel.") from error
