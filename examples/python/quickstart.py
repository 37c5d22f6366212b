"""Compiles a program from a file and calls it with NumPy arrays."""

import pathlib

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent / "programs"

# [quickstart.begin]
import kmux
import numpy as np

scale = kmux.compile(PROGRAMS / "scale" / "scale.kmux.json", target="cpu")
x = np.arange(4, dtype="float32")

y = scale(x, 1.5)  # a new tensor: the program says that y is its output
print(np.from_dlpack(y))

z = np.empty_like(x)
scale(x, 1.5, z)  # or into one that is there; nothing is allocated
print(z, "by", scale.backend)
# [quickstart.end]

print(scale.resolution)

# [errors.begin]
for arguments in ((x, "large"), (x, 1.5, np.empty(3, "float32"))):
    try:
        scale(*arguments)
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
# [errors.end]
