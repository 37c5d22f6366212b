"""kmux_tilelang.program"""

import hashlib
import json
import tempfile
import unittest
from pathlib import Path

from kmux_tilelang.program import canonical, file_entry, program, write_program


class Program(unittest.TestCase):
    def test_text_is_canonical(self):
        self.assertEqual(canonical({"b": [1, 2.5, 4000.0], "a": {"d": "\u00e9\n", "c": True}}),
                         '{"a":{"c":true,"d":"\u00e9\\n"},"b":[1,2.5,4000.0]}')  # fmt: skip
        with self.assertRaises(ValueError):
            canonical(float("nan"))

    def test_names_files_by_digest(self):
        self.assertEqual(file_entry("k.cpp", b"int x;\n")["sha256"], hashlib.sha256(b"int x;\n").hexdigest())

    def test_is_written_with_its_files_and_replaced_as_a_whole(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "made"
            for content in (b"one\n", b"two\n"):
                entry = file_entry("k.cpp", content)
                path = write_program(
                    folder, program("k", {"params": []}, [{"sources": [entry]}], {}), {"k.cpp": content}
                )
                self.assertEqual(path, folder / "k.kmux.json")
                self.assertEqual(json.loads(path.read_text())["variants"][0]["sources"], [entry])
                self.assertEqual((folder / "k.cpp").read_bytes(), content)
            self.assertEqual(sorted(file.name for file in folder.iterdir()), ["k.cpp", "k.kmux.json"])

    def test_is_not_touched_if_a_file_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_program(folder, program("k", {}, [], {}), {"k.cpp": b"old\n"})
            before = {file.name: file.read_bytes() for file in folder.iterdir()}
            for path in ("k.cpp/inner.h", "sub"):  # below a file; where a folder is
                if path == "sub":
                    (folder / "sub").mkdir()
                with self.assertRaises(OSError):
                    write_program(folder, program("k", {"params": []}, [], {}), {"k.cpp": b"new\n", path: b"x"})
            self.assertEqual({file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}, before)

    def test_fails_where_it_cannot_write(self):
        with self.assertRaises(OSError):
            write_program(Path("/proc/kmux"), program("k", {}, [], {}), {})
