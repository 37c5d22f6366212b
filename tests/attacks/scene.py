"""What attacks are made of: a folder of its own for each, programs in it, the command, and a mark that code of the attacker leaves."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

VICTIM, ATTACKER = 2001, 2002  # numbers of users that need not be in /etc/passwd

SAXPY_CU = """extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
"""
SAXPY_C = "void saxpy(float a, const float* x, float* y, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }\n"
SIGNATURE = "kernel saxpy(a: f32, x: f32[n: i32], inout y: f32[n])\n  example n = 1000, a = 1.5\n"

EVIL = """#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void go(void) { close(open("%s", O_WRONLY | O_CREAT, 0666)); }
"""


def rights_of(user):
    """What subprocess takes to start a program as that user, in no other group."""
    return {"user": user, "group": user, "extra_groups": []}


class Missing(Exception):
    """What an attack needs and this machine lacks."""


class Scene:
    """The place of one attack."""

    def __init__(self, kmux):
        self.kmux = kmux
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kmux-attack-"))
        self.folder.chmod(0o755)
        self.mark = self.folder / "marks" / "MARK"
        self.mark.parent.mkdir()
        self.mark.parent.chmod(0o777)
        self.stand = self.folder / "stand"  # where the command is started, if it is not the program's folder
        self.stand.mkdir()
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "KMUX_CACHE_DIR": str(self.folder / "cache"),
            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")},  # set by tools/sanitize.py
        }

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def lift_file_rules(self):
        """Lets compilers read and write everything: what holds then is that nothing of the program is where kmux's files are."""
        self.environment |= {"KMUX_COMPILER_READS": "/", "KMUX_COMPILER_WRITES": "/"}

    def write(self, name, content, mode=None):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            path.chmod(mode)
        return path

    def program(self, dialect="cuda", source=None, headers=None, preludes=(), sources=None, flags=(), extra=""):
        """Writes p.kmux with one source, `source` by its name and text, and headers."""
        name, text = source or (("k.cu", SAXPY_CU) if dialect == "cuda" else ("k.c", SAXPY_C))
        self.write(name, text)
        for header, content in (headers or {}).items():
            self.write(header, content)

        def listed(key, words):
            return f"  {key} " + ", ".join('"%s"' % word for word in words) + "\n" if words else ""

        launch = "saxpy<<<ceildiv(n, 256), 256>>>(a, x, y, n)" if dialect == "cuda" else "saxpy(a, x, y, n)"
        lines = SIGNATURE + f"  dialect {dialect}\n" + listed("sources", sources or [name]) + listed("headers", list(headers or {}))
        lines += listed("preludes", preludes) + listed("compile_flags", flags) + extra + f"  launch {launch}\n"
        return self.write("p.kmux", lines)

    def run(self, *words, user=None, timeout=120, cwd=None, **variables):
        """The command with these words, as its result. It stands in the program's folder, or in `cwd`."""
        return subprocess.run(
            [self.kmux, *map(str, words)],
            env=self.environment | variables,
            cwd=cwd or self.folder,
            capture_output=True,
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
            **(rights_of(user) if user is not None else {}),
        )

    def compile(self, backend, *words, timeout=120, cwd=None, **variables):
        return self.compile_all(backend, [self.folder / "p.kmux"], *words, timeout=timeout, cwd=cwd, **variables)

    def compile_all(self, backend, programs, *words, timeout=120, cwd=None, **variables):
        """One command that compiles all of these programs, one after another."""
        target = {"cuda": ["--target", "cuda:sm_80"], "nvrtc": ["--target", "cuda:sm_80"], "hip": ["--target", "hip:gfx90a"]}
        many = ["--keep-going", "-j", "1"] if len(programs) > 1 else []
        words = ["compile", *programs, "--backend", backend, *target.get(backend, []), "--no-cache", *many, *words]
        return self.run(*words, timeout=timeout, cwd=cwd, **variables)

    def evil_library(self):
        """A shared library whose constructor leaves the mark, as bytes."""
        self.write("evil/evil.c", EVIL % self.mark)
        library = self.folder / "evil/evil.so"
        if shutil.which("gcc") is None:
            raise Missing("gcc")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, self.folder / "evil/evil.c"], check=True)
        return library.read_bytes()

    def is_marked(self):
        return self.mark.exists()

    def needs_root(self):
        if os.getuid() != 0:
            raise Missing("root, who can be two users")

    def needs_backend(self, name):
        listed = subprocess.run([self.kmux, "plugins"], env=self.environment, capture_output=True, text=True, check=False).stdout
        if not any(line.split()[:1] == [name] for line in listed.splitlines()):
            raise Missing(f"backend {name}")
        if name == "cuda" and shutil.which("nvcc") is None and not os.path.exists("/usr/local/cuda/bin/nvcc"):
            raise Missing("nvcc")

    def needs_landlock(self):
        if b"no Landlock" in self.run("plugins", "--verbose").stdout:
            raise Missing("Landlock, which the kernel lacks")

    def as_user(self, user, command, **variables):
        return subprocess.run(
            ["/bin/sh", "-c", command],
            env=self.environment | {"HOME": "/nonexistent"} | variables,
            cwd=self.folder,
            capture_output=True,
            timeout=120,
            check=False,
            **rights_of(user),
        )


ATTACKS = {}


def attack(name):
    """Registers a function of a scene that returns true if the attack succeeds."""

    def register(function):
        assert name not in ATTACKS, name
        ATTACKS[name] = function
        return function

    return register


@contextlib.contextmanager
def scene_of(kmux):
    scene = Scene(kmux)
    try:
        yield scene
    finally:
        scene.close()
