"""What measurements pin: no cluster is needed."""

import unittest
from unittest import mock

from kmux.fleet import _lock, _node
from kmux.fleet._command import Answer


def measured(medians, sure=True, width=0.0):
    """What `kmux tune --json` prints: the first of the fastest wins."""
    candidates = [
        {
            "backend": "cpu",
            "variant": i,
            "target": "cpu:x86-64",
            "build_id": "b",
            "run_us": {"median": time, "low": time, "high": time * (1 + width)},
        }
        for i, time in enumerate(medians)
    ]
    return {"candidates": candidates, "winner": medians.index(min(medians)), "sure": sure}


def line(result):
    return {"program": "d" * 64, "name": "scale", "place": "cpu:x86-64:Made_Up", "result": result}


class Pins(unittest.TestCase):
    def test_a_sure_winner_is_pinned(self):
        made, notes = _lock.pins([line(measured([20, 10]))])
        self.assertEqual(([pin["variant"] for pin in made], notes), ([1], []))

    def test_an_undecided_one_is_not_and_a_note_has_it(self):
        made, notes = _lock.pins([line(measured([20, 10])), line(measured([20, 10], sure=False))])
        self.assertEqual(made, [])
        self.assertRegex(notes[0], "not pinned: 1 of 2 measurements are undecided")

    def test_one_without_the_word_counts_as_sure(self):
        result = measured([10, 20])
        del result["sure"]
        self.assertEqual(len(_lock.pins([line(result)])[0]), 1)


class Tuned(unittest.TestCase):
    def outcome(self, *documents):
        answers = [Answer(document, "", "", 1) for document in documents]
        with mock.patch.object(_node._command, "call", side_effect=answers) as call:
            result = _node._tuned("key", ["program"], 60).result
        return result, call.call_count

    def test_what_is_sure_is_measured_once(self):
        self.assertEqual(self.outcome(measured([20, 10]))[1], 1)

    def test_what_is_undecided_is_measured_once_more_and_the_better_one_counts(self):
        unsure, sure = measured([20, 10], sure=False), measured([20, 10], width=0.05)
        result, calls = self.outcome(unsure, sure)
        self.assertEqual((result["sure"], calls), (True, 2))
        result, calls = self.outcome(measured([20, 10], width=0.2), unsure)
        self.assertEqual((result["sure"], calls), (True, 2))


if __name__ == "__main__":
    unittest.main()
