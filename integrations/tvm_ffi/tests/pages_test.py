"""The Python of README.md and docs/python.md as people paste it: in an empty folder, with nothing of this tree (C3.10)."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```python\n(import .*?)^```$", re.M | re.S)  # others go on where one of these ends


class Pages(unittest.TestCase):
    def run_alone(self, code):
        names = ("PATH", "HOME", "PYTHONPATH", "KMUX_TVM_FFI_LIBRARY", "KMUX_DISABLE_CACHE")
        environment = {name: os.environ[name] for name in names if name in os.environ}
        with tempfile.TemporaryDirectory() as folder:
            return subprocess.run(
                [sys.executable, "-B", "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
            )

    def test_run_as_pasted(self):
        for page, least in (("README.md", 1), ("docs/python.md", 4)):
            blocks = BLOCK.findall((ROOT / page).read_text())
            self.assertGreaterEqual(len(blocks), least, page)
            for block in blocks:
                with self.subTest(page=page, block=block[:200]):
                    done = self.run_alone(block)
                    self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
