#!/usr/bin/env python3
"""Tests sanitize.py: a build of one small program with a race, a leak or neither, and reports of each kind."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "sanitize.py"
FLAGS = {"tsan": ["-fsanitize=thread"], "asan": ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]}
SOURCES = {
    # The thread waits, for the sanitizer can miss two accesses at the same instant.
    "race": "#include <pthread.h>\n#include <unistd.h>\nint n;\nvoid* add(void* p) { if (p) usleep(20000); n = n + 1; return p; }\n"
            "int main(void) { pthread_t t; pthread_create(&t, 0, add, &n); add(0); pthread_join(t, 0); return 0; }\n",
    "leak": "#include <stdlib.h>\nint main(void) { void* volatile p = malloc(7); p = 0; return p != 0; }\n",
    "overflow": "#include <limits.h>\nint main(int argc, char** argv) { int n = INT_MAX; n += argc; return n == 7 && argv; }\n",
    "clean": "int main(void) { return 0; }\n",
}


class Sanitize(unittest.TestCase):
    def setUp(self):
        self.build = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.build)

    def run_tool(self, kind, *names):
        """The tests start their programs through a shell that drops their status and, but for `overflow`, what they print."""
        lines = []
        for name in names:
            source, program = self.build / f"{name}.c", self.build / name
            source.write_text(SOURCES[name])
            subprocess.run(["gcc", "-g", *FLAGS[kind], source, "-o", program, "-pthread"], check=True)
            drop = "" if name == "overflow" else "2>/dev/null"
            lines.append(f'add_test({name} "/bin/sh" "-c" "{program} {drop}; exit 0")')
        (self.build / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
        return subprocess.run([sys.executable, "-B", TOOL, kind, self.build], capture_output=True, text=True, check=False)

    def expect(self, done, kind, count, text=""):
        self.assertEqual(done.stdout.splitlines()[-1], f"bar {kind}_reports {count} reports", done.stdout + done.stderr)
        self.assertEqual(done.returncode, 1 if count else 0, done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_race_counts_though_the_test_passes(self):
        self.expect(self.run_tool("tsan", "race", "clean"), "tsan", 1, "data race")

    def test_leaks_and_undefined_behaviour_count(self):
        done = self.run_tool("asan", "leak", "overflow", "clean")
        self.expect(done, "asan", 2, "LeakSanitizer")
        self.assertIn("signed integer overflow", done.stderr)

    def test_nothing_to_report(self):
        self.expect(self.run_tool("tsan", "clean"), "tsan", 0)

    def test_a_failed_test_is_a_failure(self):
        (self.build / "CTestTestfile.cmake").write_text('add_test(fails "/bin/false")\n')
        done = subprocess.run([sys.executable, "-B", TOOL, "asan", self.build], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bar asan_reports 0 reports", done.stdout)


if __name__ == "__main__":
    unittest.main()
