"""kmux.fleet.bench on a real Ray cluster."""

import json
import pathlib
import tempfile
import unittest

import kmux.fleet
from fleet_cluster import CLASSES, FOLDER, HOST, cluster, needs_ray, some
from kmux.fleet import _node


@needs_ray
class Bench(unittest.TestCase):
    def test_has_one_report_with_a_column_for_each_class(self):
        (given,) = some(61, 1)
        where = {
            "run": tempfile.mkdtemp(prefix="run-", dir=FOLDER),
            "address": cluster().address,
            "classes": CLASSES[:2],
        }
        report = kmux.fleet.bench([given], [{"n": 64, "factor": 2}], seconds=0.05, **where)
        self.assertEqual((len(report.results), report.failures), (2, []))
        head, row = report.table.splitlines()
        self.assertEqual(head.split(), ["program", *CLASSES[:2]])
        self.assertRegex(row, rf"^  scale {given.digest[:12]} n=64 factor=2 +cpu [\d.]+ us.* +cpu [\d.]+ us")
        self.assertIn("scale", report.page.read_text())
        documents = [json.loads(file.read_text()) for file in pathlib.Path(where["run"], "bench").iterdir()]
        targets = {document["contests"][0]["entrants"][0]["target"] for document in documents}
        self.assertEqual(targets, {f"cpu:{HOST}", "cpu:x86-64-v3"})
        self.assertEqual(kmux.fleet.resume(where["run"], address=cluster().address).table, report.table)


class Documents(unittest.TestCase):
    def test_what_was_not_timed_is_no_result(self):
        entrants = [{"backend": "cuda", "state": "unavailable", "problem": "no device"}]
        self.assertEqual(
            _node._untimed({"contests": [{"entrants": entrants}]}), "no backend was timed: cuda: no device"
        )
        timed = [*entrants, {"backend": "cpu", "state": "timed", "problem": ""}]
        self.assertEqual(_node._untimed({"contests": [{"entrants": timed}]}), "")

    def test_drift_is_the_largest_of_all(self):
        contests = [{"host_drift": 0.01, "device_drift": {"cuda": -0.2}}, {"host_drift": 0.1, "device_drift": {}}]
        self.assertEqual(_node._drift({"contests": contests}), 0.2)


if __name__ == "__main__":
    unittest.main()
