"""kmux_tilelang.compile_settings"""

import unittest

from kmux_tilelang.compile_settings import compile_settings
from kmux_tilelang.error import UnsupportedError


class CompileSettings(unittest.TestCase):
    def test_are_empty_by_default(self):
        self.assertEqual(compile_settings({"tl.disable_wgmma": True, "tl.enable_fast_math": False}, []), {})

    def test_keep_fast_math(self):
        for configs, flags in (({"tl.enable_fast_math": True}, []), ({}, ["--use_fast_math"]), ({}, ["-ffast-math"])):
            self.assertEqual(compile_settings(configs, flags), {"fast_math": True})

    def test_keep_defines_and_the_standard(self):
        made = compile_settings({"tl.device_compile_flags": ["-DB"]}, ["-DA=1", "-std=c++17"])
        self.assertEqual(made, {"defines": ["A=1", "B"], "standard": "c++17"})
        self.assertEqual(compile_settings({"tl.device_compile_flags": "-DB"}, []), {"defines": ["B"]})

    def test_name_what_a_program_cannot_ask_for(self):
        for flag in ("-maxrregcount=64", "-I/opt", "-D"):
            with self.assertRaisesRegex(UnsupportedError, f"compile flag '{flag}' has no counterpart"):
                compile_settings({}, [flag])
        with self.assertRaisesRegex(UnsupportedError, "'tl.ptxas_register_usage_level' has no counterpart"):
            compile_settings({"tl.ptxas_register_usage_level": 5}, [])
