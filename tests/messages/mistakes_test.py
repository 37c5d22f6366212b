#!/usr/bin/env python3
"""mistakes_test.py DOOR [--program FILE]: what each door says to the mistakes that its users make, compared with golden/DOOR.txt.

A message has five lines at most. KMUX_UPDATE_GOLDENS=1 writes the golden file anew: read it as somebody would who has never
seen kmux.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import command
import python

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MOST_LINES = 5
# What differs from machine to machine.
VARYING = [
    (re.compile(r"\bc(?:pu)?:x86-64[\w.+,-]*|\bcpu:[\w.+-]+"), "cpu:HOST"),
    (re.compile(r"/tmp/[\w./-]*?(?=/(?:scale|portable|x\.npy|results))"), "FOLDER"),
]


class Folder:
    """Where mistakes are made: a copy of two examples."""

    def __enter__(self):
        self.temp = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.temp.name).resolve()
        for name in ("scale.kmux.json", "scale.c"):
            shutil.copy(ROOT / "examples" / "programs" / "scale" / name, folder)
        shutil.copytree(ROOT / "examples" / "portable", folder / "portable")
        write_npy(folder / "x.npy", "<f4", (8,))
        write_npy(folder / "square.npy", "<f4", (2, 4))
        write_npy(folder / "doubles.npy", "<f8", (8,))
        return folder

    def __exit__(self, *_):
        self.temp.cleanup()


def write_npy(path, dtype, shape):
    """Zeros, as NumPy's format has them."""
    count = 1
    for extent in shape:
        count *= extent
    head = str({"descr": dtype, "fortran_order": False, "shape": shape}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + bytes(int(dtype[2]) * count))


def toolkit(folder):
    """Variables that name a CUDA toolkit which every machine has: an NVRTC and an nvcc that compile nothing."""
    nvcc = folder / "toolkit" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    nvcc.chmod(0o755)
    return {"KMUX_CUDA_HOME": str(folder / "toolkit"), "KMUX_NVRTC_LIBRARY": os.environ["KMUX_FAKE_NVRTC"]}


def environment(extra):
    """Without anything that would choose for the caller, or differ from machine to machine."""
    of_sanitizers = ("ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS")
    kept = {name: os.environ[name] for name in ("KMUX_TVM_FFI_LIBRARY", "PYTHONPATH", *of_sanitizers) if name in os.environ}
    return {**kept, "PATH": "/usr/bin:/bin", "KMUX_DISABLE_CACHE": "1", **extra}


def plain(text, folder):
    text = text.replace(str(folder) + "/", "").replace(str(folder), "FOLDER").replace(str(ROOT), "TREE")
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return text.rstrip("\n")


def of_command(kmux):
    """(name, what was typed, the message) of each mistake at the command."""
    for name, words, *changes in command.MISTAKES:
        with Folder() as folder:
            extra = {}
            for change in changes:
                extra.update(change(folder) or {})
            done = subprocess.run([kmux, *words], cwd=folder, env=environment({**toolkit(folder), **extra}), capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=120)
            if done.returncode not in range(1, 7):
                done.stderr += f"(exit code {done.returncode})"
            typed = " ".join([*(f"{key}={value}" for key, value in extra.items()), "kmux", *words])
            yield name, typed, plain(done.stderr, folder)


def of_python(_program):
    for name, code in python.MISTAKES:
        with Folder() as folder:
            done = subprocess.run([sys.executable, "-B", str(HERE / "raise.py"), code], cwd=folder, env=environment({}),
                                  capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, (name, done.stderr)
            yield name, code, plain(done.stdout, folder)


def of_cpp(program):
    for name in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        with Folder() as folder:
            done = subprocess.run([program, name], cwd=folder, env=environment({}), capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, (name, done.stderr)
            yield name, "kmux_mistakes", plain(done.stdout, folder)


def of_c(kmux):
    """Through a library that the command exports."""
    with Folder() as folder:
        export = [kmux, "export", "scale.kmux.json", "--backend", "cpu", "-o", "libscale.so", "--header", "scale.h"]
        build = ["cc", "-I.", "-o", "caller", HERE / "c.c", "./libscale.so"]
        for words in (export, build):
            subprocess.run(words, cwd=folder, env=environment({}), check=True, capture_output=True, timeout=120)
        for name in subprocess.run(["./caller"], cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines():
            done = subprocess.run(["./caller", name], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
            yield name, "./caller", plain(done.stdout, folder)


DOORS = {"c": of_c, "command": of_command, "cpp": of_cpp, "python": of_python}


def long_ones(messages):
    return [name for name, _, message in messages if len(message.splitlines()) > MOST_LINES]


def text_of(messages):
    return "\n".join(f"# {name}\n$ {typed}\n{message}\n" for name, typed, message in messages)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("door", choices=DOORS)
    parser.add_argument("--program", default="kmux", help="the command, or kmux_mistakes")
    arguments = parser.parse_args()
    messages = list(DOORS[arguments.door](arguments.program))
    golden = HERE / "golden" / f"{arguments.door}.txt"
    if os.environ.get("KMUX_UPDATE_GOLDENS") == "1":
        golden.write_text(text_of(messages), encoding="utf-8")
    before = golden.read_text(encoding="utf-8").splitlines()
    difference = list(difflib.unified_diff(before, text_of(messages).splitlines(), str(golden), "now", lineterm=""))
    print("\n".join(difference))
    for name in long_ones(messages):
        print(f"{name}: the message has more than {MOST_LINES} lines")
    return 1 if difference or long_ones(messages) else 0


if __name__ == "__main__":
    sys.exit(main())
