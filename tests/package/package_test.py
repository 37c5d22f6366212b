#!/usr/bin/env python3
"""package_test.py SOURCE BUILD CPACK: makes the archive, and runs what is in it where there is only glibc beside it."""
import array
import ast
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCE, BUILD, CPACK = (pathlib.Path(argument) for argument in sys.argv[1:4])
sys.path.insert(0, str(SOURCE / "tools"))
import package_pages  # noqa: E402

MOST_BYTES = 60 << 20
OLDEST_GLIBC = (2, 36)
GLIBC = re.compile(r"(ld-linux.*|libc|libm|libdl|libpthread|librt)\.so\.\d")


def save_npy(path, values):
    """Format 1.0 of NumPy's NEP 1: magic, length of the header, header padded to 64 bytes, data."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


def load_npy(path):
    content = path.read_bytes()
    data = 10 + int.from_bytes(content[8:10], "little")
    assert ast.literal_eval(content[10:data].decode())["descr"] == "<f4"
    return array.array("f", content[data:])


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True, check=True).stdout


def glibc_files(program):
    """The loader that `program` names, and the libraries of this machine's glibc."""
    yield pathlib.Path(re.search(r"program interpreter: (.*)\]", readelf("-l", program))[1])
    for line in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True,
                               env={"PATH": "/usr/sbin:/sbin:/usr/bin"}).stdout.splitlines():
        found = re.match(r"\s*(\S+) \((.*)\) => (\S+)$", line)
        if found and GLIBC.fullmatch(found[1]) and "64" in found[2]:
            yield pathlib.Path(found[3])


