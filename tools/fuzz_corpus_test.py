#!/usr/bin/env python3
"""Tests fuzz_corpus.py over a fuzzer that is a script, in a tree of its own."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "fuzz_corpus.py"
# Its seeds reach what begins with "s"; of the rest it takes an input for each first byte, as libFuzzer does: into the first folder.
FUZZER = """#!/usr/bin/env python3
import pathlib, sys
sys.argv[1] == "--format=npy" or sys.exit("no such format")
seeds = [word[8:] for word in sys.argv if word.startswith("--seeds=")]
if seeds:
    pathlib.Path(seeds[0], "seed0").write_bytes(b"seed")
    for number, line in enumerate(pathlib.Path(KEPT).read_text().split()) if pathlib.Path(KEPT).exists() else ():
        pathlib.Path(seeds[0], f"kept{number}").write_bytes(bytes.fromhex(line))
    sys.exit(0)
chosen, offered = map(pathlib.Path, sys.argv[-2:])
reached = {path.read_bytes()[:1] for path in chosen.iterdir()}
for path in sorted(offered.iterdir(), key=lambda path: path.stat().st_size):
    if path.read_bytes()[:1] == b"!": sys.exit("it crashed")
    if path.read_bytes()[:1] not in reached:
        reached.add(path.read_bytes()[:1])
        (chosen / path.name).write_bytes(path.read_bytes())
"""


class FuzzCorpus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        self.kept = self.tree / "tests/fuzz/corpus/npy.hex"
        for name in ("tools", "build/tests", "build/corpus/npy"):
            (self.tree / name).mkdir(parents=True)
        shutil.copy(TOOL, self.tree / "tools")
        fuzzer = self.tree / "build/tests/fuzz_formats"
        fuzzer.write_text(FUZZER.replace("KEPT", repr(str(self.kept))))
        fuzzer.chmod(0o755)

    def keep(self, *found):
        for number, content in enumerate(found):
            (self.tree / f"build/corpus/npy/{number}").write_bytes(content)
        command = [sys.executable, "-B", self.tree / "tools/fuzz_corpus.py", self.tree / "build", "npy"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def lines(self):
        return [bytes.fromhex(line) for line in self.kept.read_text().split()]

    def test_keeps_what_reaches_more_than_the_seeds_and_the_shortest_first(self):
        ran = self.keep(b"bbb", b"seeds again", b"aa", b"aaaa", bytes(3))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stdout, "npy: 3 of 3 inputs kept\n")
        self.assertEqual(self.lines(), [b"aa", bytes(3), b"bbb"])

    def test_keeps_what_was_kept_before(self):
        self.keep(b"bbb")
        shutil.rmtree(self.tree / "build/corpus")
        (self.tree / "build/corpus/npy").mkdir(parents=True)
        self.keep(b"cc")
        self.assertEqual(self.lines(), [b"cc", b"bbb"])

    def test_nothing_found_leaves_what_was_kept(self):
        self.keep(b"bbb")
        shutil.rmtree(self.tree / "build/corpus")
        self.assertEqual(self.keep().returncode, 0)
        self.assertEqual(self.lines(), [b"bbb"])

    def test_long_inputs_and_too_many_are_left_out(self):
        ran = self.keep(b"x" * 513, *(bytes([i + 128]) * 400 for i in range(10)))
        self.assertEqual(ran.stdout, "npy: 7 of 10 inputs kept\n")
        self.assertLess(self.kept.stat().st_size, 2 * 3072 + 100)

    def test_a_fuzzer_that_fails_changes_nothing(self):
        self.keep(b"bbb")
        ran = self.keep(b"!")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("the fuzzer of npy failed (its inputs cannot be chosen). Its last words:\nit crashed", ran.stderr)
        self.assertEqual(self.lines(), [b"bbb"])


if __name__ == "__main__":
    unittest.main()
