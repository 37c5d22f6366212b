# SPDX-License-Identifier: Apache-2.0
"""What a JitBuilder takes, and what it refuses by name."""

import unittest

import kmux
import numpy as np


def described(describe):
    """The program of a function of one tensor of four floats, which `describe` describes."""

    @kmux.jit(target="cpu")
    def made(b: kmux.JitBuilder, x):
        return describe(b)

    return made.program(np.ones(4, "float32"))


class JitBuilder(unittest.TestCase):
    def test_a_dtype_that_is_none_is_refused_where_no_tensor_has_one(self):
        wanted = "None is not a dtype .a NoneType.. Write it as a word"
        for declare in (
            lambda b: b.empty("y", None, [4]),
            lambda b: b.buffer("x", [4], None),
            lambda b: b.symbol("n", None),
        ):
            with self.assertRaisesRegex(TypeError, wanted):
                described(declare)


if __name__ == "__main__":
    unittest.main()
