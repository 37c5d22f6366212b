"""tag_test.py: which machines a wheel says that it is for, which need not be the one that packs it."""

import pathlib
import platform
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
try:
    import hatch_build
except ImportError as missing:
    print(f"needs hatchling ({missing})")
    sys.exit(77)


class Tag(unittest.TestCase):
    def tag_of(self, machine):
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder) / "libkmux.so.0"
            library.write_bytes(b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + b"\x03\x00" + machine.to_bytes(2, "little") + b"\0" * 44)
            return hatch_build._tag(library)

    def test_the_machine_is_that_of_the_library(self):
        glibc = platform.libc_ver()[1].replace(".", "_")
        self.assertEqual(self.tag_of(62), f"py3-none-manylinux_{glibc}_x86_64")
        self.assertEqual(self.tag_of(183), f"py3-none-manylinux_{glibc}_aarch64")

    def test_others_are_not_guessed(self):
        with self.assertRaisesRegex(RuntimeError, "is for ELF's machine 243 .wheels are for x86_64 and aarch64"):
            self.tag_of(243)


if __name__ == "__main__":
    unittest.main()
