"""kmux_tilelang.workspaces"""

import unittest
from types import SimpleNamespace

from kmux_tilelang.error import UnsupportedError
from kmux_tilelang.workspaces import with_workspaces
from tir import device, var

TEXT = "@cute.kernel\ndef k(W, X):\n  x = tl.ThreadIdx()\n@cute.kernel\ndef k_1(W):\n  y = 1\n"


def pointer(name, dtype):
    made = var(name, "handle")
    made.type_annotation = SimpleNamespace(element_type=SimpleNamespace(dtype=dtype))
    return made


class Workspaces(unittest.TestCase):
    def made(self, dtype):
        devices = {"k": device(pointer("W", dtype), pointer("X", "int8")), "k_1": device(pointer("W", dtype))}
        first = {"launch": {"kernel": "k", "args": [{"workspace": "w"}, {"tensor": "X"}]}}
        second = {"if": {"then": [{"launch": {"kernel": "k_1", "args": [{"workspace": "w"}]}}]}}
        return with_workspaces(TEXT, devices, {"steps": [first, second, first]})

    def test_become_tensors_of_their_elements(self):
        line = "  W = cute.make_tensor(cute.recast_ptr(W, dtype=cutlass.Float32), (1,))\n"
        wanted = f"@cute.kernel\ndef k(W, X):\n{line}  x = tl.ThreadIdx()\n@cute.kernel\ndef k_1(W):\n{line}  y = 1\n"
        self.assertEqual(self.made("float32"), wanted)

    def test_are_refused_with_elements_that_cute_dsl_has_not(self):
        with self.assertRaisesRegex(UnsupportedError, "workspace 'W' has elements of int4"):
            self.made("int4")

    def test_may_be_none(self):
        self.assertEqual(with_workspaces(TEXT, {}, {}), TEXT)


if __name__ == "__main__":
    unittest.main()
