#!/usr/bin/env python3
"""README's first screen: it is short, its figures are those of the pages that measure, its commands are those that make and install
the packages, and its programs are those that the tests of both packages run."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


README = text_of("README.md")
SCREEN = README.partition("\n## ")[0]
CPP = text_of("docs/cpp.md")
SCRIPT = text_of("kmux.sh")


class FirstScreen(unittest.TestCase):
    def test_is_short_and_before_the_comparison(self):
        self.assertLessEqual(len(SCREEN.splitlines()), 60)
        self.assertEqual(re.findall(r"^## (.*)", README, re.M), ["Beside others"])
        self.assertEqual(len(re.findall(r"^- \*\*", SCREEN, re.M)), 4)

    def test_has_figures_of_the_pages_that_measure(self):
        peers = text_of("docs/peers.md")

        def of(peer, column):
            return float(re.search(rf"^\| {re.escape(peer)}.*", peers, re.M)[0].split(" | ")[column].split()[0])

        for head, column in (("a call from Python", 1), ("first result in a new process", 8)):
            cells = re.search(rf"^\| {head}.*", README, re.M)[0].split(" | ")[1:]
            for peer, cell in zip(("kmux, nvrtc", "Triton (", "CuPy RawKernel", "cuda.core", "TileLang, tvm_ffi", "PoCL"), cells):
                self.assertAlmostEqual(float(cell.split()[0]) / of(peer, column), 1, delta=0.02, msg=peer)
            self.assertAlmostEqual(float(re.search(r"on a CPU ([\d.]+)", cells[0])[1]) / of("kmux, cpu", column), 1, delta=0.02)
        text = SCREEN.replace("\n  ", " ")
        self.assertIn(f"takes {of('kmux, nvrtc', 1):.1f} us on an H200: {of('driver, from C', 1):.1f} us is the driver, "
                      f"Triton takes {of('Triton (', 1):.1f} us", text)
        self.assertIn(f"in {of('kmux, nvrtc', 8):.0f} ms, where Triton takes {of('Triton (', 8):.0f} ms", text)
        checked = re.search(r"^\| `call_checked_over_bare` .*?\| ([\d.]+)(<br>[\d.]+)* \| ", text_of("docs/performance.md"), re.M)[1]
        self.assertIn(f"takes {float(checked):.0f} ns", text)

    def test_says_what_the_demo_ends_with(self):
        said = re.search(r"^\./kmux\.sh demo +# [^:]*, and ([^:]*):", SCREEN, re.M)
        self.assertEqual(said[1], "a CUDA kernel on this processor beside the C++ loop")
        demo = text_of("examples/demo/demo.cpp")
        parts = re.search(r"^int run\(const Setting& setting\) {\n(.*?)^}", demo, re.M | re.S)[1]
        self.assertEqual(re.findall(r"^  (\w+)\(setting, report\);$", parts, re.M)[-1], "cuda_kernel")
        self.assertTrue(parts.endswith("  cuda_kernel(setting, report);\n  return report.close();\n"))
        last = re.search(r"^void cuda_kernel\(.*?^}", demo, re.M | re.S)[0]
        self.assertIn('.execution_backend = "cpu"', last)
        self.assertIn('"cuda"', text_of("examples/kernels/mandelbrot.kmux.json"))
        self.assertIn("escape_counts(plane)", last)
        self.assertIn(" loops in C++, one thread: ", last)

    def test_has_commands_of_the_script(self):
        commands = re.findall(r"^\./kmux\.sh (\w+)", SCREEN, re.M)
        self.assertEqual(commands, ["demo", "test", "package", "wheel"])
        for command in commands:
            self.assertRegex(SCRIPT, rf"(?m)^{command}\(\) {{$|^  {command}\) run_{command}s ")
            self.assertRegex(SCRIPT, rf"(?m)^  \./kmux\.sh {command} ")

    def test_installs_what_the_script_makes(self):
        (wheel, *others), = re.findall(r"`pip install (\S+) ([\w ]+)`", SCREEN)
        preset = re.search(r"^  '' \| .*\) PRESET=(\w+) ;;", SCRIPT, re.M)[1]  # where no other machine is named
        build = re.search(r"^readonly PRESET BUILD=\$\{KMUX_BUILD:-([\w/$]+)\}", SCRIPT, re.M)[1].replace("$PRESET", preset)
        self.assertEqual(wheel, f"{build}/package/kmux-*.whl")
        self.assertIn('--wheel-dir "$BUILD/package" ./integrations/tvm_ffi', SCRIPT)
        self.assertEqual(others, ["numpy"])
        project = text_of("integrations/tvm_ffi/pyproject.toml")
        self.assertRegex(project, r'(?m)^name = "kmux"$')
        self.assertRegex(project, r'(?m)^numpy = \["numpy')

    def test_has_programs_that_are_run_with_what_is_installed(self):
        regions = re.findall(r"^<!-- region: (\S+saxpy\S+) \w+ -->\n```(\w+)$", SCREEN + CPP, re.M)
        self.assertEqual(regions, [("examples/python/saxpy.py", "python"), ("examples/saxpy.cpp", "cpp")])
        self.assertIn('"saxpy.py": (', text_of("integrations/tvm_ffi/tests/wheel/wheel_test.py"))
        self.assertRegex(text_of("examples/installed/CMakeLists.txt"), r"\bsaxpy\.cpp\b")
        self.assertIn("${work}/examples_build/saxpy)", text_of("tests/install/install_test.cmake"))

    def test_has_a_command_that_finds_the_package(self):
        self.assertIn("\nfind_package(kmux 0.1 REQUIRED)\n", CPP)
        self.assertIn("\nfind_package(kmux 0.1 REQUIRED)\n", text_of("tests/install/consumer/CMakeLists.txt"))

    def test_has_commands_that_the_tests_of_the_command_run(self):
        tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/integration").glob("cli_*_test.cpp"))
        commands = re.findall(r"`kmux ([^`]+)`", CPP)
        self.assertEqual(commands, ["new saxpy.cu --write", "run saxpy.cu --time"])
        self.assertIn('{"new", "saxpy.cu", "--write"}', tests)
        self.assertIn('run({"saxpy.cu", "--time"', tests)


if __name__ == "__main__":
    unittest.main()
