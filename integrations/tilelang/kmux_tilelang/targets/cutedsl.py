"""Target `cutedsl`: Python of CuTe DSL for one architecture of NVIDIA GPUs."""

import ast
from typing import Any

from ..device_launch import device_launch
from ..error import UnsupportedError
from . import Target
from .cuda import cuda_arch

# The names that generated text uses without importing them, as TileLang's own launcher does it for them.
_IMPORTS = {
    "cutlass": "import cutlass",
    "cute": "import cutlass.cute as cute",
    "cuda": "import cutlass.experimental.cuda as cuda",
    "tl": "import tilelang.contrib.cutedsl as tl",
}
_REQUIRES = {"tilelang": "tilelang==0.1.15", "cutlass": "nvidia-cutlass-dsl>=4.7.0"}  # by package


class _CuteDsl:
    dialect = "cutedsl"
    suffix = ".py"
    on_device = True
    launch = staticmethod(device_launch)

    def __init__(self, arch: str):
        self.name, self.arch = f"cutedsl:{arch}", arch
        self.tilelang = {"kind": "cutedsl", "arch": arch}

    def source(self, text: str) -> str:
        lines = [line for name, line in _IMPORTS.items() if name in _free_names(text)]
        return "\n".join([*lines, "", "", text])

    def settings(self, lowered: Any) -> dict[str, Any]:
        return {"python_requires": python_requires(self.source(lowered.text))}


def python_requires(text: str) -> list[str]:
    """The packages that the Python `text` imports, as requirements.

    Errors: UnsupportedError for a package that it does not know.
    """
    nodes = list(ast.walk(ast.parse(text)))
    modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    packages = sorted({module.partition(".")[0] for module in modules})
    if unknown := [package for package in packages if package not in _REQUIRES]:
        raise UnsupportedError(f"the generated text imports {', '.join(unknown)} (unknown). Use TileLang 0.1.15.")
    return [_REQUIRES[package] for package in packages]


def _free_names(text: str) -> set[str]:
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    return {node.id for node in nodes} - {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def target(arch: str = "sm_90a") -> Target:
    """The target for `arch`.

    Errors: UsageError for what is no architecture.
    """
    return _CuteDsl(cuda_arch(arch))
