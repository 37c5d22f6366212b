#!/usr/bin/env python3
"""quickstart_test.py PROGRAM FOLDER: runs the quickstart on a program and tensors of its own and checks the result."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy

program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def run(folder):
    return subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=300)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    refused = run(folder)
    assert refused.returncode == 1 and "gemm.kmux.json" in refused.stderr, refused

    for file in source.iterdir():
        shutil.copy(file, folder)
    random = numpy.random.default_rng(7)
    a, b = (random.standard_normal(shape).astype(numpy.float32) for shape in ((70, 50), (50, 90)))
    numpy.save(folder / "a.npy", a)
    numpy.save(folder / "b.npy", b)
    ran = run(folder)
    assert ran.returncode == 0, ran.stderr
    assert "cpu" in ran.stdout, ran.stdout
    expected = a.astype(numpy.float64) @ b.astype(numpy.float64)
    numpy.testing.assert_allclose(numpy.load(folder / "c.npy"), expected, rtol=1e-4, atol=1e-4)
