"""wheel_test.py SOURCE BUILD WHEELS: packs the build into a wheel, installs that into a clean environment and runs the
examples there. WHEELS is a folder with the wheels of what it depends on; without them it is skipped.
"""

import email
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE, BUILD, WHEELS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
NATIVE = "kmux/_native/"
PLUGINS = NATIVE + "lib/kmux/plugins/"
SCALE = SOURCE / "examples/programs/scale/scale.kmux.json"
MOST_BYTES = 60 << 20
# What manylinux allows every wheel, and what the environment of TVM-FFI has loaded.
FOREIGN = re.compile(r"(ld-linux.*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so\.\d|libtvm_ffi\.so")
EXAMPLES = {
    "saxpy.py": ("[1. 3. 5. 7. 9.]",),
    "quickstart.py": ("[1.  2.5 4.  5.5]", "[0. 3. 6. 9.] by cpu", "TypeError: ", "ValueError: "),
    "row_sum.py": ("[5. 5.]",),
    "jit_eager.py": ("[72. 72.]",),
    "jit_function.py": ("[3. 5. 7.]", "[10.]"),
    "par_compile.py": ("2 of 2: ",),
}


def run(*words, **options):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, check=False, **options)


def needs_of(file):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-Wd", file).stdout)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="kmux-wheel-test-")
        cls.root = pathlib.Path(cls.folder.name)
        packed = run(
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--disable-pip-version-check",
            "--no-build-isolation",
            "--no-deps",
            "--wheel-dir",
            cls.root,
            SOURCE / "integrations/tvm_ffi",
            env={**os.environ, "KMUX_BUILD": str(BUILD)},
        )
        assert packed.returncode == 0, packed.stderr
        (cls.wheel,) = cls.root.glob("*.whl")
        cls.install()

    @classmethod
    def install(cls):
        cls.python = cls.root / "venv/bin/python"
        for words in (  # by the pip that is here, which leaves out what Python compiles at the first import
            (sys.executable, "-m", "venv", "--without-pip", cls.root / "venv"),
            (
                sys.executable,
                "-m",
                "pip",
                "--python",
                cls.python,
                "install",
                "--no-compile",
                "--quiet",
                "--disable-pip-version-check",
                "--no-index",
                "--find-links",
                WHEELS,
                f"{cls.wheel}[numpy]",
            ),
        ):
            done = run(*words)
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def contents(self):
        return zipfile.ZipFile(self.wheel)

    def run_clean(self, *words, **more):
        """Nothing of the build is in sight: another folder, another environment."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.root), "KMUX_DISABLE_CACHE": "1", **more}
        return run(*words, cwd=self.root, env=environment)

    def test_is_small_and_says_where_it_runs(self):
        self.assertLessEqual(self.wheel.stat().st_size, MOST_BYTES)
        self.assertRegex(self.wheel.name, r"^kmux-[0-9.]+-py3-none-manylinux_2_\d+_\w+\.whl$")

    def test_carries_libraries_plugins_and_programs(self):
        names = set(self.contents().namelist())
        for name in (
            "lib/libkmux.so.0",
            "lib/libkmux_tvm_ffi.so",
            "lib/kmux/plugins/kmux_cpu.so",
            "libexec/kmux/kmux-worker",
            "bin/kmux",
        ):
            self.assertIn(NATIVE + name, names)
        self.assertIn("kmux/py.typed", names)
        self.assertFalse([name for name in names if name.endswith((".h", ".a", ".cmake"))])

    def test_manifests_know_the_stripped_libraries(self):
        with self.contents() as wheel:
            manifests = [name for name in wheel.namelist() if name.endswith(".plugin.json")]
            self.assertTrue(manifests)
            for name in manifests:
                manifest = json.loads(wheel.read(name))
                library = wheel.read(PLUGINS + manifest["library"])
                self.assertEqual(manifest["sha256"], hashlib.sha256(library).hexdigest())

    def test_depends_on_tvm_ffi(self):
        with self.contents() as wheel:
            (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
            metadata = email.message_from_bytes(wheel.read(name))
        needs = metadata.get_all("Requires-Dist")
        self.assertTrue([need for need in needs if need.startswith("apache-tvm-ffi")], needs)
        self.assertEqual(metadata.get_all("Provides-Extra"), ["numpy", "nvrtc", "nvrtc12", "progress", "ray"])

    def test_libraries_are_stripped_and_need_nothing_else(self):
        with self.contents() as wheel:
            wheel.extractall(self.root / "unpacked")
        own = {path.name for path in (self.root / "unpacked").rglob("*.so*")}
        files = [
            path
            for path in (self.root / "unpacked" / NATIVE).rglob("*")
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"
        ]
        self.assertGreaterEqual(len(files), 5)
        for file in files:
            self.assertNotIn(".debug_info", run("readelf", "-WS", file).stdout, file)
            for needed in needs_of(file):
                self.assertTrue(needed in own or FOREIGN.fullmatch(needed), f"{file} needs {needed}")

    def test_runs_the_examples(self):
        for name, expected in EXAMPLES.items():
            with self.subTest(name):
                done = self.run_clean(self.python, SOURCE / "examples/python" / name)
                self.assertEqual(done.returncode, 0, done.stderr)
                for text in expected:
                    self.assertIn(text, done.stdout)

    def test_finds_its_own_plugins_and_worker(self):
        script = (
            "import kmux; print([p.path for p in kmux.plugins() if p.name == 'cpu'], "
            f"kmux.compile('{SOURCE}/examples/programs/scale/scale.kmux.json', isolation='process').backend)"
        )
        done = self.run_clean(self.python, "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{self.root}/venv/lib", done.stdout)

    def test_brings_the_command(self):
        done = self.run_clean(self.root / "venv/bin/kmux", "plugins", "--verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("cpu", done.stdout)

    def test_the_command_has_fleet(self):
        for command in ((self.root / "venv/bin/kmux", "fleet"), (self.python, "-m", "kmux.fleet")):
            with self.subTest(command):
                announced = json.loads(self.run_clean(*command, "resources").stdout)
                self.assertTrue(any(name.startswith("kmux:cpu:") for name in announced), announced)
                self.assertIn("\n    tune ", self.run_clean(*command, "--help").stdout)
                done = self.run_clean(*command, "compile", SCALE, "--run", self.root / "no-ray")
                self.assertEqual(done.returncode, 4)
                self.assertIn("(No module named 'ray'). Install: pip install ray", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("ray"), "needs ray (pip install kmux[ray])")
    def test_the_command_compiles_on_a_cluster(self):
        ray = {"PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder.endswith("-packages"))}
        quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
        run_folder = self.root / "run"
        words = ("compile", SCALE, "-t", "cpu:x86-64-v2", "--address", "local", "--run", run_folder, "--json")
        done = self.run_clean(self.root / "venv/bin/kmux", "fleet", *words, **ray, **quiet)
        self.assertEqual(done.returncode, 0, done.stderr)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([event["event"] for event in events], ["begin", "unit", "end"])
        self.assertEqual((events[1]["state"], events[1]["result"]["backend"], events[2]["done"]), ("done", "cpu", 1))
        status = self.run_clean(self.root / "venv/bin/kmux", "fleet", "status", run_folder)
        self.assertIn("compile: 1 of 1 done, 0 failed, 0 left", status.stdout)

    @unittest.skipUnless(importlib.util.find_spec("PyInstaller"), "needs PyInstaller (pip install pyinstaller)")
    def test_a_frozen_program_has_all_that_it_needs(self):
        (self.root / "frozen.py").write_text(
            "import kmux, numpy\n"
            f"made = kmux.compile({str(SCALE)!r}, isolation='process')\n"
            "print(made(numpy.ones(4, 'float32'), 2.0), made.backend, kmux.__file__)\n"
        )
        freeze = {"PYTHONPATH": os.pathsep.join(folder for folder in sys.path if folder.endswith("-packages"))}
        done = self.run_clean(self.python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", "frozen.py", **freeze)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.root / "venv").rename(self.root / "gone")
        try:
            done = self.run_clean(self.root / "dist/frozen/frozen")
        finally:
            (self.root / "gone").rename(self.root / "venv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\[2. 2. 2. 2.\] cpu .*/dist/frozen/_internal/kmux/")

    def test_the_command_imports_neither_the_package_nor_what_it_needs(self):  # C3.10
        script = "import os, sys; os.execv = lambda *_: print(sorted(sys.modules)); import kmux_command as c; c.main()"
        done = self.run_clean(self.python, "-c", script)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("'kmux'", done.stdout)
        self.assertNotIn("tvm_ffi", done.stdout)
        self.assertIn("'kmux_command'", done.stdout)
        entry = (self.root / "venv/bin/kmux").read_text()
        self.assertIn("from kmux_command import main", entry)


if __name__ == "__main__":
    if not any(WHEELS.glob("apache_tvm_ffi-*.whl")):
        print(f"needs the wheels of what it depends on ({WHEELS}; ./kmux.sh test fetches them)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
