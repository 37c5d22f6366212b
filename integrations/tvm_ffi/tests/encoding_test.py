# SPDX-License-Identifier: Apache-2.0
"""Names and contents of files that are not UTF-8: names are refused by argument, contents are taken byte by byte."""

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import textwrap
import unittest

import kmux
import numpy as np
import programs

_LATIN = b"// caf\xe9\nvoid f(float* x, long long n) { for (long long i = 0; i < n; ++i) x[i] += 1; }\n"


class Encoding(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.other = os.path.join(folder.name, os.fsdecode(b"caf\xe9"))
        os.mkdir(self.other)

    def latin(self, folder):
        path = pathlib.Path(folder, "latin.c")
        path.write_bytes(_LATIN)
        return kmux.kernel(path, "f(x: inout f32[n])", args="x, n: i64", target="cpu")

    def test_names_are_refused_by_the_argument(self):
        program, path, compiled = programs.scale(), os.path.join(self.other, "a.kmux.json"), kmux.compile(programs.scale(), target="cpu")
        library = os.path.join(self.folder, "a.so")
        for name, call in (
            ("path", lambda: kmux.load_program(path)),
            ("path", lambda: kmux.load_program(os.fsencode(path))),
            ("path", lambda: kmux.compile(path)),
            ("path", lambda: kmux.resolve(pathlib.Path(path))),
            ("path", lambda: kmux.par_compile([path])),
            ("path", lambda: program.save(path)),
            ("option 'include_dirs':", lambda: kmux.compile(program, include_dirs=[self.other])),
            ("option 'include_dirs':", lambda: kmux.resolve(program, include_dirs=[pathlib.Path(self.other)])),
            ("option 'include_dirs':", lambda: kmux.jit(include_dirs=[self.other])(lambda: program)),
            ("option 'compile_flags':", lambda: kmux.compile(program, compile_flags=["-I" + self.other])),
            ("option 'lock_file':", lambda: kmux.compile(program, policy="pinned", lock_file=path)),
            ("option 'options':", lambda: kmux.compile(program, options={"a": path})),
            ("option 'options':", lambda: kmux.compile(program, options={path: "a"})),
            ("library", lambda: kmux.export_library(program, path)),
            ("header", lambda: kmux.export_library(program, library, header=path)),
            ("host_compiler", lambda: kmux.export_library(program, library, host_compiler=path)),
            ("debug_root_path", lambda: kmux.jit(debug_root_path=self.other)(programs.scale)),
            ("option 'debug_root_path':", lambda: kmux.jit(debug_root_path=self.other, mode="eager")(lambda b, x: None)),
            ("signature", lambda: kmux.kernel("void f(float* x) {}", f"f(x: inout f32[{self.other}])")),
            ("args", lambda: kmux.kernel("void f(float* x) {}", "f(x: inout f32[n])", args=self.other)),
            ("the path", lambda: kmux.program(program.to_json(), {path: ""})),
            ("origin", lambda: kmux.cached_program(path)),
            ("name", lambda: compiled.set_constant(path, np.zeros(1))),
        ):
            with self.subTest(name), self.assertRaisesRegex(ValueError, rf"^{name} '.*caf\\udce9.*' is not UTF-8 .*Rename it\.$") as raised:
                call()
            self.assertNotIsInstance(raised.exception, UnicodeError)

    def test_contents_are_taken_byte_by_byte(self):
        for folder in (self.folder, self.other):
            kernel, x = self.latin(folder), np.zeros(2, "float32")
            kernel(x)
            self.assertEqual(x.tolist(), [1, 1])
        program = kernel.program
        self.assertIn("// caf\udce9\n", program.files["kernel.c"])
        self.assertIn("// caf\udce9\n", kernel.compile().source)
        self.assertEqual(pickle.loads(pickle.dumps(program)), program)
        self.assertEqual(kmux.program(program.to_json(), program.files), program)
        path = os.path.join(self.folder, "f.kmux.json")
        program.save(path)
        self.assertEqual(kmux.load_program(path), program)
        kmux.jit(debug_root_path=self.folder, target="cpu")(lambda: program)()

    def test_the_digest_of_a_document_is_that_of_the_bytes(self):
        text = "/* caf\udce9 */ void none(void) {}"
        document = {
            "name": "none",
            "signature": {"params": []},
            "variants": [{"dialect": "c", "sources": [{"path": "none.c"}], "body": programs.launch("none", [])}],
        }
        self.assertEqual(kmux.program(document, {"none.c": text}).files["none.c"], text)
        with self.assertRaisesRegex(ValueError, r"file 'none.c' has half of a surrogate pair, '\\ud800' .*Remove it"):
            kmux.program(document, {"none.c": "\ud800"})

    def test_errors_have_escapes_for_other_bytes(self):
        script = textwrap.dedent(f"""
            import os, kmux, numpy
            os.chdir({os.fsencode(self.other)!r})
            os.mkdir("include")
            with open("include/h.h", "w") as file:
                file.write("#include <cassert>\\n__device__ inline void check(float x) {{ assert(x > 5); }}")
            source = '#include "h.h"\\nextern "C" __global__ void f(float* x, int n) {{ check(x[0]); }}'
            how = dict(grid=1, block=1, args="x, n: i32", target="cpu", include_dirs=["include"])
            try:
                kmux.kernel(source, "f(x: inout f32[n])", **how)(numpy.ones(3, "float32"))
            except kmux.LaunchError as error:
                print(error)
        """)
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, errors="replace", timeout=60)
        self.assertRegex(done.stdout, r'assertion "x > 5" failed \(/.*caf\\xe9/include/h.h:2', done.stderr)


if __name__ == "__main__":
    unittest.main()
