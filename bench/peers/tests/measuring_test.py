import math
import random
import unittest

import measuring


def covered(count, outside):
    """How often the interval holds the median: the definition, summed the other way round."""
    return sum(math.comb(count, below) for below in range(outside + 1, count - outside)) / 2**count


class Interval(unittest.TestCase):
    def test_is_the_narrowest_that_holds_the_level(self):
        for count in (6, 9, 10, 25, 91, 101, 501):
            outside = measuring.rank(count)
            self.assertGreaterEqual(covered(count, outside), measuring.LEVEL, count)
            self.assertLess(covered(count, outside + 1), measuring.LEVEL, count)

    def test_is_least_and_most_where_there_are_too_few(self):
        self.assertEqual([measuring.rank(count) for count in range(1, 6)], [0] * 5)
        self.assertEqual(measuring.figure([3.0, 1.0, 2.0]), measuring.Figure(2.0, 1.0, 3.0, 3))

    def test_holds_the_true_median_as_often_as_it_says(self):
        numbers = random.Random(9)
        held = 0
        for _ in range(1000):
            found = measuring.figure([numbers.expovariate(1) for _ in range(31)])
            held += found.low <= math.log(2) <= found.high
        self.assertGreater(held, 930)

    def test_does_not_follow_an_outlier(self):
        self.assertEqual(measuring.figure([1.0] * 20 + [1e9]), measuring.Figure(1.0, 1.0, 1.0, 21))

    def test_needs_samples(self):
        with self.assertRaisesRegex(ValueError, "no samples"):
            measuring.figure([])


class Ratio(unittest.TestCase):
    def test_cancels_what_slows_a_round_down(self):
        rounds = [1.0, 50.0, 3.0, 700.0]
        found = measuring.ratio([3 * time for time in rounds], rounds)
        self.assertEqual((found.median, found.low, found.high), (3.0, 3.0, 3.0))

    def test_needs_pairs(self):
        with self.assertRaisesRegex(ValueError, "2 rounds against 1"):
            measuring.ratio([1.0, 2.0], [1.0])


class Turn(unittest.TestCase):
    def test_is_everybody_once(self):
        for number in range(20):
            self.assertEqual(sorted(measuring.turn(7, number)), list(range(7)))
        self.assertEqual(measuring.turn(0, 3), [])

    def test_begins_with_each_as_often(self):
        first = [measuring.turn(5, number)[0] for number in range(10)]
        last = [measuring.turn(5, number)[-1] for number in range(10)]
        for place in range(5):
            self.assertEqual((first.count(place), last.count(place)), (2, 2))


class WarmUp(unittest.TestCase):
    def test_is_the_first_tenth(self):
        self.assertEqual(measuring.without_warm_up(list(range(21))), list(range(2, 21)))
        self.assertEqual(measuring.without_warm_up([1, 2, 3]), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
