#!/usr/bin/env python3
"""quickstart_test.py PROGRAM FOLDER: runs the quickstart on the program of FOLDER and small tensors; checks C = A @ B."""
import array
import ast
import pathlib
import shutil
import subprocess
import sys
import tempfile

M, K, N = 7, 5, 9


def save_npy(path, shape, values):
    """Format 1.0 of NumPy's NEP 1: magic, length of the header, header padded to 64 bytes, data."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + values.tobytes())


def load_npy(path):
    content = path.read_bytes()
    data = 10 + int.from_bytes(content[8:10], "little")
    return ast.literal_eval(content[10:data].decode())["shape"], array.array("f", content[data:])


def run(program, folder):
    return subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=300)


def main():
    program, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        refused = run(program, folder)
        assert refused.returncode == 1 and "gemm.kmux.json" in refused.stderr, refused

        for file in source.iterdir():
            shutil.copy(file, folder)
        a = array.array("f", (i % 11 - 5 for i in range(M * K)))
        b = array.array("f", (i % 7 - 3 for i in range(K * N)))
        save_npy(folder / "a.npy", (M, K), a)
        save_npy(folder / "b.npy", (K, N), b)
        ran = run(program, folder)
        assert ran.returncode == 0 and "cpu" in ran.stdout, ran
        shape, c = load_npy(folder / "c.npy")
        assert shape == (M, N), shape
        expected = [sum(a[i * K + p] * b[p * N + j] for p in range(K)) for i in range(M) for j in range(N)]
        assert list(c) == expected, (list(c), expected)  # small integers: exact


if __name__ == "__main__":
    main()
