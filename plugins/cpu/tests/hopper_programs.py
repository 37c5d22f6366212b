#!/usr/bin/env python3
"""Runs the programs for sm_90a of tests/data/tilelang by `kmux run`, and compares with NumPy: wgmma, TMA, mbarrier, clusters.

hopper_programs.py KMUX HEADERS [--backend cpu] [--option tier=fast]... HEADERS has the folders tl_templates and cutlass. Prints the error of
each program, relative to the norm of its reference; exit 1 if one is wrong, 77 without NumPy or headers.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as problem:
    print(f"needs NumPy ({problem})")
    sys.exit(77)

PROGRAMS = pathlib.Path(__file__).resolve().parents[3] / "tests" / "data" / "tilelang"
TOLERANCE = {np.float32: 2e-6, np.float16: 1e-3}  # of results; sums are of float32 in each case


def product(inputs):
    return inputs["A"] @ inputs["B"]


def attention(inputs):
    scores = np.einsum("bqhd,bkhd->bhqk", inputs["Q"], inputs["K"]) / np.sqrt(inputs["Q"].shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return np.einsum("bhqk,bkhd->bqhd", weights / weights.sum(-1, keepdims=True), inputs["V"])


def convolution(inputs):
    image, weights = inputs["image"], inputs["weights"]
    height, width = image.shape[1:3]
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
    return sum(padded[:, i:i + height, j:j + width] @ weights[i, j] for i in range(3) for j in range(3))


# The program, the shapes of its inputs, its result and the type of that, and the reference.
CASES = [
    ("gemm_f16", {"A": (1024, 1024), "B": (1024, 1024)}, "C", np.float32, product),
    ("gemm_f16_cluster", {"A": (1024, 512), "B": (512, 1024)}, "C", np.float32, product),
    ("gemm_f16_dynamic", {"A": (200, 136), "B": (136, 264)}, "C", np.float32, product),
    ("gemm_f16_dynamic", {"A": (1, 64), "B": (64, 8)}, "C", np.float32, product),
    ("gemm_f16_split", {"A": (100, 4096), "B": (4096, 256)}, "C", np.float32, product),
    ("flash_attention", dict.fromkeys("QKV", (1, 1024, 8, 64)), "O", np.float16, attention),
    ("conv2d", {"image": (4, 32, 32, 64), "weights": (3, 3, 64, 128)}, "out", np.float16, convolution),
]


def error_of(options, folder, case):
    """The relative error of a case; ends the script where its command fails."""
    name, shapes, result, dtype, reference = case
    random = np.random.default_rng(sum(name.encode()))
    inputs = {key: (random.standard_normal(shape) / 2).astype(np.float16) for key, shape in shapes.items()}
    command = [options.kmux, "run", PROGRAMS / name / f"{name}.kmux.json", "--backend", options.backend, "--no-cache"]
    for include in (options.headers, options.headers / "cutlass"):
        command += ["--include", include]
    for option in options.option:
        command += ["--option", option]
    for key, value in inputs.items():
        np.save(folder / f"{key}.npy", value)
        command += ["--in", f"{key}={folder / key}.npy"]
    command += ["--out", f"{result}={folder / result}.npy"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{name}: {run.stderr}")
    found = np.load(folder / f"{result}.npy")
    wanted = reference({key: value.astype(np.float64) for key, value in inputs.items()})
    error = np.linalg.norm(found.astype(np.float64) - wanted) / np.linalg.norm(wanted)
    return error if found.dtype == dtype and found.shape == wanted.shape else np.inf


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kmux")
    parser.add_argument("headers", type=pathlib.Path)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--option", action="append", default=[])
    options = parser.parse_args()
    if not (options.headers / "tl_templates").exists() or not (options.headers / "cutlass").exists():
        print(f"needs TileLang's headers ({options.headers})")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            error = error_of(options, pathlib.Path(folder), case)
            is_wrong = not error <= TOLERANCE[case[3]]  # NaN is wrong
            wrong += is_wrong
            print(f"{case[0]} {list(case[1].values())}: {error:.2g}{' WRONG' if is_wrong else ''}")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
