"""TIR nodes without TVM: objects whose class has the node's name, which is all that the exporter reads."""

from types import SimpleNamespace
from typing import Any


def node(kind: str, /, **fields: Any) -> Any:
    """A node of class `kind` with these fields."""
    made = type(kind, (SimpleNamespace,), {"__hash__": object.__hash__, "__str__": lambda self: f"<{kind}>"})
    return made(**fields)


def var(name: str, dtype: str = "int32") -> Any:
    return node("Var", name=name, dtype=dtype)


def imm(value: int) -> Any:
    return node("IntImm", value=value, dtype="int32")


def binary(kind: str, a: Any, b: Any, dtype: str = "int32") -> Any:
    return node(kind, a=a, b=b, dtype=dtype)


def call(name: str, *args: Any, dtype: str = "int32") -> Any:
    """A call of a TIR operator."""
    return node("Call", op=node("Op", name=f"tirx.{name}"), args=args, dtype=dtype)


def call_device(name: str, *args: Any) -> Any:
    """A direct call of a device function."""
    return node("Call", op=node("GlobalVar", name_hint=name), args=args, dtype="int32")


def call_packed(name: str, *args: Any) -> Any:
    """A call of a function by its name."""
    return call("tvm_call_packed", node("StringImm", value=name), *args)


def evaluate(value: Any) -> Any:
    return node("Evaluate", value=value)


def allocate(name: str, shape: list, bits: int = 32, scope: str = "global") -> Any:
    """A buffer that the host allocates."""
    dtype = node("dtype", bits=bits, lanes=1)
    made = node("Buffer", name=name, data=var(name, "handle"), dtype=dtype, shape=shape, scope=lambda: scope)
    return node("AllocBuffer", buffer=made)


def device(*params: Any, result: str = "int32", tags: tuple = (), **attributes: Any) -> Any:
    """A device function."""
    attrs = {"tirx.kernel_launch_params": tags, **attributes}
    return node("PrimFunc", params=params, ret_type=node("PrimType", dtype=result), attrs=attrs)


def buffer(name: str, shape: list, strides: list | None = None, dtype: str = "float32", offset: int = 0) -> Any:
    data = var(name, "handle")
    return node(
        "Buffer", name=name, data=data, dtype=dtype, shape=shape, strides=strides or [], elem_offset=imm(offset)
    )


def function(*params: Any) -> Any:
    """A prim_func; a parameter is a buffer or a variable."""
    made, buffer_map = [], {}
    for param in params:
        if type(param).__name__ == "Buffer":
            handle = var(f"{param.name}_handle", "handle")
            buffer_map[handle] = param
            made.append(handle)
        else:
            made.append(param)
    return node("PrimFunc", params=made, buffer_map=buffer_map, attrs={})


def sequence(*statements: Any) -> Any:
    return node("SeqStmt", seq=list(statements))


def bind(name: str, value: Any) -> Any:
    return node("Bind", var=var(name), value=value)


def host(*statements: Any) -> Any:
    """A host function: an unpacked argument, then `statements` in the compute scope."""
    scope = node("AttrStmt", attr_key="compute_scope", body=sequence(*statements))
    return node("PrimFunc", body=sequence(bind("A_handle", imm(0)), scope))
