"""How the host launches: the statements of a lowered host function, as lets, asserts and steps of the dispatch IR."""

from collections.abc import Mapping
from typing import Any

from .error import UnsupportedError
from .expression import Expr, from_tir, kind_of
from .targets import Target

_SCOPE = "compute_scope"  # everything before it unpacks and checks arguments, which the signature says better


class BodyReader:
    """Reads one host function.

    `launched` holds, after `read`, the names of the buffer and pointer parameters that launches use.
    """

    def __init__(self, target: Target, devices: Mapping[str, Any], names: Mapping[str, str], scalars: set[str]):
        self._target = target
        self._devices = devices
        self._names = names
        self._scalars = scalars
        self._lets: list[dict] = []
        self._asserts: list[dict] = []
        self._inlined: dict[str, Expr] = {}
        self._results: set[str] = set()  # variables that hold what a launch returned
        self.launched: set[str] = set()

    def read(self, host: Any) -> dict[str, Any]:
        """The body of `host`.

        Errors: UnsupportedError that names a statement which the dispatch IR does not have.
        """
        scope = _compute_scope(host.body)
        if scope is None:
            raise UnsupportedError(f"host function has no {_SCOPE} (another TileLang?). Use TileLang 0.1.15.")
        steps = self._steps(scope, top=True)
        body = {"lets": self._lets, "asserts": self._asserts, "steps": steps}
        return {key: value for key, value in body.items() if value}

    def _steps(self, statement: Any, top: bool) -> list[dict]:
        kind = kind_of(statement)
        if kind == "SeqStmt":
            return [step for inner in statement.seq for step in self._steps(inner, top)]
        if kind in ("AttrStmt", "DeclBuffer"):
            return self._inner(statement, top)
        if kind in ("Bind", "LetStmt"):
            return self._bind(statement, top) + self._inner(statement, top)
        if kind == "AssertStmt":
            self._assert(statement, top)
            return self._inner(statement, top)
        if kind == "IfThenElse":
            return [self._if(statement)]
        if kind == "For":
            return [self._for(statement)]
        if kind == "Evaluate":
            return self._evaluate(statement)
        raise _unsupported(statement)

    def _inner(self, statement: Any, top: bool) -> list[dict]:
        body = getattr(statement, "body", None)
        return [] if body is None else self._steps(body, top)

    def _bind(self, statement: Any, top: bool) -> list[dict]:
        name = statement.var.name
        if launch := self._launch(statement.value):
            self._results.add(name)
            return [launch]
        value = self._expression(statement.value)
        if top:
            self._lets.append({"name": name, "value": value})
        else:
            self._inlined[name] = value  # the dispatch IR has lets at the top only
        return []

    def _assert(self, statement: Any, top: bool) -> None:
        condition = statement.condition
        if getattr(getattr(condition, "a", None), "name", None) in self._results:
            return  # "the launch returned 0": said by `returns` of the launch
        if not top:
            raise _unsupported(statement)
        message = " ".join(str(part) for part in statement.message_parts)
        self._asserts.append({"condition": self._expression(condition), "message": message})

    def _if(self, statement: Any) -> dict:
        result = {"condition": self._expression(statement.condition), "then": self._steps(statement.then_case, False)}
        if statement.else_case is not None:
            result["else"] = self._steps(statement.else_case, False)
        return {"if": result}

    def _for(self, statement: Any) -> dict:
        begin, extent = self._expression(statement.min), self._expression(statement.extent)
        end = extent if begin == 0 else ["+", begin, extent]
        steps = self._steps(statement.body, False)
        return {"for": {"variable": statement.loop_var.name, "begin": begin, "end": end, "steps": steps}}

    def _evaluate(self, statement: Any) -> list[dict]:
        if launch := self._launch(statement.value):
            return [launch]
        if kind_of(statement.value) == "IntImm":
            return []
        raise _unsupported(statement)

    def _launch(self, value: Any) -> dict | None:
        if kind_of(value) != "Call":
            return None
        launch = self._target.launch(value, self._devices, self._argument)
        return None if launch is None else {"launch": launch}

    def _argument(self, value: Any) -> dict:
        name = getattr(value, "name", None)
        if name in self._names:
            name = self._names[name]
            if name in self._scalars:
                return {"scalar": name}
            self.launched.add(name)
            return {"tensor": name}
        argument = {"expr": self._expression(value)}
        return argument if str(value.dtype) == "int32" else {**argument, "dtype": str(value.dtype)}

    def _expression(self, value: Any) -> Expr:
        return from_tir(value, self._inlined)


def _compute_scope(statement: Any) -> Any:
    kind = kind_of(statement)
    if kind == "AttrStmt" and statement.attr_key == _SCOPE:
        return statement.body
    inner = list(statement.seq) if kind == "SeqStmt" else [getattr(statement, "body", None)]
    return next((scope for child in inner if child is not None and (scope := _compute_scope(child)) is not None), None)


def _unsupported(statement: Any) -> UnsupportedError:
    text = str(statement).strip().splitlines()[-1]
    return UnsupportedError(
        f"host statement '{text}' ({kind_of(statement)}) has no counterpart in the dispatch IR. "
        "Move it into a T.Kernel region."
    )
