"""raise.py CODE: prints what CODE raises, as the last lines of a traceback have it."""
import json
import logging
import sys

import kmux
import numpy

logging.basicConfig(stream=sys.stdout, format="%(levelname)s: %(message)s")
DOCUMENT = "scale.kmux.json"
SAXPY = """__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}"""
SIGNATURE = "saxpy(a: f32, x: f32[n], y: inout f32[n])"


def begin(signature=SIGNATURE, **others):
    """The first kernel of README."""
    return kmux.kernel(SAXPY, signature, **{"grid": "ceildiv(n, 256)", "block": 256, **others})


def main(code):
    scale = kmux.load_program(DOCUMENT)
    kernel = kmux.compile(scale, execution_backend="cpu")
    x, fixed = numpy.zeros(8, "float32"), numpy.zeros(8, "float32")
    fixed.flags.writeable = False
    document = json.loads(scale.to_json())
    del document["variants"][0]["sources"][0]["sha256"]
    broken = kmux.program(document, {"scale.c": "void scale(const float* x) { x[0] = missing; }"})
    names = {"kmux": kmux, "scale": scale, "document": document, "broken": broken, "kernel": kernel, "x": x, "fixed": fixed}
    names |= {"SAXPY": SAXPY, "SIGNATURE": SIGNATURE, "saxpy": begin(), "begin": begin}
    try:
        exec(code, names)  # pylint: disable=exec-used
    except Exception as error:  # pylint: disable=broad-except
        print(f"{type(error).__name__}: {error}")
    else:
        raise AssertionError(f"{code} raises nothing")


if __name__ == "__main__":
    main(sys.argv[1])
