"""Compiles the device texts of tests/data/tilelang without a device, and compares each launch with the kernel that came
out: the parameters in number and width, and the largest block. One program is compiled with its own headers alone.

Usage: compiling.py REPOSITORY; exits with 77 (a counted skip) without TileLang or the CUDA toolkit.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kmux_tilelang.alignment import launches_in  # noqa: E402
from kmux_tilelang.error import UsageError  # noqa: E402
from kmux_tilelang.lower import header_roots, target_context  # noqa: E402
from kmux_tilelang.targets import find_target  # noqa: E402
from nvrtc import CompileError, find_nvrtc, to_ptx, toolkit_flags  # noqa: E402

_ENTRY = re.compile(r"\.entry (\w+)\(([^)]*)\)([^{]*)\{")
_BYTES = re.compile(r"\.param (?:\.align \d+ )?\.[a-z](\d+) [^\[,]*(?:\[(\d+)\])?")
_BLOCK = re.compile(r"\.maxntid (\d+), (\d+), (\d+)")
_PRELUDE = "#include <tl_templates/cuda/nvrtc_std.h>\n"
_EMBEDDED = "kernels/tensor_core.py:gemm_f16"


def nvrtc_flags(standard: str, arch: str, roots: list[Path]) -> list[str]:
    """What NVRTC is told."""
    flags = [f"--std={standard}", f"--gpu-architecture={arch}", "-default-device", "-w"]
    return flags + [f"-I{root}" for root in roots] + toolkit_flags() + ["-D__CUDACC_VER_MAJOR__=13"]


def compiled(program: Path, variant: dict[str, Any], roots: list[Path], nvrtc: Any) -> str:
    """The PTX of a variant, compiled as its settings say."""
    settings = variant["settings"]
    arch = variant["requires"]["arch"][0].replace("sm_", "compute_")
    flags = nvrtc_flags(settings["standard"], arch, roots)
    preludes = "".join(f"#include <{name}>\n" for name in settings.get("preludes", []))
    return to_ptx(nvrtc, preludes + (program.parent / variant["sources"][0]["path"]).read_text(), flags)


def parameter_sizes(ptx: str) -> dict[str, tuple[list[int], list[int]]]:
    """For each kernel: the bytes of its parameters, and the largest block in x, y, z."""
    kernels = {}
    for name, parameters, directives in _ENTRY.findall(ptx):
        sizes = [int(bits) // 8 * int(count or 1) for bits, count in _BYTES.findall(parameters)]
        block = _BLOCK.search(directives)
        kernels[name] = (sizes, [int(extent) for extent in block.groups()] if block else [])
    return kernels


def argument_sizes(launch: dict[str, Any], params: list[dict[str, Any]]) -> list[int]:
    """The bytes of each argument of a launch."""
    dtypes = {param["name"]: param["scalar"]["dtype"] for param in params if "scalar" in param}
    return [_argument_size(argument, dtypes) for argument in launch["args"]]


def _argument_size(argument: dict[str, Any], dtypes: dict[str, str]) -> int:
    if "tensor_map" in argument:
        return 128
    if "tensor" in argument or "workspace" in argument:
        return 8
    dtype = dtypes[argument["scalar"]] if "scalar" in argument else argument.get("dtype", "int32")
    return 1 if dtype == "bool" else int(re.findall(r"\d+", dtype)[0]) // 8


def problems_of(program: Path, roots: list[Path], nvrtc: Any) -> list[str]:
    """What is wrong with the CUDA variants of a program."""
    document = json.loads(program.read_text())
    found = []
    for variant in (v for v in document["variants"] if v["dialect"] == "cuda"):
        try:
            kernels = parameter_sizes(compiled(program, variant, roots, nvrtc))
        except CompileError as error:
            found.append(f"{program.name}: does not compile: {error}")
            continue
        for launch in launches_in(variant["body"]["steps"]):
            expected = (argument_sizes(launch, document["signature"]["params"]), (launch["block"] + [1, 1])[:3])
            if kernels.get(launch["kernel"]) != expected:
                found.append(f"{program.name}: launch {expected} of kernel {kernels.get(launch['kernel'])}")
    return found


def lacking_problems(roots: list[Path], nvrtc: Any) -> list[str]:
    """What is wrong with texts that use what NVRTC lacks, with headers of TileLang's and without."""
    target = find_target("cuda")
    kernel = """extern "C" __global__ void k(uint* x, half_t* h) {
  uint y[1] = {1u};
  *x = y[0];
  *h = std::numeric_limits<half_t>::max();
  h[1] = half_t(std::numeric_limits<float>::infinity());
}
"""
    found = []
    for header in ("tl_templates/cuda/common.h", "tl_templates/cuda/reduce.h", "cutlass/half.h"):
        own = "" if header.startswith("tl_") else "using cutlass::half_t;\n"
        lowered = SimpleNamespace(text=f"#include <{header}>\n{own}{kernel}", devices={})
        text = _PRELUDE + target.source(lowered, {})
        try:
            to_ptx(nvrtc, text, nvrtc_flags(target.settings(lowered)["standard"], "compute_90a", roots))
        except CompileError as error:
            found.append(f"{header}: does not compile: {error}")
    return found


def main() -> int:
    repository = Path(sys.argv[1]).resolve()
    nvrtc = find_nvrtc()
    try:
        roots = header_roots()
        target_context(find_target("cuda"))
    except UsageError as error:
        print(f"needs TileLang ({error})")
        return 77
    if nvrtc is None:
        print("needs a CUDA toolkit (set CUDA_HOME)")
        return 77
    programs = sorted((repository / "tests/data/tilelang").glob("*/*.kmux.json"))
    problems = [problem for program in programs for problem in problems_of(program, roots, nvrtc)]
    problems += lacking_problems(roots, nvrtc)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "kmux_tilelang", "export", _EMBEDDED, "--target", "cuda", "--embed-headers"]
        ran = subprocess.run([*command, "-o", folder], cwd=repository / "integrations/tilelang", stdout=subprocess.PIPE)
        problems += [] if ran.returncode == 0 else [f"{_EMBEDDED}: exit {ran.returncode}"]
        for program in Path(folder).glob("*.kmux.json"):
            problems += problems_of(program, [program.parent], nvrtc)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
