"""Packs a build tree into the wheel: what `cmake --install` puts below a prefix goes to kmux/_native, stripped.

KMUX_BUILD names the build tree (default: build/release of the sources); it has been built.
"""

import os
import pathlib
import platform
import subprocess
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
# Of the installation: programs run without headers and CMake files. A wheel holds no links, so libraries go by the name
# under which others need them.
_CARRIED = (
    "bin/kmux",
    "lib/libkmux.so.0",
    "lib/libkmux_tvm_ffi.so",
    "lib/kmux_python.abi3.so",
    "lib/kmux/plugins/*",
    "libexec/kmux/*",
    "share/doc/kmux/licences/*",
)
_MACHINES = {62: "x86_64", 183: "aarch64"}  # ELF's numbers
# Of the plain installation, and the licences of what is linked in.
_PARTS = ([], ["--component", "licences"])


def _install(build: pathlib.Path, prefix: pathlib.Path, part: list[str]) -> None:
    command = ["cmake", "--install", str(build), "--prefix", str(prefix), "--strip", *part]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(
            f"{build} cannot be installed ({(done.stderr or done.stdout).strip()}). Build it: ./kmux.sh build."
        )


def _machine(library: pathlib.Path) -> str:
    """The machine that `library` was built for, by the header of its file."""
    with library.open("rb") as file:
        number = int.from_bytes(file.read(20)[18:], "little")
    if number not in _MACHINES:
        raise RuntimeError(f"{library} is for ELF's machine {number} (wheels are for x86_64 and aarch64). Build it for one.")
    return _MACHINES[number]


def _tag(library: pathlib.Path) -> str:
    """The glibc of the machine that it was built on is the oldest that it is said to run with."""
    _, glibc = platform.libc_ver()
    return f"py3-none-manylinux_{glibc.replace('.', '_')}_{_machine(library)}"


class NativeFiles(BuildHookInterface):
    """Adds the libraries, the plugins and the programs."""

    def initialize(self, version, build_data):
        if version == "editable":
            return
        build = pathlib.Path(os.environ.get("KMUX_BUILD") or _SOURCES / "build" / "release")
        self._stage = tempfile.TemporaryDirectory(prefix="kmux-wheel-")
        prefix = pathlib.Path(self._stage.name)
        for part in _PARTS:
            _install(build, prefix, part)
        for pattern in _CARRIED:
            found = sorted(prefix.glob(pattern))
            if not found:
                raise RuntimeError(f"{build} has no {pattern} (it was not built). Build it: ./kmux.sh build.")
            for file in found:
                build_data["force_include"][str(file.resolve())] = f"kmux/_native/{file.relative_to(prefix)}"
        build_data["pure_python"] = False
        build_data["tag"] = _tag(prefix / "lib/libkmux.so.0")

    def finalize(self, version, build_data, artifact_path):
        if hasattr(self, "_stage"):
            self._stage.cleanup()
