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

    def test_cases_without_a_kernel_in_a_dialect_of_the_plugin_are_skipped(self):
        self.change(dialects=["c"], features=["constants"])
        (self.folder / "kmux_null.conformance.txt").write_text("")
        report = json.loads(self.run_suite("--tags", "features,constants", "--json").stdout)
        self.assertEqual((report["passed"], report["failed"]), (0, 0))
        self.assertIn('needs a dialect in which the suite writes kernels of a device (the plugin takes "c"; the case has "cuda"',
                      report["cases"][-1]["message"])

    def test_constants_are_skipped_without_that_feature(self):
        self.change(features=[])
        (self.folder / "kmux_null.conformance.txt").write_text("")
        report = json.loads(self.run_suite("--tags", "constants", "--json").stdout)
        self.assertEqual((report["passed"], report["failed"]), (0, 0))
        self.assertIn("needs feature constants", report["cases"][0]["message"])

    def test_the_summary_counts_cases(self):
        exemptions = self.folder / "kmux_null.conformance.txt"
        exemptions.write_text("")
        cases = {tag: json.loads(self.run_suite("--tags", tag, "--json").stdout)["cases"] for tag in ("streams", "constants")}
        exemptions.write_text("expected-failure Streams.* its launches compute nothing\nunsupported Constants.* it has no variables\n")
        ran = self.run_suite("--tags", "load,streams,constants")
        self.assertRegex(ran.stdout, f"\\ncases: [0-9]+ run, {len(cases['constants'])} unsupported, {len(cases['streams'])} expected failures\\n")

    def test_a_failure_names_codes_and_files_of_the_suite(self):
        (self.folder / "kmux_null.conformance.txt").write_text("")
        self.change(features=["constants"])
        ran = self.run_suite("--tags", "constants")
        self.assertNotIn("4-byte object", ran.stdout)
        self.assertNotIn(str(pathlib.Path(__file__).resolve().parent), ran.stdout)

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
