"""kmux_tilelang.lower: which releases of TileLang are taken, and what is said of one that nobody has tried."""

import sys
import types
import unittest
import warnings
from unittest import mock

from kmux_tilelang.error import UsageError
from kmux_tilelang.lower import TESTED, require_tilelang, version, warn_if_untested


class Releases(unittest.TestCase):
    def setUp(self):
        warn_if_untested.cache_clear()
        self.addCleanup(warn_if_untested.cache_clear)

    def tilelang(self, release):
        module = types.SimpleNamespace(__version__=release)
        self.enterContext(mock.patch.dict(sys.modules, tilelang=module))
        return module

    def test_that_are_unknown_are_tried_with_a_warning(self):
        module = self.tilelang("0.2.0+cu130")
        with self.assertWarnsRegex(UserWarning, "TileLang 0.2.0 was not tested .it was with 0.1.13, .*install 0.1.15"):
            self.assertIs(require_tilelang(), module)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # said once
            self.assertIs(require_tilelang(), module)

    def test_that_were_tested_are_taken_in_silence(self):
        for release in TESTED:
            module = self.tilelang(release + "+gitabcdef")
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertIs(require_tilelang(), module)
            self.assertEqual(version(), release)

    def test_that_are_not_there_are_named(self):
        self.enterContext(mock.patch.dict(sys.modules, tilelang=None))
        with self.assertRaisesRegex(UsageError, "cannot import tilelang .*pip install tilelang==0.1.15"):
            require_tilelang()


if __name__ == "__main__":
    unittest.main()
