import importlib.util
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import contest
from contest import Burst, Contest, Entrant
from worker_process import WorkerProcess

FAKE = pathlib.Path(__file__).resolve().parent / "fake_worker.py"
QUICK = {"host": tuple(Burst(what, contest.kernels.SMALL, 3) for what in ("call", "wait", "work"))}


@unittest.skipUnless(importlib.util.find_spec("numpy"), "needs NumPy (it is not installed)")
class ContestOfFakes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = pathlib.Path(folder.name) / "log"
        for patch in (mock.patch.object(contest, "BURSTS", QUICK), mock.patch.object(contest.kernels, "LARGE", 16)):
            patch.start()
            self.addCleanup(patch.stop)

    def start(self, name, caches, patience=30):
        return WorkerProcess([sys.executable, "-B", str(FAKE), name, str(self.log)], caches, patience, grace=2)

    def run_contest(self, *names, starts=1, rounds=5):
        said = []
        rows = Contest([Entrant(name, "host") for name in names], self.start, said.append).run(starts, rounds)
        return {row["peer"]: row for row in rows}, said

    def asked(self, name):
        return [line.split(": ")[1] for line in self.log.read_text().splitlines() if line.startswith(f"{name}: ")]

    def test_measures_whoever_is_right(self):
        rows, _ = self.run_contest("first", "second", starts=2)
        for name in ("first", "second"):
            figures = rows[name]["figures"]
            self.assertEqual(rows[name]["state"], "measured")
            self.assertEqual(rows[name]["version"], "1.0")
            self.assertEqual(set(figures), {"import", "cold", "warm", "call", "call_ratio", "wait", "work"})
            self.assertEqual((figures["cold"]["samples"], figures["call"]["samples"]), (2, 5))
            self.assertGreater(figures["cold"]["median"], 40e6)  # it sleeps 50 ms where it finds no cache
        self.assertEqual(rows["first"]["figures"]["call_ratio"]["median"], 1)

    def test_never_times_a_wrong_peer(self):
        rows, said = self.run_contest("first", "wrong")
        self.assertEqual(rows["wrong"]["state"], "wrong")
        self.assertIn("1024 of 1024 elements differ: z[0] is 1.0, not 0.0", rows["wrong"]["why"])
        self.assertEqual(rows["wrong"]["figures"], {})
        self.assertEqual(self.asked("wrong"), ["missing", "open", "start"])
        self.assertIn("call", self.asked("first"))
        self.assertTrue(any("wrong is wrong: 1024 of 1024" in line for line in said))

    def test_names_what_is_missing_and_opens_nothing(self):
        rows, _ = self.run_contest("first", "missing")
        self.assertEqual((rows["missing"]["state"], rows["missing"]["why"]), ("missing", "not installed here"))
        self.assertEqual(self.asked("missing"), ["missing"])

    def test_goes_on_without_those_that_fail(self):
        expected = {
            "raises": "ValueError: cannot compile line 7: no",
            "crashes": "its process was ended by SIGSEGV: what it says last",
            "leaves": "its process ended with 3: systems print what they like no reason",
            "fails later": "OSError: the device is gone",
        }
        rows, _ = self.run_contest("first", *expected)
        for name, why in expected.items():
            self.assertEqual((rows[name]["state"], rows[name]["figures"]), ("failed", {}), name)
            self.assertIn(why.split(": ", 1)[0], rows[name]["why"])
            self.assertIn(why.rsplit(": ", 1)[1], rows[name]["why"])
        self.assertEqual(rows["first"]["state"], "measured")

    def test_does_not_wait_for_ever(self):
        start = self.start
        with mock.patch.object(self, "start", lambda name, caches: start(name, caches, 2 if name == "hangs" else 30)):
            rows, _ = self.run_contest("first", "hangs")
        self.assertEqual(rows["hangs"]["why"], "no answer to 'start' in 2 s")
        self.assertEqual(rows["first"]["state"], "measured")

    def test_a_cold_start_may_fill_its_cache_while_it_ends(self):
        rows, _ = self.run_contest("first", "keeps at its end", starts=3)
        figures = rows["keeps at its end"]["figures"]
        self.assertGreater(figures["cold"]["low"], 50e6)  # it sleeps so long where it finds no cache
        self.assertLess(figures["warm"]["low"], 50e6)

    def test_has_no_ratios_without_its_first(self):
        rows, _ = self.run_contest("missing", "second")
        self.assertNotIn("call_ratio", rows["second"]["figures"])
        self.assertIn("call", rows["second"]["figures"])


if __name__ == "__main__":
    unittest.main()
