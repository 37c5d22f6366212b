"""What an eager function of `kmux.jit` describes its kernel with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from ._defines import defines_of
from .expr import Expr, Extent, form_of
from ._jit_described import Described
from ._numbers import in_json, index_of, is_inexact
from ._program import Program, program


class JitConstant(Expr):
    """A number that is read from the first shape that has it, and compiled in: another value is another kernel."""

    def __init__(self, described: Described, name: str) -> None:
        super().__init__(name)
        self.name = name
        self._described, self._place = described, described.constant(name)

    @property
    def value(self) -> int:
        """The number; 0, and an error of the call, if no tensor has given it yet."""
        return self._described.value(self._place)

    def __int__(self) -> int:
        return self.value

    def __index__(self) -> int:
        return self.value

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)


class JitBuffer:
    """A tensor parameter."""

    def __init__(self, name: str, dtype: str) -> None:
        self.name = name
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"<kmux.JitBuffer {self.name!r} {self.dtype}>"


JitOutputs = Union[JitBuffer, Sequence[JitBuffer], None]
Argument = Union[JitBuffer, str, Extent, Mapping[str, Any], tuple[Any, ...]]
_EXTENTS = ("grid", "block", "cluster")  # of a launch
DType = Any  # a word, as "float32", or a dtype of NumPy or torch


class JitBuilder:
    """Describes the kernel of a call: its tensors in order, then one or more variants and what they launch.

    A constant is compiled in; a symbol is known at the call, so one kernel serves all its values. Problems are found when
    the function has returned, all at once.
    """

    def __init__(self, name: str, tensors: Sequence[Any], optional: Iterable[int] = ()) -> None:
        """`optional`: the tensors that are absent where they are None and not declared."""
        self._name = name
        self._described = Described(name, tensors, optional)
        self._constants: dict[str, JitConstant] = {}
        self._kinds: dict[str, Any] = {}  # how a launch takes what has a name
        self._variants: list[dict[str, Any]] = []
        self._files: dict[str, str] = {}

    def constant(self, name: str) -> JitConstant:
        """A number of the shapes that is compiled in."""
        return self._constants.setdefault(name, JitConstant(self._described, name))

    def constants(self, *names: str) -> tuple[JitConstant, ...]:
        """Several: `k, n = b.constants("k", "n")`."""
        return tuple(map(self.constant, names))

    def symbol(self, name: str, dtype: DType = "int64") -> Expr:
        """A number of the shapes that each call brings."""
        word = dtype_text(dtype)
        self._described.symbol(name, word)
        self._kinds[name] = {"expr": name, "dtype": word}
        return Expr(name)

    def input(self, name: str, shape: Iterable[Extent], dtype: DType | None = None) -> JitBuffer:
        """The next tensor of the call, which the kernel reads; its own dtype unless one is demanded."""
        return self._declare("input", name, dtype if dtype is None else dtype_text(dtype), {"shape": _forms(shape)})

    def inout(self, name: str, shape: Iterable[Extent]) -> JitBuffer:
        """The next tensor of the call, which the kernel writes."""
        return self._declare("inout", name, None, {"shape": _forms(shape)})

    def buffer(
        self,
        name: str,
        shape: Iterable[Extent],
        dtype: DType,
        *,
        strides: Iterable[Extent] | None = None,
        alignment_bytes: int = 0,
        nullable: bool = False,
    ) -> JitBuffer:
        """The next tensor of the call in full."""
        document: dict[str, Any] = {"shape": _forms(shape), "alignment_bytes": alignment_bytes, "nullable": nullable}
        if strides is not None:
            document["strides"] = _forms(strides)
        return self._declare("buffer", name, dtype_text(dtype), document, nullable=bool(nullable))

    def empty(self, name: str, dtype: DType, shape: Iterable[Extent]) -> JitBuffer:
        """A tensor that each call allocates. Return it."""
        text = json.dumps({"dtype": dtype_text(dtype), "shape": _forms(shape)}, default=in_json)
        return self._named(name, self._described.empty(name, text))

    def variant(
        self,
        dialect: str,
        *,
        sources: Mapping[str, str],
        headers: Mapping[str, str] | None = None,
        defines: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        requires: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Begins a variant; the calls below belong to the newest one.

        Args:
            sources, headers: content by path.
            defines: macros for the sources.
            settings, requires: as docs/dispatch-ir.md has them.
        """
        made: dict[str, Any] = {"dialect": dialect, "sources": _named(sources), "body": {"steps": []}}
        if headers:
            made["headers"] = _named(headers)
        wanted = dict(settings or {})
        if defines:
            wanted["defines"] = [*wanted.get("defines", ()), *defines_of(defines)]
        if wanted:
            made["settings"] = wanted
        if requires:
            made["requires"] = {key: list(_no_text(key, values)) for key, values in requires.items()}
        self._files.update(sources)
        self._files.update(headers or {})
        self._variants.append(made)

    def let(self, name: str, value: Extent) -> Expr:
        """A number that each call computes once."""
        self._body.setdefault("lets", []).append({"name": name, "value": self._numbered(value)})
        self._kinds[name] = {"expr": name, "dtype": "int64"}
        return Expr(name)

    def check(self, condition: Extent, message: str) -> None:
        """A call for which the condition is 0 fails with the message."""
        self._body.setdefault("asserts", []).append({"condition": self._numbered(condition), "message": message})

    def workspace(self, name: str, bytes: Extent, alignment_bytes: int = 256) -> None:
        """Memory of the device for the length of one call."""
        made = {"name": name, "bytes": self._numbered(bytes), "alignment_bytes": alignment_bytes}
        self._body.setdefault("workspaces", []).append(made)
        self._kinds[name] = {"workspace": name}

    def tensor_map(self, document: Mapping[str, Any]) -> None:
        """A tensor map, as docs/dispatch-ir.md has it."""
        self._body.setdefault("tensor_maps", []).append(self._plain(document))
        self._kinds[document["name"]] = {"tensor_map": document["name"]}

    def launch(self, kernel: str, args: Iterable[Argument], **how: Any) -> None:
        """Launches a function of the sources.

        Args:
            args: in the kernel's order: buffers, names, numbers and expressions (int32), a tuple of them for a structure by
                value, or an argument as docs/dispatch-ir.md has it.
            how: grid, block and cluster (an extent, or up to three), dynamic_smem_bytes and the other keys of a launch there.

        Raises:
            TypeError: an argument of another type, as a floating-point number, which no program has.
        """
        place = f"of launch {kernel!r}"
        made = [self._argument(each, f"argument {i} {place}") for i, each in enumerate(_no_text("args", args))]
        document = {key: _listed(f"{key} {place}", value) if key in _EXTENTS else value for key, value in how.items()}
        self.step({"launch": {"kernel": kernel, "args": made, **document}})

    def step(self, document: Mapping[str, Any]) -> None:
        """A step as docs/dispatch-ir.md has it: a fill, a guard or a loop."""
        self._body["steps"].append(self._plain(document))

    def build(self, outputs: JitOutputs) -> Program:
        """The program of a call that returns `outputs`.

        Raises:
            ValueError: with every problem.
        """
        signature = json.loads(self._described.finish(_names(outputs, self._name)))
        return program({"name": self._name, "signature": signature, "variants": self._variants}, self._files)

    @property
    def places(self) -> tuple[int, ...]:
        """The tensors of the call that the kernel takes: all but those that are absent."""
        return self._described.places

    @property
    def _body(self) -> dict[str, Any]:
        if not self._variants:
            raise ValueError(f"jit function {self._name!r}: there is no variant yet. Call variant() first.")
        body: dict[str, Any] = self._variants[-1]["body"]
        return body

    def _declare(self, kind: str, name: str, dtype: str | None, document: dict[str, Any], *, nullable: bool = False) -> JitBuffer:
        text = json.dumps({"dtype": dtype or "uint8", **document}, default=in_json)  # without one it has the tensor's
        return self._named(name, self._described.next(kind, name, dtype is not None, text, nullable=nullable))

    def _named(self, name: str, dtype: str) -> JitBuffer:
        self._kinds[name] = {"tensor": name}
        return JitBuffer(name, dtype)

    def _numbered(self, value: Extent) -> Any:
        """The expression with the values of the constants, which are known by now."""
        return self._resolved(form_of(value))

    def _resolved(self, form: Any) -> Any:
        if isinstance(form, list):
            return [form[0], *map(self._resolved, form[1:])]
        return self._constants[form].value if form in self._constants else form

    def _plain(self, value: Any) -> Any:
        """A part of a document with the values of the constants in its expressions."""
        if isinstance(value, Mapping):
            return {key: dtype_text(each) if key == "dtype" else self._plain(each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._plain(each) for each in value]
        return self._numbered(value) if isinstance(value, Expr) else value

    def _argument(self, value: Argument, where: str) -> Any:
        if isinstance(value, tuple):
            return {"struct": [self._argument(each, f"member {place} of {where}") for place, each in enumerate(value)]}
        if isinstance(value, Mapping):
            return self._plain(value)
        if isinstance(value, JitBuffer):
            return {"tensor": value.name}
        if isinstance(value, str):
            return self._kinds.get(value, {"tensor": value})  # which is told if there is no such thing
        if isinstance(value, Expr) and isinstance(value.form(), str) and value.form() in self._kinds:
            return self._kinds[value.form()]
        if is_inexact(value):
            raise TypeError(f"{where} is {value!r} (a program has integer constants alone). Give the source a macro: variant(..., defines=).")
        return {"expr": self._numbered(value)}


def dtype_text(dtype: Any) -> str:
    """The word for a dtype: of a word, or of a dtype of NumPy, torch or another library.

    Raises:
        TypeError: something else.
    """
    if isinstance(dtype, str):
        return str(dtype)
    if isinstance(dtype, type) and hasattr(dtype, "dtype"):  # NumPy's class of a scalar
        return dtype.__name__.rstrip("_")
    kind = type(dtype)
    if kind.__module__.split(".")[0] in ("numpy", "torch") and "dtype" in (base.__name__ for base in kind.__mro__):
        return str(dtype).rpartition(".")[2]
    raise TypeError(f"{dtype!r} is not a dtype (a {kind.__qualname__}). Write it as a word, as in 'float32'.")


def _forms(shape: Iterable[Extent]) -> list[Any]:
    return [form_of(extent) for extent in _no_text("a shape", shape)]


def _listed(what: str, extents: Any) -> list[Any]:
    """Extents of a launch as a list; one may be written without it.

    Raises:
        TypeError: what is no extent.
    """
    listed = list(extents) if isinstance(extents, Sequence) and not isinstance(extents, str) else [extents]
    for each in listed:
        if not isinstance(each, (Expr, str, list)) and index_of(each) is None:
            raise TypeError(f"{what} is {extents!r} (extents are integers, names and expressions). Pass one, or a list of up to three.")
    return listed


def _no_text(what: str, given: Iterable[Any]) -> Iterable[Any]:
    """`given`, which is no string.

    Raises:
        TypeError: it is one.
    """
    if isinstance(given, str):
        raise TypeError(f"{what} is {given!r} (a str, whose letters would be taken one by one). Write [{given!r}].")
    return given


def _named(files: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"path": path} for path in files]


def _names(outputs: JitOutputs, function: str) -> list[str]:
    if outputs is None:
        return []
    if isinstance(outputs, JitBuffer):
        return [outputs.name]
    if isinstance(outputs, (list, tuple)) and all(isinstance(each, JitBuffer) for each in outputs):
        return [each.name for each in outputs]
    raise TypeError(
        f"jit function {function!r}: it returned an object of type {type(outputs).__qualname__} (an eager function returns what empty() "
        "gave, several of them, or None). Return that."
    )
