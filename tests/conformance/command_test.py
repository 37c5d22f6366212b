#!/usr/bin/env python3
"""command_test.py CONFORMANCE FOLDER: what the suite says of copies of plugin null, in FOLDER, that it cannot test or not wholly."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SUITE, PLUGIN = sys.argv[1:3]
FORM = "dialect pony kernels.pony\nkernel pony\n"


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name, "plugins")
        shutil.copytree(PLUGIN, self.folder)

    def change(self, **facts):
        path = self.folder / "kmux_null.plugin.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))

    def run_suite(self, *words):
        command = [SUITE, "--plugin", "null", "--plugin-path", self.folder, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_refused_plugin_is_named_with_the_reason(self):
        self.change(version="")
        ran = self.run_suite()
        self.assertEqual(ran.returncode, 1)
        self.assertIn('conformance of "null" cannot run here: ', ran.stdout)
        self.assertIn('kmux_null.plugin.json" is not valid: "version" is missing. ', ran.stdout)

    def test_a_dialect_without_kernels_is_one_error(self):
        self.change(dialects=["pony"])
        ran = self.run_suite()
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertEqual(ran.stderr.count("error: "), 1)
        self.assertIn("the suite has no kernels in a dialect of plugin \"null\" (it takes \"pony\"; there are \"c\", ", ran.stderr)
        self.assertIn('Say in conformance.txt how they are written in it: "dialect NAME FILE"', ran.stderr)

    def smem(self, form):
        """What became of the case of feature dynamic_smem in a dialect of that form."""
        self.change(dialects=["pony"])
        (self.folder / "kmux_null.conformance.txt").write_text(form)
        cases = json.loads(self.run_suite("--tags", "features", "--json").stdout)["cases"]
        return next(case for case in cases if case["name"].endswith("/dynamic_smem"))

    def test_shared_memory_works_only_where_a_kernel_has_used_it(self):
        case = self.smem(FORM)
        self.assertEqual(case["status"], "skipped")
        self.assertNotIn("answer", case)
        self.assertIn('needs a line "shared" below the dialect in conformance.txt', case["message"])
        self.assertEqual(self.smem(FORM + "shared pony $type $name\n")["status"], "failed")  # the plugin computes nothing


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
