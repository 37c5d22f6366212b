"""Compiles the kernels and host functions of one program with CuTe DSL: job.json beside this file says which, and what their
parameters are; out/ beside it gets code.cubin, kmux_host.o for host functions, and meta.json, or error.txt.

Imports CuTe DSL only after the job was read. Exit codes: 0 done; 1 the program does not compile; 2 CuTe DSL is not usable.
"""

import ast
import faulthandler
import importlib.util
import inspect
import json
import os
import re
import site
import sys
import traceback
import types
from pathlib import Path

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_OWN = Path(__file__).resolve().parent  # kmux's files, apart from those of the program
_OUT = _OWN / "out"
_ENTRY = _OWN / "kmux_entry.py"
_OBJECT = "kmux_host"  # of host functions, and the prefix of its symbols


class JobError(Exception):
    """What is wrong with the program, in words for its author."""


def main():
    faulthandler.enable()  # a compiler that crashes leaves where it was
    job = json.loads((_OWN / "job.json").read_text())
    os.environ["CUTE_DSL_ARCH"] = job["arch"]
    for folder in sys.argv[1:]:  # of packages that an isolated Python does not look for
        site.addsitedir(folder)
    _OUT.mkdir()
    try:
        import cutlass.cute  # noqa: F401
    except Exception:
        return _fail(2, traceback.format_exc())
    try:
        meta = compile_job(job, _OUT)
    except Exception as error:
        return _fail(1, describe(error, Path(job["program"]).resolve()))
    (_OUT / "meta.json").write_text(json.dumps(meta))
    return 0


def compile_job(job, output):
    """The cubin of a job, in `output`; gives what the launcher's maker must know of it."""
    import cutlass.cute as cute
    from cutlass.cute.runtime import make_fake_stream

    before = set(sys.modules)
    functions = find_functions(job)
    for spec, function in functions:
        check_kind(spec, function)
    entry = Entry(job["entries"], job["hosts"], [function for _, function in functions[len(job["entries"]) :]])
    module = _load("kmux_entry", _write_entry(entry.text, job))
    for index, (_, function) in enumerate(functions):
        setattr(module, f"kmux_function_{index}", function)
    options = [f"--gpu-arch={job['arch']}", "--keep-cubin", f"--dump-dir={os.path.relpath(output)}", *job["flags"]]
    if job["hosts"]:
        options.append(f"--host-target 'llvm -mtriple={_host_triple()}'")
    compiled = cute.compile(module.kmux_launch, *entry.values, make_fake_stream(), options=" ".join(options))
    cubins = sorted(output.glob("*.cubin"))
    if len(cubins) != 1:
        raise JobError(f"CuTe DSL made {len(cubins)} cubins (one is expected): {[file.name for file in cubins]}")
    os.replace(cubins[0], output / "code.cubin")
    if job["hosts"]:
        export_host(compiled, entry, output)
    return {
        "dsl": _version(),
        "python": sys.version.split()[0],
        "arch": job["arch"],
        "symbols": list(getattr(compiled, "kernel_info", None) or []),
        "imported": imported_files(before, job),
    }


# The processor of the host code: any of this machine's kind, as the launcher beside it.
def _host_triple():
    machine = os.uname().machine
    return f"{machine}-unknown-linux-gnu" + (" -mcpu=x86-64" if machine == "x86_64" else "")


