"""run_upstream_tests.py"""

import contextlib
import json
import tempfile
import unittest
from pathlib import Path

from run_upstream_tests import _DEVICE_FOLDERS, Run, compare, processor, run_tests, table

# Stands where pytest is looked for first: it reports one test, and another if Ctrl-C does not end it before.
_PYTEST = """
import sys, time
xml = next(word.partition("=")[2] for word in sys.argv if word.startswith("--junitxml"))
cases = ['<testcase classname="t" name="first"/>']
try:
    time.sleep(60)
    cases.append('<testcase classname="t" name="second"/>')
finally:
    open(xml, "w").write("<testsuite>" + "".join(cases) + "</testsuite>")
"""


class UpstreamTests(unittest.TestCase):
    def test_that_time_ran_out_for_are_neither_lost_nor_gained(self):
        without = Run({"a::x": "passed", "a::y": "passed", "b::z": "passed", "b::w": "failed"}, 1.0)
        inside = Run({"a::x": "passed", "b::w": "passed"}, 2.0, frozenset({"a"}))
        found = compare(without, inside)
        self.assertEqual((found["both"], found["none"]), (1, 0))
        self.assertEqual((found["lost"], found["gained"], found["unreached"]), (["b::z"], ["b::w"], ["a::y"]))

    def test_are_a_table_and_every_difference_by_name(self):
        without = Run({"a::x": "passed", "a::y": "passed", "a::z": "failed"}, 10.25)
        inside = Run({"a::x": "passed", "a::y": "failed", "a::z": "passed"}, 5.0)
        lowered = {"kernels": 3, "exported": 2, "refused": {"k: no such launch": 4}}
        printed = table({"cpu": compare(without, inside), "lowered": lowered}).splitlines()
        self.assertEqual([len(line) for line in printed[:4]], [len(printed[0])] * 4)
        for line in (
            "cpu      pass with both              1", "cpu      seconds without kmux     10.2",
            "cpu      pass without kmux alone     1", "lowered  exported                    2", "lowered  refused by the exporter     1",
        ):  # fmt: skip
            self.assertIn(line, printed)
        differences = ["cpu, pass without kmux alone: a::y", "cpu, pass with kmux alone: a::z"]
        self.assertEqual(printed[-4:], ["", *differences, "lowered, refused by the exporter: k: no such launch (4)"])

    def test_texts_are_counted_once_for_each_architecture(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder)
            for name, arch, digest in (
                ("a", "sm_80", "1"), ("b", "sm_80", "1"), ("c", "sm_90a", "1"), ("d", "sm_90a", "2"), ("e", "sm_100a", "3"),
            ):  # fmt: skip
                variant = {"dialect": "cuda", "requires": {"arch": [arch]}, "sources": [{"sha256": digest}]}
                (store / "programs" / name).mkdir(parents=True)
                (store / "programs" / name / "kernel.kmux.json").write_text(json.dumps({"variants": [variant]}))
            found = processor.texts([store])
        self.assertEqual({key: path.parent.name for key, path in found.items()},
                         {("sm_80", "1"): "a", ("sm_90a", "1"): "c", ("sm_90a", "2"): "d"})  # fmt: skip

    def test_texts_of_all_architectures_make_the_percentage(self):
        parts = {"lowered sm_80": {"kernels": 9}, "cpu sm_80": {"texts": 6, "for_cpu": 5}, "cpu sm_90a": {"texts": 4, "for_cpu": 4}}
        self.assertEqual(processor.percentage(parts), 90)

    def test_on_a_device_have_the_examples(self):
        self.assertIn("examples", _DEVICE_FOLDERS)

    def test_that_ran_before_the_limit_are_told(self):
        with (
            tempfile.TemporaryDirectory() as folder,
            tempfile.TemporaryFile("w+") as told,
            contextlib.redirect_stderr(told),
        ):
            checkout = Path(folder)
            (checkout / "testing/python/math").mkdir(parents=True)
            (checkout / "pytest.py").write_text(_PYTEST)
            run = run_tests(checkout, ["math"], [], jobs=1, limit=2)
            told.seek(0)
            self.assertIn("math: stopped after 2 s", told.read())
        self.assertEqual((run.outcomes, run.stopped), ({"math::t::first": "passed"}, frozenset({"math"})))


if __name__ == "__main__":
    unittest.main()
