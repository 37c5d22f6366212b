"""Programs that TileLang lowered before, so that the next process need not."""

import functools
import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

import kmux
from tilelang import env, tvm

from ..lower import version
from .target import lowered_for

_SCHEMA = 2  # raise it when the exporter writes other programs


def kept_key(function: Any, out_idx: Any, backend: str, options: dict[str, Any]) -> str:
    """What decides which kernel comes out: SHA-256 over the prim_func's text, TileLang, target and options."""
    parts = {
        "schema": _SCHEMA,
        "kmux": kmux.__version__,
        "tilelang": version(),
        "function": function.script(show_meta=True),
        "attributes": sorted(f"{name}={value}" for name, value in (function.attrs or {}).items()),
        "out_idx": str(out_idx),
        "backend": backend,
        "target": str(options.get("target")),
        "pass_configs": sorted(f"{name}={value}" for name, value in (options.get("pass_configs") or {}).items()),
        "compile_flags": str(options.get("compile_flags")),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def find(key: str) -> kmux.Program | None:
    """The program that was kept; None if there is none, or if TileLang's own cache is off."""
    return kmux.cached_program(key) if is_on() else None


def keep(key: str, program: kmux.Program) -> None:
    """Keeps a program for the next process."""
    if is_on():
        kmux.cache_program(key, program)


def program_file(program: kmux.Program) -> str:
    """The path of a new file that has all of `program`."""
    with tempfile.NamedTemporaryFile("w", prefix="kmux_", suffix=".json", delete=False) as file:
        json.dump({"document": program.to_json(), "files": program.files}, file)
    return file.name


def program_in(path: str) -> kmux.Program:
    """What `program_file` wrote, there or in a copy.

    Errors: OSError; ValueError if it is damaged.
    """
    kept = json.loads(Path(path).read_text())
    return kmux.program(kept["document"], kept["files"])


def text_of(program: kmux.Program) -> str:
    """What is compiled, which a process shows whether it lowered the kernel or found it."""
    return "".join(program.files.values())


def is_on() -> bool:
    """Does TileLang keep kernels? Its switch counts for kmux's cache as well."""
    return bool(env.is_cache_enabled())


class Lowering:
    """TileLang's `CompiledArtifact` of a kernel that was not lowered in this process: it is lowered when its contents are read."""

    rt_mod = None

    def __init__(self, kernel: Any, function: Any, program: kmux.Program) -> None:
        self._kernel, self._function = kernel, function
        self.kernel_source = text_of(program)
        self.target, self.target_host = lowered_for(kernel.target), kernel.target_host

    @property
    def params(self) -> Any:
        """The parameters, as TileLang describes them."""
        return self._kernel.adapter.params

    @property
    def host_mod(self) -> Any:
        """The host's part."""
        return self._artifact.host_mod

    @property
    def device_mod(self) -> Any:
        """The device's part."""
        return self._artifact.device_mod

    @functools.cached_property
    def _artifact(self) -> Any:
        from tilelang.engine.lower import lower

        configs = dict(self._kernel.pass_configs or {})
        with tvm.transform.PassContext(opt_level=3, config=configs), self.target:
            return lower(self._function, target=self.target, target_host=self.target_host)
