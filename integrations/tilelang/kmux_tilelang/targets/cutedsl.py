"""Target `cutedsl`: Python of CuTe DSL for one architecture of NVIDIA GPUs."""

import ast
from collections.abc import Mapping
from typing import Any

from ..alignment import widest
from ..device_launch import device_launch
from ..error import MiscomputedError, UnsupportedError
from ..unsigned import with_unsigned
from ..workspaces import with_workspaces
from . import Target
from .cuda import cuda_arch

# The names that generated text uses without importing them, as TileLang's own launcher does it for them.
_IMPORTS = {
    "cutlass": "import cutlass",
    "cute": "import cutlass.cute as cute",
    "cuda": "import cutlass.experimental.cuda as cuda",
    "tl": "import tilelang.contrib.cutedsl as tl",
}
_TENSOR_MAP = "cutlass.GridConstant[cuda.TensorMap]"
# Requirements by package. Texts call functions of TileLang's which change from release to release.
_REQUIRES = {"tilelang": "tilelang=={release}", "cutlass": "nvidia-cutlass-dsl>=4.7.0"}


class _CuteDsl:
    dialect = "cutedsl"
    suffix = ".py"
    on_device = True
    launch = staticmethod(device_launch)
    alignments = staticmethod(widest)

    def __init__(self, arch: str):
        self.name, self.arch = f"cutedsl:{arch}", arch
        self.tilelang = {"kind": "cutedsl", "arch": arch}

    def source(self, lowered: Any, body: Mapping[str, Any]) -> str:
        text = with_unsigned(with_workspaces(_with_tensor_maps(lowered.text), lowered.devices, body), lowered.devices)
        lines = [line for name, line in _IMPORTS.items() if name in _free_names(text)]
        return "\n".join([*lines, "", "", text])

    def settings(self, lowered: Any) -> dict[str, Any]:
        _check_clusters(lowered)
        return {"python_requires": python_requires(self.source(lowered, {}), lowered.release)}


def _check_clusters(lowered: Any) -> None:
    # TileLang 0.1.15 makes descriptors of shared memory for wgmma from addresses that hold the block's rank in its cluster:
    # in all blocks but the first they describe another layout.
    tags = [str(tag) for device in lowered.devices.values() for tag in device.attrs.get("tirx.kernel_launch_params", [])]
    in_clusters = any(tag.startswith(("tir.cluster_dim_", "clusterCtaIdx.")) for tag in tags)
    if in_clusters and "initialize_wgmma_descriptor" in lowered.text:
        raise MiscomputedError(
            "T.gemm by wgmma computes something else in clusters on target 'cutedsl' (TileLang 0.1.15 does not mask the "
            "addresses in its descriptors). Launch without cluster_dims, or choose target 'cuda'."
        )


def python_requires(text: str, release: str) -> list[str]:
    """The packages that the Python `text`, which this release of TileLang made, imports, as requirements.

    Errors: UnsupportedError for a package that it does not know.
    """
    nodes = list(ast.walk(ast.parse(text)))
    modules = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    modules += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    packages = sorted({module.partition(".")[0] for module in modules})
    if unknown := [package for package in packages if package not in _REQUIRES]:
        raise UnsupportedError(f"the generated text imports {', '.join(unknown)} (unknown). Use TileLang 0.1.13 to 0.1.15.")
    return [_REQUIRES[package].format(release=release) for package in packages]


def _with_tensor_maps(text: str) -> str:
    """`text` with the type of each parameter that is a tensor map, which TileLang's own launcher writes: the kernel takes
    its 128 bytes as a constant of the grid."""
    lines = text.splitlines(keepends=True)
    for function in (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)):
        maps = _given_to_tma(function)
        for parameter in reversed(function.args.args):
            if parameter.arg in maps and parameter.annotation is None:
                line, column = parameter.end_lineno - 1, parameter.end_col_offset
                lines[line] = f"{lines[line][:column]}: {_TENSOR_MAP}{lines[line][column:]}"
    return "".join(lines)


def _given_to_tma(function: ast.FunctionDef) -> set[str]:
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    arguments = [argument for call in calls if "tma" in call.func.attr for argument in call.args]
    return {argument.id for argument in arguments if isinstance(argument, ast.Name)}


def _free_names(text: str) -> set[str]:
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
    return {node.id for node in nodes} - {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def target(arch: str = "sm_90a") -> Target:
    """The target for `arch`.

    Errors: UsageError for what is no architecture.
    """
    return _CuteDsl(cuda_arch(arch))
