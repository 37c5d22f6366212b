#!/usr/bin/env python3
"""What kmux_add_plugin() says of manifests that no kmux would take: when configuring, and by the name of the key; and how it
writes those that are taken."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WHOLE = {"name": "x", "version": "1.0", "targets": ["x"], "dialects": ["c"], "device_types": [12]}
SCRIPT = f"include({ROOT}/cmake/kmux_manifest_header.cmake)\nkmux_check_manifest(x ${{MANIFEST}} plugin.json.in)\n"


class Manifest(unittest.TestCase):
    def check(self, **changes):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "check.cmake").write_text(SCRIPT)
            (folder / "manifest.json").write_text(json.dumps({**WHOLE, **changes}, indent=2))
            command = ["cmake", "-D", f"MANIFEST={folder}/manifest.json", "-P", folder / "check.cmake"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return done.returncode, " ".join(done.stderr.split())

    def test_a_whole_one_is_taken(self):
        self.assertEqual(self.check(), (0, ""))

    def test_what_is_empty_is_named(self):
        for key, nothing in (("version", ""), ("targets", []), ("dialects", []), ("device_types", [])):
            status, said = self.check(**{key: nothing})
            self.assertEqual(status, 1)
            self.assertIn(f'kmux_add_plugin(x): "{key}" is empty or missing in plugin.json.in.', said)

    def test_a_project_without_a_version_is_told_what_to_write(self):
        self.assertIn("Write one, or @PROJECT_VERSION@ and project(... VERSION 0.1.0 ...) in CMakeLists.txt.", self.check(version="")[1])

    def test_it_is_written_on_one_line_with_the_spaces_of_its_texts(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            library = folder / "kmux_x.so"
            subprocess.run(["cc", "-shared", "-Wl,--build-id=sha1", "-x", "c", "/dev/null", "-o", library], check=True)
            (folder / "x.json").write_text(json.dumps({**WHOLE, "summary": "two  spaces, a \\n and ; [x]"}, indent=2))
            facts = {"NAME": "x", "LIBRARY": library, "TEMPLATE": folder / "x.json", "READELF": shutil.which("readelf")}
            facts["HEADER"] = next(ROOT.glob("core/*/include/kmux/plugin/plugin.h"))
            words = [word for key, value in facts.items() for word in ("-D", f"{key}={value}")]
            subprocess.run(["cmake", *words, "-P", ROOT / "cmake/write_manifest.cmake"], check=True)
            text = (folder / "kmux_x.plugin.json").read_text()
            self.assertEqual(text.count("\n"), 1)
            self.assertEqual(json.loads(text)["summary"], "two  spaces, a \\n and ; [x]")


if __name__ == "__main__":
    unittest.main()
