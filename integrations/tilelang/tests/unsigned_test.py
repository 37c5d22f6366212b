"""kmux_tilelang.unsigned"""

import unittest
from types import SimpleNamespace

from kmux_tilelang.error import MiscomputedError
from kmux_tilelang.unsigned import with_unsigned
from tir import device, var

HEAD = "@cute.kernel\ndef k(U, Y):\n"


def pointer(name, dtype):
    made = var(name, "handle")
    made.type_annotation = SimpleNamespace(element_type=SimpleNamespace(dtype=dtype))
    return made


DEVICES = {"k": device(pointer("U", "uint8"), pointer("Y", "float32"), var("n"))}


def at(name, offset="0", count=1):
    return f"tl.make_tensor_at_offset({name}.iterator, {offset}, ({count},), div_by=1)"


class Unsigned(unittest.TestCase):
    def test_elements_have_their_type_again(self):
        text = HEAD + f"  {at('Y')}[0] = cutlass.Float32({at('U', 'x')}[0]) + cutlass.Float32({at('U')}[0])\n"
        wanted = HEAD + (
            f"  {at('Y')}[0] = cutlass.Float32(cutlass.Uint8({at('U', 'x')}[0])) + "
            f"cutlass.Float32(cutlass.Uint8({at('U')}[0]))\n"
        )
        self.assertEqual(with_unsigned(text, DEVICES), wanted)

    def test_one_may_be_the_index_of_another(self):
        inner = at("U", "x")
        text = HEAD + f"  {at('Y')}[0] = {at('U', f'{inner}[0]')}[0]\n"
        indexed = at("U", f"cutlass.Uint8({inner}[0])")
        self.assertEqual(with_unsigned(text, DEVICES), HEAD + f"  {at('Y')}[0] = cutlass.Uint8({indexed}[0])\n")

    def test_so_have_those_of_memory_that_the_kernel_makes(self):
        text = HEAD + "  R = tl.make_rmem_tensor((4),cutlass.Uint16)\n"
        text += "  S = tl.make_tensor(tl.get_dyn_smem(cutlass.Uint32, alignment=1024), (1,))\n"
        text += f"  {at('Y')}[0] = {at('R')}[0] + {at('S')}[0]\n"
        made = with_unsigned(text, {})
        self.assertIn(f"cutlass.Uint16({at('R')}[0]) + cutlass.Uint32({at('S')}[0])", made)

    def test_stores_copies_and_signed_memory_stay(self):
        text = HEAD + f"  {at('U')}[0] = {at('Y')}[0]\n  {at('U', 4, 4)}.store({at('U', 0, 4)}.load())\n"
        self.assertEqual(with_unsigned(text, DEVICES), text)

    def test_vectors_that_are_converted_are_refused(self):
        text = HEAD + f"  v = {at('U', 0, 4)}.load()\n  w.store(tl.cast_tensor(v, cutlass.Float32))\n"
        with self.assertRaisesRegex(MiscomputedError, "elements of 'U' are unsigned, read several at a time"):
            with_unsigned(text, DEVICES)


if __name__ == "__main__":
    unittest.main()
