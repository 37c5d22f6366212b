"""kmux's own rows, over the build that the environment names or that is in this tree."""

import unittest

import kernels
import roster
import worker

PEER = roster.named("kmux, cpu")
REASON = PEER.missing()


@unittest.skipIf(REASON, REASON)
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
        import kmux_peer

        self.assertEqual(kmux_peer.missing("abacus"), "this build has no plugin 'abacus'")


if __name__ == "__main__":
    unittest.main()
