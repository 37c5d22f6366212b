#!/usr/bin/env python3
"""What nvrtc_headers.py says of values that are wrong."""
import unittest

from header_uses import source
from nvrtc_headers import wrong_values


class WrongValues(unittest.TestCase):
    def test_are_named_by_their_expressions(self):
        text, count = source(["cstring"])
        right = b"header" + b"\1\0\0\0" * count
        self.assertEqual(wrong_values(text, right), [])
        wrong = right[:-8] + b"\0\0\0\0" + right[-4:]
        self.assertEqual(wrong_values(text, wrong), ["ok[1], works_on_bytes()"])

    def test_are_as_many_as_a_program_has(self):
        text, count = source(["math.h", "cmath"])
        self.assertEqual(len(wrong_values(text, bytes(4 * count))), count)


if __name__ == "__main__":
    unittest.main()
