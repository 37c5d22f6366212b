"""How the host launches: the statements of a lowered host function, as a body of the dispatch IR."""

from collections.abc import Collection, Mapping
from typing import Any

from .device_launch import packed_call
from .error import UnsupportedError
from .expression import Expr, callee_of, from_tir, kind_of
from .host_fill import FUNCTION, fill_step
from .memory import address_of, l2_window, place_of, workspace
from .names import fresh
from .targets import Target
from .tensor_map import creates_tensor_map, tensor_map

_SCOPE = "compute_scope"  # everything before it unpacks and checks arguments, which the signature says better
_SET_WINDOW = "__tvm_cuda_stream_set_access_policy_window"
_RESET_WINDOW = "__tvm_cuda_stream_reset_access_policy_window"
_NOTHING = ("__tvm_set_device",)  # the caller of the launcher has done it


class BodyReader:
    """Reads one host function.

    `arguments` says what each parameter is when a launch names it, by the name that host code uses: {"tensor": "A"} or
    {"scalar": "s"}; `names` are those of the signature. `launched` holds, after `read`, the buffer and pointer parameters
    that launches, maps and fills use.
    """

    def __init__(
        self,
        target: Target,
        devices: Mapping[str, Any],
        arguments: Mapping[str, dict[str, str]],
        names: Collection[str],
    ):
        self._target = target
        self._devices = devices
        self._arguments = dict(arguments)
        self._lists: dict[str, list[dict]] = {"lets": [], "asserts": [], "workspaces": [], "tensor_maps": []}
        self._taken = {*names, *devices}
        self._inlined: dict[str, Expr] = {}
        self._results: set[str] = set()  # variables that hold what a launch returned
        self._loops: set[str] = set()  # variables of loops
        self._windows: list[dict] = []  # of the stream, at the statement that is read
        self.launched: set[str] = set()

    def read(self, host: Any) -> dict[str, Any]:
        """The body of `host`.

        Errors: UnsupportedError that names a statement which the dispatch IR does not have.
        """
        scope = _compute_scope(host.body)
        if scope is None:
            raise UnsupportedError(f"host function has no {_SCOPE} (another TileLang?). Use TileLang 0.1.13 to 0.1.15.")
        body = {**self._lists, "steps": self._steps(scope, top=True)}
        return {key: value for key, value in body.items() if value}

    def _steps(self, statement: Any, top: bool) -> list[dict]:
        kind = kind_of(statement)
        if kind == "SeqStmt":
            return [step for inner in statement.seq for step in self._steps(inner, top)]
        if kind in ("AttrStmt", "DeclBuffer"):
            return self._inner(statement, top)
        if kind in ("Bind", "LetStmt"):
            return self._bind(statement, top) + self._inner(statement, top)
        if kind == "AllocBuffer":
            self._allocate(statement, top)
            return self._inner(statement, top)
        if kind == "AssertStmt":
            self._assert(statement, top)
            return self._inner(statement, top)
        if kind == "IfThenElse":
            return [self._if(statement)]
        if kind == "For":
            return [self._for(statement)]
        if kind == "Evaluate":
            return self._evaluate(statement, top)
        raise _unsupported(statement)

    def _inner(self, statement: Any, top: bool) -> list[dict]:
        body = getattr(statement, "body", None)
        return [] if body is None else self._steps(body, top)

    def _bind(self, statement: Any, top: bool) -> list[dict]:
        name, value = statement.var.name, statement.value
        if launch := self._launch(value):
            self._results.add(name)
            return [launch]
        if kind_of(value) == "Call" and callee_of(value) == "tvm_stack_alloca":
            return []  # where a tensor map will lie
        if top:
            read = self._expression(value)  # before the name means the let
            self._lists["lets"].append({"name": self._variable(name), "value": read})
        else:
            self._inline(name, self._expression(value))  # the dispatch IR has lets at the top only
        return []

    def _allocate(self, statement: Any, top: bool) -> None:
        name = statement.buffer.data.name
        made = workspace(self._fresh(name), statement.buffer, self._expression)
        if not top and not _is_known_before(made["bytes"], self._loops):
            raise _misplaced("workspace", statement.buffer.name)
        if not top and not isinstance(made["bytes"], int):
            made["bytes"] = ["max", made["bytes"], 0]  # a guard may be what keeps it from being negative
        self._arguments[name] = {"workspace": made["name"]}
        self._lists["workspaces"].append(made)

    def _assert(self, statement: Any, top: bool) -> None:
        condition = statement.condition
        if getattr(getattr(condition, "a", None), "name", None) in self._results:
            return  # "the launch returned 0": said by `returns` of the launch
        if not top:
            raise _unsupported(statement)
        message = " ".join(str(getattr(part, "value", part)) for part in statement.message_parts)
        self._lists["asserts"].append({"condition": self._expression(condition), "message": message})

    def _if(self, statement: Any) -> dict:
        result = {"condition": self._expression(statement.condition), "then": self._branch(statement.then_case)}
        if statement.else_case is not None:
            result["else"] = self._branch(statement.else_case)
        return {"if": result}

    def _for(self, statement: Any) -> dict:
        begin, extent = self._expression(statement.min), self._expression(statement.extent)
        end = extent if begin == 0 else ["+", begin, extent]
        variable = self._variable(statement.loop_var.name)
        self._loops.add(variable)
        return {"for": {"variable": variable, "begin": begin, "end": end, "steps": self._branch(statement.body)}}

    def _branch(self, statement: Any) -> list[dict]:
        before = list(self._windows)
        steps = self._steps(statement, top=False)
        if self._windows != before:
            raise _misplaced("L2 window", (self._windows or before)[0]["buffer"])
        return steps

    def _evaluate(self, statement: Any, top: bool) -> list[dict]:
        if kind_of(statement.value) == "IntImm":
            return []
        if launch := self._launch(statement.value):
            return [launch]
        function, values = packed_call(statement.value) or ("", [])
        if creates_tensor_map(function):
            self._tensor_map(function, values, top)
        elif function == FUNCTION:
            return [fill_step(self._memory(values[0], "fill"), *map(self._expression, values[1:]))]
        elif function == _SET_WINDOW:
            self._windows.append(l2_window(self._parameter(values[0], "L2 window"), values[1:], self._expression))
        elif function == _RESET_WINDOW:
            self._windows.clear()
        elif function not in _NOTHING:
            raise _unsupported(statement)
        return []

    def _tensor_map(self, function: str, values: list[Any], top: bool) -> None:
        variable, dtype, rank, base, *geometry = values
        memory = self._memory(base, f"tensor map '{variable.name}'")
        numbers = [self._expression(value) for value in (dtype, rank, *geometry)]
        if not top and not all(isinstance(number, int) for number in [*numbers, memory.get("offset_bytes", 0)]):
            raise _misplaced("tensor map", variable.name)  # a guard may keep what a symbol is from being encoded
        made = tensor_map(function, self._fresh(variable.name), memory, numbers)
        self._arguments[variable.name] = {"tensor_map": made["name"]}
        self._lists["tensor_maps"].append(made)

    def _launch(self, value: Any) -> dict | None:
        if kind_of(value) != "Call":
            return None
        launch = self._target.launch(value, self._devices, self._argument)
        if launch is not None and self._windows:
            launch["l2_windows"] = list(self._windows)
        return None if launch is None else {"launch": launch}

    def _argument(self, value: Any, parameter: Any) -> dict:
        place, offset = place_of(value, self._expression)
        known = self._arguments.get(getattr(place, "name", None))
        if known is not None and offset:
            known = {**known, "offset_bytes": offset}
        if known is None:
            return self._value(value, str(parameter.dtype))
        if "tensor" in known:
            self.launched.add(known["tensor"])
        if "scalar" in known and str(value.dtype) != str(parameter.dtype):
            return self._value(value, str(parameter.dtype))
        return known

    def _value(self, value: Any, dtype: str) -> dict:
        if not dtype.startswith(("int", "uint", "bool")):
            raise UnsupportedError(
                f"launch argument '{value}' is computed by the host and of type {dtype} (only integers can be). "
                "Compute it in the kernel, or pass it as a scalar parameter."
            )
        argument = {"expr": self._expression(value)}
        return argument if dtype == "int32" else {**argument, "dtype": dtype}

    def _memory(self, value: Any, user: str) -> dict[str, Any]:
        value, offset = place_of(value, self._expression)
        place = self._arguments.get(getattr(value, "name", ""), {})
        memory = {"name": place.get("workspace") or self._parameter(value, user)}
        return {**memory, "offset_bytes": offset} if offset else memory

    def _parameter(self, value: Any, user: str) -> str:
        name = address_of(self._arguments, value, user)
        self.launched.add(name)
        return name

    def _fresh(self, name: str) -> str:
        """A name of its own for what the host calls `name`."""
        made = fresh(name, self._taken)
        self._taken.add(made)
        return made

    def _variable(self, name: str) -> str:
        made = self._fresh(name)
        self._inline(name, made)
        return made

    def _inline(self, name: str, value: Expr) -> None:
        """From here on `name` means `value`, whatever it was."""
        self._arguments.pop(name, None)
        self._inlined[name] = value

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


def _is_known_before(value: Expr, loops: set[str]) -> bool:
    """Can `value` be computed before all loops, and where no guard has kept it from dividing by 0?"""
    if isinstance(value, list):
        divides = value[0] in ("floordiv", "floormod", "truncdiv", "truncmod", "ceildiv")
        return not (divides and not isinstance(value[2], int)) and all(_is_known_before(part, loops) for part in value[1:])
    return isinstance(value, int) or value not in loops


def _misplaced(what: str, name: str) -> UnsupportedError:
    return UnsupportedError(
        f"{what} '{name}' is set up within a condition or a loop of the host (the dispatch IR has it once a call). "
        "Make a prim_func of each case."
    )