def export_host(compiled, entry, output):
    """Writes the object of the host code, and for the assembler what its callers must know (printed/host_functions.h)."""
    compiled.export_to_c(file_path=str(output), file_name=_OBJECT, function_prefix=_OBJECT)
    header = (output / f"{_OBJECT}.h").read_text()
    call = re.search(r"\bvoid (\w+__mlir_ciface_\w+)\(void \*\*args", header)
    load = re.findall(rf"\bvoid (_mlir_{_OBJECT}_cuda_(?:init|load_to_device))\(void \*\*\);", header)
    if call is None or len(load) != 2:
        raise JobError("CuTe DSL wrote a header that is not known here (export_to_c). Use release 4.8.")
    numbers = [len(entry.values), int(entry.selects), *entry.offsets]
    lines = ['.section .data.rel.ro.kmux_host, "aw", %progbits', ".balign 8", *_label("kmux_host_object_table")]
    lines += [f".quad {', '.join([call[1], *load])}"]
    lines += ['.section .rodata.kmux, "a", %progbits', ".balign 4", *_label("kmux_host_numbers")]
    lines += [f".long {', '.join(map(str, numbers))}", ""]
    (output / f"{_OBJECT}.s").write_text("\n".join(lines))


def _label(name):
    return [f".global {name}", f".hidden {name}", f"{name}:"]


def find_functions(job):
    """Entries and host functions, each with the function that it names, among the sources."""
    folder = Path(job["program"]).resolve()
    sys.path[:0] = [str(folder), *job["folders"]]
    _import_parts_of_tilelang(folder, job["sources"])
    modules = [_load(_module_name(path), folder / path) for path in job["sources"]]
    functions = []
    for spec in [*job["entries"], *job["hosts"]]:
        name = spec["kernel"]
        kind = "host function" if "block" not in spec else "kernel"
        found = [module for module in modules if hasattr(module, name)]
        if not found:
            raise JobError(f"no source defines the {kind} {name}")
        if len({id(getattr(module, name)) for module in found}) > 1:
            raise JobError(f"several sources define the {kind} {name}: {[module.__file__ for module in found]}")
        functions.append((spec, getattr(found[0], name)))
    return functions


def check_kind(spec, function):
    """A launch with grid and block is of a kernel, one without is of a host function."""
    kind = getattr(_called(function), "_decorator_kind", None)
    name = spec["kernel"]
    if "block" not in spec and kind == "kernel":
        raise JobError(f"{name} is a kernel, @cute.kernel, and is launched without grid and block. Give it both.")
    if "block" in spec and kind == "jit":
        raise JobError(f"{name} is a host function, @cute.jit, and is launched with grid and block. Leave both out.")


# Of an object with a method __call__ that method, as CUTLASS's examples have them.
def _called(function):
    return function if inspect.isfunction(function) else getattr(type(function), "__call__", function)


class Entry:
    """The text of a host function that launches every kernel once, or calls one of the host functions, and values for its
    parameters. `offsets` is where the arguments of each host function begin."""

    def __init__(self, entries, hosts, functions):
        self.parameters, self.values, self.offsets = [], [], []
        self.selects = len(hosts) + bool(entries) > 1
        which = self.parameter("cutlass.Int32", _integer(0, "Int32")) if self.selects else None
        calls = []
        for index, (host, function) in enumerate(zip(hosts, functions)):
            self.offsets.append(len(self.values))
            arguments = [self.parameter(*fake(spec)) for spec in host["parameters"]]
            calls.append([f"kmux_function_{len(entries) + index}({bind(host['kernel'], function, arguments)})"])
        launches = [line for index, entry in enumerate(entries) for line in self.launch(index, entry)]
        branches = ([launches] if entries else []) + calls
        first = 0 if entries else 1
        lines = []
        for number, branch in enumerate(branches, first):
            lines += [f"if {which} == {number}:", *("    " + line for line in branch)] if self.selects else branch
        body = "\n".join("    " + line for line in lines)
        self.text = f"@cute.jit\ndef kmux_launch({', '.join([*self.parameters, 'stream: CUstream'])}):\n{body}\n"

    def parameter(self, kind, value):
        self.parameters.append(f"p{len(self.parameters)}: {kind}")
        self.values.append(value)
        return f"p{len(self.values) - 1}"

    def launch(self, index, entry):
        lines, arguments = [], []
        for number, spec in enumerate(entry["parameters"]):
            if spec["kind"] == "map":
                name = f"m{index}_{number}"
                lines.append(f"{name} = {tensor_map(spec, self.parameter('cutlass.Int64', _integer(0)))}")
                arguments.append(name)
            else:
                arguments.append(self.parameter(*fake(spec)))
        block = entry["block"] or [self.parameter("cutlass.Int32", _integer(1, "Int32")), 1, 1]
        cluster = f"cluster={entry['cluster']}, " if entry["cluster"] else ""
        lines.append(
            f"kmux_function_{index}({', '.join(arguments)}).launch(grid=[1, 1, 1], block=[{', '.join(map(str, block))}], "
            f"{cluster}smem={entry['smem']}, stream=stream)"
        )
        return lines


