"""kmux_tilelang.compile_settings"""

import unittest

from kmux_tilelang.compile_settings import compile_settings


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

    def test_keep_other_flags_in_one_piece(self):
        made = compile_settings({"tl.ptxas_register_usage_level": 5}, ["-O3", "-I", "/opt", "-Xptxas", "-v", "-O3"])
        wanted = ["-O3", "-I/opt", "-Xptxas=-v", "-Xptxas=--register-usage-level=5"]
        self.assertEqual(made, {"compile_flags": wanted})
        self.assertEqual(compile_settings({}, ["-D", "A=1", "-std", "c++17"]), {"defines": ["A=1"], "standard": "c++17"})
        self.assertEqual(compile_settings({}, ["-I"]), {"compile_flags": ["-I"]})  # which a backend refuses
