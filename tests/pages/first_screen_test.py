#!/usr/bin/env python3
"""README's first screen: what it says of the demo is so, its commands are those that make and install the packages, and its programs
are those that the tests of both packages run."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


HEAD = "\n".join(text_of("README.md").splitlines()[:40])
SCREEN = re.search(r"^## A kernel\n(.*?)^## ", text_of("README.md"), re.M | re.S)[1]
SCRIPT = text_of("kmux.sh")


class FirstScreen(unittest.TestCase):
    def test_is_the_first(self):
        self.assertEqual(re.findall(r"^## (.*)", text_of("README.md"), re.M)[0], "A kernel")

    def test_says_what_the_demo_ends_with(self):
        said = re.search(r"`\./kmux\.sh demo` ends with\s([^.]*)\.", HEAD)
        self.assertIsNotNone(said)
        self.assertEqual(said[1].replace("\n", " "), "a CUDA kernel on this CPU beside the C++ loop")
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
        commands = re.findall(r"`\./kmux\.sh (\w+)`", SCREEN)
        self.assertEqual(commands, ["wheel", "package"])
        for command in commands:
            self.assertRegex(SCRIPT, rf"(?m)^{command}\(\) {{$")
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
        regions = re.findall(r"^<!-- region: (\S+) \w+ -->\n```(\w+)$", SCREEN, re.M)
        self.assertEqual(regions, [("examples/python/saxpy.py", "python"), ("examples/saxpy.cpp", "cpp")])
        self.assertIn('"saxpy.py": (', text_of("integrations/tvm_ffi/tests/wheel/wheel_test.py"))
        self.assertRegex(text_of("examples/installed/CMakeLists.txt"), r"\bsaxpy\.cpp\b")
        self.assertIn("${work}/examples_build/saxpy)", text_of("tests/install/install_test.cmake"))

    def test_links_to_what_finds_the_package(self):
        self.assertIn("[find_package(kmux)](#use-it-in-your-application)", SCREEN)
        self.assertIn("\nfind_package(kmux 0.1 REQUIRED)\n", text_of("tests/install/consumer/CMakeLists.txt"))

    def test_has_commands_that_the_tests_of_the_command_run(self):
        tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests/integration").glob("cli_*_test.cpp"))
        self.assertEqual(re.findall(r"`kmux ([^`]+)`", SCREEN), ["new saxpy.cu --write", "run saxpy.cu --time"])
        self.assertIn('{"new", "saxpy.cu", "--write"}', tests)
        self.assertIn('run({"saxpy.cu", "--time"', tests)


if __name__ == "__main__":
    unittest.main()
