# SPDX-License-Identifier: Apache-2.0
"""Objects without anything of the library behind them: refused, each in a process, as the library would crash."""

import subprocess
import sys
import textwrap
import unittest

_SCRIPT = """
import copy, pickle
import kmux
import numpy

class Own(kmux.Kernel):
    def __init__(self, *_):
        pass

class OwnSource(kmux.SourceKernel):
    def __init__(self, *_):
        pass

x = numpy.ones(1, "float32")
kernels = (kmux.Kernel, kmux.SourceKernel, Own, OwnSource)
cases = [lambda kind=kind: kind()(x) for kind in kernels] + [lambda kind=kind: repr(kind.__new__(kind)) for kind in kernels]
program, resolution = kmux.Program.__new__(kmux.Program), kmux.Resolution.__new__(kmux.Resolution)
for use in (
    repr, hash, copy.copy, pickle.dumps, kmux.compile, kmux.resolve, lambda p: p == program, lambda p: p.name, lambda p: p.digest,
    lambda p: p.files, lambda p: p.to_json(), lambda p: p.save("none.kmux.json"), lambda p: kmux.par_compile([p]),
    lambda p: kmux.export_library(p, "none.so"), lambda p: kmux.cache_program("none", p),
):
    cases.append(lambda use=use: use(program))
for use in (repr, str, lambda r: r.backend, lambda r: r.candidates, lambda r: r.to_dict(), lambda r: r.explain(fully=True)):
    cases.append(lambda use=use: use(resolution))
for case in cases:
    try:
        case()
        print("nothing was raised")
    except TypeError as error:
        print(error)
"""


class Empty(unittest.TestCase):
    def test_objects_are_refused(self):
        script = textwrap.dedent(_SCRIPT)
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = {
            "a Kernel cannot be constructed (it is a compiled program). Call kmux.compile or kmux.kernel.": 4,
            "a SourceKernel cannot be constructed (it is made of a source). Call kmux.kernel.": 4,
            "this Program is empty (it was made by Program.__new__). Call kmux.program or kmux.load_program.": 15,
            "this Resolution is empty (it was made by Resolution.__new__). Call kmux.resolve.": 6,
        }
        lines = done.stdout.splitlines()
        self.assertEqual({line: lines.count(line) for line in lines}, made)


if __name__ == "__main__":
    unittest.main()
