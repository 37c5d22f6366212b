import os
import tempfile
import unittest

import kmux
import numpy as np
import programs
import tvm_ffi


class ExportLibrary(unittest.TestCase):
    def test_runs_without_kmux(self):
        with tempfile.TemporaryDirectory() as folder:
            path, header = os.path.join(folder, "scale.so"), os.path.join(folder, "scale.h")
            made = kmux.export_library(programs.scale(), path, header=header, target="cpu")
            self.assertEqual((made.library, made.backend), (path, "cpu"))
            self.assertIn("__tvm_ffi_scale", made.symbols)
            self.assertTrue(os.path.exists(header))
            y = np.zeros(4, "float32")
            tvm_ffi.load_module(path)["scale"](np.arange(4, dtype="float32"), y, 2.0)
            np.testing.assert_array_equal(y, [0, 2, 4, 6])

    def test_says_what_is_wrong(self):
        with self.assertRaises(kmux.UnavailableError):
            kmux.export_library(programs.scale(), "/nowhere/scale.so", target="cpu")
        with self.assertRaisesRegex(TypeError, "Did you mean 'target'"):
            kmux.export_library(programs.scale(), "scale.so", targt="cpu")


if __name__ == "__main__":
    unittest.main()
