"""kmux_tilelang.headers"""

import tempfile
import unittest
from pathlib import Path

from kmux_tilelang.headers import header_closure, hints_of

FILES = {
    "one/tl_templates/cuda/gemm.h": '#include "common.h"\n  #  include <cute/tensor.hpp>\n#include "../../deep/x.h"\n',
    "one/tl_templates/cuda/common.h": "#pragma once\n#if 0\n#include <cuda_fp16.h>\n#include <other.h>\n#endif\n",
    "one/deep/x.h": "#include <tl_templates/cuda/gemm.h>\n#include MACRO(y)\n",
    "one/other.h": "// of the first root\n",
    "two/other.h": "// of the second root\n",
    "two/cute/tensor.hpp": '#include "tensor_impl.hpp" // beside\n#include "cute/config.hpp"\n',
    "two/cute/tensor_impl.hpp": "",
    "two/cute/config.hpp": "\xff\n",
    "two/never.h": "",
    "outside.h": "",
}


class HeaderClosure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.roots = [Path(folder.name) / "one", Path(folder.name) / "two"]
        for path, content in FILES.items():
            file = Path(folder.name) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode("latin-1"))

    def closure(self, text, names=()):
        return header_closure(text, names, self.roots)

    def test_follows_includes_through_every_root(self):
        found = self.closure("#include <tl_templates/cuda/gemm.h>\n#include <cuda.h>\n")
        self.assertEqual(list(found), [
            "cute/config.hpp", "cute/tensor.hpp", "cute/tensor_impl.hpp", "deep/x.h", "other.h",
            "tl_templates/cuda/common.h", "tl_templates/cuda/gemm.h"])  # fmt: skip
        self.assertEqual(found["other.h"], b"// of the first root\n")
        self.assertEqual(found["cute/config.hpp"], b"\xff\n")

    def test_begins_with_preludes_too(self):
        self.assertEqual(list(self.closure("int x;\n", ["never.h", "cuda.h"])), ["never.h"])

    def test_never_leaves_the_roots(self):
        self.assertEqual(self.closure('#include "../outside.h"\n#include "/etc/hostname"\n'), {})

    def test_is_empty_without_includes(self):
        self.assertEqual(self.closure('// #include <other.h>\nconst char* s = "#include <never.h>";\n'), {})


class Hints(unittest.TestCase):
    def test_name_packages(self):
        self.assertEqual(hints_of("int x;\n"), [])
        self.assertEqual(hints_of("#include <tl_templates/hip/gemm.h>\n#include <hip/hip_runtime.h>\n"), ["tilelang"])
        self.assertEqual(hints_of("#include <tl_templates/cuda/gemm.h>\n"), ["tilelang", "cutlass"])
        self.assertEqual(hints_of("#include <cute/tensor.hpp>\n"), ["cutlass"])