def bind(name, function, arguments):
    """The arguments of a call of a host function: those of the launch in order, and the stream where it takes one. What has a
    value of its own, and what is no argument of a launch, is left to the function."""
    parameters = list(inspect.signature(function).parameters.values())
    rest = list(arguments)
    bound = []
    for parameter in parameters:
        if _is_stream(parameter):
            bound.append(f"{parameter.name}=stream")
        elif rest:
            bound.append(f"{parameter.name}={rest.pop(0)}")
        elif parameter.default is inspect.Parameter.empty:
            raise JobError(_arity(name, parameters, arguments))
    if rest:
        raise JobError(_arity(name, parameters, arguments))
    return ", ".join(bound)


def _is_stream(parameter):
    kind = parameter.annotation
    text = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    return text.split(".")[-1] == "CUstream" or (kind is inspect.Parameter.empty and parameter.name == "stream")


def _arity(name, parameters, arguments):
    taken = ", ".join(parameter.name for parameter in parameters if not _is_stream(parameter))
    return f"the host function {name} takes ({taken}) and is launched with {len(arguments)} arguments. Pass those."


def fake(spec):
    """The annotation of a parameter, and a value that stands for all of them."""
    import cutlass
    import cutlass.cute as cute
    from cutlass.cute.runtime import make_fake_tensor, make_ptr

    if spec["kind"] == "pointer":
        pointer = make_ptr(cutlass.Uint8, spec["align"], cute.AddressSpace.gmem, assumed_align=spec["align"])
        return "cute.Pointer", pointer
    dtype = getattr(cutlass, spec["dtype"])
    if spec["kind"] == "value":
        is_float = issubclass(dtype, cutlass.Float)
        return f"cutlass.{spec['dtype']}", dtype(1.0 if is_float else 1)
    shape = tuple(cute.sym_int(32) if extent is None else extent for extent in spec["shape"])
    strides = tuple(cute.sym_int(64) if stride is None else stride for stride in spec["strides"])
    return "cute.Tensor", make_fake_tensor(dtype, shape, strides, assumed_align=spec["align"])


def tensor_map(spec, address):
    """A map of the kind that a launch passes. Geometry is the launcher's; the code knows box, type and swizzle."""
    rank = len(spec["box"])
    return (
        f"tma.create_tensor_map_tiled(global_address={address}, dtype=cutlass.{spec['dtype']}, "
        f"global_dims={spec['box']}, global_strides={[4096] * (rank - 1)}, box_dims={spec['box']}, "
        f"traversal_strides={spec['element_strides']}, interleave=tma.TensorMapInterleave({spec['interleave']}), "
        f"swizzle=tma.TensorMapSwizzle({spec['swizzle']}), l2_promotion=tma.TensorMapL2Promotion({spec['l2_promotion']}), "
        f"oob_fill=tma.TensorMapFloatOOBFill({spec['oob_fill']}))"
    )


