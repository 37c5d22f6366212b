"""kmux_tilelang.validation"""

import sys
import types
import unittest
from unittest import mock

from kmux_tilelang.error import UnsupportedError, UsageError
from kmux_tilelang.validation import check_valid


class CheckValid(unittest.TestCase):
    def kmux(self, **answers):
        self.enterContext(mock.patch.dict(sys.modules, kmux=types.SimpleNamespace(program=mock.Mock(**answers))))
        return sys.modules["kmux"]

    def test_asks_kmux(self):
        kmux = self.kmux()
        check_valid({"name": "k"}, {"k.cu": b"int x;"})
        kmux.program.assert_called_once_with({"name": "k"}, {"k.cu": "int x;"})

    def test_tells_what_kmux_says(self):
        self.kmux(side_effect=ValueError("the variant has no steps"))
        with self.assertRaisesRegex(UnsupportedError, "kmux would refuse the program .the variant has no steps"):
            check_valid({}, {})

    def test_writes_nothing_unchecked(self):
        self.enterContext(mock.patch.dict(sys.modules, kmux=None))
        with self.assertRaisesRegex(UsageError, "kmux cannot be imported .* Install its wheel"):
            check_valid({}, {})


if __name__ == "__main__":
    unittest.main()
