"""CuTe DSL, which compiles without a device: an exported Python source to device code."""

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

_WRAPPER = """
import cutlass
import cutlass.cute as cute
from cuda.bindings.driver import CUstream

import {module} as kernels


@cute.jit
def launch({parameters}, stream: CUstream):
    kernels.{kernel}({arguments}).launch(grid=[1, 1, 1], block={block}, stream=stream)
"""


def compile_launch(program: Path, variant: dict[str, Any], launch: dict[str, Any], params: list[dict]) -> list[str]:
    """The names of the device code files that a launch of a variant becomes; tensors have 1024 elements.

    Errors: whatever CuTe DSL raises; KeyError for an argument that is neither a buffer nor an int32.
    """
    import cutlass
    import cutlass.cute as cute
    from cutlass.cute.runtime import make_fake_compact_tensor, make_fake_stream

    dtypes = {param["name"]: param["buffer"]["dtype"] for param in params if "buffer" in param}
    tensors = ["tensor" in argument for argument in launch["args"]]
    types = ["cute.Tensor" if tensor else "cutlass.Int32" for tensor in tensors]
    text = _WRAPPER.format(
        module=Path(variant["sources"][0]["path"]).stem,
        parameters=", ".join(f"a{i}: {type}" for i, type in enumerate(types)),
        kernel=launch["kernel"],
        arguments=", ".join(f"a{i}" for i in range(len(types))),
        block=(launch["block"] + [1, 1])[:3],
    )
    values = [
        make_fake_compact_tensor(getattr(cutlass, dtypes[argument["tensor"]].capitalize()), (1024,), stride_order=(0,))
        if "tensor" in argument
        else cutlass.Int32(argument["expr"] and 1024)
        for argument in launch["args"]
    ]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kmux_wrapper.py").write_text(text)
        sys.path[:0] = [folder, str(program.parent)]
        wrapper = importlib.import_module("kmux_wrapper")
        options = f"--gpu-arch={variant['requires']['arch'][0]} --keep-cubin --dump-dir={folder}"
        cute.compile(wrapper.launch, *values, make_fake_stream(), options=options)
        return [path.name for path in Path(folder).glob("*.cubin")]