class Package(unittest.TestCase):
    """The tree below `root` is the whole world of the programs that run here: opt/kmux, work and glibc."""

    @classmethod
    def setUpClass(cls):
        subprocess.run([CPACK, "-G", "TGZ", "--config", BUILD / "CPackConfig.cmake"], cwd=BUILD, check=True, stdout=subprocess.DEVNULL)
        (cls.archive,) = (BUILD / "package").glob("*.tar.gz")
        cls.folder = tempfile.TemporaryDirectory(prefix="kmux-package-")
        cls.root = pathlib.Path(cls.folder.name)
        with tarfile.open(cls.archive) as archive:
            archive.extractall(cls.root)
        cls.prefix = (cls.root / cls.archive.name.removesuffix(".tar.gz")).rename(cls.root / "kmux")
        cls.work = cls.root / "work"
        cls.work.mkdir()
        for folder in ("tmp", "proc", "dev"):
            (cls.root / folder).mkdir()
        (cls.root / "dev/null").touch()
        for file in glibc_files(cls.prefix / "bin/kmux"):
            (cls.root / file.relative_to("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, cls.root / file.relative_to("/"))
        cls.isolate()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def isolate(cls):
        """The first that this machine allows: no other files and no network; no other files; no environment."""
        inside = [f"--root={cls.root}", "--wd=/work"]
        alone = ["--mount", "--pid", "--fork", "--net", "--mount-proc", *inside]
        # Without /proc the loader is told where programs lie; it can be told one folder only, not the worker's.
        told = {"LD_ORIGIN_PATH": "/kmux/bin", "LD_LIBRARY_PATH": "/kmux/lib/kmux/bundled"}
        for words, environment in ((alone, {}), (["--map-root-user", *alone], {}), (inside, told)):
            cls.isolation, cls.environment = ["unshare", *words], environment
            cls.inner = pathlib.Path("/")
            if cls.kmux("--version").returncode == 0:
                return
        cls.isolation, cls.environment, cls.inner = [], {}, cls.root
        print("package: neither root nor user namespaces here: other files of this machine are in reach", file=sys.stderr)

    @classmethod
    def kmux(cls, *words, program="kmux", **environment):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.inner / "work"), "KMUX_DISABLE_CACHE": "1",
                       **cls.environment, **environment}
        return subprocess.run([*cls.isolation, cls.inner / "kmux/bin" / program, *words], cwd=cls.work, env=environment,
                              capture_output=True, text=True, timeout=120)

    def write_program(self, name, text):
        """The example `scale` with the source `text`."""
        folder = self.work / name
        folder.mkdir()
        program = json.loads((self.prefix / "share/doc/kmux/examples/programs/scale/scale.kmux.json").read_text())
        source = program["variants"][0]["sources"][0]
        source["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        (folder / source["path"]).write_text(text)
        (folder / "scale.kmux.json").write_text(json.dumps(program, sort_keys=True, separators=(",", ":")) + "\n")
        return f"{name}/scale.kmux.json"

    def run_scale(self, program):
        x = array.array("f", (i - 500 for i in range(1003)))
        save_npy(self.work / "x.npy", x)
        (self.work / "y.npy").unlink(missing_ok=True)
        result = self.kmux("run", program, "--backend", "cpu", "--in", "x=x.npy", "--scalar", "factor=1.5",
                           "--out", "y=y.npy")
        if result.returncode == 0:
            self.assertEqual(load_npy(self.work / "y.npy"), array.array("f", (1.5 * value for value in x)))
        return result

    def elf_files(self):
        for file in sorted(self.prefix.rglob("*")):
            if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF":
                yield file

    def test_is_small(self):
        self.assertLessEqual(self.archive.stat().st_size, MOST_BYTES)

    def test_needs_itself_and_glibc_only(self):
        names = {file.name for file in self.prefix.rglob("*.so*")}
        files = list(self.elf_files())
        self.assertIn(self.prefix / "bin/kmux", files)
        for name in ("kmux_cpu.so", "kmux_cpu_clang.so"):
            self.assertIn(self.prefix / "lib/kmux/plugins" / name, files)
        for file in files:
            for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", file)):
                self.assertTrue(needed in names or GLIBC.fullmatch(needed), f"{file} needs {needed}")

    def test_runs_with_an_old_glibc(self):
        for file in self.elf_files():
            versions = [tuple(map(int, v.split("."))) for v in re.findall(r"Name: GLIBC_([\d.]+)", readelf("-V", file))]
            self.assertLessEqual(max(versions), OLDEST_GLIBC, file)

    def test_is_stripped(self):
        for file in self.elf_files():
            self.assertNotIn(".debug_info", readelf("-S", file), file)

    def test_has_the_code_of_a_call_at_one_place_of_a_page(self):
        section = re.search(r"\.text\.call\s+PROGBITS\s+(\S+)\s+\S+\s+(\S+)", readelf("-S", self.prefix / "lib/libkmux.so.0"))
        address, size = (int(number, 16) for number in section.groups())
        self.assertEqual(address % 4096, 0)
        self.assertTrue(2000 < size < 8192, size)  # 1,536 before it, then some 2 KB

    def test_verifies(self):
        result = self.kmux("plugins", "--verify")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("cpu", result.stdout)

    def test_every_link_of_every_page_leads_somewhere(self):  # (C3.9)
        pages = list(self.prefix.rglob("*.md"))
        self.assertGreater(len(pages), 50)
        self.assertGreater(sum(1 for page in pages for _ in package_pages.links(page.read_text())), 100)
        self.assertEqual(list(package_pages.dead_links(self.prefix)), [])

    def test_has_what_it_takes_to_begin_a_backend(self):  # (C3.11)
        shared = self.prefix / "share/kmux"
        done = subprocess.run([sys.executable, "-B", shared / "new_plugin.py", "begun", "--into", self.work],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        contract = re.search(r"(/\S+/plugin-abi\.md)", done.stdout)[1]
        self.assertEqual(pathlib.Path(contract).resolve(), (self.prefix / "share/doc/kmux/docs/plugin-abi.md").resolve())
        self.assertTrue(pathlib.Path(contract).is_file())
        self.assertIn("kmux::begun::BegunBackend", (self.work / "begun/plugin.cpp").read_text())
        result = self.kmux("--plugin", "cpu", "--plugin-path", self.inner / "kmux/lib/kmux/plugins",
                           "--gtest_filter=Load.*", program="kmux-conformance")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_runs_its_example(self):
        result = self.kmux("--version")
        self.assertEqual(result.returncode, 0, result.stderr)
        shutil.copytree(self.prefix / "share/doc/kmux/examples/programs", self.work / "examples")
        result = self.run_scale("examples/scale/scale.kmux.json")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_compiles_in_a_process_of_its_own(self):
        text = "void scale(const float* x, float f, float* y, long n) { while (n-- > 0) y[n] = f * x[n]; }\n"
        words = ["run", self.write_program("isolated", text), "--in", "x=ones", "--symbol", "n=8", "--scalar", "factor=2"]
        result = self.kmux(*words, KMUX_ISOLATION="process")
        self.assertEqual(result.returncode, 0, result.stderr)
        worker = self.prefix / "libexec/kmux/kmux-worker"
        hidden = worker.rename(self.prefix / "hidden-worker")
        self.addCleanup(lambda: hidden.rename(worker))
        result = self.kmux(*words, KMUX_ISOLATION="process")
        self.assertNotEqual(result.returncode, 0, "it was the worker that compiled")

    def test_says_what_to_install_for_the_c_library(self):
        result = self.run_scale(self.write_program("libc", "#include <stdio.h>\nvoid scale() {}\n"))
        self.assertEqual(result.returncode, 5 if self.isolation else result.returncode, result.stderr)
        if self.isolation:
            self.assertIn("apt-get install libc6-dev", result.stderr)

    def test_says_that_its_compiler_is_missing(self):
        compiler = self.prefix / "lib/kmux/plugins/kmux_cpu_clang.so"
        hidden = compiler.rename(self.prefix / "hidden.so")
        self.addCleanup(lambda: hidden.rename(compiler))
        result = self.run_scale("../kmux/share/doc/kmux/examples/programs/scale/scale.kmux.json")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertIn('kmux_cpu_clang.so" is not there, which makes what the cache does not have. Install kmux again', result.stderr)
        self.assertEqual(self.kmux("devices").returncode, 0, "what needs no compiler does without")

    def test_opens_no_compiler_for_what_is_in_the_cache(self):
        program = "../kmux/share/doc/kmux/examples/programs/scale/scale.kmux.json"
        words = ["run", program, "--in", "x=ones", "--symbol", "n=64", "--scalar", "factor=2"]
        if json.loads((self.prefix / "lib/kmux/plugins/kmux_cpu.plugin.json").read_text()).get("tiers"):
            words += ["--option", "tier=full"]  # else the rest of the compilation goes on in the background

        def opens_compiler():
            result = self.kmux(*words, KMUX_DISABLE_CACHE="", KMUX_CACHE_DIR=str(self.inner / "work/cache"), LD_DEBUG="files")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stderr, r"calling init: \S*/kmux_cpu\.so")
            return "/kmux_cpu_clang.so" in result.stderr

        self.assertTrue(opens_compiler())
        self.assertFalse(opens_compiler())

    def test_needs_no_headers_for_sources_without_includes(self):
        clang = self.prefix / "lib/kmux/clang"
        hidden = clang.rename(clang.with_name("hidden"))
        self.addCleanup(lambda: hidden.rename(clang))
        text = "void scale(const float* x, float f, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = f * x[i]; }\n"
        result = self.run_scale(self.write_program("plain", text))
        self.assertEqual(result.returncode, 0, result.stderr)
        result = self.run_scale(self.write_program("stddef", "#include <stddef.h>\n" + text))
        self.assertEqual(result.returncode, 5 if self.isolation else 0, result.stderr)
        if self.isolation:
            self.assertIn("apt-get install libclang-common-19-dev", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
