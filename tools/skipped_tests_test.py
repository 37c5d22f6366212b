#!/usr/bin/env python3
"""Tests skipped_tests.py over what ctest, GoogleTest and unittest write, and that every skip of the tree gives its reason."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "skipped_tests.py"
ROOT = TOOL.parent.parent
GOOGLE = """[ RUN      ] On/Graphs.One/cuda
../over_fake.cpp:34: Skipped
needs nvcc (nvcc was not found (tried "/usr/bin/nvcc"). Install it.)
[  SKIPPED ] On/Graphs.One/cuda (3 ms)
[ RUN      ] On/Graphs.Two/cuda
../over_fake.cpp:34: Skipped
needs nvcc (nvcc was not found)
[  SKIPPED ] On/Graphs.Two/cuda (0 ms)
[ RUN      ] Root.Gives
needs root (only root can)
[  SKIPPED ] Root.Gives (0 ms)
[ RUN      ] Root.Runs
[       OK ] Root.Runs (0 ms)
[  SKIPPED ] 3 tests, listed below:
[  SKIPPED ] On/Graphs.One/cuda
[  SKIPPED ] On/Graphs.Two/cuda
[  SKIPPED ] Root.Gives
"""
PYTHON = """test_one (x.X.test_one) ... skipped 'needs NumPy (it is not installed)'
test_two (x.X.test_two) ... skipped "needs NVRTC (no 'libnvrtc.so')"
test_three (x.X.test_three) ... ok
OK (skipped=2)
"""


def block(number, test, output):
    rule = "-" * 58
    return (f"{number}/9 Testing: {test}\n{number}/9 Test: {test}\nCommand: \"x\"\nOutput:\n{rule}\n{output}<end of output>\n"
            f"Test time =   0.01 sec\n{rule}\nTest Passed.\n\n")  # fmt: skip


class SkippedTests(unittest.TestCase):
    def line(self, *blocks, whole=()):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "LastTest.log").write_text("Start testing: now\n" + "".join(blocks))
            if whole:
                (folder / "LastTestsDisabled.log").write_text("".join(f"7:{test}\n" for test in whole))
            ran = subprocess.run([sys.executable, "-B", TOOL, folder], capture_output=True, text=True, check=True)
        return ran.stdout

    def test_counts_cases_by_capability(self):
        expected = "skipped for want of: nvcc (2 cases), NVRTC (1), NumPy (1), root (1)\n"
        self.assertEqual(self.line(block(1, "google", GOOGLE), block(2, "python", PYTHON)), expected)

    def test_counts_a_program_that_skips_once(self):
        output = 'conformance of "cuda" cannot run here: no driver\nneeds an NVIDIA GPU (no driver)\n'
        expected = "skipped for want of: an NVIDIA GPU (1 case)\n"
        self.assertEqual(self.line(block(1, "conformance.cuda", output), whole=["conformance.cuda"]), expected)

    def test_takes_no_output_of_a_test_that_passed_for_a_skip(self):
        self.assertEqual(self.line(block(1, "order", "needs nvcc (in one of its runs)\n")), "")

    def test_does_not_count_the_cases_of_a_skipped_program_twice(self):
        self.assertIn("nvcc (2 cases)", self.line(block(1, "google", GOOGLE), whole=["google"]))

    def test_names_what_gives_no_reason(self):
        silent = "[ RUN      ] A.B\nwhy.cpp:3: Skipped\n[  SKIPPED ] A.B (0 ms)\n"
        expected = "skipped for want of: reasons that are not given (a, b)\n"
        self.assertEqual(self.line(block(1, "a", silent), block(2, "b", "bye\n"), whole=["b"]), expected)

    def test_a_reason_is_of_its_own_case(self):
        output = GOOGLE + "[ RUN      ] A.B\n[  SKIPPED ] A.B (0 ms)\n"
        self.assertIn("not given (google)", self.line(block(1, "google", output)))

    def test_says_nothing_where_nothing_was_skipped(self):
        self.assertEqual(self.line(block(1, "a", "[       OK ] A.B (0 ms)\n")), "")

    def test_reads_what_ctest_writes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "CTestTestfile.cmake").write_text(
                'add_test(whole "sh" "-c" "echo \'needs TileLang (not here)\'; exit 77")\n'
                "set_tests_properties(whole PROPERTIES SKIP_RETURN_CODE 77)\n"
                'add_test(silent "sh" "-c" "exit 77")\n'
                "set_tests_properties(silent PROPERTIES SKIP_RETURN_CODE 77)\n"
                f'add_test(unit "{sys.executable}" "-m" "unittest" "-v" "skips")\n'
            )
            (folder / "skips.py").write_text(
                "import unittest\n@unittest.skip('needs a Mac (no)')\nclass X(unittest.TestCase):\n"
                "  def test_a(self): pass\n  def test_b(self): pass\n"
            )
            ctest = shutil.which("ctest")
            subprocess.run([ctest, "--test-dir", folder], cwd=folder, stdout=subprocess.DEVNULL, check=True)
            command = [sys.executable, "-B", TOOL, folder / "Testing" / "Temporary"]
            ran = subprocess.run(command, capture_output=True, text=True, check=True)
        expected = "skipped for want of: a Mac (2 cases), TileLang (1), reasons that are not given (silent)\n"
        self.assertEqual(ran.stdout, expected)


class Reasons(unittest.TestCase):
    def statements(self, suffixes, pattern):
        for path in ROOT.rglob("*"):
            if path.suffix in suffixes and not {"build", ".venv", ".cache"} & set(path.relative_to(ROOT).parts):
                for found in re.finditer(pattern, path.read_text(encoding="utf-8"), re.DOTALL):
                    yield path, found[0]

    def test_every_skip_of_googletest_is_made_by_needs(self):
        found = list(self.statements({".h", ".cpp"}, r"GTEST_SKIP\(\)(.*?);"))
        self.assertGreater(len(found), 20)
        for path, statement in found:
            self.assertRegex(statement, r"<< needs(_\w+)?\(", path)  # of tests/needs.h

    def test_every_skip_of_unittest_begins_with_needs(self):
        found = list(self.statements({".py"}, r"@unittest\.skip(?:If|Unless)\([^\n]*"))
        self.assertGreater(len(found), 5)
        for path, statement in found:
            self.assertRegex(statement, r', f?"needs [^(]+ \(', path)


if __name__ == "__main__":
    unittest.main()
