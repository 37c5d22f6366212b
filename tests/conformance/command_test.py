#!/usr/bin/env python3
"""command_test.py CONFORMANCE FOLDER BAD: what the suite says of copies of plugin null, in FOLDER, that it cannot test or not wholly,
and of plugin bad, in BAD, whose faults KMUX_TEST_BAD_PLUGIN names."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SUITE, PLUGIN, BAD = sys.argv[1:4]
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

    def case(self, tag, name, form):
        """What became of a case in a dialect of that form."""
        self.change(dialects=["pony"])
        (self.folder / "kmux_null.conformance.txt").write_text(form)
        cases = json.loads(self.run_suite("--tags", tag, "--json").stdout)["cases"]
        return next(case for case in cases if case["name"].endswith(name))

    def check_feature(self, name, needed, lines):
        """The feature is not known to work without `lines`; with them the plugin fails, which computes nothing."""
        case = self.case("features", f"/{name}", FORM)
        self.assertEqual(case["status"], "skipped")
        self.assertNotIn("answer", case)
        self.assertIn(f"needs {needed} below the dialect in conformance.txt", case["message"])
        self.assertEqual(self.case("features", f"/{name}", FORM + lines)["status"], "failed")

    def test_shared_memory_works_only_where_a_kernel_has_used_it(self):
        self.check_feature("dynamic_smem", 'a line "shared"', "shared pony $type $name\n")

    def test_a_grid_works_only_where_each_thread_has_been_seen(self):
        self.check_feature("grid", 'lines "block" and "thread"', "block block.$axis\nthread thread.$axis\n")

    def test_a_failure_in_threads_is_one_of_its_case(self):
        case = self.case("threads", "CompileAtTheSameTime", FORM + "replace add -> sum\n")  # there is no kernel "add"
        self.assertEqual(case["status"], "failed")
        self.assertIn("thread 3: ", case["message"])

    def test_a_probe_that_crashes_is_a_failure_and_no_skip(self):
        for fault in ("crash", "answers_nonsense"):
            command = [SUITE, "--plugin", "bad", "--plugin-path", BAD]
            environment = {**os.environ, "KMUX_TEST_BAD_PLUGIN": f"probe:{fault}"}
            ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
            self.assertIn('conformance of "bad" cannot run here: ', ran.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
