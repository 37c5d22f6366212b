"""feature_table_test.py [CONFORMANCE PLUGIN FOLDER]: the table, that docs/backends.md has it, and that PLUGIN still answers as it says."""
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import feature_table

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUITE = sys.argv[1:4]


def case(name, answer, status="passed"):
    return {"group": feature_table.GROUP, "name": f"WorkOrAreRefusedByName/{name}", "status": status, "answer": answer}


def report(**changes):
    return {"plugin": "one", "passed": 7, "failed": 0, "unexpected_passes": [], "unsupported": [{"cases": "A.*", "reason": "no"}],
            "cases": [case("grid", "works"), case("tensor_map_tiled", "refused"), case("cluster", "works", "failed"),
                      {"group": "Geometry", "name": "Loops", "status": "passed"}], **changes}


class Table(unittest.TestCase):
    def test_has_what_passed(self):
        self.assertEqual(feature_table.features(report()), {"grid": "works", "tensor_map.tiled": "refused"})

    def test_is_of_plugins_that_pass(self):
        for changes in ({"failed": 1}, {"unexpected_passes": ["A.b"]}):
            with self.assertRaisesRegex(SystemExit, "one does not pass the suite"):
                feature_table.kept_of(report(**changes), "an H200")

    def test_is_kept_written_and_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            page = root / "docs" / "backends.md"
            page.parent.mkdir()
            page.write_text("# kmux\n" + feature_table.BEGIN + feature_table.END + "rest\n")
            for plugin, machine in (("one", "an H200"), ("two", "a Mac")):
                with mock.patch.object(sys, "stdin", io.StringIO(json.dumps(report(plugin=plugin)))):
                    self.assertEqual(feature_table.main(["keep", machine], root), 0)
            with mock.patch.object(sys, "stderr", io.StringIO()) as said:
                self.assertEqual(feature_table.main(["check"], root), 1)
            self.assertIn("Run tools/feature_table.py write", said.getvalue())
            self.assertEqual(feature_table.main(["write"], root), 0)
            self.assertEqual(feature_table.main(["check"], root), 0)
            self.assertIn("| `grid` | yes | yes |\n| `tensor_map.tiled` | refused | refused |\n"
                          "| cases passed / left out | 7 / 1 | 7 / 1 |\n| on | an H200 | a Mac |\n" + feature_table.END + "rest\n",
                          page.read_text())

    def test_refuses_other_words(self):
        with mock.patch.object(sys, "stderr", io.StringIO()) as said:
            self.assertEqual(feature_table.main(["print"]), 2)
        self.assertIn("keep MACHINE", said.getvalue())

    def test_of_this_tree_is_the_one_in_its_page(self):
        self.assertEqual(feature_table.main(["check"]), 0)


@unittest.skipUnless(SUITE, "needs a conformance suite (none was named on the command line)")
class Answers(unittest.TestCase):
    def test_are_those_that_were_kept(self):
        program, plugin, folder = SUITE
        done = subprocess.run([program, "--plugin", plugin, "--plugin-path", folder, "--tags", "features", "--json"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = feature_table.features(json.loads(done.stdout))
        self.assertEqual(found, feature_table.results(ROOT)[plugin]["features"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
