"""A type checker's view of the package, and of programs that use it (C3.10)."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

PACKAGE = pathlib.Path(__file__).resolve().parent.parent

USER = """
    from __future__ import annotations

    import enum

    import kmux

    kernel: kmux.Kernel = kmux.compile("scale.kmux.json", target="cpu", out_idx=-1, compile_flags="-O2 -g")
    all: list[kmux.Kernel] = kmux.par_compile(["scale.kmux.json"])
    own: kmux.SourceKernel = kmux.kernel("twice.cu", "twice(x: inout f32[n])", grid=len(all), block=[256, "n"])
    of_own: list[kmux.Kernel] = kmux.par_compile([own], out_idx=[0])
    ordinals: list[int] = [device.ordinal for device in kmux.devices()]
    some: list[kmux.Kernel | None] = kmux.par_compile(["scale.kmux.json"], ignore_error=True)


    @kmux.jit(target="cpu")
    def scale(tile: int = 4) -> str:
        return "scale.kmux.json"


    made: kmux.Kernel = scale(tile=8)
    rest: list[kmux.Kernel | None] = scale.par_compile([{"tile": 2}], ignore_error=True, timeout=3)


    @kmux.jit(debug_root_path="debug")
    def add(b: kmux.JitBuilder, x: object, *, tile: int = 4) -> kmux.JitBuffer:
        n, m = b.constant("n"), b.symbol("m")
        b.input("x", (n * 2 + 1, m // 2))
        return b.empty("y", "float32", [n.value])


    for_x: kmux.Kernel = add.compile(object(), tile=2)
    y = add(object(), tile=8)


    class Tiles(enum.Enum):
        FEW = 4

        @kmux.jit(target="cpu")
        def scale(self, tile: int = 4) -> str:
            return "scale.kmux.json"

        @kmux.jit
        def add(self, b: kmux.JitBuilder, x: object, *, tile: int = 4) -> None: ...


    of_method: kmux.Kernel = Tiles.FEW.scale(tile=8)
    of_eager_method: kmux.Kernel = Tiles.FEW.add.compile(object(), tile=8)


    def log_of(error: kmux.CompileError) -> str:
        return error.log
"""
WRONG = """
    import kmux

    kmux.compile("scale.kmux.json", targt="cpu")
    kmux.compile("scale.kmux.json", out_idx="one")


    @kmux.jit
    def scale(b: kmux.JitBuilder, x: object, *, tile: int = 4) -> None: ...


    scale(object(), tile="four")
"""


@unittest.skipUnless(importlib.util.find_spec("mypy"), "needs mypy (it is not in this Python)")
class Typing(unittest.TestCase):
    """What mypy reads of NumPy and of this package it reads once, for all of them, and for the next run where MYPY_CACHE_DIR is set."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="kmux-typing-test-")
        cls.addClassCleanup(cls.folder.cleanup)

    def mypy(self, *words):
        cache = os.environ.get("MYPY_CACHE_DIR") or os.path.join(self.folder.name, "cache")
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *map(str, words)]
        return subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, timeout=300, check=False)

    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "user.py")
            file.write_text(textwrap.dedent(text))
            return self.mypy(file)

    def test_the_package_is_clean(self):
        done = self.mypy()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_user_is_clean(self):
        done = self.check(USER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_wrong_option_is_found(self):
        done = self.check(WRONG)
        self.assertIn('"targt"', done.stdout)
        self.assertIn('"out_idx"', done.stdout)
        self.assertIn('"tile"', done.stdout)


if __name__ == "__main__":
    unittest.main()
