#!/usr/bin/env python3
"""Every flag of the compilers, as a program's text could have it: sweep_flags.py KMUX [--every N] [--jobs N]
[--list], which only counts them.

A flag is harmful if the command crashes, hangs or prints what is no message of kmux's, or if a file is written where the program is or
where the command stands. Flags come from the compilers that are here: Clang's and GCC's on backend cpu, nvcc's on cuda and nvrtc. Ends
with the number of flags and of harmful ones."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

from scene import SAXPY_C, SAXPY_CU, Missing, scene_of

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

    def harm(self, case):
        """Why the flag is harmful on its backend; empty if it is not."""
        backend, engine, flag = case
        with scene_of(self.kmux) as scene:
            dialect = "c" if backend == "cpu" else "cuda"
            source = ("k.c", SAXPY_C) if dialect == "c" else ("k.cu", SAXPY_CU)
            scene.program(dialect, source=source, flags=[flag.replace("\\", "\\\\").replace('"', '\\"')])
            scene.write("x.txt", "")
            before = sorted(str(path) for path in scene.folder.rglob("*"))
            try:
                result = scene.compile(backend, **({"KMUX_OPTION_CPU_ENGINE": engine} if engine else {}), timeout=40)
            except subprocess.TimeoutExpired:
                return "does not end"
            if result.returncode not in (0, 3, 4, 5):
                return f"exit code {result.returncode}: {result.stderr[:200]!r}"
            more = [path for path in map(str, scene.folder.rglob("*")) if path not in before and "/cache" not in path]
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
        for case, harm in zip(tried, pool.map(sweep.harm, tried)):
            if harm:
                harmful += 1
                print(f"flag {case[2]} of {case[0]} {case[1]}: {harm}", flush=True)
    print(f"flags_swept {len(tried)}")
    print(f"flags_harmful {harmful}")
    return 1 if harmful or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
