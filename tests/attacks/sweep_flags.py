#!/usr/bin/env python3
"""Every flag of the compilers, as a program's text could have it: sweep_flags.py KMUX [--every N] [--jobs N]
[--list], which only counts them.

A flag is harmful if the command crashes, hangs or prints what is no message of kmux's, or if a file is written where the program is or
where the command stands. Flags come from the compilers that are here: Clang's and GCC's on backend cpu, nvcc's on cuda and nvrtc. Many
are tried by one command; if anything is odd about it, each half of them by another one. Ends with the number of flags and of
harmful ones."""

import argparse
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys

from scene import SAXPY_C, SAXPY_CU, Missing, scene_of

BATCH = 50  # flags for one command
EXPECTED = (0, 3, 4, 5)  # exit codes
VALUES = ["", "1", "x", "all", "4000000000", "-1", "x.txt", "sarif"]
# Of NVRTC's documentation, which no command prints.
NVRTC = """--gpu-architecture= --device-c --device-w --relocatable-device-code= --extensible-whole-program --device-debug --generate-line-info
--dopt= --Ofast-compile= --ptxas-options= --maxrregcount= --ftz= --prec-sqrt= --prec-div= --fmad= --use_fast_math
--extra-device-vectorization --modify-stack-limit= --dlink-time-opt --gen-opt-lto --optix-ir --jump-table-density= --device-stack-protector=
--no-cache --define-macro= --undefine-macro= --include-path= --pre-include= --no-source-include --std= --builtin-move-forward=
--builtin-initializer-list= --pch --create-pch= --use-pch= --pch-dir= --pch-verbose= --pch-messages= --instantiate-templates-in-pch=
--disable-warnings --Wreorder --restrict --device-as-default-execution-space --device-int128 --device-float128 --optimization-info=
--display-error-number --no-display-error-number --diag-error= --diag-suppress= --diag-warn= --brief-diagnostics= --time= --split-compile=
--fdevice-syntax-only --minimal --fdevice-time-trace= --frandom-seed= --ewp --lto -G -lineinfo -dw -dc -rdc= -O -Xptxas= -I -D -U -H -M -MD""".split()


def said(*command):
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except FileNotFoundError:
        return ""
    return result.stdout + result.stderr


def of_clang():
    found = set()
    for prefix in ["-", "--", *(f"-{letter}" for letter in "fmWgOiMXBDILUEScpxTosuvz")]:
        found |= {line.split("\t")[0].split()[0] for line in said("clang-19", f"--autocomplete={prefix}").splitlines() if line.strip()}
    return found


def of_gcc():
    kinds = ["common", "optimizers", "target", "c++", "c", "params", "warnings", "undocumented"]
    text = "\n".join(said("g++", "-Q", f"--help={kind}") for kind in kinds)
    return set(re.findall(r"^\s+(-[^\s<\[]+)", text, re.M))


def of_nvcc():
    found = set()
    for line in (said("nvcc", "--help") or said("/usr/local/cuda/bin/nvcc", "--help")).splitlines():
        for name in re.findall(r"(?<![\w-])(--?[A-Za-z][\w-]*)", line) if re.match(r"^-", line) else []:
            found |= {name, name + "="}
    return found


def forms_of(flag):
    if not flag.endswith("="):
        return [flag]
    return [flag + value for value in VALUES[1:]]


