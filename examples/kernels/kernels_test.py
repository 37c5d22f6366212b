"""Runs kernels of this folder by `kmux run` and compares with references.py. Prints each case; exit 1 if one is wrong.

Each kernel is compiled once, in a cache of this run.

kernels_test.py KMUX [NAME...] [--backend NAME] [--option tier=fast]...
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent

try:
    import numpy as np
except ImportError as problem:
    print(f"needs NumPy ({problem})")
    sys.exit(77)

import cases
import references


def program(name):
    """NAME.kmux.json, or NAME.cu where the source carries its program."""
    document = FOLDER / f"{name}.kmux.json"
    return document if document.exists() else FOLDER / f"{name}.cu"


def parameters(kmux, name):
    """The program's parameters by name."""
    shown = subprocess.run([kmux, "show", str(program(name)), "--json"], capture_output=True, text=True, check=True)
    return {p["name"]: p for p in json.loads(shown.stdout)["signature"]["params"]}


def words_of(params, inputs, wanted, folder):
    """What the command line says to give these inputs and to write the results that the reference has."""
    words = []
    for key, value in inputs.items():
        if "buffer" in params[key]:
            np.save(folder / f"{key}.npy", value)
            words += ["--in", f"{key}={folder / key}.npy"]
        else:
            words += ["--scalar", f"{key}={value}"]
    return words + [word for key in wanted for word in ("--out", f"{key}={folder / key}_out.npy")]


def load(param, path):
    result = np.load(path)
    is_bfloat16 = param["buffer"]["dtype"] == "bfloat16"
    return references.bfloat16(result) if is_bfloat16 else result


def difference(case, result, wanted):
    """What is wrong with a result, or nothing."""
    wanted = np.asarray(wanted, np.float64 if case.tolerance else None)
    if result.shape != wanted.shape:
        return f"shape {result.shape}, not {wanted.shape}"
    if case.tolerance and np.issubdtype(result.dtype, np.floating):
        far = np.abs(result - wanted) > case.tolerance * cases.EPSILON * np.maximum(np.abs(wanted), case.size)
        wrong = far | ~np.isfinite(result)
    else:
        wrong = result != wanted.astype(result.dtype)
    if np.count_nonzero(wrong) <= case.share * wrong.size:
        return ""
    first = np.argwhere(wrong)[0]
    at = tuple(first)
    return f"{np.count_nonzero(wrong)} of {wrong.size} wrong, first {first.tolist()}: {result[at]!r}, not {wanted[at]!r}"


def command(arguments, name, words):
    options = [w for option in arguments.option for w in ("--option", option)]
    environment = {n: value for n, value in os.environ.items() if n != "KMUX_DISABLE_CACHE"}
    done = subprocess.run([arguments.kmux, "run", str(program(name)), "--backend", arguments.backend,
                           *options, *words], env={**environment, "KMUX_CACHE_DIR": arguments.cache}, capture_output=True, text=True)
    return f"exit {done.returncode}: {done.stderr.strip()}" if done.returncode else ""


def check(arguments, name, size):
    """The problems of one size."""
    case = cases.CASES[name]
    inputs = case.inputs(cases.Inputs(seed=len(name) + sum(size)), *size)
    kept = {k: v.copy() if hasattr(v, "copy") else v for k, v in inputs.items()}
    wanted = getattr(references, name)(**kept)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        params = parameters(arguments.kmux, name)
        if problem := command(arguments, name, words_of(params, inputs, wanted, folder)):
            return [problem]
        found = [(key, difference(case, load(params[key], folder / f"{key}_out.npy"), wanted[key])) for key in wanted]
    return [f"{key}: {text}" for key, text in found if text]


def readme_words(name):
    """How README.md's table says to run it."""
    row = re.search(rf"^\| `{name}` \|.*\| `([^`]*)` \|$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    return row.group(1).split() if row else None


def check_kernel(arguments, name):
    """All sizes, and the line of README.md with the program's example values."""
    problems = {str(size): check(arguments, name, size) for size in cases.CASES[name].sizes}
    words = readme_words(name)
    problems["README.md"] = ["it has no row for this"] if words is None else [p for p in [command(arguments, name, words)] if p]
    for size, texts in problems.items():
        print(f"{name} {size}: {'; '.join(texts) or 'ok'}", flush=True)
    return not any(problems.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kmux")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--option", action="append", default=[])
    arguments = parser.parse_args()
    names = arguments.names or sorted(path.stem for path in FOLDER.glob("*.cu"))
    with tempfile.TemporaryDirectory() as arguments.cache:  # what is compiled for one size runs the others
        results = [check_kernel(arguments, name) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
