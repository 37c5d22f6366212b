"""kmux_tilelang.names"""

import re
import unittest
from pathlib import Path

from kmux_tilelang.error import UnsupportedError, UsageError
from kmux_tilelang.names import KEYWORDS, LAUNCHERS, check_names, check_program_name, fresh, is_name

SDK = Path(__file__).resolve().parents[3] / "core/ir/validate"


def listed(file, variable):
    """The strings of an array of the sdk."""
    match = re.search(variable + r" = [^{]*\(\{(.*?)\}\)", (SDK / file).read_text(), re.DOTALL)
    return set(re.findall(r'"([^"]*)"', match[1]))


class Names(unittest.TestCase):
    def test_are_identifiers_that_no_launcher_trips_over(self):
        for text in ("n", "_", "A_desc", "x" * 255):
            self.assertTrue(is_name(text))
        for text in ("", "1n", "a b", "a-b", "int", "kmux_n", "KMUX_N", "__n", "x" * 256, "\u00e9", "n\n"):
            self.assertFalse(is_name(text))

    def test_are_those_that_validation_takes(self):
        self.assertEqual(KEYWORDS, listed("validate_names.cpp", "kKeywords"))
        self.assertEqual(LAUNCHERS, listed("scope.cpp", "kReserved"))

    def test_are_refused_for_a_program(self):
        check_program_name("gemm")
        with self.assertRaisesRegex(UsageError, "'../gemm' cannot name a program.*--name"):
            check_program_name("../gemm")

    def test_are_refused_for_parameters_and_symbols(self):
        check_names({"params": [{"name": "env", "buffer": {}}], "symbols": [{"name": "n"}]}, {"k"})
        for signature, part in (
            ({"params": [{"name": "double", "buffer": {}}]}, "'double' cannot name a parameter or symbol"),
            ({"params": [{"name": "env", "scalar": {}}]}, "'env' names a scalar"),
            ({"params": [], "symbols": [{"name": "k"}]}, "'k' names a scalar or symbol, and something of the launcher"),
        ):
            with self.assertRaisesRegex(UnsupportedError, part):
                check_names(signature, {"k"})

    def test_are_made_where_one_is_taken(self):
        self.assertEqual(fresh("n", []), "n")
        self.assertEqual(fresh("n", ["n", "n_1"]), "n_2")
        self.assertEqual(fresh("env", []), "env_1")
        self.assertEqual(fresh("int", []), "xint")
        self.assertEqual(fresh("v.0", []), "xv_0")