class Sweep:
    def __init__(self, kmux):
        self.kmux = kmux

    @staticmethod
    def lay(scene, folder, case):
        """Writes the program with this flag into a folder of the scene; returns its path there."""
        backend, _, flag = case
        dialect = "c" if backend == "cpu" else "cuda"
        source = ("k.c", SAXPY_C) if dialect == "c" else ("k.cu", SAXPY_CU)
        program = scene.program(dialect, source=source, flags=[flag.replace("\\", "\\\\").replace('"', '\\"')])
        (scene.folder / folder).mkdir()
        for path in (program, scene.folder / source[0], scene.write("x.txt", "")):
            path.rename(scene.folder / folder / path.name)
        return f"{folder}/{program.name}"

    def attempt(self, cases, timeout):
        """What one command that compiles with each of these flags of one compiler does: its result, or None if it does not end, and
        the files that it writes."""
        backend, engine, _ = cases[0]
        with scene_of(self.kmux) as scene:
            programs = [self.lay(scene, str(number), case) for number, case in enumerate(cases)]
            before = set(scene.folder.rglob("*"))
            try:
                result = scene.compile_all(backend, programs, **({"KMUX_OPTION_CPU_ENGINE": engine} if engine else {}), timeout=timeout)
            except subprocess.TimeoutExpired:
                return None, []
            return result, [str(path) for path in scene.folder.rglob("*") if path not in before and "/cache" not in str(path)]

    def are_harmless(self, cases):
        """Whether one command shows that none of these flags of one compiler is harmful."""
        result, more = self.attempt(cases, timeout=120)
        if result is None or more or result.returncode not in EXPECTED:
            return False
        own = re.compile(rb"\[\d+/\d+\] |kmux: |\d+/p\.kmux:|\d+ of \d+ programs|  |$")
        return all(map(own.match, result.stderr.split(b"\n")))

    def harms(self, cases):
        """Why each of these flags of one compiler is harmful; empty for those that are not."""
        if len(cases) == 1:
            return [self.harm(cases[0])]
        if self.are_harmless(cases):
            return [""] * len(cases)
        half = len(cases) // 2
        return self.harms(cases[:half]) + self.harms(cases[half:])

    def harm(self, case):
        """Why the flag is harmful on its backend; empty if it is not."""
        result, more = self.attempt([case], timeout=40)
        if result is None:
            return "does not end"
        if result.returncode not in EXPECTED:
            return f"exit code {result.returncode}: {result.stderr[:200]!r}"
        if more:
            return f"wrote {more}"
        is_said_by_kmux = result.returncode != 0 or not result.stderr.strip() or result.stderr.startswith(b"kmux:")
        return "" if is_said_by_kmux else f"printed {result.stderr[:200]!r}"


def cases():
    clang = [("cpu", "clang", form) for flag in sorted(of_clang()) for form in forms_of(flag)]
    gcc = [("cpu", "host", form) for flag in sorted(of_gcc()) for form in forms_of(flag)]
    nvcc = [("cuda", "", form) for flag in sorted(of_nvcc()) for form in forms_of(flag)]
    nvrtc = [("nvrtc", "", form) for flag in NVRTC for form in forms_of(flag)]
    return clang + gcc + nvcc + nvrtc


def batches(tried):
    """The flags of each compiler, BATCH at a time."""
    for _, cases_of_one in itertools.groupby(tried, key=lambda case: case[:2]):
        left = list(cases_of_one)
        while left:
            yield left[:BATCH]
            left = left[BATCH:]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kmux")
    parser.add_argument("--every", type=int, default=1, help="of so many flags one")
    parser.add_argument("--list", action="store_true", help="only count what would be tried")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    sweep = Sweep(os.path.abspath(chosen.kmux))
    available = set()
    with scene_of(sweep.kmux) as scene:
        for backend in ("cpu", "cuda", "nvrtc"):
            try:
                scene.needs_backend(backend)
                available.add(backend)
            except Missing as lacks:
                print(f"skipped for want of {lacks}")
    tried = [case for case in cases() if case[0] in available][:: chosen.every]
    if chosen.list:
        print(f"flags_swept {len(tried)}")
        return 0
    harmful = 0
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        for case, harm in zip(tried, itertools.chain.from_iterable(pool.map(sweep.harms, batches(tried)))):
            if harm:
                harmful += 1
                print(f"flag {case[2]} of {case[0]} {case[1]}: {harm}", flush=True)
    print(f"flags_swept {len(tried)}")
    print(f"flags_harmful {harmful}")
    return 1 if harmful or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
