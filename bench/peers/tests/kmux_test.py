"""kmux's own rows, over the build that the environment names or that is in this tree."""

import sys
import unittest
from unittest import mock

import kernels
import kmux_peer
import roster
import worker

PEER = roster.named("kmux, cpu")
REASON = PEER.missing()


@unittest.skipIf(REASON, f"needs the Python package over plugin cpu ({REASON})")
class KmuxOnHost(unittest.TestCase):
    def test_is_measured_in_each_way(self):
        asked = worker.Worker(PEER)
        self.assertRegex(asked.answer({"do": "open"})["version"], r"^\d+\.\d+")
        self.assertGreater(asked.answer({"do": "start", "n": 1000}).get("ns", 0), 0)
        self.assertEqual(asked.answer({"do": "finish"}), {})
        for what in ("call", "wait", "work"):
            self.assertGreater(asked.answer({"do": what, "n": 1000, "count": 3}).get("ns", 0), 0, what)

    def test_compiles_the_text_that_all_others_compile(self):
        case = kernels.Case(8)
        PEER.open()
        self.assertIn(kernels.C.strip(), PEER.prepare(case, PEER.inputs(case)).function.source)

    def test_names_a_backend_that_is_not_there(self):
        self.assertEqual(kmux_peer.missing("abacus"), "this build has no plugin 'abacus'")


class Packages(unittest.TestCase):
    def test_are_those_of_the_tree_where_none_are_installed(self):
        with mock.patch.object(kmux_peer, "missing_packages", return_value="none"), mock.patch.object(sys, "path", []):
            kmux_peer.find()
            self.assertEqual(sys.path[0], str(kmux_peer.packages()))
            self.assertTrue(sys.path[1].endswith("integrations/tvm_ffi/python"))
        with mock.patch.object(kmux_peer, "missing_packages", return_value=""), mock.patch.object(sys, "path", []):
            kmux_peer.find()
            self.assertEqual(sys.path, [])


if __name__ == "__main__":
    unittest.main()
