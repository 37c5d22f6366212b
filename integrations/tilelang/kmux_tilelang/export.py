"""The export as a whole: kernel, lowering, signature, a variant for each target, program."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .error import UnsupportedError, UsageError
from .expression import from_text
from .kernel import Kernel, load_kernel
from .lower import header_roots, lower, target_context, version
from .names import check_names, check_program_name
from .program import program, write_program
from .signature import check_carriers, difference, outputs_at, signature_of
from .targets import Target, find_target
from .validation import check_valid
from .variant import Variant, variant_of


def export(
    spec: str,
    folder: str | Path,
    *,
    targets: Sequence[str] = ("c",),
    name: str | None = None,
    arguments: Mapping[str, Any] = {},
    out_idx: Sequence[int] = (),
    embed_headers: bool = False,
) -> Path:
    """Exports the kernel `spec` (module:function) into `folder`, a variant for each target; returns the program's path.

    Nothing is written unless all targets can be, and kmux takes the program.
    Errors: UsageError, UnsupportedError, OSError; see `load_kernel`, `lower`, `variant_of`, `write_program`.
    """
    chosen = _targets_of(targets)
    kernels = [load_kernel(spec, arguments, target_context(target)) for target in chosen]
    name = name or kernels[0].name
    check_program_name(name)
    roots = header_roots() if embed_headers else []
    variants = [
        variant_of(kernel, lower(kernel, target), target, source, roots)
        for kernel, target, source in zip(kernels, chosen, _sources_of(name, chosen), strict=True)
    ]
    document, files = assembled(name, kernels, variants, chosen, out_idx)
    check_valid(document, files)
    return write_program(Path(folder), document, files)


def assembled(
    name: str, kernels: Sequence[Kernel], variants: Sequence[Variant], targets: Sequence[Target], out_idx: Sequence[int]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The document of the program `name` with these variants, one a target, and its files (content by path).

    Errors: UsageError, UnsupportedError: outputs, names or symbols that a program cannot have, or targets that disagree.
    """
    signature = _signature_of(kernels, variants, targets, out_idx)
    document = program(name, signature, [variant.document for variant in variants], _metadata_of(kernels[0]))
    return document, {path: content for variant in variants for path, content in variant.files.items()}


def _targets_of(texts: Sequence[str]) -> list[Target]:
    targets = [find_target(text) for text in texts]
    names = [target.name for target in targets]
    if repeated := [name for name in names if names.count(name) > 1]:
        raise UsageError(f"target '{repeated[0]}' is given twice. Give each once.")
    return targets


def _sources_of(name: str, targets: Sequence[Target]) -> list[str]:
    """The file of each target's text; the architecture is part of the name where two would have the same."""
    suffixes = [target.suffix for target in targets]
    repeated = {suffix for suffix in suffixes if suffixes.count(suffix) > 1}
    return [f"{name}.{t.arch}{t.suffix}" if t.suffix in repeated else f"{name}{t.suffix}" for t in targets]


def _signature_of(
    kernels: Sequence[Kernel], variants: Sequence[Variant], targets: Sequence[Target], out_idx: Sequence[int]
) -> dict[str, Any]:
    """What all targets have in common; a buffer is nullable if no variant uses it.

    Errors: UnsupportedError that names the target whose signature differs, and where.
    """
    used = set().union(*(variant.used for variant in variants))
    kernels_made = set().union(*(variant.kernels for variant in variants))
    alignments = {name: max(v.alignments.get(name, 0) for v in variants) for v in variants for name in v.alignments}
    first, *others = [
        signature_of(kernel.function, _outputs_of(kernel, out_idx), used, alignments) for kernel in kernels
    ]
    for other, target in zip(others, targets[1:], strict=True):
        if place := difference(first, other):
            raise UnsupportedError(
                f"the kernel takes other arguments for target '{target.name}' than for '{targets[0].name}' ({place}). "
                "Give all targets one signature, or export them apart."
            )
    check_names(first, kernels_made)
    check_carriers(first)
    return first


def _outputs_of(kernel: Kernel, out_idx: Sequence[int]) -> list[str]:
    if out_idx:
        return outputs_at(kernel.function, out_idx)
    return kernel.description.outputs or outputs_at(kernel.function, kernel.out_idx)


def _metadata_of(kernel: Kernel) -> dict[str, Any]:
    words = kernel.description
    constants = {name: value for name, value in kernel.arguments.items() if type(value) is int}
    metadata = {
        "description": words.description,
        "origin": f"TileLang {version()}",
        "reference": words.reference,
        "symbols": words.symbols,
        "scalars": {name: float(value) for name, value in words.scalars.items()},
        "flops": from_text(words.flops, constants) if words.flops else None,
        "bytes": from_text(words.bytes, constants) if words.bytes else None,
    }
    return {key: value for key, value in metadata.items() if value or value == 0}
