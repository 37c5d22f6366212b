"""The export as a whole: kernel, lowering, signature, body, program."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .body import BodyReader
from .expression import from_text
from .kernel import Kernel, load_kernel
from .lower import VERSION, Lowered, lower, target_context
from .program import file_entry, program, write_program
from .signature import names_by_variable, outputs_at, signature_of
from .targets import Target, find_target


def export(
    spec: str,
    folder: str | Path,
    *,
    target: str = "c",
    name: str | None = None,
    arguments: Mapping[str, Any] = {},
    out_idx: Sequence[int] = (),
) -> Path:
    """Exports the kernel `spec` (module:function) into `folder`; returns the path of its program.

    Errors: UsageError, UnsupportedError, OSError; see `load_kernel`, `lower`, `BodyReader.read`, `write_program`.
    """
    chosen = find_target(target)
    kernel = load_kernel(spec, arguments, target_context(chosen))
    lowered = lower(kernel.function, chosen)
    name = name or kernel.name
    source = chosen.source_name(name)
    signature, variant = _parts(kernel, lowered, chosen, _outputs_of(kernel, out_idx), source)
    document = program(name, signature, [variant], _metadata_of(kernel))
    return write_program(Path(folder), document, {source: lowered.text})


def _parts(kernel: Kernel, lowered: Lowered, target: Target, outputs: list[str], source: str) -> tuple[dict, dict]:
    function = kernel.function
    scalars = {p.name for p in function.params if p not in function.buffer_map and str(p.dtype) != "handle"}
    reader = BodyReader(target, lowered.devices, names_by_variable(function), scalars)
    body = reader.read(lowered.host)
    variant = {
        "dialect": target.dialect,
        "settings": target.settings(lowered.text),
        "sources": [file_entry(source, lowered.text)],
        "body": body,
    }
    return signature_of(function, outputs, reader.launched), variant


def _outputs_of(kernel: Kernel, out_idx: Sequence[int]) -> list[str]:
    if out_idx:
        return outputs_at(kernel.function, out_idx)
    return kernel.description.outputs or outputs_at(kernel.function, kernel.out_idx)


def _metadata_of(kernel: Kernel) -> dict[str, Any]:
    words = kernel.description
    constants = {name: value for name, value in kernel.arguments.items() if type(value) is int}
    metadata = {
        "description": words.description,
        "origin": f"TileLang {VERSION}",
        "reference": words.reference,
        "symbols": words.symbols,
        "scalars": {name: float(value) for name, value in words.scalars.items()},
        "flops": from_text(words.flops, constants) if words.flops else None,
        "bytes": from_text(words.bytes, constants) if words.bytes else None,
    }
    return {key: value for key, value in metadata.items() if value or value == 0}