def imported_files(before, job):
    """The modules that the sources brought in, but for Python's own, CuTe DSL's and the program's."""
    known = [sys.base_prefix, str(Path(job["program"]).resolve()), str(_OWN)]
    files = []
    for name in sorted(set(sys.modules) - before):
        file = getattr(sys.modules[name], "__file__", None)
        top = name.partition(".")[0]
        if not file or top in ("cutlass", "cuda", "nvidia_cutlass_dsl"):
            continue
        path = str(Path(file).resolve())
        is_package = "site-packages" in path or "dist-packages" in path
        if is_package and top in job["identified"]:
            continue
        if is_package or not any(path.startswith(folder + os.sep) for folder in known):
            files.append(path)
    return files


def describe(error, folder):
    """An error in one line that names the user's file and line, and all that is to be said of it."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    frames = [frame for link in (error, cause) for frame in _frames(link, folder)]
    first = str(error) if isinstance(error, JobError) else f"{type(cause).__name__}: {_first_line(cause)}"
    lines = [f"{_place(cause, frames)}error: {first}"]
    lines += [f"{_relative(frame.filename, folder)}:{frame.lineno}: in {frame.name}: {frame.line}" for frame in frames]
    lines += [_COLOURS.sub("", str(error))]
    # Of a failure within CuTe DSL itself only its makers can tell more.
    lines += [] if frames or isinstance(error, (JobError, SyntaxError)) else [traceback.format_exc()]
    return _in_program("\n".join(lines), folder)


def _frames(error, folder):
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if Path(frame.filename).resolve().is_relative_to(folder)]


def _place(cause, frames):
    if isinstance(cause, SyntaxError) and cause.filename:
        return f"{cause.filename}:{cause.lineno}: "
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames else ""


def _relative(path, folder):
    return Path(path).resolve().relative_to(folder)


def _first_line(error):
    lines = [line for line in _COLOURS.sub("", str(error)).splitlines() if line.strip()]
    return lines[0].strip() if lines else ""


def _in_program(text, folder):
    return _COLOURS.sub("", text).replace(f"{folder}{os.sep}", "")


def _fail(code, log):
    (_OUT / "error.txt").write_text(log)
    return code


def _integer(value, kind="Int64"):
    import cutlass

    return getattr(cutlass, kind)(value)


def _version():
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("nvidia-cutlass-dsl")
    except PackageNotFoundError:
        return ""


# The entry needs a file: CuTe DSL reads the text of the functions that it compiles.
def _write_entry(text, job):
    uses_maps = any(spec["kind"] == "map" for entry in job["entries"] for spec in entry["parameters"])
    lines = ["import cutlass", "import cutlass.cute as cute", "from cuda.bindings.driver import CUstream"]
    lines += ["import cutlass.experimental.cuda as tma"] if uses_maps else []
    path = _ENTRY
    path.write_text("\n".join([*lines, "", "", text]))
    return path


def _module_name(path):
    return re.sub(r"\W", "_", path.removesuffix(".py"))


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise JobError(f"{path.name} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


# What TileLang writes imports `tilelang.contrib.cutedsl` and nothing else of a package that takes seconds, and much else,
# to import. It is found without the modules that it lies in.
def _import_parts_of_tilelang(folder, sources):
    if not sources or not all(_imports_only_its_cutedsl(folder / path) for path in sources):
        return
    homes = [Path(entry) / "tilelang" for entry in sys.path]
    home = next((home for home in homes if (home / "contrib/cutedsl").is_dir()), None)
    if home is None:
        return
    for name, place in (("tilelang", home), ("tilelang.contrib", home / "contrib")):
        module = types.ModuleType(name)
        module.__path__ = [str(place)]
        sys.modules[name] = module


def _imports_only_its_cutedsl(path):
    try:
        nodes = list(ast.walk(ast.parse(path.read_text())))
    except (SyntaxError, ValueError):
        return False  # the import will say it better
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    parts = [name for name in names if name.split(".")[0] == "tilelang"]
    return all(name.split(".")[:3] == ["tilelang", "contrib", "cutedsl"] for name in parts)


if __name__ == "__main__":
    sys.exit(main())
